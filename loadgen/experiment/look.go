package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"volley/results"
	"volley/results/capacity/pool"
	"volley/results/study"
	"volley/scenario"
)

// LookOptions are what candidates for a limit are looked for with.
type LookOptions struct {
	Plan    *scenario.Plan // at the operating rate
	Workers int            // of the node's pool
	Most    int            // the largest limit worth a trial
	Probe   float64        // calls/s beside the load
	Guard   pool.Guard
}

// Looked is what a look at the node gave.
type Looked struct {
	Values []int      // candidates, ascending
	Model  pool.Model // the node as it is simulated; meaningless where Why says that there is none
	Why    []string
	// Predicted is the simulated front; nil without a model.
	Predicted []pool.Point
}

// lookRate is that of the bare requests by which the time of one entry is measured, in
// calls/s: near no load at all.
const lookRate = 40

// simulated is how long each candidate is simulated.
var simulated = pool.Effort{Batches: 2000, Runs: 3}

// Look measures how long one entry takes when the node is at rest, and simulates the
// operating load on a pool of so many workers: the candidates are the limit that the
// rule of package pool chooses there, its half and its double, and 1 for the guard.
// Where there is nothing to simulate they are the powers of two.
func Look(ctx context.Context, j *Journal, o LookOptions) (*Looked, error) {
	s := o.spec()
	t, _, err := j.DoRepeated(ctx, s, s.Length())
	if err != nil {
		return nil, err
	}
	l := &Looked{}
	if t.Void {
		return l.powers(o.Most, "the look at single entries was void: "+t.Reason), nil
	}
	m, err := study.Measure(t)
	if err != nil {
		return nil, err
	}
	work, err := entryTimes(&m.Slice)
	if err != nil {
		return l.powers(o.Most, "the time of one entry is not known: "+err.Error()), nil
	}
	l.Why = append(l.Why, fmt.Sprintf("one entry alone takes %s on the average (%s calls)", results.Micros(work.Mean()*1e6), results.Count(m.Slice.Calls)))
	if l.Model, err = o.model(work); err != nil {
		return l.powers(o.Most, err.Error()), nil
	}
	if u := l.Model.Utilisation(); !(u < 0.98) {
		return l.powers(o.Most, fmt.Sprintf("by that the load would take %.0f%% of a pool of %d, so there is no steady state to simulate", 100*u, o.Workers)), nil
	}
	l.simulate(o)
	return l, nil
}

func (o *LookOptions) spec() *Spec {
	plan := ProbePlan(o.Plan, lookRate)
	plan.Target.Metrics = o.Plan.Target.Metrics
	plan.Name = o.Plan.Name + ": single entries"
	length := min(max(measuredLength(o.Plan), 500*time.Millisecond), 20*time.Second)
	ph := plan.Phases[0]
	ph.Name = "single entries"
	plan = phases(plan, ph, warmUp(length), length, o.Plan.Seed)
	return &Spec{Plan: plan, Purpose: "look", Settings: []study.Setting{{Name: "rate", Value: fmt.Sprintf("%d calls/s, single entries alone", lookRate)}}}
}

func measuredLength(p *scenario.Plan) (length time.Duration) {
	for _, ph := range p.Phases {
		if ph.Measured {
			length += ph.For
		}
	}
	return length
}

// entryTimes is the distribution of the service times of answered calls.
func entryTimes(s *results.PhaseSlice) (pool.Service, error) {
	h := s.Service
	if h == nil || h.TotalCount() < 10 {
		return pool.Service{}, fmt.Errorf("too few calls were answered")
	}
	quantiles := []pool.Quantile{{P: 0, Value: float64(h.Min()) / 1e6}}
	for _, p := range []float64{5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98} {
		quantiles = append(quantiles, pool.Quantile{P: p / 100, Value: float64(results.AtPercentile(h, p)) / 1e6})
	}
	return pool.FromQuantiles(append(quantiles, pool.Quantile{P: 1, Value: float64(h.Max()) / 1e6}))
}

func (o *LookOptions) model(work pool.Service) (pool.Model, error) {
	i, err := Operating(o.Plan)
	if err != nil {
		return pool.Model{}, err
	}
	if o.Workers < 1 {
		return pool.Model{}, fmt.Errorf("how many workers the node's pool has is not known; --pool says it")
	}
	sizes, err := poolSizes(o.Plan.Size)
	if err != nil {
		return pool.Model{}, err
	}
	ph := o.Plan.Phases[i]
	rate := ph.Rate.Value / perCall(o.Plan, string(ph.Rate.Unit))
	return pool.Model{Discipline: pool.FIFO, Workers: o.Workers, Size: sizes, BatchRate: rate, ProbeRate: o.Probe, Work: work}, nil
}

func poolSizes(d scenario.Dist) (pool.Sizes, error) {
	var sizes []int
	var weights []float64
	add := func(n int, w float64) { sizes, weights = append(sizes, n), append(weights, w) }
	switch d.Kind {
	case "choice":
		for _, c := range d.Choices {
			add(c.Value, c.Share)
		}
	case "uniform":
		for n := d.Min; n <= d.Max; n++ {
			add(n, 1)
		}
	case "zipf":
		for n := 1; n <= d.Max; n++ {
			add(n, math.Pow(float64(n), -d.S))
		}
	default:
		return pool.FixedSize(max(d.Value, 1)), nil
	}
	return pool.WeightedSizes(sizes, weights)
}

func (l *Looked) simulate(o LookOptions) {
	var slots []int
	for c := 1; c < o.Most; c *= 2 {
		slots = append(slots, c)
	}
	slots = append(slots, o.Most)
	effort := simulated
	effort.Seed = o.Plan.Seed
	front, err := l.Model.Front(slots, effort)
	if err != nil {
		l.powers(o.Most, err.Error())
		return
	}
	r, err := pool.Recommend(front, o.Guard)
	if err != nil {
		l.powers(o.Most, err.Error())
		return
	}
	l.Predicted, l.Values = front, pool.Candidates(r.Setting, o.Most)
	l.Why = append(l.Why, fmt.Sprintf("simulated on a FIFO pool of %d at %.0f%% of its time, the rule chooses %d; it, its half and its double are measured", o.Workers, 100*l.Model.Utilisation(), r.Setting))
}

// powers are the candidates when there is no model.
func (l *Looked) powers(most int, why string) *Looked {
	l.Values, l.Predicted = nil, nil
	for c := 1; c <= most; c *= 2 {
		l.Values = append(l.Values, c)
	}
	l.Why = append(l.Why, why+"; the powers of two up to "+fmt.Sprint(most)+" are measured")
	return l
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
	choice, err := pool.ChooseDiscipline(l.Model, front, simulated)
	if err != nil {
		r.Warnings = append(r.Warnings, "whether the simulation agrees with the node: "+err.Error())
	} else {
		r.Why = append(r.Why, choice.Sentence)
		r.Warnings = append(r.Warnings, choice.Warnings...)
	}
	a.Models = append(a.Models,
		l.front("response p99 of batches", front, func(p pool.Point) pool.Measure { return p.Batch }),
		l.front("response p99 of the probe", front, func(p pool.Point) pool.Measure { return p.Probe }))
}

// front is a measured front beside the simulated one.
func (l *Looked) front(of string, measured []pool.Point, pick func(pool.Point) pool.Measure) study.Model {
	m := study.Model{
		Name: "pool, " + string(l.Model.Discipline), Of: of, XLabel: "batch_concurrency_limit", YLabel: "us",
		Parameters: []study.Parameter{
			{Name: "workers", Unit: "", Value: float64(l.Model.Workers)},
			{Name: "mean time of an entry", Unit: "us", Value: l.Model.Work.Mean() * 1e6},
			{Name: "batches", Unit: "/s", Value: l.Model.BatchRate},
		},
	}
	for _, p := range measured {
		v := pick(p)
		point := study.Point{X: float64(p.Setting), Y: v.Value * 1e6, Low: finite(v.Low), High: finite(v.High)}
		m.Points = append(m.Points, point)
	}
	for _, p := range l.Predicted {
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
