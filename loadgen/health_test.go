package loadgen

import (
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"volley/results"
	"volley/scenario"
)

func TestGeneratorsAccount(t *testing.T) {
	cpus := time.Duration(runtime.GOMAXPROCS(0))
	rec := newRecorder(1)
	rec.total, rec.counted = results.Counts{Calls: 1000, Overrun: 60, Unsent: 3, OverBound: 40}, 1003
	rec.exhausted.Store(2)
	begin := time.Now()
	edges := []float64{0, 1e-6, 2e-6, 4e-6}
	before := vitals{at: begin, pauses: &metrics.Float64Histogram{Counts: []uint64{9, 0, 0}, Buckets: edges}}
	after := vitals{
		at: begin.Add(10 * time.Second), cpu: cpus * 5 * time.Second,
		pauses: &metrics.Float64Histogram{Counts: []uint64{10, 1, 2}, Buckets: edges},
		waits:  &metrics.Float64Histogram{Counts: []uint64{99, 0, 1}, Buckets: edges},
	}
	g := generator(before, after, rec, results.NewLatency().Lateness)
	if g.CPUFraction != 0.5 || g.Planned != 1003 || g.Sent != 1000 || g.Overrun != 60 || g.Unsent != 3 || g.OverBound != 40 || g.Exhausted != 2 {
		t.Errorf("%+v", g)
	}
	if g.GCPauses != 4 || g.GCPauseMaxUS != 4 || g.GCPauseP99US != 4 || g.SchedWaits != 100 || g.SchedP99US != 1 {
		t.Errorf("%+v", g)
	}
}

func TestLatenessIsOfMeasuredPhases(t *testing.T) {
	rec := newRecorder(2)
	for phase, late := range []time.Duration{time.Second, 3 * time.Millisecond} {
		rec.began(0)
		rec.ended(0, &results.Outcome{Phase: phase, Sent: late, Done: late})
	}
	rec.snapshot(time.Second, time.Time{}, 0)
	p := &scenario.Plan{Phases: []scenario.Phase{{Measured: false}, {Measured: true}}}
	if h := rec.lateness(p); h.TotalCount() != 1 || !h.ValuesAreEquivalent(h.Max(), 3000) {
		t.Errorf("%d values up to %d us", h.TotalCount(), h.Max())
	}
}

func TestQuantileOfWhatCameBetween(t *testing.T) {
	edges := []float64{0, 1, 2, 4, math.Inf(1)}
	before := &metrics.Float64Histogram{Counts: []uint64{50, 0, 0, 9}, Buckets: edges}
	after := &metrics.Float64Histogram{Counts: []uint64{148, 1, 1, 9}, Buckets: edges}
	for _, tt := range []struct{ q, want float64 }{{0.5, 1}, {0.98, 1}, {0.99, 2}, {1, 4}} {
		if got := quantile(before, after, tt.q); got != tt.want {
			t.Errorf("quantile %v: %v, want %v", tt.q, got, tt.want)
		}
	}
	after.Counts[3]++
	if got := quantile(before, after, 1); got != 4 {
		t.Errorf("beyond the last edge: %v", got)
	}
	if got := quantile(after, after, 1); got != 0 {
		t.Errorf("nothing came: %v", got)
	}
}

func TestVitalsAreKnownHere(t *testing.T) {
	if v := takeVitals(); v.pauses == nil || v.waits == nil || v.at.IsZero() {
		t.Errorf("%+v", v)
	}
}

func TestDescribe(t *testing.T) {
	p := plan(1, steady(600, scenario.Entries, 30*time.Second), scenario.Phase{Name: "saturation", Callers: 32, For: 10 * time.Second, Measured: true})
	p.Phases[0].To = 2400
	p.Objectives = []scenario.Objective{{Text: "response p99 <= 250ms", Metric: "response", Stat: "p99", Op: "<=", Limit: 250_000}}
	phases, objectives := Describe(p)
	want := []results.PhaseMeta{
		{Name: "steady", Measured: true, Value: 600, To: 2400, Unit: "entries/s", Arrivals: "constant", For: 30 * time.Second},
		{Name: "saturation", Measured: true, Value: 32, To: 32, Unit: "callers", For: 10 * time.Second},
	}
	for i := range want {
		if phases[i] != want[i] {
			t.Errorf("got %+v, want %+v", phases[i], want[i])
		}
	}
	if len(objectives) != 1 || objectives[0].Text != "response p99 <= 250ms" || objectives[0].Limit != 250_000 {
		t.Errorf("%+v", objectives)
	}
}
