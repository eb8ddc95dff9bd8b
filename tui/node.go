package tui

import (
	"fmt"
	"math"
	"strings"

	"volley/results"
	"volley/results/correlate"
)

// nodeSide is what is known of the node beside the client.
type nodeSide struct {
	report    *correlate.Report
	intervals []correlate.Interval
}

func (s *store) nodeSide() *nodeSide {
	if s.correlator == nil {
		return nil
	}
	return &nodeSide{s.correlator.Report(), s.correlator.Intervals()}
}

// drawNode sets the node's own metrics beside the client's account: where the time
// goes, slots, Little's law, quantiles, both over time, the reconciliation, and which
// of its series move with the tail.
func drawNode(c canvas, v *view, l look) {
	switch {
	case v.summary != nil && (v.node == nil || v.node.report.Intervals == 0):
		lines(heading(c, "Node", ""), 0, style{}, "The node's own metrics were not read, or not often enough: nothing can be set beside the client's account.")
		return
	case v.node == nil || v.node.report.Intervals == 0:
		body := heading(c, "Node", "")
		y := lines(body, 0, in(dim), "No scrape of the node's metrics bounds an interval of the client yet.")
		if v.node != nil {
			for _, n := range v.node.report.Notes {
				y = lines(body, y+1, in(dim), results.Escape(n))
			}
		}
		return
	}
	r := v.node.report
	if c.w < 64 || c.h < 15 {
		drawNodeBrief(c, v, r)
		return
	}
	if w := nodeWarnings(r); w != nil {
		c.text(0, 0, fit(strings.Join(w, "; "), c.w), in(caution).bold())
		c = c.rows(1, c.h-1)
	}
	const gap = 2
	left := (c.w - gap) / 2
	half := func(y, h int) (a, b canvas) { return c.part(0, y, left, h), c.part(left+gap, y, c.w, h) }
	if c.h < 30 {
		a, b := half(0, 6)
		drawSplit(a, r)
		drawSlots(b, r)
		a, b = half(6, 6)
		drawLittle(a, r)
		drawQuantiles(b, r)
		a, b = half(12, c.h)
		if len(v.reconciled()) > 0 {
			drawReconciliation(a, v)
		} else {
			drawNodeCurves(a, v, l, entriesCurves)
		}
		drawMovers(b, r)
		return
	}
	a, b := half(0, 7)
	drawSplit(a, r)
	drawSlots(b, r)
	a, b = half(7, 7)
	drawLittle(a, r)
	drawQuantiles(b, r)
	rest := c.h - 14
	lower := max(rest/3, 10)
	a, b = half(14, rest-lower)
	if a.h >= 18 {
		drawNodeCurves(a.rows(0, a.h/2), v, l, entriesCurves)
		drawNodeCurves(a.rows(a.h/2, a.h), v, l, slotCurves)
	} else {
		drawNodeCurves(a, v, l, entriesCurves)
	}
	drawOverlay(b, v)
	a, b = half(c.h-lower, lower)
	drawReconciliation(a, v)
	drawMovers(b, r)
}

// lines writes text from row y on, and gives the row after it. What there is no room for
// is cut off at the last row, with a sign.
func lines(c canvas, y int, st style, text string) int {
	all := wrap(text, c.w)
	if last := c.h - y - 1; last >= 0 && len(all) > last+1 {
		all = append(all[:last:last], fit(strings.Join(all[last:], " "), c.w))
	}
	for _, line := range all {
		c.text(0, y, line, st)
		y++
	}
	return y
}

func (v *view) reconciled() []results.Row {
	if v.summary == nil {
		return nil
	}
	return v.summary.Reconciliation
}

func verdictStyle(v correlate.Verdict) style {
	switch v {
	case correlate.Agrees, correlate.BindsNot:
		return in(good).bold()
	case correlate.Differs:
		return in(bad).bold()
	case correlate.Binds:
		return in(caution).bold()
	}
	return in(dim)
}

func seconds(s float64) string { return results.Micros(1e6 * s) }

// drawSplit shows where the mean response time goes, as one bar.
func drawSplit(c canvas, r *correlate.Report) {
	s := r.Split
	if s == nil || !(s.Response > 0) {
		lines(heading(c, "Where the time goes", ""), 0, in(dim), "not known: "+reason(r, "where the time goes"))
		return
	}
	note := "mean " + seconds(s.Response)
	if c.w >= 80 {
		note += ", " + results.Escape(s.Of)
	}
	body := heading(c, "Where the time goes", note)
	parts := splitParts(s)
	x, sum := 0, 0.0
	for _, p := range parts {
		sum += max(p.seconds, 0)
	}
	ends := 0.0
	for i, p := range parts {
		ends += max(p.seconds, 0)
		to := int(math.Round(ends / sum * float64(body.w)))
		if i == len(parts)-1 {
			to = body.w
		}
		for ; x < to; x++ {
			body.put(x, 0, p.shade, in(p.st))
		}
	}
	for i, p := range parts {
		y := 1 + i
		body.put(0, y, p.shade, in(p.st))
		body.text(2, y, p.name, style{})
		body.right(body.w-7, y, seconds(p.seconds), style{})
		body.right(body.w, y, percent(p.seconds/s.Response), style{attr: bold})
	}
	if s.Note != "" {
		lines(body, 1+len(parts), in(dim), results.Escape(s.Note))
	}
}

type splitPart struct {
	name    string
	seconds float64
	shade   string
	st      colour
}

func splitParts(s *correlate.Split) []splitPart {
	if s.Shared {
		return []splitPart{{"lateness", s.Lateness, "░", second}, {"network and node", s.Network + s.Node, "█", third}}
	}
	return []splitPart{
		{"lateness", s.Lateness, "░", second},
		{"network and admission", s.Network, "▒", first},
		{"node processing", s.Node, "█", third},
	}
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// drawSlots shows how many of its execution slots a batch holds, against the limit.
func drawSlots(c canvas, r *correlate.Report) {
	o := r.Occupancy
	if o == nil {
		lines(heading(c, "Slots of a batch", ""), 0, in(dim), "not known: "+reason(r, "slots"))
		return
	}
	body := heading(c, "Slots of a batch", "")
	verdict := string(o.Verdict)
	body.right(body.w, 0, verdict, verdictStyle(o.Verdict))
	held, ok := o.Value()
	if ok {
		at := body.text(0, 0, "holds ", in(dim))
		at = body.text(at, 0, results.Rate(held), style{attr: bold})
		if o.Limit > 0 {
			body.text(at, 0, " of "+itoa(o.Limit), style{})
		}
		st := in(first)
		if o.Verdict == correlate.Binds {
			st = in(second)
		}
		if o.Limit > 0 {
			bar(body, 0, 1, body.w, held/float64(o.Limit), st, in(track))
		}
	} else {
		body.text(0, 0, "not measured", in(dim))
	}
	y := lines(body, 2, style{}, results.Escape(o.Reason)+".")
	if o.Gauges != nil && o.Sums != nil && y < body.h {
		body.text(0, y, fit(fmt.Sprintf("gauges: %s +- %s, %d samples", results.Rate(*o.Gauges), results.Rate(2**o.GaugesSE), o.Samples), body.w), in(dim))
	}
}

// drawLittle shows the mean number of batches in flight, four ways.
func drawLittle(c canvas, r *correlate.Report) {
	l := r.Little
	if l == nil {
		lines(heading(c, "Little's law", ""), 0, in(dim), "not known: "+reason(r, "Little's law"))
		return
	}
	word, title := " "+string(l.Verdict), "Little's law, batches in flight"
	if width(title)+1+width(word) > c.w {
		title = "Little's law"
	}
	body := heading(c, title, "")
	c.put(c.w-width(word)-1, 0, " ", style{})
	st := verdictStyle(l.Verdict)
	if l.Verdict == correlate.Differs && len(r.Surplus) > 0 {
		st = in(caution).bold() // that is known
	}
	c.right(c.w, 0, word, st)
	rows := []struct {
		name  string
		value float64
		note  string
		st    style
	}{
		{"client, rate x service time", l.Client, "", style{attr: bold}},
		{"node, rate of its time", l.RateOfSum, "", style{}},
		{"client's rate x node's time", l.XNode, "", style{}},
	}
	if l.Gauge != nil {
		rows = append(rows, struct {
			name  string
			value float64
			note  string
			st    style
		}{"node's gauge", *l.Gauge, "+-" + results.Rate(2**l.GaugeSE), style{}})
	}
	most := 0.0
	for _, r := range rows {
		most = max(most, r.value)
	}
	for y, r := range rows {
		body.text(0, y, fit(r.name, body.w-9), r.st)
		body.right(body.w, y, results.Rate(r.value), r.st)
		if r.note != "" {
			body.right(body.w-7, y, r.note, in(dim))
		}
		if room := body.w - 46; room >= 6 && most > 0 {
			bar(body, 29, y, room, r.value/most, in(first), in(track))
		}
	}
	// That they agree the numbers say too; why they do not must be seen.
	why := results.Escape(l.Reason) + "."
	if len(l.Suspects) > 0 {
		why = "suspect " + results.Escape(strings.Join(l.Suspects, "; ")) + "; " + why
	}
	if l.Verdict == correlate.Differs || len(wrap(why, body.w)) <= body.h-len(rows) {
		lines(body, len(rows), in(dim), why)
	}
}

// drawQuantiles sets the bounds that the node's buckets give beside the client's values.
func drawQuantiles(c canvas, r *correlate.Report) {
	title := "Quantiles of service"
	if c.w < 50 {
		title = "Quantiles"
	}
	body := heading(c, title, "")
	if len(r.Quantiles) == 0 {
		why := "too few calls, or the node has no buckets"
		if r.Split == nil {
			why = reason(r, "where the time goes")
		}
		lines(body, 0, in(dim), "not known: "+why)
		return
	}
	whose := "node"
	if r.Split != nil && r.Split.Shared {
		whose = "all traffic"
	}
	columnName(c, body.w-20, "client")
	columnName(c, body.w, whose)
	for y, q := range r.Quantiles {
		node := "over " + seconds(q.Lower)
		if q.Upper != nil {
			node = seconds(q.Lower) + ".." + seconds(*q.Upper)
		}
		mark := " "
		if q.N < results.NeededFor(q.Q) {
			mark = "?"
		}
		body.text(0, y, fmt.Sprintf("p%g", 100*q.Q), in(dim))
		body.right(body.w-21, y, seconds(q.Client), style{})
		body.text(body.w-21, y, mark, in(caution))
		body.right(body.w, y, node, style{})
	}
	if u := r.Usage; u != nil && len(r.Quantiles) < body.h {
		words := "node CPU " + percent(u.Cores) + " of a core"
		if u.PerEntry != nil {
			words += ", " + seconds(*u.PerEntry) + " an entry"
		}
		body.text(0, len(r.Quantiles), fit(words, body.w), in(dim))
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return itoa(n) + " " + word + "s"
}

// drawMovers names the node's series that move with the client's tail.
func drawMovers(c canvas, r *correlate.Report) {
	m := &r.Movers
	note := ""
	if len(m.Top) > 0 {
		note = fmt.Sprintf("of %d series", m.Series)
	}
	body := heading(c, "Moves with the p99", note)
	switch {
	case m.Silent != "":
		lines(body, 0, in(dim), "nothing is said: "+results.Escape(m.Silent))
		return
	case len(m.Top) == 0:
		lines(body, 0, in(dim), fmt.Sprintf("none of %d changing series, as far as %d intervals tell", m.Series, m.Intervals))
		return
	}
	y := 0
	for _, t := range m.Top {
		name := results.Escape(t.Series)
		if t.What != "value" {
			name = results.Escape(t.What) + " of " + name
		}
		figures := fmt.Sprintf("%+.2f [%+.2f, %+.2f] n %d", t.Rho, t.Low, t.High, t.N)
		if t.Lag > 0 {
			figures += fmt.Sprintf(", %d ahead", t.Lag)
		}
		if room := body.w - width(figures) - 1; room >= width(name) {
			body.text(0, y, name, style{})
			body.right(body.w, y, figures, in(dim))
			y++
			continue
		}
		if y+1 >= body.h {
			break // no name without its figures
		}
		body.text(0, y, fit(name, body.w), style{})
		body.text(2, y+1, fit(figures, body.w-2), in(dim))
		y += 2
	}
}
