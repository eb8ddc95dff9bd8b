package tui

import (
	"volley/results"
)

// mostText is how much of a message is shown: a server may say anything, at any length.
const mostText = 600

// drawLog lists warnings and the first example of each class of failures, the latest
// at the bottom.
func drawLog(c canvas, v *view, l look) {
	note := results.Count(uint64(len(v.log)))
	if v.dropped > 0 {
		note += ", " + results.Count(uint64(v.dropped)) + " older ones left out"
	}
	body := heading(c, "Warnings, and the first failure of each class", note)
	if len(v.log) == 0 {
		body.text(0, 0, "nothing to tell", in(dim))
		return
	}
	const margin = 8
	type line struct {
		at, text string
		st       style
	}
	var lines []line
	for _, e := range v.log {
		st := style{}
		switch e.Kind {
		case Warning:
			st = in(caution)
		case Failure:
			st = in(bad)
		}
		at := clock(e.At)
		for _, text := range wrap(fit(results.Escape(e.Text), mostText), body.w-margin) {
			lines = append(lines, line{at, text, st})
			at = ""
		}
	}
	end := max(len(lines)-l.scroll, min(body.h, len(lines)))
	from := max(end-body.h, 0)
	for y, one := range lines[from:end] {
		body.right(margin-2, y, one.at, in(dim))
		body.text(margin, y, one.text, one.st)
	}
}
