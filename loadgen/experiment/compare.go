package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"volley/results/paired"
	"volley/results/study"
	"volley/scenario"
)

// CompareOptions are what a comparison is asked.
type CompareOptions struct {
	A, B  Cell
	Pairs int
	Seed  uint64 // of the order, and the first of the pairs' own
}

// Compared are the trials of a comparison by pair.
type Compared struct {
	A, B []*study.Trial
	// Lost says of each pair that does not count why.
	Lost []string
}

// order is that of the trials, ABBA or BAAB.
func (o *CompareOptions) order() []paired.Arm {
	return paired.Order(o.Pairs, rand.New(rand.NewPCG(o.Seed, 0xabba)))
}

// OrderText is the order as a record keeps it.
func (o *CompareOptions) OrderText() []string {
	var all []string
	for i, arm := range o.order() {
		all = append(all, study.Text(o.spec(arm, i/2).Settings))
	}
	return all
}

// spec is the trial of an arm in a pair. Both of a pair draw from the same seed. Each
// trial begins with the node as new, in both arms alike, and with load that is not
// measured.
func (o *CompareOptions) spec(arm paired.Arm, pair int) *Spec {
	c := o.A
	if arm == paired.B {
		c = o.B
	}
	plan := warmed(c.Plan)
	plan.Seed = o.Seed + uint64(pair)
	settings := append([]study.Setting{{Name: study.ArmSetting, Value: string(arm)}}, c.Settings...)
	return &Spec{Plan: plan, Settings: settings, Placeholders: c.Placeholders, Block: pair + 1, Fresh: true}
}

// warmed gives the plan with a phase before all others that is not measured, unless it
// has one: the load that its first phase begins with.
func warmed(p *scenario.Plan) *scenario.Plan {
	plan := *p
	if len(p.Phases) == 0 || !p.Phases[0].Measured || p.Phases[0].Replay != nil {
		return &plan
	}
	first := p.Phases[0]
	first.Name, first.Measured, first.For, first.To = "warm up", false, warmUp(first.For), first.Rate.Value
	if first.For <= 0 {
		return &plan
	}
	plan.Phases = append([]scenario.Phase{first}, p.Phases...)
	if plan.Phases[1].Name == first.Name {
		plan.Phases[1].Name = "measured"
	}
	return &plan
}

// Compare makes the pairs' trials. With ErrInterrupted they are those of the pairs so
// far. A pair of which one trial stayed void however often it was made is lost.
func Compare(ctx context.Context, j *Journal, o CompareOptions) (*Compared, error) {
	c := &Compared{}
	order := o.order()
	var left time.Duration
	for i, arm := range order {
		left += o.spec(arm, i/2).Length()
	}
	for pair := range o.Pairs {
		made := map[paired.Arm]*study.Trial{}
		lost := ""
		for _, arm := range order[2*pair : 2*pair+2] {
			s := o.spec(arm, pair)
			t, voids, err := j.DoRepeated(ctx, s, left)
			if err != nil {
				return c, err
			}
			left -= s.Length()
			if made[arm] = t; t.Void {
				lost = fmt.Sprintf("pair %d does not count: %s was void %d times over, last because: %s", pair+1, study.Text(s.Settings), voids+1, t.Reason)
			}
		}
		if lost != "" {
			c.Lost = append(c.Lost, lost)
			continue
		}
		c.A, c.B = append(c.A, made[paired.A]), append(c.B, made[paired.B])
	}
	return c, nil
}
