package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"volley/results"
	"volley/results/report/chart"
	"volley/results/study"
)

func compareDocument(a *study.Compare) *document {
	d := headed(&a.Head, study.CompareKind)
	by := map[string][]string{}
	for _, m := range a.Metrics {
		if !absent(&m) {
			by[m.Verdict] = append(by[m.Verdict], metricName(m.Name))
		}
	}
	d.Verdict, d.Mood = "No difference shown", wary
	if len(a.Metrics) == 0 {
		d.Verdict = "Nothing to compare"
	} else if n := len(by["equivalent"]); n > 0 {
		d.Verdict, d.Mood = fmt.Sprintf("Equivalent in %d of %s, no difference shown in the others", n, plural(uint64(len(a.Metrics)), "metric")), good
		if n == len(a.Metrics) {
			d.Verdict = "Equivalent"
		}
	}
	if n := len(by["slower"]); n > 0 {
		d.Verdict, d.Mood = fmt.Sprintf("B is slower in %d of %s", n, plural(uint64(len(a.Metrics)), "metric")), bad
	} else if n := len(by["faster"]); n > 0 {
		d.Verdict, d.Mood = fmt.Sprintf("B is faster in %d of %s", n, plural(uint64(len(a.Metrics)), "metric")), good
	}
	for _, r := range a.Rules {
		switch {
		case r.Broken:
			d.Verdict, d.Mood = "A rule is broken", bad
		case !r.Decided && d.Mood != bad:
			d.Verdict, d.Mood = "A rule could not be judged", wary
		}
	}
	d.Lead = append(d.Lead, "A is "+short(a.A, 200)+runsOf(a.RunsA)+"; B is "+short(a.B, 200)+runsOf(a.RunsB)+".")
	switch {
	case a.Within:
		d.Lead = append(d.Lead, "There is one run of each, so that what is told holds within these two runs.")
	case a.Pairs > 0:
		d.Lead = append(d.Lead, "They were compared in "+plural(uint64(a.Pairs), "pair")+" of runs.")
	}
	if a.Same {
		d.Lead = append(d.Lead, "Both sides have the same settings: what differs is noise.")
	}
	for i := range a.Metrics {
		if m := &a.Metrics[i]; m.Primary {
			d.Lead = append(d.Lead, sentenceOf(short(m.Sentence, mostText)))
		}
	}
	for _, r := range a.Rules {
		d.Lead = append(d.Lead, sentenceOf(short(r.Sentence, mostText)))
	}
	for _, v := range []string{"slower", "faster", "equivalent", "inconclusive"} {
		if names := by[v]; names != nil {
			d.Lead = append(d.Lead, fmt.Sprintf("B against A is %s in %s.", v, short(strings.Join(names, ", "), 300)))
		}
	}
	for _, w := range shorter(a.Despite, "compare.json") {
		d.Cautions = append(d.Cautions, "Compared in spite of: "+short(w, 300))
	}
	if len(a.Differ) > 0 {
		sec := section{ID: "differ", Title: "In what they differ", Short: true}
		t := &table{Columns: headings("Setting", "A -> B")}
		for _, s := range a.Differ {
			t.add(short(s.Name, 120), short(s.Value, 300))
		}
		t.atMost(mostRows, "compare.json")
		sec.table(t)
		d.add(sec)
	}
	d.add(ratiosSection(a))
	shown := *a
	shown.Despite, shown.Warnings = nil, nil
	d.warned(&a.Head, compareWarnings(&shown)...)
	return d
}

func verdictMood(v string) mood {
	switch v {
	case "slower":
		return bad
	case "faster":
		return good
	case "inconclusive":
		return wary
	}
	return plain
}

func ratiosSection(a *study.Compare) section {
	sec := section{ID: "ratios", Title: "B over A", Short: true}
	if len(a.Metrics) == 0 {
		return sec
	}
	forest := chart.Forest{ID: "forest", Title: "Ratios of B over A with 95% intervals", Reference: 1, X: chart.Axis{Label: "B over A", Log: true, Format: func(v float64) string { return fmt.Sprintf("%.3g", v) }}}
	t := &table{Columns: headings("Metric", "#A, median", "#B, median", "#B over A", "#95% interval", "Verdict", "#Smallest effect shown", "#p")}
	for i := range a.Metrics {
		m := &a.Metrics[i]
		ratio, interval := ratioText(m)
		if m.Ratio != nil && len(forest.Rows) < 20 {
			text := ratio
			if interval != "" {
				text += " (" + interval + ")"
			}
			forest.Rows = append(forest.Rows, chart.ForestRow{
				Name: results.Escape(metricName(m.Name)), Text: text + ", " + results.Escape(m.Verdict), Value: *m.Ratio, Low: or(m.Low), High: or(m.High),
				Colour: map[mood]int{bad: 1, good: 2, wary: 3}[verdictMood(m.Verdict)],
			})
		}
		effect, p := "", ""
		if m.MDE != nil {
			effect = percent(*m.MDE)
			if m.Shift != nil {
				effect = strings.TrimPrefix(points(*m.MDE), "+")
			}
		}
		if m.P != nil {
			p = number(*m.P)
		}
		if absent(m) {
			t.add(metricName(m.Name), median(m, m.MidA), median(m, m.MidB), ratio, "", "none on either side", "", "")
			continue
		}
		t.add(metricName(m.Name), median(m, m.MidA), median(m, m.MidB), ratio, interval, m.Verdict, effect, p)
		t.mark(5, verdictMood(m.Verdict))
	}
	t.Note = "A ratio of 1 is no difference. The smallest effect shown is the least difference that so many runs would have found 4 times of 5."
	if len(a.Metrics) > 1 && !a.Within && a.Metrics[0].Primary {
		t.Note += " " + metricName(a.Metrics[0].Name) + " is judged by itself, the others together (Holm), so that one of them may be inconclusive although its interval does not hold 1."
	}
	forest.Alt = fmt.Sprintf("%s with their intervals, beside the line of no difference. The figures follow as a table.", plural(uint64(len(forest.Rows)), "ratio"))
	if len(forest.Rows) > 0 {
		sec.figure(&figure{Title: forest.Title, SVG: template.HTML(forest.SVG())})
	}
	t.atMost(mostRows, "compare.json")
	sec.table(t)
	return sec
}

// ratioText gives how B stands to A: a ratio, or a difference where either may be 0.
func ratioText(m *study.Comparison) (text, interval string) {
	if m.Ratio == nil && m.Shift != nil {
		if m.Shift.Low != nil && m.Shift.High != nil {
			interval = points(*m.Shift.Low) + " to " + points(*m.Shift.High)
		}
		return points(m.Shift.Value), interval
	}
	if absent(m) {
		return "none", ""
	}
	if m.Ratio == nil {
		return "not known", ""
	}
	if m.Low != nil && m.High != nil {
		interval = fmt.Sprintf("%.3f to %.3f", *m.Low, *m.High)
	}
	return fmt.Sprintf("%.3f", *m.Ratio), interval
}

// absent tells of errors that there were none of on either side: no metric to compare.
func absent(m *study.Comparison) bool {
	return m.MidA != nil && m.Ratio == nil && m.Shift == nil && len(m.A)+len(m.B) > 0 && slices.Max(slices.Concat(m.A, m.B)) == 0
}

// points gives a share's difference in percentage points.
func points(v float64) string { return fmt.Sprintf("%+.2g pp", 100*v) }

func median(m *study.Comparison, v *float64) string {
	if v == nil {
		return "not known"
	}
	return valueOf(m, *v)
}

// or gives a value, or what is left out of a picture.
func or(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
