package selfcheck

import (
	"fmt"
	"math"
)

// Ranks are the order statistics that bound a percentile. Ranks count from 1,
// the smallest of N samples.
type Ranks struct {
	N, Lower, Upper int64 // Lower 0: no lower bound; Upper 0: no upper bound; N 0: no interval at all
	// Coverage is the exact probability, for independent samples of any
	// distribution, that the bounds hold the percentile.
	Coverage float64
}

// MostSamples is the largest count that the exact binomial takes: more is taken
// for an error in counting.
const MostSamples = 1 << 40

// OrderCI gives the ranks (l, u) between which the p-quantile of the distribution
// lies with at least the confidence conf, from n independent samples, whatever
// the distribution: P(l <= Bin(n,p) <= u-1) >= conf, with at most (1-conf)/2 on
// each side (H. A. David, H. N. Nagaraja, Order Statistics, 7.1). A bound that n
// samples can't give is absent, never clamped to an end. The zero Ranks come from
// n < 1 and from p or conf outside (0,1).
func OrderCI(n int64, p, conf float64) Ranks {
	if n < 1 || n > MostSamples || !inside(p) || !inside(conf) {
		return Ranks{}
	}
	tail := (1 - conf) / 2
	r := Ranks{N: n, Coverage: 1}
	// The largest l with P(Bin <= l-1) <= tail.
	r.Lower = last(0, n, func(l int64) bool { return atMost(l-1, n, p) <= tail })
	// The smallest u with P(Bin >= u) <= tail.
	r.Upper = last(0, n, func(u int64) bool { return atLeast(u, n, p) > tail }) + 1
	if r.Upper > n {
		r.Upper = 0
	} else {
		r.Coverage -= atLeast(r.Upper, n, p)
	}
	if r.Lower > 0 {
		r.Coverage -= atMost(r.Lower-1, n, p)
	}
	return r
}

// OrderCIEffective is OrderCI of n dependent samples that are worth n/tau
// independent ones (see Tau): the ranks of floor(n/tau) samples, stretched
// outward to n. A tau of 1 gives OrderCI; one that is below 1 or no number gives
// the zero Ranks.
func OrderCIEffective(n int64, tau, p, conf float64) Ranks {
	if n < 1 || n > MostSamples || !(tau >= 1) || math.IsInf(tau, 0) {
		return Ranks{}
	}
	m := int64(float64(n) / tau)
	r := OrderCI(m, p, conf)
	if r.N == 0 {
		return r
	}
	stretch := float64(n) / float64(m)
	r.N = n
	if r.Lower > 0 {
		r.Lower = int64(float64(r.Lower-1)*stretch) + 1
	}
	if r.Upper > 0 {
		r.Upper = min(n, int64(math.Ceil(float64(r.Upper)*stretch)))
	}
	return r
}

func inside(p float64) bool { return p > 0 && p < 1 }

// last is the largest value in [low, high] at which true still holds, where it
// holds at low and never again once it ceased to.
func last(low, high int64, holds func(int64) bool) int64 {
	for low < high {
		mid := low + (high-low+1)/2
		if holds(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// Bounds are the values at Ranks, in the unit of what was recorded.
type Bounds struct {
	Lower          int64 `json:"lower"` // the smallest sample where UnboundedBelow
	Upper          int64 `json:"upper"` // the largest sample where UnboundedAbove: print "> max"
	UnboundedBelow bool  `json:"unbounded_below,omitempty"`
	UnboundedAbove bool  `json:"unbounded_above,omitempty"`
}

// Bounds reads the values at r's ranks; at gives the value of the sample with a
// rank in 1..N, as a cumulative histogram does. ok is false for the zero Ranks,
// for which at is not called. The bounds are as coarse as at is: a histogram
// should give the low end of its bucket for the lower and the high end for the
// upper, so at is told which side is asked for.
func (r Ranks) Bounds(at func(rank int64, upper bool) int64) (b Bounds, ok bool) {
	if r.N < 1 {
		return Bounds{}, false
	}
	b.UnboundedBelow, b.UnboundedAbove = r.Lower == 0, r.Upper == 0
	low, high := r.Lower, r.Upper
	if b.UnboundedBelow {
		low = 1
	}
	if b.UnboundedAbove {
		high = r.N
	}
	return Bounds{at(low, false), at(high, true), b.UnboundedBelow, b.UnboundedAbove}, true
}

// SamplesForUpper is the smallest number of independent samples whose largest is
// an upper bound of the p-quantile but for the probability tail: the smallest n
// with p^n <= tail, ln(tail)/ln(p). For a two-sided 95% interval tail is 0.025.
// 0 means that p or tail is not inside (0,1), or that n is out of reach.
func SamplesForUpper(p, tail float64) int64 {
	if !inside(p) || !inside(tail) {
		return 0
	}
	n := math.Ceil(math.Log(tail) / math.Log(p))
	if !(n <= MostSamples) {
		return 0
	}
	return max(1, int64(n))
}

// Percentile judges whether n samples worth n/tau can bound the p-quantile on
// both sides at the confidence conf. Value is the effective number of samples,
// Limit the number needed for an upper bound. It never voids.
func Percentile(n int64, tau, p, conf float64) Check {
	name := fmt.Sprintf("p%.5g", 100*p)
	c := Check{Name: "interval of " + name, Unit: "samples"}
	r := OrderCIEffective(n, tau, p, conf)
	if !inside(p) || !inside(conf) {
		c.Name = "interval of a percentile"
		return c.unknown("No interval is known for this percentile: it needs a share and a confidence between 0 and 1.")
	}
	need := SamplesForUpper(p, (1-conf)/2)
	c.Limit = float64(need)
	if r.N == 0 {
		return c.unknown("No interval is known for %s: there are no samples, or their dependence is not known.", name)
	}
	worth := math.Floor(float64(n) / tau)
	if r.Upper == 0 {
		return c.judged(NotEnough, worth, "%s has no upper bound at %.4g%%: %d samples are worth %.0f independent ones and it takes %d; read it as at least the lower bound, and as more than the largest seen.",
			name, 100*conf, n, worth, need)
	}
	if r.Lower == 0 {
		return c.judged(NotEnough, worth, "%s has no lower bound at %.4g%%: %d samples are worth %.0f independent ones.", name, 100*conf, n, worth)
	}
	return c.judged(OK, worth, "%s is bounded on both sides at %.4g%% by ranks %d and %d of %d.", name, 100*conf, r.Lower, r.Upper, n)
}
