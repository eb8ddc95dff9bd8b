package tui

import (
	"math"
	"math/rand/v2"
	"testing"

	"volley/results"
)

func TestDistAgreesWithTheHistogram(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 999, 1000, 20_000} {
		whole := results.NewLatency().Response
		var parts []dist
		for len(parts) < 7 {
			h := results.NewLatency().Response
			for range n / 7 {
				us := int64(math.Exp(r.NormFloat64()*2 + 7))
				if h.RecordValue(us) != nil || whole.RecordValue(us) != nil {
					t.Fatal("does not fit")
				}
			}
			parts = append(parts, distOf(h))
		}
		_ = whole.RecordValue(1500)
		h := results.NewLatency().Response
		_ = h.RecordValue(1500)
		d := mergeAll(append(parts, distOf(h)))
		if got, want := d.count(), uint64(whole.TotalCount()); got != want {
			t.Errorf("n %d: count %d, want %d", n, got, want)
		}
		for _, p := range []float64{1, 50, 90, 99, 99.9, 100} {
			// The histogram rounds to the nearest rank; a percentile is the least value
			// that so many do not exceed.
			rank := math.Ceil(p/100*float64(whole.TotalCount()) - 1e-9)
			if got, want := d.quantile(p/100), whole.ValueAtPercentile(100*rank/float64(whole.TotalCount())); got != want {
				t.Errorf("n %d: p%v %d, want %d", n, p, got, want)
			}
		}
		if got, want := d.mean(), whole.Mean(); math.Abs(got-want) > 0.001*want+0.5 {
			t.Errorf("n %d: mean %v, want %v", n, got, want)
		}
		if got, want := d.coarse().count(), d.count(); got != want {
			t.Errorf("n %d: %d values in coarse buckets, want %d", n, got, want)
		}
		if got, want := float64(d.coarse().quantile(.99)), float64(d.quantile(.99)); got < want || got > want*1.03 {
			t.Errorf("n %d: coarse p99 %v, exact %v", n, got, want)
		}
		var binned float64
		for _, v := range d.bins(100, 10_000, 37) {
			binned += v
		}
		if math.Abs(binned-float64(d.count())) > 1e-6*binned {
			t.Errorf("n %d: %v values in bins, want %d", n, binned, d.count())
		}
	}
}

func TestDistOfNothing(t *testing.T) {
	d := distOf(results.NewLatency().Response)
	if d.count() != 0 || d.quantile(.5) != 0 || d.mean() != 0 || d.greatest() != 0 || len(d.merge(nil)) != 0 || len(d.coarse()) != 0 || len(mergeAll(nil)) != 0 {
		t.Errorf("%v is not empty", d)
	}
	if got := d.bins(1, 10, 3); len(got) != 3 || got[0]+got[1]+got[2] != 0 {
		t.Errorf("bins %v", got)
	}
}
