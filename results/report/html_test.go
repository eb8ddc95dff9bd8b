package report

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
)

// A run of a day has thousands of intervals: the page stays small, and its pictures have no
// more marks than can be told apart.
func TestPageOfADay(t *testing.T) {
	const seconds, every, intervals = 24 * 3600, 20, 24 * 3600 / 20
	meta := results.Meta{Phases: []results.PhaseMeta{{Name: "day", Measured: true, Value: 10, To: 10, Unit: "calls/s", For: seconds * time.Second}}}
	r := &Run{Summary: &results.Summary{Name: "day", Status: results.Finished}, meta: &meta, timeline: newTimeline(seconds * time.Second)}
	s := results.Snapshot{Phases: []results.PhaseSlice{{Latency: results.NewLatency()}}}
	for _, us := range []int64{300, 900, 2500, 40_000, 900_000, 30_000_000, 1, 70} {
		for range 10 {
			if err := s.Phases[0].Response.RecordValue(us); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Phases[0].Calls, s.Phases[0].Entries = 80, 80
	for i := range intervals {
		s.Start, s.End = time.Duration(i*every)*time.Second, time.Duration((i+1)*every)*time.Second
		r.timeline.add(&s)
	}
	r.finish()
	if n := len(r.timeline.slots); n == 0 || n > mostSlots {
		t.Errorf("%d stretches, want 1 to %d", n, mostSlots)
	}
	calls := uint64(0)
	for _, one := range r.timeline.slots {
		calls += one.Calls
	}
	if calls != 80*intervals {
		t.Errorf("%d calls in all stretches, want %d", calls, 80*intervals)
	}
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() >= 1_000_000 {
		t.Errorf("the page has %d bytes", b.Len())
	}
}

// A spectrum's quantiles are those of a sorted list, each within the histogram's precision,
// and those that too few values are behind are marked.
func TestSpectrum(t *testing.T) {
	h := hdrhistogram.New(1, 3_600_000_000, 3)
	const n = 1000
	for v := int64(1); v <= n; v++ {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	all := spectrum(h, &results.Distribution{N: n})
	for i, q := range all {
		rank := int64(math.Ceil(q.Percentile*n/100 - 1e-6))
		if want := max(rank, 1); q.ValueUS != want || q.Beyond != n-rank {
			t.Errorf("p%g is %d with %d beyond, want %d with %d", q.Percentile, q.ValueUS, q.Beyond, want, n-rank)
		}
		if i > 0 && q.Percentile <= all[i-1].Percentile {
			t.Errorf("p%g follows p%g", q.Percentile, all[i-1].Percentile)
		}
		if few := q.Percentile > 0 && n < results.NeededFor(q.Percentile/100) || q.Percentile >= 99.9; q.Few != few {
			t.Errorf("p%g: few is %t, want %t", q.Percentile, q.Few, few)
		}
	}
	has := func(p float64) bool {
		return slices.ContainsFunc(all, func(q Quantile) bool { return q.Percentile == p })
	}
	for _, p := range []float64{0, 50, 90, 99, 99.9} {
		if !has(p) {
			t.Errorf("no p%g", p)
		}
	}
	if has(99.99) {
		t.Error("p99.99 of 1,000 values, the last of which is beyond p99.9 already")
	}
	if got := spectrum(nil, &results.Distribution{}); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}
