package experiment

import (
	"math"
	"slices"

	"volley/results/capacity/pool"
	"volley/results/study"
)

// fewestSimulated is the smallest number of batches that a simulated run may have.
const fewestSimulated = 100

// asMeasured simulates runs as long as trials are: the p99 of a few hundred batches lies
// elsewhere than that of thousands.
func (l *Looked) asMeasured() pool.Effort {
	n := max(fewestSimulated, int(l.seconds*l.Model.BatchRate))
	return pool.Effort{Batches: min(n, 4000), Runs: min(max(4000/n, 3), 15), Seed: 1}
}

// Explain adds to a measured recommendation how its candidates were found, and whether
// what was measured agrees with the simulation.
func (l *Looked) Explain(a *study.Sweep) {
	r := a.Recommendation
	r.Why = append(slices.Clone(l.Why), r.Why...)
	if l.Predicted == nil {
		return
	}
	front, _ := study.LimitFront(a.Cells, r.Setting)
	effort := l.asMeasured()
	choice, err := pool.ChooseDiscipline(l.Model, front, effort)
	if err != nil {
		r.Warnings = append(r.Warnings, "whether the simulation agrees with the node: "+err.Error())
	} else {
		r.Why = append(r.Why, choice.Sentence)
		r.Warnings = append(r.Warnings, choice.Warnings...)
	}
	var settings []int
	for _, p := range front {
		settings = append(settings, p.Setting)
	}
	model := l.Model
	if err == nil {
		model.Discipline = choice.Discipline
	}
	predicted, err := model.Front(settings, effort)
	if err != nil {
		predicted = nil
	}
	a.Models = append(a.Models,
		simulatedFront(model, "response p99 of batches", front, predicted, func(p pool.Point) pool.Measure { return p.Batch }),
		simulatedFront(model, "response p99 of the probe", front, predicted, func(p pool.Point) pool.Measure { return p.Probe }))
}

// simulatedFront is a measured front beside the simulated one.
func simulatedFront(of pool.Model, what string, measured, predicted []pool.Point, pick func(pool.Point) pool.Measure) study.Model {
	m := study.Model{
		Name: "pool, " + string(of.Discipline), Of: what, XLabel: "batch_concurrency_limit", YLabel: "us",
		Parameters: []study.Parameter{
			{Name: "workers", Unit: "", Value: float64(of.Workers)},
			{Name: "mean time of an entry", Unit: "us", Value: of.Work.Mean() * 1e6},
			{Name: "time of a call beside its entries", Unit: "us", Value: of.Envelope * 1e6},
			{Name: "batches", Unit: "/s", Value: of.BatchRate},
			{Name: "share of the workers' time", Unit: "", Value: of.Utilisation()},
		},
	}
	for i, p := range measured {
		v := pick(p)
		point := study.Point{X: float64(p.Setting), Y: v.Value * 1e6, Low: finite(v.Low), High: finite(v.High)}
		if i < len(predicted) {
			if of := pick(predicted[i]).Value; of > 0 {
				point.Residual = new((v.Value - of) * 1e6)
			}
		}
		m.Points = append(m.Points, point)
	}
	for _, p := range predicted {
		m.Curve = append(m.Curve, study.Point{X: float64(p.Setting), Y: pick(p).Value * 1e6})
	}
	return m
}

// finite gives seconds in microseconds; nil for what has no end.
func finite(seconds float64) *float64 {
	if math.IsInf(seconds, 0) || math.IsNaN(seconds) {
		return nil
	}
	return new(seconds * 1e6)
}

// MoreLimits are the limits whose neighbours the chosen one still lacks: its half and its
// double, up to most; none when they were measured.
func MoreLimits(a *study.Sweep, setting string, g pool.Guard, most int) (more []int) {
	front, _ := study.LimitFront(a.Cells, setting)
	r, err := pool.Recommend(front, g)
	if err != nil {
		return nil
	}
	for _, c := range []int{r.Setting / 2, min(2*r.Setting, most)} {
		known := slices.ContainsFunc(front, func(p pool.Point) bool { return p.Setting == c })
		// One between is a neighbour too: what was measured is in steps of two or less.
		between := slices.ContainsFunc(front, func(p pool.Point) bool {
			return p.Setting > min(c, r.Setting) && p.Setting < max(c, r.Setting)
		})
		if c >= 1 && !known && !between {
			more = append(more, c)
		}
	}
	return more
}
