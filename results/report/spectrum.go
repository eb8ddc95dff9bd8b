package report

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
)

// Quantile is one point of a percentile spectrum.
type Quantile struct {
	Percentile float64 `json:"percentile"`
	ValueUS    int64   `json:"value_us"`
	Beyond     int64   `json:"beyond"` // values over it
	// Few says that there are too few values for it: the true one may lie above the
	// greatest value seen.
	Few bool `json:"few,omitempty"`
}

// deepest is the last percentile of a spectrum.
const deepest = 99.99

// spectrum gives a distribution's quantiles where HdrHistogram's own tools put them: five
// to each halving of what is beyond, up to p99.99 or the greatest value. What d, which is
// of the same values, says of how far they can be relied on goes for the quantiles too.
func spectrum(h *hdrhistogram.Histogram, d *results.Distribution) (all []Quantile) {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	n, bounded := h.TotalCount(), 100.0
	for i, unbounded := range d.Unbounded() {
		if unbounded {
			bounded = min(bounded, []float64{50, 90, 99, 99.9}[i])
		}
	}
	add := func(p float64) {
		q := Quantile{Percentile: p, ValueUS: results.Percentile(h, p), Beyond: n - atMost(p, n)}
		q.Few = p >= bounded || p > 0 && p < 100 && n < results.NeededFor(p/100)
		all = append(all, q)
	}
	const perHalving = 5
	round := []float64{50, 90, 99, 99.9, deepest}
	for half := 0.5; ; half /= 2 {
		for i := range perHalving {
			p := 100 - 100*half*(2-float64(i)/perHalving)
			for len(round) > 0 && round[0] <= p {
				if round[0] < p {
					add(round[0])
				}
				round = round[1:]
			}
			if p > deepest || (100-p)/100*float64(n) < 1 && p > 50 {
				for _, r := range round {
					if (100-r)/100*float64(n) >= 1 {
						add(r)
					}
				}
				return all
			}
			add(math.Round(p*1e6) / 1e6)
		}
	}
}

// atMost is the nearest rank of a percentile.
func atMost(p float64, n int64) int64 {
	return min(max(int64(math.Ceil(p/100*float64(n)-1e-9*float64(n))), 0), n)
}
