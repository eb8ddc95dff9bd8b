package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"volley/results/capacity/pool"
	"volley/results/study"
	"volley/scenario"
)

// Every scenario that the parts write is one that volley takes.
func TestScenarios(t *testing.T) {
	for name, text := range map[string]string{
		"bare": bare("bare", 5*time.Millisecond, 600, 2*time.Second, "response p99 <= 40ms"), "no objective": bare("bare", time.Millisecond, 40, time.Second, ""),
		"batches": batches(0.3), "cost batch": oneByOne("batch"), "cost array": oneByOne("array"),
	} {
		file := filepath.Join(t.TempDir(), "s.yaml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := scenario.Load(file, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func sweepOf(mean, p99 float64) *study.Sweep {
	metric := func(name string, v float64) study.Metric {
		return study.Metric{Name: name, Value: v * 1e6, Low: new(v * 0.98e6), High: new(v * 1.02e6)}
	}
	return &study.Sweep{Cells: []study.Cell{{Metrics: []study.Metric{metric(study.ResponseMean, mean), metric(study.ResponseP99, p99)}}}}
}

// M/M/4 at utilisation 0.8 and a mean of 10 ms: 17.455 ms (12 digits of the wait in
// units of the mean are 0.745540589734) and by the formula 68.9 ms at the p99.
func TestHeldAgainstTheFormula(t *testing.T) {
	for _, c := range []struct {
		mean, p99, more float64
		ok              [2]bool
	}{
		{0.017455, 0.0689, 0, [2]bool{true, true}},
		{0.0180, 0.0689, 0, [2]bool{false, true}},
		{0.0180, 0.0700, 0.0002, [2]bool{true, true}},
		{0.0160, 0.0600, 0.0002, [2]bool{false, false}},
	} {
		lines, err := held(sweepOf(c.mean, c.p99), 0.8, 320, 0.010, c.more)
		if err != nil || len(lines) != 2 || lines[0].ok != c.ok[0] || lines[1].ok != c.ok[1] {
			t.Errorf("%+v: %v, %v", c, lines, err)
		}
	}
	if _, err := held(sweepOf(1, 1), 0.8, 320, 0.010, 0.005); err == nil || !strings.Contains(err.Error(), "cannot keep up") {
		t.Errorf("%v", err)
	}
	if lines, err := held(&study.Sweep{Cells: []study.Cell{{}}}, 0.8, 320, 0.010, 0); err != nil || lines[0].ok {
		t.Errorf("nothing was measured: %v, %v", lines, err)
	}
}

func TestNeighbour(t *testing.T) {
	for value, want := range map[string]bool{"2": true, "4": true, "8": true, "1": false, "16": false, "3": false, "": false} {
		if neighbour(value, 4) != want {
			t.Errorf("%q beside 4: %v", value, !want)
		}
	}
}

func TestAtLeast(t *testing.T) {
	for _, c := range []struct{ want, of, n, least int }{{9, 10, 10, 9}, {9, 10, 20, 18}, {9, 10, 3, 2}, {9, 10, 1, 1}, {18, 20, 20, 18}} {
		if got := atLeast(c.want, c.of, c.n); got != c.least {
			t.Errorf("%d of %d of %d: %d, want %d", c.want, c.of, c.n, got, c.least)
		}
	}
}

// Of 0.3 ms beside a single entry 0.1 ms are the entry's own: 50 of 1 ms that follow one
// another take 55.2 ms.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		single, batch float64
		want          beside
	}{
		{0.0003, 0.0552, beside{0.0001, 0.0002}},
		{0.0003, 0.0503, beside{0, 0.0003}},
		{0.0003, 0.0400, beside{0, 0.0003}},
		{0.0003, 0.1000, beside{0.0003, 0}},
	} {
		if got := shares(c.single, c.batch); math.Abs(got.entry-c.want.entry) > 1e-9 || math.Abs(got.call-c.want.call) > 1e-9 {
			t.Errorf("%g and %g: %+v, want %+v", c.single, c.batch, got, c.want)
		}
	}
}

// The simulation's best limit is the pool's size at either utilisation: more gains the
// batches little and costs the probe its guard.
func TestPredictedFront(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates some millions of entries")
	}
	for _, rho := range []float64{0.3, 0.6} {
		front, err := predicted(rho, beside{})
		if err != nil {
			t.Fatal(err)
		}
		best, err := pool.Recommend(front, pool.Guard{})
		if err != nil || !neighbour("4", best.Setting) {
			t.Errorf("utilisation %g: best is %d (%v)", rho, best.Setting, err)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for _, c := range []struct {
		b     bench
		jobs  int
		parts string
		want  string
	}{
		{bench{}, 1, "queues", `no part "queues"`},
		{bench{}, 0, "queue", "-jobs"},
		{bench{seeds: -1}, 1, "queue", "-seeds"},
		{bench{volley: "/nowhere/volley", dir: t.TempDir()}, 1, "queue", "/nowhere/volley"},
	} {
		if err := run(context.Background(), &c.b, c.jobs, c.parts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c, err, c.want)
		}
	}
}
