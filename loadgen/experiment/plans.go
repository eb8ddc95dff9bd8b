package experiment

import (
	"errors"
	"time"

	"volley/scenario"
)

// Operating is the first measured phase with a rate: the one whose rate a search
// replaces, and that says the load's unit and arrivals.
func Operating(p *scenario.Plan) (int, error) {
	for i, ph := range p.Phases {
		if ph.Measured && ph.Rate.Value > 0 && ph.Replay == nil {
			return i, nil
		}
	}
	return 0, errors.New("the scenario has no measured phase with a rate: load: [{rate: 600 entries/s, for: 30s}] would be one")
}

// warmUp is how long the load runs before a trial of that length is measured: a
// sixth of it, up to 5 s.
func warmUp(length time.Duration) time.Duration {
	return min(length/6, 5*time.Second).Round(time.Millisecond)
}

// Steady gives the plan with phase i alone, at one rate and behind an unmeasured one with
// the same load: ramps and further phases would blur what settings are compared by.
func Steady(p *scenario.Plan, i int) *scenario.Plan {
	ph := p.Phases[i]
	ph.To = ph.Rate.Value
	return phases(p, ph, warmUp(ph.For), ph.For, p.Seed)
}

// at gives the plan of a trial at a constant rate: the operating phase alone, behind
// an unmeasured one with the same load.
func at(p *scenario.Plan, load float64, warm, length time.Duration, seed uint64) (*scenario.Plan, error) {
	i, err := Operating(p)
	if err != nil {
		return nil, err
	}
	ph := p.Phases[i]
	ph.Rate.Value, ph.To = load, load
	return phases(p, ph, warm, length, seed), nil
}

// saturation gives the plan of a closed loop of so many callers.
func saturation(p *scenario.Plan, callers int, warm, length time.Duration) *scenario.Plan {
	ph := scenario.Phase{Name: "saturation", Callers: callers}
	return phases(p, ph, warm, length, p.Seed)
}

func phases(p *scenario.Plan, ph scenario.Phase, warm, length time.Duration, seed uint64) *scenario.Plan {
	plan := *p
	plan.Seed = seed
	plan.Phases = nil
	if warm > 0 {
		first := ph
		first.Name, first.For, first.Measured = "warm up", warm, false
		if ph.Name == first.Name {
			ph.Name = "measured"
		}
		plan.Phases = append(plan.Phases, first)
	}
	ph.For, ph.Measured = length, true
	plan.Phases = append(plan.Phases, ph)
	return &plan
}

// ProbePlan gives the plan of a thin stream of bare requests beside a trial's plan:
// of the same mix and to the same target, one item each, and as Poisson arrivals.
// Only what goes on beside the plan's measured phases is measured.
func ProbePlan(p *scenario.Plan, callsPerS float64) *scenario.Plan {
	plan := *p
	plan.Form = scenario.Single
	one := scenario.Dist{Kind: "fixed", Value: 1}
	plan.Size, plan.Items = one, one
	plan.Notifications, plan.Malformed = 0, 0
	plan.Objectives = nil
	plan.Target.Metrics.Every = 0
	plan.Seed = p.Seed ^ 0x9e3779b97f4a7c15 // another stream than the load's
	plan.Name = p.Name + ": probe"
	plan.Phases = nil
	for _, ph := range p.Phases {
		probe := scenario.Phase{
			Name: ph.Name, For: ph.For, Measured: ph.Measured,
			Rate: scenario.Rate{Value: callsPerS, Unit: scenario.Calls}, To: callsPerS, Arrivals: "poisson",
		}
		plan.Phases = append(plan.Phases, probe)
	}
	return &plan
}
