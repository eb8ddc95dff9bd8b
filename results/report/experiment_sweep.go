package report

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"volley/results"
	"volley/results/report/chart"
	"volley/results/study"
)

func sweepDocument(a *study.Sweep) *document {
	d := headed(&a.Head, study.SweepKind)
	d.Verdict = fmt.Sprintf("%s, %s each", plural(uint64(len(a.Cells)), "combination"), plural(uint64(a.Repeats), "repeat"))
	if r := a.Recommendation; r != nil {
		d.Lead = append(d.Lead, "Recommended for "+short(r.Setting, 80)+": "+sentenceOf(short(r.Sentence, mostText)))
		if r.Value != "" {
			d.Verdict, d.Mood = r.Setting+" = "+r.Value, good
			if len(r.Warnings) > 0 {
				d.Verdict, d.Mood = d.Verdict+", with doubts", wary
			}
		} else {
			d.Verdict, d.Mood = "Nothing can be recommended", wary
		}
	}
	for i := range a.Models {
		if m := &a.Models[i]; a.Recommendation == nil && m.Sentence != "" {
			d.Lead = append(d.Lead, sentenceOf(short(m.Sentence, mostText)))
		}
	}
	var names []string
	for _, v := range a.Varied {
		names = append(names, fmt.Sprintf("%s (%s)", v.Name, short(strings.Join(v.Values, ", "), 200)))
	}
	d.Lead = append(d.Lead, fmt.Sprintf("Varied: %s; %s of each combination.", strings.Join(names, "; "), plural(uint64(a.Repeats), "repeat")))
	if a.Probe != nil {
		d.Lead = append(d.Lead, fmt.Sprintf("Beside the load ran a probe of %s bare requests a second, which shows what batches do to everyone else.", results.Number(a.Probe.CallsPerS)))
	}
	missing := 0
	for i := range a.Cells {
		if a.Cells[i].Missing {
			missing++
		}
	}
	if missing > 0 {
		d.Cautions = append(d.Cautions, fmt.Sprintf("%s of %d without a single trial that counts.", plural(uint64(missing), "cell"), len(a.Cells)))
	}
	d.add(recommendationSection(a))
	d.add(cellsSection(a))
	for i := range a.Models {
		d.add(modelSection(&a.Models[i], i))
	}
	d.warned(&a.Head)
	return d
}

// sentenceOf ends with a point.
func sentenceOf(s string) string {
	if s == "" {
		return ""
	}
	return strings.TrimSuffix(s, ".") + "."
}

// metricNames are a metric's words in tables and pictures.
var metricNames = map[string]string{
	study.CallsPerS: "calls/s", study.EntriesPerS: "entries/s", study.ItemsPerS: "items/s", study.GoodItemsPerS: "good items/s",
	study.ResponseMean: "response mean", study.ResponseP50: "response p50", study.ResponseP99: "response p99", study.ServiceMean: "service mean",
	study.ProbeP50: "probe p50", study.ProbeP99: "probe p99",
	study.CPUPerCall: "node CPU per call", study.CPUPerEntry: "node CPU per entry", study.CPUPerItem: "node CPU per item",
	study.BytesPerItem: "bytes per item", study.ErrorsPerItem: "errors per item",
}

func metricName(name string) string {
	if words, ok := metricNames[name]; ok {
		return words
	}
	return short(name, 80)
}

// inUnit gives a metric's value in its unit, which its name tells or the text.
func inUnit(unit string, v float64) string {
	switch unit {
	case "us":
		return results.Micros(v)
	case "1":
		return percent(v)
	}
	return results.Rate(v)
}

// pointless is an interval that says nothing: its ends are too far apart. Of a share one
// that begins at 0 says something.
func pointless(m study.Metric) bool {
	return m.Low != nil && m.High != nil && m.Unit != "1" && !tells(m)
}

func metricText(m study.Metric) string {
	text := inUnit(m.Unit, m.Value)
	if m.Few {
		text += "?"
	}
	switch {
	case m.Low == nil || m.High == nil:
	case pointless(m):
		text += " (too wide)"
	default:
		text += " (" + inUnit(m.Unit, *m.Low) + " to " + inUnit(m.Unit, *m.High) + ")"
	}
	return text
}

// metricsOf are the names of what any of the cells has, in their order.
func metricsOf(all [][]study.Metric) (names []string) {
	for _, metrics := range all {
		for _, m := range metrics {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

func cellsSection(a *study.Sweep) section {
	sec := section{ID: "cells", Title: "Every combination of settings", Short: true}
	if len(a.Cells) == 0 {
		return sec
	}
	var metrics [][]study.Metric
	for i := range a.Cells {
		metrics = append(metrics, a.Cells[i].Metrics)
	}
	names := metricsOf(metrics)
	t := &table{Note: "In brackets the 95% interval as far as the repeats tell. ? marks a percentile with too few calls behind it."}
	if slices.ContainsFunc(metrics, func(of []study.Metric) bool { return slices.ContainsFunc(of, pointless) }) {
		t.Note += " Too wide: the repeats differ too much for an interval that says anything, and pictures have none."
	}
	for _, v := range a.Varied {
		t.Columns = append(t.Columns, heading{short(v.Name, 80), false})
	}
	t.Columns = append(t.Columns, heading{"trials", true}, heading{"void", true})
	for _, n := range names {
		t.Columns = append(t.Columns, heading{metricName(n), true})
	}
	for i := range a.Cells {
		c := &a.Cells[i]
		var row []string
		for _, v := range a.Varied {
			row = append(row, short(c.Setting(v.Name), 80))
		}
		row = append(row, fmt.Sprint(len(c.Trials)), fmt.Sprint(c.Voids))
		for _, n := range names {
			text := "–"
			if m, ok := c.Metric(n); ok {
				text = metricText(m)
			}
			row = append(row, text)
		}
		t.add(row...)
		if c.Missing {
			t.mark(len(a.Varied), bad)
		}
	}
	t.atMost(2*mostRows, "sweep.json")
	for i, v := range a.Varied {
		for _, f := range sweepFigures(a, v, i) {
			sec.figure(f)
		}
	}
	sec.table(t)
	return sec
}

// mostLines is how many combinations of the other settings have a line of their own.
const mostLines = 6

// sweepFigures are the pictures of metrics against one varied setting.
func sweepFigures(a *study.Sweep, v study.Varied, at int) (all []*figure) {
	if len(v.Values) < 2 {
		return nil
	}
	axis, place := settingAxis(v)
	for k, f := range []struct {
		title   string
		metrics []string
	}{
		{"Response time", []string{study.ResponseP50, study.ResponseP99}},
		{"Probe beside the load", []string{study.ProbeP99}},
		{"Node CPU per item", []string{study.CPUPerItem}},
	} {
		title := f.title + " against " + results.Brief(results.Escape(v.Name))
		plot := chart.Plot{ID: fmt.Sprintf("sweep-%d-%d", at, k), Title: title, X: axis, Y: latencyAxis(strings.ToLower(f.title))}
		t := &table{Columns: headings("Setting", "Other settings", "Metric", "#Value (95% interval)")}
		var others []string
		for _, name := range f.metrics {
			for i := range a.Cells {
				c := &a.Cells[i]
				m, ok := c.Metric(name)
				x, known := place(c.Setting(v.Name))
				if !ok || !known {
					continue
				}
				other := otherSettings(c, v.Name)
				line := metricName(name)
				if other != "" {
					line += ", " + other
				}
				t.add(short(c.Setting(v.Name), 80), short(other, 120), metricName(name), metricText(m))
				if !slices.Contains(others, line) {
					if len(others) == mostLines {
						continue
					}
					others = append(others, line)
					plot.Series = append(plot.Series, chart.Series{Name: results.Brief(results.Escape(line)), Colour: len(others) - 1, Line: axis.Ticks == nil || numeric(v), Marks: true})
				}
				p := chart.Point{X: x, Y: m.Value}
				if tells(m) {
					p.Low, p.High, p.Ends = *m.Low, *m.High, true
				}
				s := &plot.Series[slices.Index(others, line)]
				s.Points = append(s.Points, p)
			}
		}
		if len(plot.Series) == 0 {
			continue
		}
		t.atMost(2*mostRows, "sweep.json")
		plot.Alt = title + ", with 95% intervals. The figures follow as a table."
		all = append(all, &figure{Title: title, SVG: template.HTML(plot.SVG()), Table: t})
	}
	return all
}

func otherSettings(c *study.Cell, but string) string {
	var others []study.Setting
	for _, s := range c.Settings {
		if s.Name != but {
			others = append(others, s)
		}
	}
	return study.Text(others)
}

// settingAxis is that of a varied setting: of its numbers, or of its values side by side.
func settingAxis(v study.Varied) (chart.Axis, func(value string) (float64, bool)) {
	a := chart.Axis{Label: results.Brief(results.Escape(v.Name)), Ticks: []chart.Tick{}}
	if numeric(v) {
		low, high := 0.0, 0.0
		for i, value := range v.Values {
			n, _ := strconv.ParseFloat(value, 64)
			if i == 0 || n < low {
				low = n
			}
			high = max(high, n)
			a.Ticks = append(a.Ticks, chart.Tick{At: n, Label: results.Number(n)})
		}
		a.Log = low > 0 && high/low > 8
		slices.SortFunc(a.Ticks, func(x, y chart.Tick) int { return int(min(max(x.At-y.At, -1), 1)) })
		return a, func(value string) (float64, bool) {
			n, err := strconv.ParseFloat(value, 64)
			return n, err == nil
		}
	}
	for i, value := range v.Values {
		a.Ticks = append(a.Ticks, chart.Tick{At: float64(i), Label: short(results.Escape(value), 14)})
	}
	a.From, a.To = -0.5, float64(len(v.Values))-0.5
	return a, func(value string) (float64, bool) {
		i := slices.Index(v.Values, value)
		return float64(i), i >= 0
	}
}

func numeric(v study.Varied) bool {
	return !slices.ContainsFunc(v.Values, func(s string) bool { _, err := strconv.ParseFloat(s, 64); return err != nil })
}
