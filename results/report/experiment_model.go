package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"volley/results"
	"volley/results/report/chart"
	"volley/results/study"
)

func recommendationSection(a *study.Sweep) section {
	sec := section{ID: "recommendation", Title: "Recommendation and why", Short: true}
	r := a.Recommendation
	if r == nil {
		return sec
	}
	sec.text(short(sentenceOf(r.Sentence), mostText))
	if r.Rule != "" {
		sec.text("The rule: " + short(r.Rule, mostText) + ".")
	}
	sec.list(shorter(r.Why, "sweep.json"))
	sec.cautions(warningsOf(r.Warnings))
	sec.figure(frontFigure(r))
	sec.table(frontTable(r))
	return sec
}

func warningsOf(warnings []string) (all []string) {
	for _, w := range shorter(warnings, "sweep.json") {
		all = append(all, short(w, mostText))
	}
	return all
}

func frontTable(r *study.Recommendation) *table {
	var metrics [][]study.Metric
	for i := range r.Front {
		metrics = append(metrics, r.Front[i].Metrics)
	}
	names := metricsOf(metrics)
	// What rules go by stands first: the rest may be beyond the edge of a screen.
	first := []string{study.ResponseP99, study.ProbeP99, study.CPUPerItem}
	slices.SortStableFunc(names, func(a, b string) int {
		rank := func(name string) int {
			if i := slices.Index(first, name); i >= 0 {
				return i
			}
			return len(first)
		}
		return rank(a) - rank(b)
	})
	note := ""
	if r.GuardUS > 0 {
		note = "The p99s are the medians of each limit's trials, by which the rule goes; all else is of all its trials together."
	}
	t := &table{Title: "The candidates", Note: note, Columns: headings(short(r.Setting, 80)+" ", "Standing")}
	for _, n := range names {
		t.Columns = append(t.Columns, heading{metricName(n), true})
	}
	for _, c := range r.Front {
		standing, m := standingOf(r, &c)
		if c.Note != "" {
			standing += ": " + short(c.Note, 200)
		}
		row := []string{short(c.Value, 80), standing}
		for _, n := range names {
			text := "–"
			for _, one := range c.Metrics {
				if one.Name == n {
					text = metricText(one)
				}
			}
			row = append(row, text)
		}
		t.add(row...)
		t.mark(1, m)
	}
	t.atMost(mostRows, "sweep.json")
	return t
}

// standingOf says how a candidate stands to what bounds the choice: the guard of a limit,
// the objective of a size.
func standingOf(r *study.Recommendation, c *study.Candidate) (string, mood) {
	bound := "objective"
	if r.GuardUS > 0 {
		bound = "guard"
	}
	switch {
	case c.Chosen:
		return "recommended", good
	case !c.Allowed:
		return "beyond the " + bound, wary
	case r.GuardUS > 0 || slices.ContainsFunc(r.Front, func(o study.Candidate) bool { return !o.Allowed }):
		return "within the " + bound, plain
	}
	return "measured", plain
}

// frontFigure shows what each candidate gives against what it costs everyone else.
func frontFigure(r *study.Recommendation) *figure {
	get := func(c *study.Candidate, name string) (study.Metric, bool) {
		for _, m := range c.Metrics {
			if m.Name == name {
				return m, true
			}
		}
		return study.Metric{}, false
	}
	within := chart.Series{Name: "within the guard", Colour: 0, Marks: true, Hollow: true}
	beyond := chart.Series{Name: "beyond the guard", Colour: 1, Marks: true, Hollow: true}
	chosen := chart.Series{Name: "recommended", Colour: 2, Marks: true}
	path := chart.Series{Colour: 0, Line: true, Thin: true}
	t := &table{Columns: headings(short(r.Setting, 80)+" ", "#Batch p99", "#Probe p99")}
	words := ""
	for i := range r.Front {
		c := &r.Front[i]
		batch, ok := get(c, study.ResponseP99)
		probe, too := get(c, study.ProbeP99)
		if !ok || !too {
			continue
		}
		p := chart.Point{X: probe.Value, Y: batch.Value, Name: short(results.Escape(c.Value), 12)}
		if tells(batch) {
			p.Low, p.High, p.Ends = *batch.Low, *batch.High, true
		}
		path.Points = append(path.Points, chart.Point{X: p.X, Y: p.Y})
		switch {
		case c.Chosen:
			chosen.Points = append(chosen.Points, p)
			words = fmt.Sprintf("Recommended is %s, with a batch p99 of %s and a probe p99 of %s. ", results.Escape(short(c.Value, 80)), results.Micros(batch.Value), results.Micros(probe.Value))
		case c.Allowed:
			within.Points = append(within.Points, p)
		default:
			beyond.Points = append(beyond.Points, p)
		}
		t.add(short(c.Value, 80), metricText(batch), metricText(probe))
	}
	if len(path.Points) < 2 {
		return nil
	}
	plot := chart.Plot{
		ID: "front", Title: "What batches gain against what everyone else pays", X: latencyAxis("probe p99: everyone else's calls"), Y: latencyAxis("batch p99"),
		Series: []chart.Series{path}, Alt: words + "The figures follow as a table.",
	}
	for _, s := range []chart.Series{within, beyond, chosen} {
		if len(s.Points) > 0 {
			plot.Series = append(plot.Series, s)
		}
	}
	if r.GuardUS > 0 {
		plot.Levels = append(plot.Levels, chart.Level{At: r.GuardUS, Name: "guard " + results.Micros(r.GuardUS), Upright: true})
	}
	return &figure{Title: plot.Title, SVG: template.HTML(plot.SVG()), Table: t, Note: "Each mark is one setting, joined in their order. Down is better for batches, left for all others."}
}

func modelSection(m *study.Model, i int) section {
	sec := section{ID: fmt.Sprintf("model-%d", i+1), Title: "Model: " + short(m.Name, 120) + " of " + metricName(m.Of)}
	sec.text(short(m.Sentence, mostText))
	sec.cautions(warningsOf(m.Warnings))
	t := &table{Columns: headings("Parameter", "#Value", "#95% interval", "Unit")}
	for _, p := range m.Parameters {
		interval := "not known"
		if p.Low != nil && p.High != nil {
			interval = number(*p.Low) + " to " + number(*p.High)
		}
		t.add(short(p.Name, 120), number(p.Value), interval, p.Unit)
	}
	t.atMost(mostRows, "sweep.json")
	sec.table(t)
	sec.figure(modelFigure(m, i))
	sec.figure(residualFigure(m, i))
	return sec
}

// number gives a model's figure to four significant digits.
func number(v float64) string {
	if a := math.Abs(v); v != 0 && (a < 0.001 || a >= 1e6) {
		return fmt.Sprintf("%.4g", v)
	}
	return results.Number(roundTo(v, 4))
}

func roundTo(v float64, digits int) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	scale := math.Pow10(digits - 1 - int(math.Floor(math.Log10(math.Abs(v)))))
	return math.Round(v*scale) / scale
}

func modelFigure(m *study.Model, i int) *figure {
	if len(m.Points) == 0 {
		return nil
	}
	plot := chart.Plot{ID: fmt.Sprintf("model-%d-fit", i+1), Title: "Measured points and the fitted curve", X: chart.Axis{Label: results.Escape(m.XLabel)}, Y: chart.Axis{Label: results.Escape(m.YLabel), Format: number}}
	measured := chart.Series{Name: "measured", Colour: 0, Marks: true}
	curve := chart.Series{Name: "fitted", Colour: 1, Line: true}
	t := &table{Columns: headings("#x", "#Measured", "#95% interval", "#Residual")}
	for _, p := range m.Points {
		q := chart.Point{X: p.X, Y: p.Y}
		interval, residual := "", ""
		if p.Low != nil && p.High != nil {
			q.Low, q.High, q.Ends = *p.Low, *p.High, true
			interval = number(*p.Low) + " to " + number(*p.High)
		}
		if p.Residual != nil {
			residual = number(*p.Residual)
		}
		measured.Points = append(measured.Points, q)
		t.add(number(p.X), number(p.Y), interval, residual)
	}
	low, high := chart.Series{Name: "its 95% interval", Colour: 1, Line: true, Thin: true}, chart.Series{Colour: 1, Line: true, Thin: true}
	for _, p := range m.Curve {
		curve.Points = append(curve.Points, chart.Point{X: p.X, Y: p.Y})
		if p.Low != nil && p.High != nil {
			low.Points, high.Points = append(low.Points, chart.Point{X: p.X, Y: *p.Low}), append(high.Points, chart.Point{X: p.X, Y: *p.High})
		}
	}
	plot.Series = append(plot.Series, measured)
	if len(curve.Points) > 0 {
		plot.Series = append(plot.Series, curve)
	}
	if len(low.Points) > 0 {
		plot.Series = append(plot.Series, low, high)
	}
	t.atMost(2*mostRows, "sweep.json")
	plot.Alt = fmt.Sprintf("%s and the curve that was fitted to them. The figures follow as a table.", plural(uint64(len(m.Points)), "measured point"))
	return &figure{Title: plot.Title, SVG: template.HTML(plot.SVG()), Table: t}
}

func residualFigure(m *study.Model, i int) *figure {
	s := chart.Series{Marks: true}
	for _, p := range m.Points {
		if p.Residual != nil {
			s.Points = append(s.Points, chart.Point{X: p.X, Y: *p.Residual})
		}
	}
	if len(s.Points) == 0 {
		return nil
	}
	plot := chart.Plot{
		ID: fmt.Sprintf("model-%d-residuals", i+1), Title: "Residuals: measured less fitted", X: chart.Axis{Label: results.Escape(m.XLabel)}, Y: chart.Axis{Label: "residual", Format: number},
		Series: []chart.Series{s}, Levels: []chart.Level{{At: 0}}, Alt: "How far each measured point lies from the curve. The figures are in the table of the points.",
	}
	return &figure{Title: plot.Title, SVG: template.HTML(plot.SVG()), Note: "Marks that follow a bow, and do not lie about at random, say that the model is not the node's."}
}
