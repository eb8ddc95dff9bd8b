package study

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"volley/results"
)

func record() Record {
	return Record{Format: Format, Kind: SweepKind, Name: "small", Scenario: "abc", Seed: 7, Options: []Setting{{"--repeats", "3"}, {"--vary size", "1,2"}}, Order: []string{"size=1", "size=2"}}
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		change func(*Record)
		want   []string
	}{
		{func(r *Record) { r.Volley = "another" }, nil},
		{func(r *Record) { r.Kind = SearchKind }, []string{"the command is sweep there, search here"}},
		{func(r *Record) { r.Seed = 8 }, []string{"the seed is 7 there, 8 here"}},
		{func(r *Record) { r.Options = r.Options[:1] }, []string{"--vary size is 1,2 there, not given here"}},
		{func(r *Record) { r.Options = append(r.Options, Setting{"--for", "1s"}) }, []string{"--for is not given there, 1s here"}},
		{func(r *Record) { r.Scenario = "abd" }, []string{"the scenario's contents differ"}},
		{func(r *Record) { r.Order = nil }, []string{"the order of the trials differs"}},
	} {
		here, there := record(), record()
		c.change(&here)
		if got := here.Differences(&there); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "has no experiment.json") {
		t.Errorf("an empty directory: %v", err)
	}
	r := record()
	if err := WriteRecord(dir, &r); err != nil {
		t.Fatal(err)
	}
	for n, finished := range []bool{true, true, false, true} {
		trial := Trial{Format: Format, N: n + 1, Key: "k", Dir: TrialDir(dir, n+1)}
		if err := os.MkdirAll(trial.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if finished {
			if err := WriteTrial(&trial); err != nil {
				t.Fatal(err)
			}
		}
	}
	e, err := Open(dir)
	if err != nil || len(e.Trials) != 2 || e.Ended() || e.Sweep != nil {
		t.Fatalf("%+v, %v: want two trials before the one that was cut off, and no answer", e, err)
	}
	low := 1.0
	want := &Sweep{Head: Head{Format: Format, Name: "small", Status: Finished, Warnings: []string{"a <= b"}}, Cells: []Cell{{Settings: []Setting{{"size", "1"}}, Metrics: []Metric{{Name: ResponseP99, Value: 2, Low: &low}}}}}
	if err := Write(dir, SweepKind, want); err != nil {
		t.Fatal(err)
	}
	if e, err = Open(dir); err != nil || !e.Ended() || !reflect.DeepEqual(e.Sweep, want) {
		t.Errorf("%+v, %v, want %+v", e.Sweep, err, want)
	}
	for _, bad := range []string{`{"format": 2}`, `{"format": 0}`, `{"format": 1, "cells": [{"metrics": [{"value": NaN}]}]}`, `{`} {
		name := filepath.Join(dir, "sweep.json")
		if err := os.WriteFile(name, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want an error that names the file", bad, err)
		}
	}
}

func TestIntervalOfMeans(t *testing.T) {
	// Student's 0.975 quantile with 2 degrees of freedom is 4.3027.
	low, high := interval([]float64{0, 1, 2})
	if *low != 0 || *high < 3.484 || *high > 3.485 {
		t.Errorf("%g to %g, want 0 (cut off) to 3.484", *low, *high)
	}
	if low, high := interval([]float64{5}); low != nil || high != nil {
		t.Error("one value has an interval")
	}
	if low, high := interval([]float64{4, 4, 4}); *low < 3.999 || *high > 4.001 {
		t.Errorf("values that do not vary: %g to %g", *low, *high)
	}
}

// Two repeats of a small share have an interval without sense above all of it.
func TestSharesEndAtOne(t *testing.T) {
	repeat := func(good uint64) *Measured {
		return &Measured{Slice: results.PhaseSlice{Counts: results.Counts{Items: 1000, GoodItems: good}, Latency: results.NewLatency()}}
	}
	for _, m := range Metrics([]*Measured{repeat(999), repeat(900)}) {
		if m.Name == ErrorsPerItem && (m.High == nil || *m.High != 1) {
			t.Errorf("%+v", m)
		}
	}
}

func TestMeasureRefusesTimesThatAreNone(t *testing.T) {
	for _, cpu := range []float64{-1e300, 1e300} {
		trial := &Trial{Dir: "../testdata/run-v1", NodeCPUS: &cpu}
		if _, err := Measure(trial); err == nil || !strings.Contains(err.Error(), "is no time") {
			t.Errorf("%g s of CPU: %v", cpu, err)
		}
	}
}
