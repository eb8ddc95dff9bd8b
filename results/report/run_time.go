package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"

	"volley/results"
	"volley/results/report/chart"
)

func (r *Run) timeSection() section {
	sec := section{ID: "time", Title: "Over time"}
	if len(r.timeline.slots) < 2 {
		if len(r.timeline.slots) == 1 {
			sec.text("The run has too few intervals to show anything over time.")
		}
		return sec
	}
	sec.text(rateSteps(r.Summary))
	sec.figure(r.heatFigure())
	sec.figure(r.rateFigure())
	sec.figure(r.percentileFigure())
	sec.figure(r.loadFigure())
	return sec
}

// phaseSpans are the phases on the axis of time; unmeasured ones are shaded.
func (r *Run) phaseSpans() (spans []chart.Span) {
	start := 0.0
	for i, p := range r.meta.Phases {
		end := start + p.For.Seconds()
		if i < mostRows {
			spans = append(spans, chart.Span{From: start, To: end, Name: results.Brief(results.Escape(p.Name)), Shaded: !p.Measured})
		}
		start = end
	}
	return spans
}

// timeAxis is that of a run, in seconds since its start.
func (r *Run) timeAxis() chart.Axis {
	slots := r.timeline.slots
	a := chart.Axis{Label: "time since the start", From: slots[0].Start.Seconds(), To: slots[len(slots)-1].End.Seconds(), Format: clock}
	for _, step := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400} {
		if (a.To-a.From)/step > 7 {
			continue
		}
		a.Ticks = []chart.Tick{}
		for at := math.Ceil(a.From/step-1e-6) * step; at <= a.To; at += step {
			a.Ticks = append(a.Ticks, chart.Tick{At: at + 0, Label: clock(at)})
		}
		break
	}
	return a
}

// clock gives a time since the start: "40 s", "1:30", "2:00:00".
func clock(seconds float64) string {
	s := int(math.Round(seconds))
	switch {
	case s < 60:
		return strconv.Itoa(s) + " s"
	case s < 3600:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

func (s *slot) from() string { return clock(s.Start.Seconds()) }
func (s *slot) to() string   { return clock(s.End.Seconds()) }

func (r *Run) heatFigure() *figure {
	heat := chart.Heat{
		ID: "heat", Title: "Where the response times lay, over time", X: r.timeAxis(), Y: latencyAxis("response time"), Spans: r.phaseSpans(),
		Unit: "calls/s", Format: tickRate,
	}
	least, most := math.MaxInt, -1
	for i := range r.timeline.slots {
		for _, b := range r.timeline.slots[i].Bins {
			least, most = min(least, b.At), max(most, b.At)
		}
	}
	if most < 0 {
		return nil
	}
	t := &table{Columns: headings("#From", "#To")}
	for at := least; at <= most; at++ {
		t.Columns = append(t.Columns, heading{"from " + results.Micros(binEdge(at)), true})
	}
	t.Note = "Calls by response time, each column up to the next one's bound."
	for i := range r.timeline.slots {
		s := &r.timeline.slots[i]
		row := make([]string, 2+most-least+1)
		row[0], row[1] = s.from(), s.to()
		for _, b := range s.Bins {
			heat.Cells = append(heat.Cells, chart.HeatCell{
				FromX: s.Start.Seconds(), ToX: s.End.Seconds(), FromY: binEdge(b.At), ToY: binEdge(b.At + 1), Value: float64(b.N) / s.seconds(),
			})
			row[2+b.At-least] = results.Count(b.N)
		}
		t.add(row...)
	}
	heat.Alt = fmt.Sprintf("Response times over %s lay between %s and %s. How many calls took how long in each stretch of time follows as a table.",
		clock(r.timeline.slots[len(r.timeline.slots)-1].End.Seconds()), results.Micros(binEdge(least)), results.Micros(binEdge(most+1)))
	return &figure{Title: heat.Title, SVG: template.HTML(heat.SVG()), Table: t, Note: "The darker, the more calls in that time took that long. Phases that are not measured are shaded."}
}

// over makes a series of one value of every slot.
func (r *Run) over(name string, colour int, of func(*slot) float64) chart.Series {
	s := chart.Series{Name: name, Colour: colour, Line: true}
	for i := range r.timeline.slots {
		one := &r.timeline.slots[i]
		s.Points = append(s.Points, chart.Point{X: (one.Start + one.End).Seconds() / 2, Y: of(one)})
	}
	return s
}

func (r *Run) rateFigure() *figure {
	sent := r.over("entries sent", 0, func(s *slot) float64 { return float64(s.Entries) / s.seconds() })
	ok := r.over("good entries", 1, func(s *slot) float64 { return float64(s.Good) / s.seconds() })
	plot := chart.Plot{ID: "rate", Title: "Rate", X: r.timeAxis(), Y: chart.Axis{Label: "entries/s", Zero: true, Format: tickRate}, Spans: r.phaseSpans(), Series: []chart.Series{sent, ok}}
	t := &table{Columns: headings("#From", "#To", "#Calls/s", "#Entries/s", "#Good entries/s", "#Failed entries")}
	low, high := math.Inf(1), 0.0
	for i := range r.timeline.slots {
		s := &r.timeline.slots[i]
		t.add(s.from(), s.to(), results.Rate(float64(s.Calls)/s.seconds()), results.Rate(float64(s.Entries)/s.seconds()), results.Rate(float64(s.Good)/s.seconds()), results.Count(s.Failed))
		low, high = min(low, sent.Points[i].Y), max(high, sent.Points[i].Y)
	}
	plot.Alt = fmt.Sprintf("Between %s and %s entries were answered or given up each second. The figures follow as a table.", results.Rate(low), results.Rate(high))
	return &figure{Title: "Rate of entries", SVG: template.HTML(plot.SVG()), Table: t, Note: "Calls count when they end: answered, or given up."}
}

func (r *Run) percentileFigure() *figure {
	value := func(of func(*slot) int64) func(*slot) float64 {
		return func(s *slot) float64 {
			if s.N == 0 {
				return math.NaN()
			}
			return float64(max(of(s), 1))
		}
	}
	plot := chart.Plot{
		ID: "percentiles", Title: "Response time", X: r.timeAxis(), Y: latencyAxis("response time"), Spans: r.phaseSpans(),
		Series: []chart.Series{
			r.over("p50", 0, value(func(s *slot) int64 { return s.P50 })),
			r.over("p99", 1, value(func(s *slot) int64 { return s.P99 })),
			r.over("max", 2, value(func(s *slot) int64 { return s.Max })),
		},
	}
	t := &table{Columns: headings("#From", "#To", "#Calls", "#p50", "#p99", "#Max")}
	few := 0
	for i := range r.timeline.slots {
		s := &r.timeline.slots[i]
		if s.N == 0 {
			t.add(s.from(), s.to(), "0", "", "", "")
			continue
		}
		mark := ""
		if s.N < results.NeededFor(.99) {
			mark = "?"
			few++
		}
		t.add(s.from(), s.to(), results.Count(uint64(s.N)), results.Micros(float64(s.P50)), results.Micros(float64(s.P99))+mark, results.Micros(float64(s.Max)))
	}
	plot.Alt = "The median, the 99th percentile and the maximum of the response time in each stretch of time. The figures follow as a table."
	f := &figure{Title: "Response time", SVG: template.HTML(plot.SVG()), Table: t}
	if few > 0 {
		f.Note = fmt.Sprintf("In %d of %d stretches there are fewer than %s calls, so that the true p99 may lie above the maximum.", few, len(r.timeline.slots), results.Count(uint64(results.NeededFor(.99))))
	}
	return f
}

func (r *Run) loadFigure() *figure {
	flying := r.over("calls in flight", 0, func(s *slot) float64 { return s.InFlight })
	plot := chart.Plot{ID: "inflight", Title: "Calls in flight", X: r.timeAxis(), Y: chart.Axis{Label: "calls in flight, at the client", Zero: true, Format: tickRate}, Spans: r.phaseSpans(), Series: []chart.Series{flying}}
	t := &table{Columns: headings("#From", "#To", "#In flight", "#Generator's CPU")}
	most := 0.0
	for i := range r.timeline.slots {
		s := &r.timeline.slots[i]
		t.add(s.from(), s.to(), results.Rate(s.InFlight), percent(s.CPU))
		most = max(most, s.InFlight)
	}
	plot.Alt = fmt.Sprintf("On average of a stretch, up to %s calls were in flight. The figures follow as a table.", results.Rate(most))
	return &figure{Title: plot.Title, SVG: template.HTML(plot.SVG()), Table: t}
}
