package results

import (
	"fmt"
	"math"
	"time"
)

// RateStep is a change of the asked rate by hand: from At on, open loops ask for Factor
// times what the plan says.
type RateStep struct {
	At     time.Duration `json:"at_ns"` // offset from the run's start: when a call was due, the first after the change
	Factor float64       `json:"factor"`
}

// Asked is the mean of the rate that was asked for between two offsets from the start
// of a phase that began at begin, in the phase's unit: the plan's, ramps and the steps
// included, of which those up to then are in order. At an instant (from >= to) it is
// the rate there. It is 0 for a closed loop.
func (p *PhaseMeta) Asked(begin, from, to time.Duration, steps []RateStep) float64 {
	if !p.open() || p.For <= 0 {
		return 0
	}
	if p.Arrivals == fromFile {
		steps = nil
	}
	from, to = min(max(from, 0), p.For), min(max(to, 0), p.For)
	factor := 1.0
	var sum float64
	at := from
	for _, s := range steps {
		when := s.At - begin
		if when >= to && when > from {
			break
		}
		if when > at {
			sum += factor * p.owed(at, when)
			at = when
		}
		factor = s.Factor
	}
	if from >= to {
		return factor * p.rateAt(from)
	}
	return (sum + factor*p.owed(at, to)) / (to - from).Seconds()
}

// rateAt is the plan's rate at an offset from the phase's start.
func (p *PhaseMeta) rateAt(t time.Duration) float64 {
	return p.Value + (p.To-p.Value)*t.Seconds()/p.For.Seconds()
}

// owed is what the plan asks for between two offsets.
func (p *PhaseMeta) owed(from, to time.Duration) float64 {
	return (p.rateAt(from) + p.rateAt(to)) / 2 * (to - from).Seconds()
}

// ByHand is what a phase's rate was when it was changed by hand.
type ByHand struct {
	Steps int `json:"steps"` // changes in the phase, and one before it that was still in force
	// Lowest and Highest are the factors of the plan's rate that were in force.
	Lowest  float64 `json:"lowest"`
	Highest float64 `json:"highest"`
	Mean    float64 `json:"mean"` // of the asked rate over the time that the phase ran, in its unit
}

// fromFile are arrivals whose due times a file gives: no hand changes them.
const fromFile = "replay"

// changedByHand tells what the steps made of a phase that began at begin and ran for
// that long; nil: nothing.
func (p *PhaseMeta) changedByHand(begin, ran time.Duration, steps []RateStep) *ByHand {
	if !p.open() || ran <= 0 || p.Arrivals == fromFile {
		return nil
	}
	h := &ByHand{}
	factor := 1.0 // at the phase's start
	for _, s := range steps {
		switch {
		case s.At >= begin+ran:
		case s.At <= begin:
			factor = s.Factor
		default:
			h.in(factor)
			h.in(s.Factor)
			h.Steps++
		}
	}
	if factor != 1 {
		h.in(factor)
		h.Steps++
	}
	if h.Steps == 0 {
		return nil
	}
	h.Mean = math.Round(1e3*p.Asked(begin, 0, ran, steps)) / 1e3
	return h
}

func (h *ByHand) in(factor float64) {
	if h.Lowest == 0 {
		h.Lowest = factor
	}
	h.Lowest, h.Highest = min(h.Lowest, factor), max(h.Highest, factor)
}

func (s *Summary) warnByHand(p *PhaseSummary) {
	h := p.Target.ByHand
	if h == nil {
		return
	}
	factors := fmt.Sprintf("%s to %s times", Rate(h.Lowest), Rate(h.Highest))
	if h.Lowest == h.Highest {
		factors = Rate(h.Highest) + " times"
	}
	s.warnf("phase %s: its rate was changed by hand (%s): it asked for %s what the plan says, %s %s on average, so the run is not a repetition of its plan",
		quoted(p.Name), plural(uint64(h.Steps), "step"), factors, Rate(h.Mean), p.Target.Unit)
}
