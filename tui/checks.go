package tui

import (
	"volley/results"
	"volley/results/selfcheck"
)

// drawChecks shows what the self-checks concluded, the gravest first.
func drawChecks(c canvas, v *view) {
	if v.summary == nil {
		body := heading(c, "Self-checks", "")
		lines(body, 0, in(dim), "at the end of the run: whether its numbers can be trusted")
		return
	}
	g := &v.summary.Generator
	body := heading(c, "Self-checks", "")
	word, st := " generator "+results.Escape(g.Verdict), in(good).bold()
	if g.Verdict != results.GeneratorOK {
		st = in(bad).bold()
	}
	columnName(c, c.w, "")
	c.right(c.w, 0, word, st)
	y := 0
	if g.Reason != "" {
		y = lines(body, y, in(bad), results.Escape(g.Reason))
	}
	// What is not in order is told in full, as far as there is room; the rest by name.
	var fine []string
	for _, verdict := range [...]selfcheck.Verdict{selfcheck.Void, selfcheck.Warn, selfcheck.NotEnough, selfcheck.OK} {
		for _, k := range v.summary.Checks {
			if k.Verdict != verdict {
				continue
			}
			name := checkName(&k)
			if verdict == selfcheck.OK {
				fine = append(fine, name)
				continue
			}
			if y < body.h {
				at := body.text(0, y, string(verdict)+" ", checkStyle(verdict))
				body.text(at, y, fit(name, body.w-at), style{attr: bold})
				y++
			}
			if room := body.h - y; room > 1 && verdict != selfcheck.NotEnough {
				y = lines(body.rows(0, body.h-1), y, in(dim), results.Escape(k.Sentence))
				y = min(y, body.h-1)
			}
		}
	}
	for _, name := range fine {
		if y >= body.h {
			break
		}
		at := body.text(0, y, "ok ", in(good))
		body.text(at, y, fit(name, body.w-at), style{})
		y++
	}
}

func checkName(k *selfcheck.Check) string {
	name := results.Escape(k.Name)
	if k.Phase != "" {
		name += ", " + results.Escape(results.Brief(k.Phase))
	}
	return name
}

func checkStyle(v selfcheck.Verdict) style {
	switch v {
	case selfcheck.OK:
		return in(good)
	case selfcheck.Warn:
		return in(caution).bold()
	case selfcheck.Void:
		return in(bad).bold()
	}
	return in(dim)
}
