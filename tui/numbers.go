package tui

import (
	"volley/results"
)

// drawNumbers gives the most needed numbers, one a line, for windows that are too
// small for anything else.
func drawNumbers(c canvas, v *view, l look, f *figures) {
	word, st := stateWord(v, l)
	at := c.text(0, 0, fit(word, c.w), st)
	if c.w-at > 3 {
		c.text(at+1, 0, fit(clock(v.now), c.w-at-1), style{})
	}
	if c.w < 12 && c.h > 1 {
		c = c.rows(1, c.h-1)
		c.text(0, 0, fit(clock(v.now), c.w), style{})
	}
	y := 1
	for _, line := range briefLines(v, f) {
		text := line.name + " " + line.value
		if width(text) > c.w {
			text = line.value
		}
		c.text(0, y, fit(text, c.w), line.st)
		y++
	}
}

type briefLine struct {
	name, value string
	st          style
}

func briefLines(v *view, f *figures) []briefLine {
	rate, ok := f.perSecond(f.Entries)
	entries := "-"
	if ok {
		entries = results.Rate(rate)
	}
	latency := func(q float64) string {
		if len(f.response) == 0 {
			return "-"
		}
		s := results.Micros(float64(f.response.quantile(q)))
		if int64(f.response.count()) < results.NeededFor(q) {
			s += "?"
		}
		return s
	}
	failed := style{}
	if f.FailedEntries() > 0 {
		failed = in(bad).bold()
	}
	share := results.Share(f.FailedEntries(), f.Entries)
	if share == "" {
		share = "-"
	}
	lines := []briefLine{
		{"entries/s", entries, style{attr: bold}},
		{"p50", latency(.5), style{}},
		{"p99", latency(.99), style{}},
		{"failed", share, failed},
	}
	for i := range v.standing() {
		verdict, value, st := objectiveWords(&v.standing()[i])
		lines = append(lines, briefLine{verdict, results.Escape(v.standing()[i].Text) + ": " + value, st})
	}
	return append(lines, briefLine{"in flight", itoa(v.flying), in(dim)})
}

// drawBrief is the overview of a small window: numbers, and a histogram of the rows
// that are left.
func drawBrief(c canvas, v *view, l look, f *figures) {
	phase := "draining"
	if v.current < len(v.meta.Phases) {
		p := &v.meta.Phases[v.current]
		phase = results.Escape(results.Brief(p.Name)) + ": " + askedWord(p)
	}
	if v.summary != nil {
		phase = "over"
	}
	c.text(0, 0, fit(phase, c.w), in(dim))
	word := func(n uint64) string {
		if rate, ok := f.perSecond(n); ok {
			return results.Rate(rate)
		}
		return "-"
	}
	each := (c.w - 9) / 3
	asked := askedWords(v, l, f)
	for i, col := range [...]struct {
		name, asked, got, good string
	}{
		{"calls/s", asked[0], word(f.Calls), ""},
		{"entries/s", asked[1], word(f.Entries), word(f.GoodEntries())},
		{"items/s", asked[2], word(f.Items), word(f.GoodItems)},
	} {
		x := 9 + (i+1)*each
		c.right(x, 1, col.name, in(dim))
		c.right(x, 2, col.got, style{attr: bold})
		c.right(x, 3, col.good, in(good))
	}
	c.text(0, 1, fit(itoa(v.flying)+" in fl.", 9), in(dim))
	c.text(0, 2, "achieved", style{})
	c.text(0, 3, "goodput", in(good))
	each = c.w / len(shown)
	for i, q := range shown {
		c.right((i+1)*each, 4, q.name, in(dim))
		value := "-"
		if len(f.response) > 0 {
			value = results.Micros(float64(f.response.quantile(q.q)))
			if int64(f.response.count()) < results.NeededFor(q.q) {
				value += "?"
			}
		}
		c.right((i+1)*each, 5, value, style{attr: bold})
	}
	y := 6
	failed := style{}
	if f.FailedEntries() > 0 {
		failed = in(bad).bold()
	}
	at := c.text(0, y, "failed ", in(dim))
	at = c.text(at, y, results.Share(f.FailedEntries(), f.Entries), failed)
	if len(f.lateness) > 0 {
		at = c.text(at+2, y, "late p99 ", in(dim))
		c.text(at, y, fit(results.Micros(float64(f.lateness.quantile(.99))), c.w-at), style{})
	}
	y++
	for i := range v.standing() {
		if y >= c.h-2 {
			break
		}
		verdict, value, st := objectiveWords(&v.standing()[i])
		c.text(0, y, verdict, st)
		c.text(5, y, fit(results.Escape(v.standing()[i].Text)+"  "+value, c.w-5), style{})
		y++
	}
	if rest := c.rows(y, c.h-y); rest.h >= 1 && len(f.response) > 0 {
		s := scaleOf(f.response, c.w)
		if rest.h >= 4 {
			axisBelow(rest, rest.h-2, s)
			drawBars(rest.rows(0, rest.h-2), s, f.response)
			return
		}
		drawBars(rest, s, f.response)
	}
}
