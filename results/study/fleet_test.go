package study

import (
	"math"
	"strings"
	"testing"

	"volley/results/capacity/fleet"
	"volley/results/capacity/search"
)

func searchOf(lower, upper, p99US float64) *Experiment {
	a := &Search{Head: Head{Status: Finished, Name: "one", Seed: 3}, Unit: "calls/s", Lower: &lower, ResponseP99US: p99US}
	if upper > 0 {
		a.Upper = &upper
	}
	return &Experiment{Dir: "runs/one", Record: Record{Kind: SearchKind}, Search: a}
}

// 1,000 calls/s that grow by half are 1,500: 18.75 nodes at 80 of the 100 that one
// sustains, so 19 and a spare. With a p99 of 100 ms at 100 calls/s a node serves 100 +
// ln(100)/0.1 = 146.05 calls/s, and each of 19 gets 78.95: by M/M/1 a mean of 14.90 ms
// and a p99 of 68.63 ms, if they come at random.
func TestFleetOf(t *testing.T) {
	f, err := FleetOf(searchOf(100, 120, 100_000), FleetOptions{Rate: 1000, Growth: 0.5, Headroom: 0.8, Spares: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f.Rate != 1500 || f.Size.Nodes != 20 || f.Up != 19 || f.Spares != 1 || f.Size.Least != 17 || f.Size.Most != 20 || len(f.Warnings) > 0 {
		t.Errorf("%+v", f)
	}
	if math.Abs(f.Size.PerNode-1500.0/19) > 1e-9 {
		t.Errorf("%g calls/s a node", f.Size.PerNode)
	}
	if len(f.Balancers) != 4 || f.Balancers[0].Policy != fleet.Random {
		t.Fatalf("%+v", f.Balancers)
	}
	for _, c := range []struct{ got, se, want float64 }{
		{f.Balancers[0].Mean, f.Balancers[0].MeanSE, 0.014903}, {f.Balancers[0].P99, f.Balancers[0].P99SE, 0.068630},
	} {
		if !(math.Abs(c.got-c.want) <= 5*c.se+0.01*c.want) {
			t.Errorf("at random: %g s (SE %g), want %g", c.got, c.se, c.want)
		}
	}
}

// A node whose p99 is close to the objective is what the simulation takes it for.
func TestFleetOfALimitedNode(t *testing.T) {
	e := searchOf(100, 120, 100_000)
	e.Search.Trials = []SearchTrial{{Load: 100, Verdicts: []search.Verdict{search.Good}, P99US: 80_000}}
	if f, err := FleetOf(e, FleetOptions{Rate: 1000}); err != nil || len(f.Warnings) > 0 {
		t.Errorf("%v, %q", err, f.Warnings)
	}
}

func TestFleetOfOtherSearches(t *testing.T) {
	o := FleetOptions{Rate: 1000, Headroom: 0.5}
	for name, c := range map[string]struct {
		change func(*Experiment)
		warned string
		simply string // why balancers were not simulated
	}{
		"no upper end": {func(e *Experiment) { e.Search.Upper = nil }, "no upper bound", ""},
		"limited by something else": {func(e *Experiment) {
			good := []search.Verdict{search.Good}
			e.Search.Trials = []SearchTrial{{Load: 100, Verdicts: good, P99US: 4000}, {Load: 100, Verdicts: good, P99US: 6000}, {Load: 100, Verdicts: good, P99US: 5000},
				{Load: 100, Verdicts: []search.Verdict{search.Void}, P99US: 900_000}, {Load: 120, Verdicts: good, P99US: 99_000}}
		}, "p99 was 5.00 ms, far below the objective of 100 ms", ""},
		"interrupted":   {func(e *Experiment) { e.Search.Status = Interrupted }, "was interrupted", ""},
		"no p99":        {func(e *Experiment) { e.Search.ResponseP99US = 0 }, "spread evenly", "no objective for the response p99"},
		"large":         {func(e *Experiment) { *e.Search.Lower, *e.Search.Upper = 1, 2 }, "spread evenly", "more than are simulated"},
		"no such trial": {func(e *Experiment) { e.Search.Unit = "entries/s" }, "spread evenly", "no trial at 100 entries/s"},
	} {
		e := searchOf(100, 120, 100_000)
		c.change(e)
		f, err := FleetOf(e, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(strings.Join(f.Warnings, "\n"), c.warned) || !strings.Contains(f.NotSimulated, c.simply) || (f.NotSimulated == "") != (c.simply == "") {
			t.Errorf("%s: %q, not simulated: %q", name, f.Warnings, f.NotSimulated)
		}
	}
	for name, e := range map[string]*Experiment{
		"a sweep":   {Record: Record{Kind: SweepKind}, Sweep: &Sweep{}},
		"no answer": {Record: Record{Kind: SearchKind}},
		"no load":   {Record: Record{Kind: SearchKind}, Search: &Search{Sentence: "none."}},
	} {
		if _, err := FleetOf(e, o); err == nil {
			t.Errorf("%s has a fleet", name)
		}
	}
}
