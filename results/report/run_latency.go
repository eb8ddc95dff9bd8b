package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
	"volley/results/report/chart"
)

func (r *Run) latencySection() section {
	sec := section{ID: "latency", Title: "Latency", Short: true}
	sec.table(latencyTable(r.Summary))
	if r.measured.Response == nil || r.measured.Response.TotalCount() == 0 {
		return sec
	}
	sec.figure(r.spectrumFigure())
	sec.figure(r.histogramFigure())
	return sec
}

// latencyTable has the distributions of every phase, and of the measured ones together.
func latencyTable(s *results.Summary) *table {
	t := &table{Columns: headings("Phase", "Time", "#Calls", "#Mean", "#p50", "#p90", "#p99", "#p99.9", "#Max")}
	t.Note = "Response is from when a call was due to its answer, service from when it was sent; lateness is the generator's own. ? marks a percentile with too few calls behind it: it may lie above the maximum. In brackets the 95% interval."
	for i := range s.Phases[:min(len(s.Phases), mostRows/3)] {
		ph := &s.Phases[i]
		name := results.Brief(ph.Name)
		if !ph.Measured {
			name += " (not measured)"
		}
		latencyRows(t, name, &ph.Span)
	}
	if left := len(s.Phases) - mostRows/3; left > 0 {
		t.Note += " " + plural(uint64(left), "phase") + " more in run.json."
	}
	if len(s.Phases) > 1 {
		latencyRows(t, "all measured", &s.Measured)
	}
	return t
}

const assumedNote = " * marks intervals that take calls for independent of each other, as so few seconds do not tell: they may be too narrow."

func latencyRows(t *table, name string, s *results.Span) {
	if s.Calls == 0 {
		t.add(name, "nothing was sent", "0", "", "", "", "", "", "")
		return
	}
	for _, of := range []struct {
		name string
		d    *results.Distribution
	}{{"response", &s.Response}, {"service", &s.Service}, {"lateness", &s.Lateness}} {
		if of.d.N == 0 {
			t.add(name, of.name, "0", "", "", "", "", "", "")
			continue
		}
		unbounded := of.d.Unbounded()
		row := []string{name, of.name, results.Count(uint64(of.d.N)), results.Micros(of.d.Mean)}
		var ci [4]results.Interval
		assumed := ""
		if of.d.CI != nil && of.name == "response" {
			ci = [4]results.Interval{of.d.CI.P50, of.d.CI.P90, of.d.CI.P99, of.d.CI.P999}
			if of.d.Independent {
				assumed = "*"
				if !strings.HasSuffix(t.Note, assumedNote) {
					t.Note += assumedNote
				}
			}
		}
		for i, v := range [...]int64{of.d.P50, of.d.P90, of.d.P99, of.d.P999} {
			text := results.Micros(float64(v))
			if unbounded[i] {
				text += "?"
			}
			if ci[i].Low != nil && ci[i].High != nil {
				text += fmt.Sprintf(" (%s to %s%s)", results.Micros(float64(*ci[i].Low)), results.Micros(float64(*ci[i].High)), assumed)
			}
			row = append(row, text)
		}
		t.add(append(row, results.Micros(float64(of.d.Max)))...)
	}
}

// percentileAxis has 1/(1-p) on a logarithmic scale, so that each nine has the same
// length.
func percentileAxis(deepest float64) chart.Axis {
	return chart.Axis{Label: "percentile of calls", Log: true, From: 1, To: deepest, Ticks: []chart.Tick{
		{At: 1, Label: "0%"}, {At: 2, Label: "50%"}, {At: 10, Label: "90%"}, {At: 100, Label: "99%"}, {At: 1000, Label: "99.9%"}, {At: 10_000, Label: "99.99%"},
	}}
}

func latencyAxis(label string) chart.Axis {
	return chart.Axis{Label: label, Log: true, Format: tickMicros}
}

// tickMicros and tickRate are results.Micros and results.Rate of round numbers, without
// zeros that tell nothing.
func tickMicros(us float64) string {
	number, unit, _ := strings.Cut(results.Micros(us), " ")
	return bare(number) + " " + unit
}

func tickRate(v float64) string { return bare(results.Rate(v)) }

func bare(number string) string {
	if !strings.Contains(number, ".") || strings.Contains(number, "e") {
		return number
	}
	return strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
}

func (r *Run) spectrumFigure() *figure {
	plot := chart.Plot{
		ID: "spectrum", Title: "Latency by percentile, measured phases", X: percentileAxis(12_000), Y: latencyAxis("time of a call"),
	}
	d := &r.Summary.Measured
	t := &table{Columns: headings("#Percentile", "#Response", "#Service", "#Lateness", "#Calls beyond")}
	all := []struct {
		name   string
		h      *hdrhistogram.Histogram
		d      *results.Distribution
		colour int
	}{{"response", r.measured.Response, &d.Response, 0}, {"service", r.measured.Service, &d.Service, 1}, {"lateness", r.measured.Lateness, &d.Lateness, 2}}
	for _, of := range all {
		if of.h == nil {
			continue
		}
		sure, unsure := chart.Series{Name: of.name, Colour: of.colour, Line: true}, chart.Series{Colour: of.colour, Line: true, Thin: true}
		for _, q := range spectrum(of.h, of.d) {
			p := chart.Point{X: 100 / (100 - q.Percentile), Y: float64(max(q.ValueUS, 1))}
			if !q.Few {
				sure.Points = append(sure.Points, p)
				unsure.Points = []chart.Point{p} // where the other goes on from
			} else {
				unsure.Points = append(unsure.Points, p)
			}
		}
		plot.Series = append(plot.Series, sure)
		if len(unsure.Points) > 1 {
			plot.Series = append(plot.Series, unsure)
		}
	}
	for _, q := range spectrum(r.measured.Response, &d.Response) {
		few := ""
		if q.Few {
			few = "?"
		}
		t.add(fmt.Sprintf("%.6g%%", q.Percentile), results.Micros(float64(q.ValueUS))+few, at(r.measured.Service, q.Percentile), at(r.measured.Lateness, q.Percentile), results.Count(uint64(q.Beyond)))
	}
	for _, o := range r.Summary.Objectives {
		if o.Metric == "response" && o.Limit > 0 && len(plot.Levels) < 3 {
			plot.Levels = append(plot.Levels, chart.Level{At: o.Limit, Name: results.Brief(results.Escape(o.Text))})
		}
	}
	plot.Alt = fmt.Sprintf("The response time is %s at the 50th percentile, %s at the 90th and %s at the 99th, and %s at most. The figures follow as a table.",
		results.Micros(float64(d.Response.P50)), results.Micros(float64(d.Response.P90)), results.Micros(float64(d.Response.P99)), results.Micros(float64(d.Response.Max)))
	return &figure{
		Title: plot.Title, SVG: template.HTML(plot.SVG()), Table: t,
		Note: "Each nine has the same length. Where there are too few calls to be sure of a percentile the line is dotted: the true value may lie above the greatest one seen.",
	}
}

func at(h *hdrhistogram.Histogram, p float64) string {
	if h == nil || h.TotalCount() == 0 {
		return "–"
	}
	return results.Micros(float64(results.Percentile(h, p)))
}

func (r *Run) histogramFigure() *figure {
	h := r.measured.Response
	n := uint64(h.TotalCount())
	bars := chart.Bars{ID: "histogram", Title: "How many calls took how long, measured phases", X: latencyAxis("response time"), Y: chart.Axis{Label: "calls", Zero: true, Format: tickRate}}
	t := &table{Columns: headings("#From", "#To", "#Calls", "#Share")}
	most := bin{}
	for _, b := range binned(h) {
		from, to := binEdge(b.At), binEdge(b.At+1)
		bars.Bars = append(bars.Bars, chart.Bar{From: from, To: to, Y: float64(b.N)})
		t.add(results.Micros(from), results.Micros(to), results.Count(b.N), results.Share(b.N, n))
		if b.N > most.N {
			most = b
		}
	}
	bars.Alt = fmt.Sprintf("Most of the %s calls, %s, took between %s and %s. The figures follow as a table.",
		results.Count(n), results.Share(most.N, n), results.Micros(binEdge(most.At)), results.Micros(binEdge(most.At+1)))
	for _, l := range []struct {
		name string
		at   int64
	}{{"p50", r.Summary.Measured.Response.P50}, {"p99", r.Summary.Measured.Response.P99}} {
		bars.Levels = append(bars.Levels, chart.Level{At: float64(max(l.at, 1)), Name: l.name, Upright: true})
	}
	return &figure{Title: bars.Title, SVG: template.HTML(bars.SVG()), Table: t}
}
