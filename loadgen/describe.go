package loadgen

import (
	"volley/results"
	"volley/scenario"
)

// Describe gives a plan's phases and objectives as results have them.
func Describe(p *scenario.Plan) ([]results.PhaseMeta, []results.Objective) {
	phases := make([]results.PhaseMeta, 0, len(p.Phases))
	for _, f := range p.Phases {
		m := results.PhaseMeta{
			Name: f.Name, Measured: f.Measured, For: f.For,
			Value: f.Rate.Value, To: f.To, Unit: string(f.Rate.Unit), Arrivals: f.Arrivals,
		}
		if f.Callers > 0 {
			m.Value, m.To, m.Unit, m.Arrivals = float64(f.Callers), float64(f.Callers), "callers", ""
		}
		phases = append(phases, m)
	}
	objectives := make([]results.Objective, 0, len(p.Objectives))
	for _, o := range p.Objectives {
		objectives = append(objectives, results.Objective(o))
	}
	return phases, objectives
}
