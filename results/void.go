package results

import (
	"fmt"
	"strings"
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

// leastSent is the share of a measured phase's planned calls that must have been
// sent in the phase; with less, the asked rate was not what the node met. It is
// also the share of its time that a closed loop must have had.
const leastSent = 0.99

func (s *Summary) void() (cause, reason string) {
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
	if s.Generator.Verdict == GeneratorLimited {
		return VoidGenerator, "the generator was the limit, not the node" + after(": ", s.Generator.Reason)
	}
	return "", ""
}

func (p *PhaseSummary) short() (cause, reason string) {
	if p.Calls > 0 && p.ElapsedS >= leastSent*p.ForS {
		return "", ""
	}
	return VoidShort, fmt.Sprintf("phase %s got %s of its %s s: the phase before it still had calls to send",
		quoted(p.Name), hundredths(p.ElapsedS), hundredths(p.ForS))
}

// slow tells an open loop that did not reach its rate, and what kept it.
func (s *Summary) slow(p *PhaseSummary) (cause, reason string) {
	planned, inTime := p.Calls+p.Unsent, p.Calls-min(p.Calls, p.Overrun)
	if float64(inTime) >= leastSent*float64(planned) {
		return "", ""
	}
	cause = VoidRate
	var why string
	switch missing := planned - inTime; {
	case s.Generator.Verdict == GeneratorLimited:
		cause, why = VoidGenerator, "the generator was the limit, not the node"+after(": ", s.Generator.Reason)
	case p.Held > p.OverBound:
		why = "the authorised ceiling held back " + plural(p.Held, "call")
	case 2*(p.OverBound+p.Unsent) >= missing:
		// What is never sent found no caller to the end: waiting for one is all that
		// keeps a call for so long.
		why = s.callers() + " (in_flight) were waiting for the node: it cannot take this rate, or in_flight is too small"
	default:
		cause, why = VoidGenerator, "callers were free, so the generator was late"
	}
	return cause, fmt.Sprintf("phase %s did not reach its rate: %s of %s planned calls were sent in time (%s, %.0f%% needed); %s",
		quoted(p.Name), Count(inTime), Count(planned), Share(inTime, planned), 100*leastSent, why)
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

func after(mark, words string) string {
	if words == "" {
		return ""
	}
	return mark + strings.TrimSpace(words)
}
