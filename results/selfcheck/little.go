package selfcheck

import "math"

// littleTolerance is the share by which the two sides of Little's law may differ.
const littleTolerance = 0.10

// Little holds the generator's own account to Little's law, L = X R: perSecond is
// the rate X of calls completed, seconds their mean time R, inFlight the mean
// number L that was in flight, all of one class over one time, with R and L
// between the same two instants of a call (sent and done, or due and done).
//
// The law needs no assumption but a steady state (J. D. C. Little, "A Proof for
// the Queuing Formula L = lambda W", Operations Research 9, 1961). They may differ
// by 10% of X R, or by slack calls where that is more: two standard errors of a
// sampled L, plus (in flight at the start + at the end) R / duration for the calls
// cut by the edges. A slack of 0 is none. More than that warns: the clock, the
// sampling of L or calls that were not counted. X R = 0 is not enough.
func Little(perSecond, seconds, inFlight, slack float64) Check {
	c := Check{Name: "little's law", Limit: littleTolerance, Unit: pure}
	for _, v := range []float64{perSecond, seconds, inFlight, slack} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return c.unknown("Little's law can't be checked: rate, time and calls in flight are not all known.")
		}
	}
	product := perSecond * seconds
	if product == 0 {
		return c.unknown("Little's law can't be checked: no calls were completed.")
	}
	c.Limit = max(littleTolerance, slack/product)
	off := math.Abs(inFlight-product) / product
	if off <= c.Limit {
		return c.judged(OK, off, "The account agrees with itself: %.4g calls/s of %.4g s each make %.4g in flight, and %.4g were (off by %.1f%%, limit %.1f%%).",
			perSecond, seconds, product, inFlight, 100*off, 100*c.Limit)
	}
	return c.judged(Warn, off, "The account contradicts itself: %.4g calls/s of %.4g s each make %.4g in flight, but %.4g were (off by %.1f%%, limit %.1f%%). Suspect the clock, how calls in flight were sampled, or calls not counted.",
		perSecond, seconds, product, inFlight, 100*off, 100*c.Limit)
}
