package arrival

import (
	"math"
	"time"
)

// The kinds of arrivals.
const (
	Constant = "constant" // a call is due when the counts of the calls before it have passed
	Uniform  = "uniform"  // gaps are uniform on (0, 2*mean]
	Poisson  = "poisson"  // gaps are exponential, never cut short
)

// Profile is how the owed rate develops over one phase: from Rate at its start
// linearly to To at its end. Rates are per second of whatever the caller counts
// (calls, entries or items), finite and not negative. To equals Rate where there
// is no ramp. The zero Kind is Constant.
type Profile struct {
	Kind string
	Rate float64
	To   float64
	For  time.Duration
}

// Expected is the count that the profile owes over its whole length.
func (p Profile) Expected() float64 { return p.ExpectedBy(p.For) }

// ExpectedBy is the count owed up to t after the phase's start; t is held to the
// phase's length.
func (p Profile) ExpectedBy(t time.Duration) float64 {
	if p.For <= 0 || t <= 0 {
		return 0
	}
	t = min(t, p.For)
	s := t.Seconds()
	share := float64(t) / float64(p.For)
	return s * (p.Rate + (p.To-p.Rate)*share/2)
}

// when is the inverse of ExpectedBy, in nanoseconds. The root is taken in the
// form 2x / (r + sqrt(r² + 2ax)), which loses no digits for a slope of either
// sign, for none, and for a start from zero. It is +Inf where the count is never
// reached.
func (p Profile) when(x float64) float64 {
	if x <= 0 {
		return 0
	}
	if p.Rate == p.To {
		return x * 1e9 / p.Rate
	}
	slope := (p.To - p.Rate) / p.For.Seconds()
	under := p.Rate*p.Rate + 2*slope*x
	if under < 0 {
		return math.Inf(1)
	}
	return 2 * x * 1e9 / (p.Rate + math.Sqrt(under))
}
