package tui

import (
	"slices"

	"volley/results"
)

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
	var lines []line // from the last one up, as many as are needed
	for i := len(v.log) - 1; i >= 0 && len(lines) < l.scroll+body.h; i-- {
		e := v.log[i]
		st := style{}
		switch e.Kind {
		case Warning:
			st = in(caution)
		case Failure:
			st = in(bad)
		}
		texts := wrap(e.Text, body.w-margin)
		for n := len(texts) - 1; n >= 0; n-- {
			one := line{text: texts[n], st: st}
			if n == 0 {
				one.at = clock(e.At)
			}
			lines = append(lines, one)
		}
	}
	from := min(l.scroll, max(len(lines)-body.h, 0))
	lines = lines[from:min(from+body.h, len(lines))]
	slices.Reverse(lines)
	for y, one := range lines {
		body.right(margin-2, y, one.at, in(dim))
		body.text(margin, y, one.text, one.st)
	}
}
