package experiment

import (
	"context"
	"fmt"
	"math"
	"time"

	"volley/results"
	"volley/results/capacity/pool"
	"volley/results/study"
	"volley/scenario"
)

// LookOptions are what candidates for a limit are looked for with.
type LookOptions struct {
	Cell    Cell // of the limit 1, at the operating rate
	Workers int  // of the node's pool
	Most    int  // the largest limit worth a trial
	Probe   float64
	Guard   pool.Guard
}

// Looked is what a look at the node gave.
type Looked struct {
	Values []int      // candidates, ascending
	Model  pool.Model // the node as it is simulated; meaningless where Predicted is nil
	Why    []string
	// Predicted is the simulated front; nil without a model.
	Predicted []pool.Point

	seconds float64 // a trial's measured length
}

// simulated is how long each candidate is simulated.
var simulated = pool.Effort{Batches: 2000, Runs: 3}

// Look measures how long one entry takes when the node is at rest, and simulates the
// operating load on a pool of so many workers: the candidates are the limit that the
// rule of package pool chooses there, its half and its double, and 1 for the guard.
// Where there is nothing to simulate they are the powers of two.
//
// The time is that of single calls, one after another, less what a call takes beside its
// entry: the node works off a batch one entry at a time under the limit 1, so that the
// difference between a batch and a single call is of its further entries alone.
func Look(ctx context.Context, j *Journal, o LookOptions) (*Looked, error) {
	l := &Looked{seconds: measuredLength(o.Cell.Plan).Seconds()}
	single, void, err := o.alone(ctx, j, scenario.Single)
	if err != nil {
		return nil, err
	}
	if void != "" {
		return l.powers(o.Most, "the look at single entries was void: "+void), nil
	}
	batch, void, err := o.alone(ctx, j, scenario.Batch)
	if err != nil {
		return nil, err
	}
	if void != "" {
		return l.powers(o.Most, "the look at single batches was void: "+void), nil
	}
	work, envelope, err := entryTimes(&single.Slice, &batch.Slice)
	if err != nil {
		return l.powers(o.Most, "the time of one entry is not known: "+err.Error()), nil
	}
	l.Why = append(l.Why, fmt.Sprintf("one entry takes %s on the average and a call %s beside its entries, with nothing else under way (%s single calls, %s batches)",
		results.Micros(work.Mean()*1e6), results.Micros(envelope*1e6), results.Count(single.Slice.Calls), results.Count(batch.Slice.Calls)))
	if l.Model, err = o.model(work, envelope); err != nil {
		return l.powers(o.Most, err.Error()), nil
	}
	if u := l.Model.Utilisation(); !(u < 0.98) {
		return l.powers(o.Most, fmt.Sprintf("by that the load would take %.0f%% of a pool of %d, so there is no steady state to simulate", 100*u, o.Workers)), nil
	}
	l.simulate(o)
	return l, nil
}

// alone measures single calls, or batches, one after another; void says why they do not
// count.
func (o *LookOptions) alone(ctx context.Context, j *Journal, form scenario.Form) (m *study.Measured, void string, err error) {
	s := o.spec(form)
	t, _, err := j.DoRepeated(ctx, s, s.Length())
	if err != nil {
		return nil, "", err
	}
	if t.Void {
		return nil, t.Reason, nil
	}
	m, err = measure(t)
	return m, "", err
}

func (o *LookOptions) spec(form scenario.Form) *Spec {
	plan := *o.Cell.Plan
	one := scenario.Dist{Kind: "fixed", Value: 1}
	plan.Form, plan.Items, plan.Notifications, plan.Malformed, plan.Objectives = form, one, 0, 0, nil
	what := "batches"
	if form == scenario.Single {
		plan.Size, what = one, "single entries"
	}
	plan.Name = o.Cell.Plan.Name + ": " + what
	length := min(max(measuredLength(o.Cell.Plan)/2, 500*time.Millisecond), 10*time.Second)
	settings := []study.Setting{{Name: "callers", Value: "1"}, {Name: "form", Value: string(form)}}
	return &Spec{
		Plan: phases(&plan, scenario.Phase{Name: what, Callers: 1}, warmUp(length), length, plan.Seed), Purpose: "look",
		Settings: append(settings, o.Cell.Settings...), Placeholders: o.Cell.Placeholders,
	}
}

func measuredLength(p *scenario.Plan) (length time.Duration) {
	for _, ph := range p.Phases {
		if ph.Measured {
			length += ph.For
		}
	}
	return length
}

// entryTimes is the distribution of the time that one entry takes, in the shape of
// single calls' service times, and what a call takes beside its entries, in seconds.
func entryTimes(single, batch *results.PhaseSlice) (work pool.Service, envelope float64, err error) {
	h := single.Service
	if h == nil || h.TotalCount() < 10 {
		return work, 0, fmt.Errorf("too few calls were answered")
	}
	mean := h.Mean() / 1e6
	entry := mean
	if b := batch.Service; b != nil && b.TotalCount() > 0 && batch.Entries > batch.Calls {
		size := float64(batch.Entries) / float64(batch.Calls)
		if each := (b.Mean()/1e6 - mean) / (size - 1); each > 0 {
			entry = min(each, mean)
		}
	}
	envelope = mean - entry
	var quantiles []pool.Quantile
	for _, p := range []float64{0, 1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 93, 95, 97, 98, 99, 100} {
		t := float64(results.AtPercentile(h, p))
		switch p {
		case 0:
			t = float64(h.Min())
		case 100:
			t = float64(h.Max())
		}
		quantiles = append(quantiles, pool.Quantile{P: p / 100, Value: max(0, t/1e6-envelope)})
	}
	shape, err := pool.FromQuantiles(quantiles)
	if err != nil || !(shape.Mean() > 0) {
		return work, 0, fmt.Errorf("single calls take no time that could be measured")
	}
	for i := range quantiles {
		quantiles[i].Value *= entry / shape.Mean()
	}
	work, err = pool.FromQuantiles(quantiles)
	return work, envelope, err
}

func (o *LookOptions) model(work pool.Service, envelope float64) (pool.Model, error) {
	plan := o.Cell.Plan
	i, err := Operating(plan)
	if err != nil {
		return pool.Model{}, err
	}
	if o.Workers < 1 {
		return pool.Model{}, fmt.Errorf("how many workers the node's pool has is not known; --pool says it")
	}
	sizes, err := poolSizes(plan.Size)
	if err != nil {
		return pool.Model{}, err
	}
	ph := plan.Phases[i]
	rate := ph.Rate.Value / perCall(plan, string(ph.Rate.Unit))
	return pool.Model{
		Discipline: pool.FIFO, Workers: o.Workers, Size: sizes, BatchRate: rate, ProbeRate: o.Probe, Work: work, Envelope: envelope,
	}, nil
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
	effort.Seed = o.Cell.Plan.Seed
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
	for c := 1; c < most; c *= 2 {
		l.Values = append(l.Values, c)
	}
	l.Values = append(l.Values, most)
	l.Why = append(l.Why, why+"; the powers of two up to "+fmt.Sprint(most)+" are measured")
	return l
}
