package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"volley/results"
	"volley/results/correlate"
	"volley/results/report/chart"
)

func (r *Run) nodeSection() section {
	sec := section{ID: "node", Title: "The node's side"}
	c := r.Summary.Correlation
	if c == nil {
		return sec
	}
	if c.Intervals == 0 {
		sec.text("No scrape of the node's metrics bounds any client interval.")
		return sec
	}
	sec.figure(splitFigure(c.Split))
	sec.table(quantileTable(c))
	sec.table(nodeTable(c))
	sec.table(moversTable(&c.Movers))
	sec.list(shorter(c.Notes, "run.json"))
	for _, f := range r.nodeFigures() {
		sec.figure(f)
	}
	return sec
}

func splitFigure(s *correlate.Split) *figure {
	if s == nil || !(s.Response > 0) {
		return nil
	}
	split := chart.Split{ID: "split", Title: "Where the mean response time goes"}
	t := &table{Columns: headings("Part", "#Mean", "#Share")}
	var words []string
	for _, p := range splitParts(s) {
		text := results.Micros(1e6 * p.seconds)
		split.Parts = append(split.Parts, chart.Part{Name: p.what, Text: text, Value: p.seconds})
		t.add(p.what, text, percent(p.seconds/s.Response))
		words = append(words, text+" is "+p.what)
	}
	t.add("response", results.Micros(1e6*s.Response), "100%")
	split.Alt = fmt.Sprintf("Of a mean response of %s, %s.", results.Micros(1e6*s.Response), strings.Join(words, ", "))
	return &figure{Title: split.Title, Note: strings.TrimSuffix("Of "+s.Of+". "+s.Note, " "), SVG: template.HTML(split.SVG()), Table: t}
}

func quantileTable(c *correlate.Report) *table {
	t := &table{Title: "Our percentiles beside the node's histogram", Columns: headings("#Quantile", "#Client service", "#"+strings.ToUpper(whoseTimes(c)[:1])+whoseTimes(c)[1:])}
	for _, q := range c.Quantiles {
		node := "over " + results.Micros(1e6*q.Lower)
		if q.Upper != nil {
			node = results.Micros(1e6*q.Lower) + " to " + results.Micros(1e6**q.Upper)
		}
		mark := ""
		if q.N < results.NeededFor(q.Q) {
			mark = "?"
		}
		t.add(fmt.Sprintf("p%g", 100*q.Q), results.Micros(1e6*q.Client)+mark, node)
	}
	return t
}

// nodeTable has what can be said in a sentence each.
func nodeTable(c *correlate.Report) *table {
	t := &table{Title: "What the two sides say together", Columns: headings("Question", "Answer")}
	if c.Little != nil {
		t.add("Little's law", short(little(c.Little), mostText))
	}
	if o := c.Occupancy; o != nil {
		t.add("Slots of a batch", short(string(o.Verdict)+": "+o.Reason+sampled(o), mostText))
	}
	if c.Usage != nil {
		t.add("CPU and memory", short(usage(c.Usage), mostText))
	}
	for _, s := range c.Surplus {
		t.add("Other traffic", fmt.Sprintf("%s: %s by the node, %s by volley", s.What, results.Number(s.Node), results.Number(s.Client)))
	}
	if none := unmoved(&c.Movers); none != "" {
		t.add("What moves with the p99", short(none, mostText))
	}
	t.atMost(mostRows, "run.json")
	return t
}

func moversTable(m *correlate.Movers) *table {
	t := &table{Title: "Series that move with the p99", Columns: headings("Series", "What", "#Rank correlation", "#95% interval", "#Intervals ahead")}
	for _, one := range m.Top {
		t.add(short(one.Series, 200), one.What, fmt.Sprintf("%.2f", one.Rho), fmt.Sprintf("%.2f to %.2f", one.Low, one.High), fmt.Sprint(one.Lag))
	}
	t.Note = short(m.Note, mostText)
	return t
}

// nodePoint is what the node did in some time.
type nodePoint struct {
	from, to, seconds float64
	counters          map[correlate.Role]float64
	gauges            map[correlate.Role]correlate.Gauge
}

// nodePoints groups the intervals so that there are about mostSlots of them.
func nodePoints(all []correlate.Interval) (points []nodePoint) {
	group := (len(all) + mostSlots - 1) / mostSlots
	for i := range all {
		n := &all[i].Node
		if i%group == 0 {
			points = append(points, nodePoint{from: n.Start.Seconds(), counters: map[correlate.Role]float64{}, gauges: map[correlate.Role]correlate.Gauge{}})
		}
		p := &points[len(points)-1]
		p.to = n.End.Seconds()
		p.seconds += all[i].NodeSeconds()
		for role, v := range n.Counters {
			p.counters[role] += v
		}
		for role, g := range n.Gauges {
			have := p.gauges[role]
			p.gauges[role] = correlate.Gauge{N: have.N + g.N, Sum: have.Sum + g.Sum, Max: max(have.Max, g.Max), End: g.End}
		}
	}
	return points
}

func (p *nodePoint) rate(role correlate.Role) float64 {
	v, ok := p.counters[role]
	if !ok || !(p.seconds > 0) {
		return math.NaN()
	}
	return v / p.seconds
}

func (p *nodePoint) mean(role correlate.Role) float64 {
	v, ok := p.gauges[role].Mean()
	if !ok {
		return math.NaN()
	}
	return v
}

// nodeFigures show the node over time, as far as it exposes that.
func (r *Run) nodeFigures() (all []*figure) {
	if len(r.node) < 2 || len(r.timeline.slots) < 2 {
		return nil
	}
	points := nodePoints(r.node)
	type of struct {
		name  string
		value func(*nodePoint) float64
	}
	rate := func(role correlate.Role) func(*nodePoint) float64 {
		return func(p *nodePoint) float64 { return p.rate(role) }
	}
	mean := func(role correlate.Role) func(*nodePoint) float64 {
		return func(p *nodePoint) float64 { return p.mean(role) }
	}
	for _, f := range []struct {
		id, title, label string
		text             func(float64) string
		of               []of
	}{
		{"node-rate", "What the node served", "per second", results.Rate, []of{{"batches/s", rate(correlate.Batches)}, {"batch entries/s", rate(correlate.Entries)}, {"singletons/s", rate(correlate.Singles)}}},
		{"node-flight", "In flight at the node", "in flight, mean of the scrapes", results.Rate, []of{{"batches", mean(correlate.BatchesInFlight)}, {"entries", mean(correlate.EntriesInFlight)}}},
		{"node-cpu", "The node's CPU", "cores busy", results.Rate, []of{{"cores", rate(correlate.CPU)}}},
	} {
		plot := chart.Plot{ID: f.id, Title: f.title, X: r.timeAxis(), Y: chart.Axis{Label: f.label, Zero: true, Format: tickRate}, Spans: r.phaseSpans()}
		t := &table{Columns: headings("#From", "#To")}
		for i := range points {
			t.add(clock(points[i].from), clock(points[i].to))
		}
		words := ""
		for i, o := range f.of {
			s := chart.Series{Name: o.name, Colour: i, Line: true}
			most, known := 0.0, false
			for k := range points {
				p := &points[k]
				v := o.value(p)
				text := "–"
				if !math.IsNaN(v) {
					known, most, text = true, max(most, v), f.text(v)
				}
				s.Points = append(s.Points, chart.Point{X: (p.from + p.to) / 2, Y: v})
				t.Rows[k] = append(t.Rows[k], field{Text: text})
			}
			t.Columns = append(t.Columns, heading{o.name, true})
			if known && (most > 0 || len(f.of) == 1) {
				plot.Series = append(plot.Series, s)
				words += fmt.Sprintf("%s up to %s. ", o.name, f.text(most))
			}
		}
		if len(plot.Series) == 0 {
			continue
		}
		plot.Alt = "By the node's own metrics: " + words + "The figures follow as a table."
		all = append(all, &figure{Title: f.title, SVG: template.HTML(plot.SVG()), Table: t})
	}
	return all
}
