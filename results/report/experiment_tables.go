package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"volley/results/capacity/search"
	"volley/results/study"
)

// CSV writes a table: of a search a row for each trial, of a sweep for each cell, of a
// comparison for each metric, and of what has no answer yet for each finished trial.
// Latencies are in microseconds. Empty is not known.
func (e *Experiment) CSV(w io.Writer) error {
	var rows [][]string
	switch s := e.stored; {
	case s.Search != nil:
		rows = searchRows(s.Search)
	case s.Sweep != nil:
		rows = sweepRows(s.Sweep)
	case s.Compare != nil:
		rows = compareRows(s.Compare)
	default:
		rows = trialRows(s)
	}
	out := csv.NewWriter(w)
	if err := out.WriteAll(rows); err != nil {
		return err
	}
	return out.Error()
}

func searchRows(a *study.Search) [][]string {
	rows := [][]string{{"name", "seed", "time", "trial", "load", "unit", "for_s", "purpose", "achieved", "loss", "response_p99_us"}}
	for i := range a.Goals {
		rows[0] = append(rows[0], csvText("verdict: "+a.Goals[i].Goal.Name))
	}
	for _, t := range a.Trials {
		row := []string{
			csvText(a.Name), csvUint(a.Seed), a.Started.UTC().Format(time.RFC3339), strconv.Itoa(t.N), csvFloat(t.Load), csvText(a.Unit), csvFloat(t.ForS), csvText(t.Purpose),
			csvFloat(t.Achieved), csvFloat(t.Loss), strconv.FormatInt(t.P99US, 10),
		}
		for i := range a.Goals {
			verdict := ""
			if i < len(t.Verdicts) {
				verdict = csvText(string(t.Verdicts[i]))
			}
			row = append(row, verdict)
		}
		rows = append(rows, row)
	}
	return rows
}

func sweepRows(a *study.Sweep) [][]string {
	var metrics [][]study.Metric
	for i := range a.Cells {
		metrics = append(metrics, a.Cells[i].Metrics)
	}
	names := metricsOf(metrics)
	head := []string{"name", "seed", "time"}
	for _, v := range a.Varied {
		head = append(head, csvText(v.Name))
	}
	head = append(head, "trials", "voids", "missing")
	for _, n := range names {
		head = append(head, csvText(n), csvText(n)+"_low", csvText(n)+"_high")
	}
	rows := [][]string{head}
	for i := range a.Cells {
		c := &a.Cells[i]
		row := []string{csvText(a.Name), csvUint(a.Seed), a.Started.UTC().Format(time.RFC3339)}
		for _, v := range a.Varied {
			row = append(row, csvText(c.Setting(v.Name)))
		}
		row = append(row, strconv.Itoa(len(c.Trials)), strconv.Itoa(c.Voids), strconv.FormatBool(c.Missing))
		for _, n := range names {
			m, ok := c.Metric(n)
			if !ok {
				row = append(row, "", "", "")
				continue
			}
			row = append(row, csvFloat(m.Value), csvBound(m.Low), csvBound(m.High))
		}
		rows = append(rows, row)
	}
	return rows
}

func compareRows(a *study.Compare) [][]string {
	rows := [][]string{{"name", "seed", "time", "a", "b", "pairs", "metric", "unit", "median_a", "median_b", "ratio", "low", "high", "shift", "shift_low", "shift_high", "verdict", "minimal_detectable_effect", "p"}}
	for i := range a.Metrics {
		m := &a.Metrics[i]
		row := []string{
			csvText(a.Name), csvUint(a.Seed), a.Started.UTC().Format(time.RFC3339), csvText(a.A), csvText(a.B), strconv.Itoa(a.Pairs),
			csvText(m.Name), csvText(m.Unit), csvBound(m.MidA), csvBound(m.MidB), csvBound(m.Ratio), csvBound(m.Low), csvBound(m.High),
		}
		shift := []string{"", "", ""}
		if m.Shift != nil {
			shift = []string{csvFloat(m.Shift.Value), csvBound(m.Shift.Low), csvBound(m.Shift.High)}
		}
		rows = append(rows, append(append(row, shift...), csvText(m.Verdict), csvBound(m.MDE), csvBound(m.P)))
	}
	return rows
}

func trialRows(e *study.Experiment) [][]string {
	rows := [][]string{{"name", "seed", "time", "trial", "settings", "purpose", "load", "void", "reason", "took_s"}}
	for _, t := range e.Trials {
		rows = append(rows, []string{
			csvText(e.Record.Name), csvUint(e.Record.Seed), t.Started.UTC().Format(time.RFC3339), strconv.Itoa(t.N), csvText(study.Text(t.Settings)), csvText(t.Purpose),
			csvFloat(t.Load), strconv.FormatBool(t.Void), csvText(t.Reason), csvFloat(t.TookS),
		})
	}
	return rows
}

// JUnit writes the experiment's end as a test case, and of a search each objective, of a
// sweep each cell and the recommendation, of a comparison each metric and each rule. What
// a comparison found fails nothing but the rules that it was to keep.
func (e *Experiment) JUnit(w io.Writer) error {
	d := e.document()
	r := &e.stored.Record
	head := e.head()
	took := 0.0
	if head != nil {
		took = head.Finished.Sub(head.Started).Seconds()
	}
	suite := newSuite(r.Name, r.Started, took)
	c := junitCase{Class: string(r.Kind), Name: "the experiment came to its answer", Out: strings.Join(d.Lead, "\n")}
	switch {
	case head == nil:
		c.Skipped = &junitMessage{Message: "there is no answer yet"}
	case head.Status == study.Interrupted:
		c.Skipped = &junitMessage{Message: "the experiment was interrupted"}
	case head.Status == study.Void:
		c.Failure = &junitMessage{"void: the generator was the limit", "void"}
	}
	suite.add(c)
	switch s := e.stored; {
	case s.Search != nil:
		for i := range s.Search.Goals {
			suite.add(goalCase(&s.Search.Goals[i]))
		}
	case s.Sweep != nil:
		sweepCases(suite, s.Sweep)
	case s.Compare != nil:
		compareCases(suite, s.Compare)
	}
	return suite.write(w)
}

// head is the answer's; nil without one.
func (e *Experiment) head() *study.Head {
	switch s := e.stored; {
	case s.Search != nil:
		return &s.Search.Head
	case s.Sweep != nil:
		return &s.Sweep.Head
	case s.Compare != nil:
		return &s.Compare.Head
	}
	return nil
}

func goalCase(g *search.Result) junitCase {
	c := junitCase{Class: "objectives", Name: g.Goal.Name}
	switch g.Status {
	case search.Found, search.AtLeast:
		c.Out = g.Sentence
	case search.NoLoad:
		c.Failure = &junitMessage{g.Sentence, "no rate meets it"}
	default:
		c.Skipped = &junitMessage{Message: string(g.Status) + ": " + g.Sentence}
	}
	return c
}

func sweepCases(suite *junitSuite, a *study.Sweep) {
	for i := range a.Cells {
		c := &a.Cells[i]
		one := junitCase{Class: "cells", Name: study.Text(c.Settings)}
		if c.Missing {
			one.Skipped = &junitMessage{Message: fmt.Sprintf("no trial counts; %d were void", c.Voids)}
		}
		suite.add(one)
	}
	if r := a.Recommendation; r != nil {
		one := junitCase{Class: "recommendation", Name: r.Setting, Out: r.Sentence}
		if r.Value == "" {
			one.Out, one.Skipped = "", &junitMessage{Message: r.Sentence}
		}
		suite.add(one)
	}
}

func compareCases(suite *junitSuite, a *study.Compare) {
	for i := range a.Metrics {
		m := &a.Metrics[i]
		suite.add(junitCase{Class: "metrics", Name: metricName(m.Name), Out: m.Sentence})
	}
	for _, r := range a.Rules {
		one := junitCase{Class: "rules", Name: r.Text}
		switch {
		case r.Broken:
			one.Failure = &junitMessage{r.Sentence, "rule broken"}
		case !r.Decided:
			one.Skipped = &junitMessage{Message: r.Sentence}
		default:
			one.Out = r.Sentence
		}
		suite.add(one)
	}
}
