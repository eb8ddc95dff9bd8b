package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"volley/results"
	"volley/results/capacity/search"
	"volley/results/report/chart"
	"volley/results/study"
)

func searchDocument(a *study.Search) *document {
	d := headed(&a.Head, study.SearchKind)
	switch a.Answer {
	case search.Found:
		d.Verdict, d.Mood = "Found", good
	case search.AtLeast:
		d.Verdict, d.Mood = "At least "+rateOf(a.Lower, a.Unit), good
	case search.NoLoad:
		d.Verdict, d.Mood = "No rate meets the objectives", bad
	default:
		d.Verdict, d.Mood = map[search.Status]string{
			search.AllVoid: "Nothing but void trials", search.Unclear: "Undecided", search.Unfinished: "Unfinished",
		}[a.Answer], wary
	}
	d.Lead = append(d.Lead, a.Sentence)
	if a.Lower != nil && a.Upper != nil {
		d.Verdict = fmt.Sprintf("%s to %s %s", results.Rate(*a.Lower), results.Rate(*a.Upper), a.Unit)
	}
	if a.Lower != nil && a.Upper != nil && len(a.Goals) == 1 {
		d.Lead = append(d.Lead, fmt.Sprintf("The highest rate that meets every objective lies between %s and %s %s.", results.Rate(*a.Lower), results.Rate(*a.Upper), a.Unit))
	}
	if a.ConditionalThroughput != nil && a.Lower != nil {
		d.Lead = append(d.Lead, fmt.Sprintf("At %s offered, %s can be counted on to come to a good end.", rateOf(a.Lower, a.Unit), rateOf(a.ConditionalThroughput, a.Unit)))
	}
	if a.Limiting != "" {
		d.Lead = append(d.Lead, "The objective that limits is "+a.Limiting+".")
	}
	if a.LimitedBy != "" {
		d.Lead = append(d.Lead, "What kept the search from more: "+strings.TrimSuffix(a.LimitedBy, ".")+".")
	}
	if a.Saturated != nil {
		d.Lead = append(d.Lead, fmt.Sprintf("A closed loop of %d callers reached %s %s.", a.Saturated.Callers, results.Rate(a.Saturated.Achieved), a.Unit))
	}
	d.Cards = []card{
		{Label: "Lower end", Value: rateOf(a.Lower, a.Unit)}, {Label: "Upper end", Value: rateOf(a.Upper, a.Unit)},
		{Label: "To count on", Value: rateOf(a.ConditionalThroughput, a.Unit)}, {Label: "Load measured", Value: results.Seconds(a.LoadedS), Note: plural(uint64(len(a.Trials)), "trial")},
	}
	for i := range a.Goals {
		d.add(goalSection(a, i))
	}
	d.add(searchTrialsSection(a))
	rest, more := searchWarnings(a)
	d.warned(rest, more...)
	return d
}

// searchWarnings are the objectives' own, each with its name where there are several, and
// the answer's head without them.
func searchWarnings(a *study.Search) (rest *study.Head, more []string) {
	h := a.Head
	h.Warnings = slices.Clone(h.Warnings)
	for i := range a.Goals {
		g := &a.Goals[i]
		for _, w := range g.Warnings {
			h.Warnings = slices.DeleteFunc(h.Warnings, func(o string) bool { return o == w })
			if len(a.Goals) > 1 {
				w = g.Goal.Name + ": " + w
			}
			more = append(more, w)
		}
	}
	return &h, more
}

func rateOf(v *float64, unit string) string {
	if v == nil {
		return "none"
	}
	return results.Rate(*v) + " " + unit
}

func goalSection(a *study.Search, i int) section {
	g := &a.Goals[i]
	sec := section{ID: fmt.Sprintf("objective-%d", i+1), Title: "Objective " + short(g.Goal.Name, 200), Short: true}
	sec.text(short(g.Sentence, mostText))
	sec.figure(goalFigure(a, i))
	t := &table{Columns: headings("#"+loadName(a.Unit), "Class", "#Good", "#Bad", "#Unproven", "#Void", "#Time")}
	for _, l := range g.Loads {
		t.add(results.Rate(l.Load), string(l.Class), fmt.Sprint(l.Good), fmt.Sprint(l.Bad), fmt.Sprint(l.Unproven), fmt.Sprint(l.Void), results.Seconds(l.Time.Seconds()))
		switch l.Class {
		case search.Lower:
			t.mark(1, good)
		case search.Upper:
			t.mark(1, bad)
		}
	}
	t.atMost(mostRows, "search.json")
	sec.table(t)
	return sec
}

func loadName(unit string) string {
	if unit == "" {
		return "Load"
	}
	return unit
}

// goalFigure shows the trials in their order, each at its load, by what they showed.
func goalFigure(a *study.Search, i int) *figure {
	verdicts := []search.Verdict{search.Good, search.Bad, search.Unproven, search.Void}
	series := make([]chart.Series, len(verdicts))
	for k, v := range verdicts {
		series[k] = chart.Series{Name: string(v), Colour: []int{2, 1, 0, 3}[k], Marks: true, Hollow: k > 1}
	}
	counts := make([]int, len(verdicts))
	t := &table{Columns: headings("#Trial", "#"+loadName(a.Unit), "Verdict", "What decided")}
	for _, trial := range a.Trials {
		if i >= len(trial.Verdicts) {
			continue
		}
		why := ""
		if i < len(trial.Why) {
			why = trial.Why[i]
		}
		t.add(fmt.Sprint(trial.N), results.Rate(trial.Load), string(trial.Verdicts[i]), short(why, 200))
		for k, v := range verdicts {
			if trial.Verdicts[i] == v {
				series[k].Points = append(series[k].Points, chart.Point{X: float64(trial.N), Y: trial.Load})
				counts[k]++
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.atMost(2*mostRows, "search.json")
	plot := chart.Plot{
		ID: fmt.Sprintf("goal-%d", i+1), Title: "Trials by load, in the order they were made",
		X: chart.Axis{Label: "trial", From: float64(a.Trials[0].N) - 0.5, To: float64(a.Trials[len(a.Trials)-1].N) + 0.5}, Y: chart.Axis{Label: results.Escape(loadName(a.Unit)), Log: true, Format: tickRate},
	}
	for k := range series {
		if counts[k] > 0 {
			plot.Series = append(plot.Series, series[k])
		}
	}
	if g := &a.Goals[i]; g.Lower > 0 {
		plot.Levels = append(plot.Levels, chart.Level{At: g.Lower, Name: "lower end"})
	}
	if g := &a.Goals[i]; g.Upper > 0 {
		plot.Levels = append(plot.Levels, chart.Level{At: g.Upper, Name: "upper end"})
	}
	plot.Alt = fmt.Sprintf("%d trials were good, %d bad, %d unproven, %d void. The figures follow as a table.", counts[0], counts[1], counts[2], counts[3])
	return &figure{Title: plot.Title, SVG: template.HTML(plot.SVG()), Table: t, Note: "A search tries low loads first and closes in on the highest one that is good."}
}

func searchTrialsSection(a *study.Search) section {
	sec := section{ID: "trials", Title: "Response time against load"}
	if len(a.Trials) == 0 {
		return sec
	}
	counted, void := chart.Series{Name: "counts", Marks: true}, chart.Series{Name: "void", Colour: 3, Marks: true, Hollow: true}
	t := &table{Columns: headings("#Trial", "#Asked", "#For", "#Achieved", "#p99", "#Loss", "Purpose", "Verdicts")}
	most := 0.0
	for _, one := range a.Trials {
		var words []string
		for _, v := range one.Verdicts {
			words = append(words, string(v))
		}
		t.add(fmt.Sprint(one.N), results.Rate(one.Load), results.Seconds(one.ForS), results.Rate(one.Achieved), results.Micros(float64(one.P99US)), percent(one.Loss), short(one.Purpose, 80), short(strings.Join(words, ", "), 200))
		series := &counted
		if !slices.ContainsFunc(one.Verdicts, func(v search.Verdict) bool { return v != search.Void }) {
			series = &void
		}
		series.Points = append(series.Points, chart.Point{X: one.Load, Y: float64(max(one.P99US, 1))})
		most = max(most, float64(one.P99US))
	}
	plot := chart.Plot{
		ID: "load", Title: "Response p99 of each trial against its load",
		X: chart.Axis{Label: results.Escape(a.Unit), Log: true, Format: tickRate}, Y: latencyAxis("response p99"),
		Alt: "Each trial's response p99 against its load, up to " + results.Micros(most) + ". The figures follow as a table.",
	}
	for _, s := range []chart.Series{counted, void} {
		if len(s.Points) > 0 {
			plot.Series = append(plot.Series, s)
		}
	}
	if a.ResponseP99US > 0 {
		plot.Levels = append(plot.Levels, chart.Level{At: a.ResponseP99US, Name: "objective " + results.Micros(a.ResponseP99US)})
		plot.Alt = "The objective allows " + results.Micros(a.ResponseP99US) + ". " + plot.Alt
	}
	t.atMost(2*mostRows, "search.json")
	sec.figure(&figure{Title: plot.Title, SVG: template.HTML(plot.SVG()), Table: t})
	return sec
}
