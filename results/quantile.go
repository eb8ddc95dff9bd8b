package results

import (
	"math"
	"strconv"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// rank is the place, in ascending order from 1, of the least of n values that at
// least p percent of them do not exceed.
func rank(p float64, n int64) int64 {
	exact := p / 100 * float64(n)
	r := int64(math.Ceil(exact))
	if below := math.Floor(exact); exact-below < 1e-9*exact { // 99.9% of 1,000 is 999, whatever floats make of it
		r = int64(below)
	}
	return min(max(r, 1), n)
}

// atRank gives the value at that place of h, which holds some.
func atRank(h *hdrhistogram.Histogram, r int64) int64 {
	// The histogram takes the nearest rank.
	return h.ValueAtPercentile(100 * float64(r) / float64(h.TotalCount()))
}

func atPercentile(h *hdrhistogram.Histogram, p float64) int64 {
	return atRank(h, rank(p, h.TotalCount()))
}

// percentile takes a stat such as "p99.9" apart.
func percentile(stat string) (float64, bool) {
	if len(stat) < 2 || stat[0] != 'p' {
		return 0, false
	}
	p, err := strconv.ParseFloat(stat[1:], 64)
	return p, err == nil && p > 0 && p <= 100
}

// NeededFor is the least number of samples with which the two-sided 95%
// confidence interval of the quantile q, 0 < q < 1, has a finite upper end: with
// fewer, even the greatest sample may lie below the true quantile. 368 for 0.99,
// 3,688 for 0.999 (exact binomial; the least n with q^n <= 0.025).
func NeededFor(q float64) int64 {
	if q <= 0 || q >= 1 {
		return 1
	}
	return int64(math.Ceil(math.Log(0.025) / math.Log(q)))
}
