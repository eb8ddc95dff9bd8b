package results

import (
	"fmt"

	"volley/results/selfcheck"
)

// Why a run is void, in Summary.VoidCause; "" where it has no numbers to speak of:
// it was never started, or it was our own failure.
const (
	// VoidRate: a phase's rate was not what the node met, for want of free callers,
	// all of which were waiting for the node, or held back by the authorised ceiling.
	VoidRate = "rate not reached"
	// VoidGenerator: the generator, and not the node, decided the rate.
	VoidGenerator = "generator limited"
	// VoidShort: a phase did not get the time that it was to have.
	VoidShort = "phase cut short"
)

// judge settles the status.
func (s *Summary) judge(interrupted bool) {
	if s.Status != "" {
		return
	}
	s.Status = Finished
	if interrupted {
		s.Status = Interrupted
		return
	}
	if s.VoidCause, s.VoidReason = s.void(); s.VoidReason != "" {
		s.Status = Void
	}
}

// leastTime is the share of its time that a closed loop must have had.
const leastTime = 0.99

// void says why the run is void: for the generator's own fault before all else, as
// whatever else is amiss may follow from it.
func (s *Summary) void() (cause, reason string) {
	if c, ok := s.limiting(); ok {
		return VoidGenerator, "the generator was the limit, not the node: " + CheckWarning(c)
	}
	for i := range s.Phases {
		p := &s.Phases[i]
		if !p.Measured {
			continue
		}
		if p.Target.Unit == unitCallers {
			cause, reason = p.short()
		} else {
			cause, reason = s.slow(p)
		}
		if reason != "" {
			return cause, reason
		}
	}
	return "", ""
}

func (p *PhaseSummary) short() (cause, reason string) {
	if p.Calls > 0 && p.ElapsedS >= leastTime*p.ForS {
		return "", ""
	}
	return VoidShort, fmt.Sprintf("phase %s got %s of its %s s: the phase before it still had calls to send",
		quoted(p.Name), hundredths(p.ElapsedS), hundredths(p.ForS))
}

// slow tells an open loop that did not reach its rate because calls were held up;
// when the generator was late by itself, its check says so.
func (s *Summary) slow(p *PhaseSummary) (cause, reason string) {
	inTime, planned := p.inTime()
	var why string
	switch holder := p.holder(); {
	case p.sent().Verdict != selfcheck.Warn:
		return "", ""
	case holder == ceiling:
		why = "the authorised ceiling held back " + plural(p.Held, "call")
	default:
		why = s.callers() + " (in_flight) were waiting for the node: it cannot take this rate, or in_flight is too small"
	}
	return VoidRate, fmt.Sprintf("phase %s did not reach its rate: %s of %s planned calls were sent in time (%s, %.0f%% needed); %s",
		quoted(p.Name), Count(inTime), Count(planned), Share(inTime, planned), 100*selfcheck.MinSent, why)
}

// kept tells whether an open loop's rate was.
func (p *PhaseSlice) kept() bool {
	return float64(p.Calls-min(p.Calls, p.Overrun)) >= selfcheck.MinSent*float64(p.Calls+p.Unsent)
}

// inTime is how many of an open loop's planned calls were sent in its time.
func (p *PhaseSummary) inTime() (inTime, planned uint64) {
	return p.Calls - min(p.Calls, p.Overrun), p.Calls + p.Unsent
}

// Who holds calls up.
const (
	ceiling = "the authorised ceiling"
	node    = "the node" // that all callers wait for
)

// holder names who held up the calls that were not sent in time; "" when nobody did:
// callers were free, so the generator was late.
func (p *PhaseSummary) holder() string {
	inTime, planned := p.inTime()
	switch missing := planned - inTime; {
	case p.Held > p.OverBound:
		return ceiling
	case 2*(p.OverBound+p.Unsent) >= missing:
		// What is never sent found no caller to the end: waiting for one is all that
		// keeps a call for so long.
		return node
	}
	return ""
}

// callers names the callers of the plan's open loops, with their number where the
// most calls under way tell it: beyond what its closed loops had.
func (s *Summary) callers() string {
	most := float64(s.Generator.MaxInFlight)
	for i := range s.Phases {
		if t := &s.Phases[i].Target; t.Unit == unitCallers && t.Value >= most {
			return "all callers"
		}
	}
	if most < 1 {
		return "all callers"
	}
	return "all " + Count(uint64(most)) + " callers"
}
