package results

import (
	"encoding/json"
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results/selfcheck"
)

// confidence is that of every interval and proof.
const confidence = 0.95

// Intervals are the 95% confidence intervals of a Distribution's percentiles: between
// two of the values seen, by their ranks (order statistics), whatever the
// distribution; with as many ranks between them as the calls' dependence on each
// other asks for.
type Intervals struct {
	P50  Interval `json:"p50"`
	P90  Interval `json:"p90"`
	P99  Interval `json:"p99"`
	P999 Interval `json:"p99.9"`
}

// Interval holds a percentile, in microseconds. A bound that the samples cannot give
// is nil, and null in JSON: the true value may lie above the greatest one seen.
type Interval struct{ Low, High *int64 }

// MarshalJSON writes [low, high].
func (i Interval) MarshalJSON() ([]byte, error) { return json.Marshal([2]*int64{i.Low, i.High}) }

// UnmarshalJSON reads [low, high].
func (i *Interval) UnmarshalJSON(data []byte) error {
	var bounds [2]*int64
	if err := json.Unmarshal(data, &bounds); err != nil {
		return err
	}
	i.Low, i.High = bounds[0], bounds[1]
	return nil
}

// dependence tells the tau of values about a percentile that is so large; false: it is
// not known.
type dependence func(value int64) (tau float64, ok bool)

// taus are how the calls of one or several phases depend on each other; nil ones say
// that their times describe no one state, and have no intervals.
type taus struct{ response, lateness dependence }

// taus gives those of a phase. Over a ramp response times describe no one state, what
// the generator did is another matter; in a phase that is unsteady otherwise (its rate
// was not reached, so that calls waited for longer the longer it was, or was changed by
// hand) nothing does.
func (a *Aggregate) taus(i int, p PhaseMeta, unsteady bool) *taus {
	if !p.Measured || unsteady {
		return &taus{}
	}
	w := a.window(i)
	if w == nil {
		w = &windows{}
	}
	t := &taus{w.response.Tau, w.lateness.Tau}
	if p.open() && p.To != p.Value {
		t.response = nil
	}
	return t
}

// and gives those of t's phases and o's, if there are any, together.
func (t *taus) and(o *taus) *taus {
	if o == nil {
		return t
	}
	return &taus{greater(t.response, o.response), greater(t.lateness, o.lateness)}
}

// greater gives the greater tau of two; it is not known when one of them is not.
func greater(a, b dependence) dependence {
	if a == nil || b == nil {
		return nil
	}
	return func(value int64) (float64, bool) {
		x, known := a(value)
		y, ok := b(value)
		return max(x, y), known && ok
	}
}

// intervals are those of h's percentiles, and whether its values were taken for
// independent as nothing is known.
func intervals(h *hdrhistogram.Histogram, tau dependence) (all *Intervals, assumed bool) {
	all = &Intervals{}
	for i, into := range all.list() {
		t, ok := tau(atPercentile(h, 100*quantiles[i].q))
		if !ok {
			t, assumed = 1, true
		}
		*into = interval(h, selfcheck.OrderCIEffective(h.TotalCount(), t, quantiles[i].q, confidence))
	}
	all.order()
	return all, assumed
}

// list gives the intervals in ascending order of their percentiles.
func (all *Intervals) list() [len(quantiles)]*Interval {
	return [...]*Interval{&all.P50, &all.P90, &all.P99, &all.P999}
}

// order lets what bounds one percentile bound those beyond it too: a p90 is no greater
// than what the p99 is surely below, though its own neighbours depend on each other
// too much to tell.
func (all *Intervals) order() {
	list := all.list()
	for i := 1; i < len(list); i++ {
		if low := list[i-1].Low; low != nil && (list[i].Low == nil || *list[i].Low < *low) {
			list[i].Low = low
		}
		k := len(list) - 1 - i
		if high := list[k+1].High; high != nil && (list[k].High == nil || *list[k].High > *high) {
			list[k].High = high
		}
	}
}

func interval(h *hdrhistogram.Histogram, r selfcheck.Ranks) (i Interval) {
	if r.Lower > 0 {
		low := bucketStart(atRank(h, r.Lower))
		i.Low = &low
	}
	if r.Upper > 0 {
		high := atRank(h, r.Upper)
		i.High = &high
	}
	return i
}

// bucketStart is the least value that a histogram does not tell from v: it tells 2,048
// in each doubling.
func bucketStart(v int64) int64 {
	beyond := max(0, bits.Len64(uint64(v))-11)
	return v >> beyond << beyond
}
