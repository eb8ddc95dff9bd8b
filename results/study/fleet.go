package study

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"volley/results"
	"volley/results/capacity/fleet"
	"volley/results/capacity/search"
)

// FleetOptions are what a fleet is asked to carry.
type FleetOptions struct {
	Rate     float64 // at the peak, in the search's unit
	Growth   float64 // to plan for; 0.5 is half as much again
	Headroom float64 // share of what a node sustains at which it shall run at most; 0: 0.8
	Spares   int     // nodes that may be down at once
}

// Fleet is how many nodes a rate needs, by what a search found of one.
type Fleet struct {
	Format int        `json:"format"`
	Name   string     `json:"name"` // the search's scenario
	Unit   string     `json:"unit"`
	Rate   float64    `json:"rate"` // growth included
	Spares int        `json:"spares"`
	Lower  float64    `json:"lower"`
	Upper  *float64   `json:"upper"`
	Size   fleet.Size `json:"size"`
	// LimitUS is the response p99 that the objective allows, in microseconds, and
	// Balancers the simulated ones in front of the nodes that are up, in seconds; none
	// where nothing could be simulated, and NotSimulated says why.
	LimitUS      float64     `json:"response_p99_limit_us,omitempty"`
	Up           int         `json:"nodes_up"`
	Balancers    []fleet.Row `json:"balancers"`
	NotSimulated string      `json:"not_simulated,omitempty"`
	Warnings     []string    `json:"warnings"`
}

// policies are the balancers that are held against each other.
var policies = []fleet.Policy{fleet.Random, fleet.RoundRobin, fleet.TwoChoices, fleet.ShortestQueue}

// Of these a simulation takes about a second, and tells a p99 to some percent.
const (
	mostSimulated = 100 // nodes
	mostWarmUp    = 500_000
	fleetJobs     = 100_000
	fleetRuns     = 4
)

// FleetOf computes the nodes that the search's answer of one node calls for. With a
// response p99 among the objectives balancers are simulated as well: a node is taken for
// one queue with exponential service whose p99 is the objective's at the search's lower
// end, so that its service rate is lower + ln(100)/limit in calls (M/M/1:
// P(T > t) = exp(-(mu-lambda) t)).
func FleetOf(e *Experiment, o FleetOptions) (*Fleet, error) {
	a := e.Search
	switch {
	case a == nil && e.Record.Kind != SearchKind:
		return nil, fmt.Errorf("%s holds a %s: what one node sustains is found by a search", e.Dir, e.Record.Kind)
	case a == nil:
		return nil, fmt.Errorf("%s holds a search without an answer yet: the same command goes on with it", e.Dir)
	case a.Lower == nil:
		return nil, fmt.Errorf("the search in %s found no rate that one node sustains: %s", e.Dir, a.Sentence)
	}
	f := &Fleet{Format: Format, Name: a.Name, Unit: a.Unit, Rate: o.Rate * (1 + o.Growth), Spares: o.Spares, Lower: *a.Lower, Upper: a.Upper, LimitUS: a.ResponseP99US, Balancers: []fleet.Row{}, Warnings: []string{}}
	d := fleet.Demand{Rate: o.Rate, Growth: o.Growth, Lower: *a.Lower, Headroom: o.Headroom, Spares: o.Spares}
	if a.Upper != nil {
		d.Upper = *a.Upper
	}
	var err error
	if f.Size, err = d.Size(); err != nil {
		return nil, err
	}
	f.Up = f.Size.Nodes - o.Spares
	if a.Upper == nil {
		f.Warnings = append(f.Warnings, "what a node sustains has no upper bound: fewer nodes may do")
	}
	if a.Status != Finished {
		f.Warnings = append(f.Warnings, "the search was interrupted: its lower end may be far below what a node sustains")
	}
	if err := f.simulate(e); err != nil {
		f.NotSimulated = err.Error()
		f.Warnings = append(f.Warnings, "calls must be spread evenly: a random balancer needs more nodes for the same p99 than one that knows their queues")
	}
	return f, nil
}

func (f *Fleet) simulate(e *Experiment) error {
	if f.LimitUS == 0 {
		return errors.New("the search had no objective for the response p99")
	}
	if f.Up > mostSimulated {
		return fmt.Errorf("%d nodes are more than are simulated (%d)", f.Up, mostSimulated)
	}
	calls, err := callsPerUnit(e)
	if err != nil {
		return err
	}
	model := fleet.Fleet{
		Nodes: f.Up, Rate: f.Rate * calls,
		Service: f.Lower*calls + math.Log(100)/(f.LimitUS/1e6),
	}
	if model.WarmUp() > mostWarmUp {
		return fmt.Errorf("at %.4g of what they can do at all, the nodes' queues take too long to settle", model.Utilisation())
	}
	if f.Balancers, err = model.Compare(policies, fleetJobs, fleetRuns, e.Search.Seed); err != nil {
		return err
	}
	if p99 := e.Search.p99AtLower(); p99 > 0 && p99 < farBelow*f.LimitUS {
		f.Warnings = append(f.Warnings, fmt.Sprintf("at its lower end a node's p99 was %s, far below the objective of %s, which is not what limited it: simulated times are too long, and a balancer that misses the objective here may meet it",
			results.Micros(p99), results.Micros(f.LimitUS)))
	}
	return nil
}

// farBelow is the share of the objective under which a measured p99 does not just meet it.
const farBelow = 0.5

// p99AtLower is the median p99 of the trials at the lower end that count, in
// microseconds; 0 where there are none.
func (a *Search) p99AtLower() float64 {
	var all []float64
	for _, t := range a.Trials {
		if t.Load == *a.Lower && slices.ContainsFunc(t.Verdicts, func(v search.Verdict) bool { return v != search.Void }) {
			all = append(all, float64(t.P99US))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// callsPerUnit is how many calls one of the search's unit stands for, by what its trials
// at the lower end achieved.
func callsPerUnit(e *Experiment) (float64, error) {
	a := e.Search
	if a.Unit == "calls/s" {
		return 1, nil
	}
	for _, t := range a.Trials {
		if t.Load != *a.Lower || !(t.Achieved > 0) {
			continue
		}
		run, err := results.Open(TrialDir(e.Dir, t.N))
		if err != nil {
			return 0, err
		}
		if calls := run.Summary.Measured.Achieved.CallsPerS; calls > 0 {
			return calls / t.Achieved, nil
		}
	}
	return 0, fmt.Errorf("no trial at %.4g %s tells how many calls that is", *a.Lower, a.Unit)
}
