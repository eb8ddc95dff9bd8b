package correlate

import (
	"cmp"
	"math"
	"slices"
)

// Histogram is what a classic histogram counted between two scrapes.
type Histogram struct {
	Count   float64
	Sum     float64  // in the histogram's own unit
	Buckets []Bucket // cumulative, ascending, without the one that has no bound
}

// Bucket is how many values were at most Le.
type Bucket struct{ Le, Count float64 }

// Mean is Sum over Count; false without a value.
func (h *Histogram) Mean() (float64, bool) {
	if !(h.Count > 0) {
		return 0, false
	}
	return h.Sum / h.Count, true
}

// Bounds are what a histogram tells of a quantile: it is over Lower and at most
// Upper. Without an upper bound, over the last one that the histogram has, Upper is
// null in JSON and +Inf in Go.
type Bounds struct{ Lower, Upper float64 }

// Open tells that there is no upper bound.
func (b Bounds) Open() bool { return math.IsInf(b.Upper, 1) }

// Quantile bounds the value at the nearest rank, the least one that at least a
// share q of all do not exceed. Where in its bucket that value lies is not known,
// and is not made up. The lower bound of the first bucket is 0 where its own bound
// is positive, as times and sizes are. false without buckets or without a value.
func (h *Histogram) Quantile(q float64) (Bounds, bool) {
	if !(h.Count > 0) || len(h.Buckets) == 0 || !(q > 0 && q <= 1) {
		return Bounds{}, false
	}
	rank := math.Ceil(q*h.Count - 1e-9*h.Count)
	lower := math.Inf(-1)
	if h.Buckets[0].Le > 0 {
		lower = 0
	}
	for _, b := range h.Buckets {
		if b.Count >= rank {
			return Bounds{lower, b.Le}, true
		}
		lower = b.Le
	}
	return Bounds{lower, math.Inf(1)}, true
}

// AtMost gives the least bound that no value was over; false where some value is
// over the last bound, or there is none.
func (h *Histogram) AtMost() (float64, bool) {
	b, ok := h.Quantile(1)
	return b.Upper, ok && !b.Open()
}

// merge adds o. Where their bounds differ the common ones are kept.
func (h Histogram) merge(o Histogram) Histogram {
	out := Histogram{Count: h.Count + o.Count, Sum: h.Sum + o.Sum}
	for i, j := 0, 0; i < len(h.Buckets) && j < len(o.Buckets); {
		switch c := cmp.Compare(h.Buckets[i].Le, o.Buckets[j].Le); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			out.Buckets = append(out.Buckets, Bucket{h.Buckets[i].Le, h.Buckets[i].Count + o.Buckets[j].Count})
			i++
			j++
		}
	}
	return out
}

// gathering adds up a histogram's series over their labels.
type gathering struct {
	count, sum, inf            float64
	counted, summed, unbounded bool
	buckets                    map[float64]*gathered
}

type gathered struct {
	total  float64
	series int
}

func (g *gathering) bucket(le, delta float64) {
	if math.IsInf(le, 1) {
		g.inf += delta
		g.unbounded = true
		return
	}
	if math.IsNaN(le) {
		return
	}
	if g.buckets == nil {
		g.buckets = map[float64]*gathered{}
	}
	b := g.buckets[le]
	if b == nil {
		b = new(gathered)
		g.buckets[le] = b
	}
	b.total += delta
	b.series++
}

// histogram gives the sum of them all. Of bounds that not all of the series have
// the counts cannot be added up: they are left out.
func (g *gathering) histogram() (h Histogram, ok bool) {
	h.Count, h.Sum = g.count, g.sum
	if !g.counted {
		h.Count = g.inf
	}
	most := 0
	for _, b := range g.buckets {
		most = max(most, b.series)
	}
	for le, b := range g.buckets {
		if b.series == most {
			h.Buckets = append(h.Buckets, Bucket{le, b.total})
		}
	}
	slices.SortFunc(h.Buckets, func(a, b Bucket) int { return cmp.Compare(a.Le, b.Le) })
	return h, g.summed && (g.counted || g.unbounded)
}

// Bar is how many of the client's values lay at Value, in microseconds.
type Bar struct{ Value, Count uint32 }

// Bars are a distribution of the client's, ascending.
type Bars []Bar

// merge gives the sum of both.
func (b Bars) merge(o Bars) Bars {
	out := make(Bars, 0, len(b)+len(o))
	for len(b) > 0 && len(o) > 0 {
		switch {
		case b[0].Value < o[0].Value:
			out, b = append(out, b[0]), b[1:]
		case b[0].Value > o[0].Value:
			out, o = append(out, o[0]), o[1:]
		default:
			out = append(out, Bar{b[0].Value, uint32(min(uint64(b[0].Count)+uint64(o[0].Count), math.MaxUint32))})
			b, o = b[1:], o[1:]
		}
	}
	return slices.Clone(append(append(out, b...), o...))
}

// Quantile gives the value at the nearest rank and how many there are in all.
func (b Bars) Quantile(q float64) (value uint32, n uint64) {
	for _, bar := range b {
		n += uint64(bar.Count)
	}
	rank := uint64(math.Ceil(q*float64(n) - 1e-9*float64(n)))
	seen := uint64(0)
	for _, bar := range b {
		if seen += uint64(bar.Count); seen >= rank && seen > 0 {
			return bar.Value, n
		}
	}
	return 0, n
}
