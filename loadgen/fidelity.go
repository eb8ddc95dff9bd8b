package loadgen

import (
	"sync"
	"time"

	"volley/loadgen/arrival"
	"volley/results/selfcheck"
	"volley/scenario"
)

// fidelity holds the sends of the measured phases that have a rate to their plan, one
// by one as they happen, in memory that depends on the number of phases alone. It is
// safe for concurrent use: nearly all sends are the dispatcher's own, so that its lock
// is seldom waited for.
type fidelity struct {
	mu     sync.Mutex
	phases []judged // by index
}

// judged is a phase whose sends are judged when gaps is not nil.
type judged struct {
	gaps  *selfcheck.Gaps
	start time.Duration // of the phase
}

func newFidelity(p *scenario.Plan, z *sizes) *fidelity {
	f := &fidelity{phases: make([]judged, len(p.Phases))}
	var start time.Duration
	for i := range p.Phases {
		f.phases[i] = judged{gapsOf(&p.Phases[i], z), start}
		start += p.Phases[i].For
	}
	return f
}

// gapsOf gives what judges a phase's sends; nil for one that is not measured or is a
// closed loop. A phase at a constant rate is held to its due times, and so is one whose
// due times a file gives; one with chance in it to its process.
func gapsOf(p *scenario.Phase, z *sizes) *selfcheck.Gaps {
	if !p.Measured || p.Callers > 0 {
		return nil
	}
	if p.Arrivals != arrival.Poisson && p.Arrivals != arrival.Uniform {
		return selfcheck.NewGaps(selfcheck.Constant, nil)
	}
	profile := arrival.Profile{Kind: p.Arrivals, Rate: p.Rate.Value, To: p.To, For: p.For}
	mean := z.mean(p.Rate.Unit)
	return selfcheck.NewGaps(selfcheck.Process(p.Arrivals), func(at time.Duration) float64 {
		return profile.ExpectedBy(at) / mean
	})
}

// byHand is told that a phase's rate is not the plan's: where chance decides when calls
// come, nothing is claimed of how well they follow it.
func (f *fidelity) byHand(phase int, kind string) {
	if kind != arrival.Poisson && kind != arrival.Uniform {
		return // held to their due times, whatever these are
	}
	f.mu.Lock()
	f.phases[phase].gaps = nil
	f.mu.Unlock()
}

// add takes a call that an open loop sent.
func (f *fidelity) add(j *job, sent time.Duration) {
	p := &f.phases[j.phase]
	f.mu.Lock()
	switch {
	case p.gaps == nil:
	case j.overBound || j.held:
		p.gaps.Skip()
	default:
		p.gaps.Add(j.due-p.start, sent-p.start)
	}
	f.mu.Unlock()
}

// checks are what it comes to, by phase.
func (f *fidelity) checks() [][]selfcheck.Check {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([][]selfcheck.Check, len(f.phases))
	for i, p := range f.phases {
		if p.gaps != nil {
			all[i] = p.gaps.Fidelity().Checks()
		}
	}
	return all
}
