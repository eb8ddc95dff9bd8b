package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results/selfcheck"
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

// AtPercentile gives h's value at p, from 0 to 100: the least one that so many percent
// do not exceed, as all percentiles here are. h holds some.
func AtPercentile(h *hdrhistogram.Histogram, p float64) int64 { return atPercentile(h, p) }

// Percentile gives the value that p percent of h's do not exceed, by the nearest rank, as
// everything here does; h must hold some.
func Percentile(h *hdrhistogram.Histogram, p float64) int64 { return atPercentile(h, p) }

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

// quantiles are those that a Distribution has, in ascending order.
var quantiles = [...]struct {
	name string
	q    float64
}{{"p50", .5}, {"p90", .9}, {"p99", .99}, {"p99.9", .999}}

// NeededFor is the least number of independent samples with which the 95% confidence
// interval of the quantile q, 0 < q < 1, has an upper end: with fewer, even the
// greatest sample may lie below the true quantile. 368 for 0.99, 3,688 for 0.999; see
// selfcheck.SamplesForUpper.
func NeededFor(q float64) int64 { return selfcheck.SamplesForUpper(q, (1-confidence)/2) }

// Unbounded tells which of p50, p90, p99 and p99.9 may lie above the greatest value
// seen, at 95%; none of an empty distribution's.
func (d *Distribution) Unbounded() (by [len(quantiles)]bool) {
	if d.N == 0 {
		return by
	}
	for i := range by {
		by[i] = d.N < NeededFor(quantiles[i].q) || d.Worth > 0 && int64(d.Worth) < NeededFor(quantiles[i].q)
	}
	if d.CI != nil {
		for i, ci := range d.CI.list() {
			by[i] = ci.High == nil
		}
	}
	return by
}

// TooFew names the percentiles that are Unbounded, with how many samples each takes; ""
// when none is.
func (d *Distribution) TooFew() string {
	var few []string
	what := "too few calls for "
	for i, unbounded := range d.Unbounded() {
		if need := NeededFor(quantiles[i].q); unbounded {
			few = append(few, fmt.Sprintf("%s (%s needed)", quantiles[i].name, Count(uint64(need))))
			if d.N >= need {
				what = "too few independent calls for "
			}
		}
	}
	if few == nil {
		return ""
	}
	return what + strings.Join(few, ", ")
}
