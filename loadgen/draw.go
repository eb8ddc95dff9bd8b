package loadgen

import (
	"math"
	"math/rand/v2"
	"sort"

	"volley/scenario"
)

// stream is a source of chance that can be set to any call at once, so that what
// call n holds depends on the seed and on n alone: not on time, on other calls,
// or on which caller encodes it.
type stream struct {
	pcg  rand.PCG
	rand *rand.Rand
}

func newStream() *stream {
	s := &stream{}
	s.rand = rand.New(&s.pcg)
	return s
}

// The purposes that chance is drawn for; each has a stream of its own, so that a
// size can be drawn without the body, and a body without the schedule.
const (
	forSize = iota + 1
	forBody
	forArrivals
)

func (s *stream) set(seed, n, purpose uint64) {
	s.pcg.Seed(scramble(seed^purpose<<56), scramble(n+purpose))
}

// scramble is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014): neighbouring calls
// start from states that have nothing in common.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// shape is how big one call is: its entries, and the items of each of them.
type shape struct {
	entries, items int
}

// sizes draws the shape of every call.
type sizes struct {
	seed  uint64
	form  scenario.Form
	size  sampler
	items sampler
}

func newSizes(p *scenario.Plan) sizes {
	z := sizes{seed: p.Seed, form: p.Form}
	switch p.Form {
	case scenario.Batch:
		z.size, z.items = newSampler(p.Size), newSampler(p.Items)
	case scenario.Array:
		z.size, z.items = one, newSampler(p.Size)
	default:
		z.size, z.items = one, one
	}
	return z
}

// at gives the shape of call n. All entries of a batch carry the same number of
// items. It uses s, whatever that was set to.
func (z *sizes) at(s *stream, n uint64) shape {
	if z.size.fixed > 0 && z.items.fixed > 0 {
		return shape{entries: z.size.fixed, items: z.items.fixed}
	}
	s.set(z.seed, n, forSize)
	return shape{entries: z.size.draw(s.rand), items: z.items.draw(s.rand)}
}

// count is what a call of this shape weighs in a rate's unit. A member that is
// sent malformed weighs as much as the one in whose place it stands.
func (h shape) count(u scenario.Unit) float64 {
	switch u {
	case scenario.Entries:
		return float64(h.entries)
	case scenario.Items:
		return float64(h.entries * h.items)
	default:
		return 1
	}
}

// mean is the expected count of a call; entries and items are independent.
func (z *sizes) mean(u scenario.Unit) float64 {
	switch u {
	case scenario.Entries:
		return z.size.mean
	case scenario.Items:
		return z.size.mean * z.items.mean
	default:
		return 1
	}
}

// sampler draws from a scenario.Dist.
type sampler struct {
	fixed  int // the one value; 0 when there are several
	values []int
	upTo   []float64 // the cumulative share of values, the last 1; nil: uniform over min..max
	min    int
	max    int
	mean   float64
}

var one = sampler{fixed: 1, min: 1, max: 1, mean: 1}

func newSampler(d scenario.Dist) sampler {
	switch d.Kind {
	case "choice":
		var t sampler
		weights := make([]float64, 0, len(d.Choices))
		for _, c := range d.Choices {
			t.values = append(t.values, c.Value)
			weights = append(weights, c.Share)
		}
		return t.weighted(weights)
	case "zipf":
		var t sampler
		weights := make([]float64, 0, d.Max)
		for k := 1; k <= d.Max; k++ {
			t.values = append(t.values, k)
			weights = append(weights, math.Pow(float64(k), -d.S))
		}
		return t.weighted(weights)
	case "uniform":
		if d.Min == d.Max {
			return fixedSampler(d.Min)
		}
		return sampler{min: d.Min, max: d.Max, mean: (float64(d.Min) + float64(d.Max)) / 2}
	default:
		return fixedSampler(max(d.Value, 1)) // an empty Dist is size 1
	}
}

func fixedSampler(v int) sampler { return sampler{fixed: v, min: v, max: v, mean: float64(v)} }

func (t sampler) weighted(weights []float64) sampler {
	if len(t.values) == 0 {
		return one
	}
	if len(t.values) == 1 {
		return fixedSampler(t.values[0])
	}
	t.upTo = cumulative(weights)
	t.min, t.max = t.values[0], t.values[0]
	before := 0.0
	for i, v := range t.values {
		t.min, t.max = min(t.min, v), max(t.max, v)
		t.mean += float64(v) * (t.upTo[i] - before)
		before = t.upTo[i]
	}
	return t
}

func (t *sampler) draw(r *rand.Rand) int {
	switch {
	case t.fixed > 0:
		return t.fixed
	case t.upTo == nil:
		return t.min + r.IntN(t.max-t.min+1)
	default:
		return t.values[choose(t.upTo, r.Float64())]
	}
}

// cumulative turns weights into cumulative shares that end at exactly 1.
func cumulative(weights []float64) []float64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	shares := make([]float64, len(weights))
	sum := 0.0
	for i, w := range weights {
		sum += w
		shares[i] = sum / total
	}
	shares[len(shares)-1] = 1
	return shares
}

// choose gives the index of the share that u in [0, 1) falls into.
func choose(upTo []float64, u float64) int {
	if len(upTo) > 16 {
		return sort.Search(len(upTo), func(i int) bool { return u < upTo[i] })
	}
	for i, s := range upTo {
		if u < s {
			return i
		}
	}
	return len(upTo) - 1
}
