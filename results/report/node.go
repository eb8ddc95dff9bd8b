package report

import (
	"fmt"
	"strings"

	"volley/results"
	"volley/results/correlate"
)

// nodeSide tells what the node's own metrics say of the run beside the client.
func (p *page) nodeSide(r *correlate.Report) {
	if r == nil {
		return
	}
	p.line("")
	if r.Intervals == 0 {
		p.line("%s", wrap("The node's side: ", "no scrape of its metrics bounds any client interval"))
		return
	}
	p.line("The node's side, over %s with %s", results.Seconds(r.ToS-r.FromS), plural(uint64(r.Scrapes), "scrape"))
	p.split(r.Split)
	p.bounds(r)
	if l := r.Little; l != nil {
		p.point("Little's law", little(l))
	}
	if o := r.Occupancy; o != nil {
		p.point("slots", string(o.Verdict)+": "+o.Reason+sampled(o))
	}
	p.usage(r.Usage)
	p.surplus(r.Surplus)
	p.movers(&r.Movers)
	for _, n := range r.Notes {
		p.line("%s", wrap("  - ", results.Escape(n)))
	}
}

// point is a line about one thing.
func (p *page) point(what, text string) {
	p.line("%s", wrap("  "+pad(what, 14), results.Escape(text)))
}

// split shows where the mean response goes.
func (p *page) split(s *correlate.Split) {
	if s == nil || !(s.Response > 0) {
		return
	}
	p.line("  Where the mean response of %s goes", results.Escape(s.Of))
	for _, row := range append(splitParts(s), splitPart{"response", s.Response}) {
		p.line("    %s%14s%9s", pad(row.what, 24), results.Micros(1e6*row.seconds), percent(row.seconds/s.Response))
	}
	if s.Note != "" {
		p.line("%s", wrap("    ", results.Escape(s.Note)))
	}
}

type splitPart struct {
	what    string
	seconds float64
}

// splitParts are what a response is made of; network and node are one where the node's
// mean is of others' calls too.
func splitParts(s *correlate.Split) []splitPart {
	if s.Shared {
		return []splitPart{{"lateness", s.Lateness}, {"network and node", s.Network + s.Node}}
	}
	return []splitPart{{"lateness", s.Lateness}, {"network and admission", s.Network}, {"node processing", s.Node}}
}

// whoseTimes says of what the node's histogram is.
func whoseTimes(r *correlate.Report) string {
	if r.Split != nil && r.Split.Shared {
		return "node, all traffic"
	}
	return "node processing"
}

// bounds sets the node's bounds of quantiles beside the client's values.
func (p *page) bounds(r *correlate.Report) {
	if len(r.Quantiles) == 0 {
		return
	}
	p.line("  %s%14s%20s", pad("Quantiles", 26), "client service", whoseTimes(r))
	for _, q := range r.Quantiles {
		node := "over " + results.Micros(1e6*q.Lower)
		if q.Upper != nil {
			node = results.Micros(1e6*q.Lower) + " to " + results.Micros(1e6**q.Upper)
		}
		mark := " "
		if q.N < results.NeededFor(q.Q) {
			mark = "?"
		}
		p.line("    %s%14s%s%19s", pad(fmt.Sprintf("p%g", 100*q.Q), 24), results.Micros(1e6*q.Client), mark, node)
	}
}

// little gives the verdict and the four numbers.
func little(l *correlate.Little) string {
	text := fmt.Sprintf("%s: %s batches in the node by its processing time, %s by the client's rate and the node's mean time",
		l.Verdict, results.Rate(l.RateOfSum), results.Rate(l.XNode))
	if l.Gauge != nil {
		text += fmt.Sprintf(", %s +- %s by %d samples of its gauge", results.Rate(*l.Gauge), results.Rate(2**l.GaugeSE), l.GaugeN)
	}
	text += fmt.Sprintf("; %s in flight at the client", results.Rate(l.Client))
	if l.Suspects != nil {
		text += ". Suspect " + strings.Join(l.Suspects, "; ")
	}
	return text
}

// sampled says what the gauges have to add to a figure of sums.
func sampled(o *correlate.Occupancy) string {
	if o.Sums == nil || o.Gauges == nil {
		return ""
	}
	return fmt.Sprintf(" (%s +- %s by %d samples of the gauges)", results.Rate(*o.Gauges), results.Rate(2**o.GaugesSE), o.Samples)
}

func (p *page) usage(u *correlate.Usage) {
	if u != nil {
		p.point("CPU", usage(u))
	}
}

// usage says what the node's process used.
func usage(u *correlate.Usage) string {
	text := fmt.Sprintf("%s s, %s of one core", results.Rate(u.CPUSeconds), percent(u.Cores))
	var each []string
	for _, e := range []struct {
		what    string
		seconds *float64
	}{{"call", u.PerCall}, {"entry", u.PerEntry}, {"item", u.PerItem}} {
		if e.seconds != nil && (e.what != "item" || u.PerEntry == nil || *e.seconds != *u.PerEntry) {
			each = append(each, results.Micros(1e6**e.seconds)+" for each "+e.what)
		}
	}
	if each != nil {
		text += "; " + strings.Join(each, ", ") + ", over " + u.Of
	}
	if u.Note != "" {
		text += "; " + u.Note
	}
	if u.MemoryMax > 0 {
		text += fmt.Sprintf("; at most %s MiB resident", results.Rate(u.MemoryMax/(1<<20)))
	}
	return text
}

func (p *page) surplus(all []correlate.Surplus) {
	var words []string
	for i := range all {
		words = append(words, fmt.Sprintf("%s %s more than ours", results.Number(all[i].More()), all[i].What))
	}
	if words != nil {
		p.point("other traffic", strings.Join(words, ", "))
	}
}

// movers tells which series move with the tail.
func (p *page) movers(m *correlate.Movers) {
	if none := unmoved(m); none != "" {
		p.point("with the p99", none)
		return
	}
	p.line("%s", wrap("  ", fmt.Sprintf("What moves with the client's p99, of %d changing series (rank correlation, the bounds hold for all at once)", m.Series)))
	for _, t := range m.Top {
		name := t.Series
		if t.What != "value" {
			name = t.What + " of " + name
		}
		if t.Same > 0 {
			name += fmt.Sprintf(" and %d alike", t.Same)
		}
		ahead := ""
		if t.Lag > 0 {
			ahead = fmt.Sprintf(", %d ahead", t.Lag)
		}
		p.line("%s", wrap(fmt.Sprintf("    %+.2f  ", t.Rho), fmt.Sprintf("%s (%+.2f to %+.2f over %d intervals%s)", results.Escape(name), t.Low, t.High, t.N, ahead)))
	}
}

// unmoved says why no series is named; "" when some are.
func unmoved(m *correlate.Movers) string {
	switch {
	case m.Silent != "":
		return "nothing is said of what moves: " + m.Silent
	case len(m.Top) == 0:
		return fmt.Sprintf("none of %d changing series moves, as far as %s tell", m.Series, plural(uint64(m.Intervals), "interval"))
	}
	return ""
}
