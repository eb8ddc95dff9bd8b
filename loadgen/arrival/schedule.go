package arrival

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Schedule gives the due times of one phase's calls, in order. It is not safe
// for concurrent use.
type Schedule struct {
	profile  Profile
	rng      *rand.Rand
	position sum     // on the axis of the cumulative count
	total    float64 // where that axis ends
	factor   float64 // of the profile's rate
	owed     float64 // the count of the last call, which a constant schedule lets pass before the next
	last     time.Duration
	over     bool
}

// New gives the schedule of p. All chance comes from rng, which a constant
// profile does not use (it may be nil then). New panics on a kind that is none
// of this package's: a plan is validated before it gets here.
func New(p Profile, rng *rand.Rand) *Schedule {
	switch p.Kind {
	case "":
		p.Kind = Constant
	case Constant, Uniform, Poisson:
	default:
		panic(fmt.Sprintf("arrival: unknown kind %q: use %s, %s or %s", p.Kind, Constant, Uniform, Poisson))
	}
	return &Schedule{profile: p, rng: rng, total: p.Expected(), factor: 1}
}

// Scale has the calls after the last one given come at factor times the profile's rate,
// factor being finite and above 0. The count axis is walked in steps that are so much
// shorter, which is a change of time: the gap after the last call is the first of the new
// rate, whole, and a Poisson schedule stays one (the time-change theorem).
func (s *Schedule) Scale(factor float64) { s.factor = factor }

// endSlack is the share of the whole count within which a position is taken for
// the end. Where a ramp ends at zero the last instants hold next to no count, so
// that one rounding of the sum would otherwise show as a call too many.
const endSlack = 1e-14

// Next gives the due time, as an offset from the phase's start, of a call that
// carries count of what the rate counts; mean is the expected count of a call
// and scales the gaps of the random kinds, so that calls come at rate/mean.
// Due times never fall and are never negative. ok is false once the due time
// would lie at or past the phase's end, and stays so; due is the end then.
func (s *Schedule) Next(count, mean float64) (due time.Duration, ok bool) {
	if s.over {
		return s.profile.For, false
	}
	switch s.profile.Kind {
	case Uniform:
		s.position.add((1 - s.rng.Float64()) * 2 * mean / s.factor)
	case Poisson:
		s.position.add(s.rng.ExpFloat64() * mean / s.factor)
	default:
		s.position.add(s.owed / s.factor)
		s.owed = count
	}
	x := s.position.value()
	end := float64(s.profile.For)
	ns := math.Round(s.profile.when(x))
	// Written so that a NaN ends the schedule too.
	if !(x < s.total*(1-endSlack)) || !(ns < end) {
		s.over = true
		return max(s.profile.For, 0), false
	}
	s.last = max(s.last, time.Duration(ns))
	return s.last, true
}

// sum is a compensated sum (Neumaier, "Rundungsfehleranalyse einiger Verfahren
// zur Summation endlicher Summen", ZAMM 54, 1974): its error does not grow with
// the number of terms.
type sum struct{ high, low float64 }

func (s *sum) add(v float64) {
	t := s.high + v
	if math.Abs(s.high) >= math.Abs(v) {
		s.low += (s.high - t) + v
	} else {
		s.low += (v - t) + s.high
	}
	s.high = t
}

func (s *sum) value() float64 { return s.high + s.low }
