package loadgen

import (
	"math"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"volley/results"
	"volley/scenario"
)

func TestGeneratorsVerdict(t *testing.T) {
	cpus := time.Duration(runtime.GOMAXPROCS(0))
	for _, tt := range []struct {
		why    string
		cpu    time.Duration // in ten seconds
		counts results.Counts
		cut    bool
		reason string // "": ok
	}{
		{"nothing unusual", cpus * time.Second, results.Counts{Calls: 1000}, false, ""},
		{"all CPUs busy", cpus * 10 * time.Second, results.Counts{Calls: 1000}, false, "the generator used 100% of its"},
		{"behind, although callers were free", 0, results.Counts{Calls: 1000, Overrun: 60}, false,
			"60 of 1,000 calls were sent after their phase's end, although callers were free"},
		{"what was never sent had waited", 0, results.Counts{Calls: 100, Unsent: 900, OverBound: 40}, false, ""},
		{"behind, because the node was", 0, results.Counts{Calls: 1000, Overrun: 300, OverBound: 400}, false, ""},
		{"a straggler or two", 0, results.Counts{Calls: 1000, Overrun: 20}, false, ""},
		{"stopped", 0, results.Counts{Calls: 10, Unsent: 990}, true, ""},
	} {
		rec := newRecorder(1)
		rec.total, rec.counted = tt.counts, 1000
		begin := time.Now()
		g := generator(vitals{at: begin}, vitals{at: begin.Add(10 * time.Second), cpu: tt.cpu}, rec, results.NewLatency().Lateness, tt.cut)
		if (g.Verdict == results.GeneratorOK) != (tt.reason == "") || !strings.HasPrefix(g.Reason, tt.reason) || tt.reason == "" && g.Reason != "" {
			t.Errorf("%s: %s, %s", tt.why, g.Verdict, g.Reason)
		}
	}
}

func TestLatenessIsOfMeasuredPhases(t *testing.T) {
	rec := newRecorder(2)
	for phase, late := range []time.Duration{time.Second, 3 * time.Millisecond} {
		rec.began()
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
