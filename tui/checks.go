package tui

import (
	"volley/results"
)

// drawChecks shows what the generator's self-checks concluded, once the run is over.
func drawChecks(c canvas, v *view) {
	body := heading(c, "Self-checks", "")
	if v.summary == nil {
		body.text(0, 0, "at the end of the run", in(dim))
		return
	}
	g := &v.summary.Generator
	st := in(good)
	if g.Verdict != results.GeneratorOK {
		st = in(bad).bold()
	}
	at := body.text(0, 0, "verdict ", in(dim))
	body.text(at, 0, fit(results.Escape(g.Verdict), body.w-at), st)
	for y, line := range wrap(results.Escape(g.Reason), body.w) {
		body.text(0, 1+y, line, style{})
	}
}
