package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"volley/results/capacity/search"
	"volley/results/report"
	"volley/results/study"
)

// golden compares a page with its golden file.
func golden(t *testing.T, name string, write func(*bytes.Buffer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, &b, want)
	}
}

func head() study.Head {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return study.Head{Format: 1, Volley: "0.1.0", Name: "small\x1b[31m", Seed: 7, Dialect: "near", Bundled: true, Started: at, Finished: at.Add(time.Hour), Status: study.Finished, Dir: "runs/x", Warnings: []string{"trial 3: the node was not at rest"}}
}

func TestSearchPage(t *testing.T) {
	goal := search.DefaultGoal("response p99 <= 40ms")
	a := &study.Search{
		Head: head(), Lower: new(640.0), Upper: new(672.0), Unit: "calls/s", ConditionalThroughput: new(639.0),
		Answer: search.Found, Limiting: goal.Name, Sentence: "response p99 <= 40ms is met up to a load between 640 calls/s and 672 calls/s.",
		Goals: []search.Result{{
			Goal: goal, Status: search.Found, Lower: 640, Upper: 672, Sentence: "It is met.",
			Loads: []search.Load{{Load: 640, Class: search.Lower, Good: 3, Unproven: 1, Time: 2 * time.Minute}, {Load: 672, Class: search.Upper, Bad: 2, Void: 1, Time: time.Minute}},
		}},
		Trials:    []study.SearchTrial{{N: 2, Load: 640, ForS: 30, Purpose: "explore", Verdicts: []search.Verdict{search.Good}, Achieved: 641.2, P99US: 35_000}},
		Saturated: &study.Saturation{N: 1, Callers: 64, Achieved: 801}, LoadedS: 180,
	}
	golden(t, "search", func(b *bytes.Buffer) error { return report.Search(b, a) })
}

// An answer that somebody edited: what is missing is left out, what is hostile escaped.
func TestSearchPageOfAnEditedAnswer(t *testing.T) {
	a := &study.Search{
		Head: head(), ConditionalThroughput: new(639.0), Unit: "calls/s", Answer: search.Found,
		Goals: []search.Result{{Loads: []search.Load{{Load: 640, Class: "\x1b[31mred"}}}},
	}
	var b bytes.Buffer
	if err := report.Search(&b, a); err != nil || bytes.ContainsRune(b.Bytes(), '\x1b') || bytes.Contains(b.Bytes(), []byte("come back good")) {
		t.Errorf("%v: %q", err, b.String())
	}
}

func TestSweepPage(t *testing.T) {
	cell := func(limit, form string, p99, probe float64) study.Cell {
		return study.Cell{
			Settings: []study.Setting{{Name: "batch_concurrency_limit", Value: limit}, {Name: "form", Value: form}}, Trials: []int{1, 2},
			Metrics: []study.Metric{
				{Name: study.EntriesPerS, Value: 400, Unit: "entries/s"},
				{Name: study.ResponseP99, Value: p99, Low: new(0.9 * p99), High: new(1.2 * p99), Unit: "us"},
				{Name: study.ProbeP99, Value: probe, Low: new(0.0), High: new(1e9), Unit: "us", Few: true},
				{Name: study.CPUPerItem, Value: 151.25, Unit: "us"},
				{Name: study.ErrorsPerItem, Value: 0.0123, Unit: "1"},
			},
		}
	}
	a := &study.Sweep{
		Head:    head(),
		Varied:  []study.Varied{{Name: "batch_concurrency_limit", Values: []string{"1", "16"}}, {Name: "form", Values: []string{"batch"}}},
		Repeats: 2, Probe: &study.ProbeSpec{CallsPerS: 20},
		Cells: []study.Cell{cell("1", "batch", 126_000, 5_000), cell("16", "batch", 102_000, 25_000), {
			Settings: []study.Setting{{Name: "batch_concurrency_limit", Value: "64"}, {Name: "form", Value: "batch"}}, Missing: true, Voids: 4,
		}},
		Models:         []study.Model{{Name: "cost", Of: "time of a call", Parameters: []study.Parameter{{Name: "A", Unit: "us", Value: 2000, Low: new(1900.0), High: new(2100.0)}}, Warnings: []string{"not a straight line"}}},
		Recommendation: &study.Recommendation{Setting: "batch_concurrency_limit", Value: "1", Sentence: "1, for the guard", Rule: "the smallest", Why: []string{"because"}, Warnings: []string{"uncertain"}},
	}
	golden(t, "sweep", func(b *bytes.Buffer) error { return report.Sweep(b, a) })
}

// The front is drawn with the guard in it.
func TestFrontPage(t *testing.T) {
	candidate := func(limit string, p99, probe float64, allowed, chosen bool) study.Candidate {
		return study.Candidate{Value: limit, Allowed: allowed, Chosen: chosen, Metrics: []study.Metric{
			{Name: study.ResponseP99, Value: p99, Unit: "us"}, {Name: study.ProbeP99, Value: probe, Unit: "us"},
		}}
	}
	a := &study.Sweep{
		Head: head(), Varied: []study.Varied{{Name: "batch_concurrency_limit", Values: []string{"1", "4", "64"}}}, Repeats: 6,
		Recommendation: &study.Recommendation{
			Setting: "batch_concurrency_limit", Value: "4", GuardUS: 10_000, Sentence: "4 slots.", Rule: "the smallest",
			Front: []study.Candidate{
				candidate("1", 126_000, 5_000, true, false), candidate("4", 104_000, 9_500, true, true), candidate("64", 63_000, 50_000, false, false),
			},
		},
	}
	golden(t, "front", func(b *bytes.Buffer) error { return report.Sweep(b, a) })
}
