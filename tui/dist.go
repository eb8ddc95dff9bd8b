package tui

import (
	"cmp"
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// dist is a latency distribution in microseconds as its buckets that are not
// empty, in ascending order. It is never changed once it is made: whoever merges
// gets a new one. It holds all that the histogram held which it was made of.
type dist []bucket

// bucket counts the values from low to high, both included.
type bucket struct {
	low, high int64
	n         uint64
}

func distOf(h *hdrhistogram.Histogram) dist {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	var d dist
	for _, b := range h.Distribution() {
		if b.Count > 0 {
			d = append(d, bucket{b.From, b.To, uint64(b.Count)})
		}
	}
	return slices.Clip(d)
}

// merge gives the sum of both.
func (d dist) merge(o dist) dist {
	switch {
	case len(d) == 0:
		return o
	case len(o) == 0:
		return d
	}
	sum := make(dist, 0, len(d)+len(o))
	for len(d) > 0 && len(o) > 0 {
		switch c := cmp.Compare(d[0].low, o[0].low); {
		case c < 0:
			sum, d = append(sum, d[0]), d[1:]
		case c > 0:
			sum, o = append(sum, o[0]), o[1:]
		default:
			sum = append(sum, bucket{d[0].low, max(d[0].high, o[0].high), d[0].n + o[0].n})
			d, o = d[1:], o[1:]
		}
	}
	return append(append(sum, d...), o...)
}

// mergeAll gives the sum of all, in pairs, so that none is copied often.
func mergeAll(all []dist) dist {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return mergeAll(all[:len(all)/2]).merge(mergeAll(all[len(all)/2:]))
}

func (d dist) count() (n uint64) {
	for i := range d {
		n += d[i].n
	}
	return n
}

// quantile gives the greatest value that is equivalent, at the histogram's
// precision, to the one at the nearest rank of q, 0 < q <= 1; 0 of nothing.
func (d dist) quantile(q float64) int64 {
	n := d.count()
	exact := q * float64(n)
	want := uint64(math.Ceil(exact))
	if below := math.Floor(exact); exact-below < 1e-9*exact { // 0.999 of 1,000 is 999, whatever floats make of it
		want = uint64(below)
	}
	want = min(max(want, 1), n)
	var seen uint64
	for i := range d {
		if seen += d[i].n; seen >= want {
			return d[i].high
		}
	}
	return 0
}

// mean is that of the buckets' middles; 0 of nothing.
func (d dist) mean() float64 {
	var sum, n float64
	for i := range d {
		sum += float64(d[i].low+d[i].high) / 2 * float64(d[i].n)
		n += float64(d[i].n)
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

func (d dist) greatest() int64 {
	if len(d) == 0 {
		return 0
	}
	return d[len(d)-1].high
}

// coarse gives the distribution in buckets whose ends are at least 2% apart: a
// fraction of the memory, and as exact as a drawing needs.
func (d dist) coarse() dist {
	var c dist
	for _, b := range d {
		if n := len(c); n > 0 && coarseStep(c[n-1].low) == coarseStep(b.low) {
			c[n-1].high, c[n-1].n = b.high, c[n-1].n+b.n
			continue
		}
		c = append(c, b)
	}
	return slices.Clip(c)
}

func coarseStep(us int64) int { return int(math.Log(float64(max(us, 1))) / math.Log(1.02)) }

// bins counts the values by n equal steps of the logarithm from low to high, in
// microseconds; what lies outside counts at its edge. A bucket that reaches over
// several steps is spread over them.
func (d dist) bins(low, high float64, n int) []float64 {
	out := make([]float64, n)
	if n == 0 || low <= 0 || high <= low {
		return out
	}
	perStep := float64(n) / math.Log(high/low)
	at := func(us float64) float64 {
		return min(max(math.Log(max(us, 0.5)/low)*perStep, 0), float64(n))
	}
	for _, b := range d {
		from, to := at(float64(b.low)-0.5), at(float64(b.high)+0.5)
		first, last := min(int(from), n-1), min(int(to), n-1)
		if first == last || to <= from {
			out[first] += float64(b.n)
			continue
		}
		for i := first; i <= last; i++ {
			part := min(to, float64(i+1)) - max(from, float64(i))
			out[i] += float64(b.n) * max(part, 0) / (to - from)
		}
	}
	return out
}
