package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"volley/loadgen/experiment"
	"volley/results/report"
	"volley/results/study"
	"volley/scenario"
)

type sweepFlags struct {
	experimentFlags
	vary      []string
	repeats   int
	probe     bool
	probeRate float64
	length    time.Duration
	recommend string
	guard     string
	pool      int
}

// mostSwept bounds a sweep: more than a day of trials of half a minute each.
const mostSwept = 3000

func sweepCommand(s streams) *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep [SCENARIO] --vary SETTING=A,B,C ...",
		Short: "Run a scenario at every combination of settings",
		Long: `Run a scenario at every combination of settings, each several times.

A setting is a path as in --set (load[1].rate, notifications, target.node.…), or a
short name: size, form, rate (of the first measured phase), callers (in place of its
rate), batch_concurrency_limit and pool (of the node). The bundled node is started
anew where one of its settings changes; a node of your own is brought to a setting by
target.apply, whose arguments hold the names in braces.

Trials are made block by block, each combination once in a block, in random order and
then in its reverse, so that a drift weighs on none more than on another. All trials
of a block draw the same arrivals and sizes. With --probe a thin stream of bare
requests goes beside the load and is measured apart: what the load does to others.

Callers varied alone (--vary callers=1,2,4,8,16,32) give the Universal Scalability
Law's fit: contention, coherence, and where throughput is greatest if that was reached.

With --recommend one setting is varied and chosen by a rule, which is told:
batch_concurrency_limit by the probe's p99 beside the batches' (candidates come from
a simulation of the node's pool, fed with the time of single entries; --vary gives
others), form by the node's CPU an item at the same work, size by a model of what a
call costs and by the scenario's objective for the response time.
` + experimentHelp + `

Exit codes: 0 done; 2 usage or scenario invalid; 3 node unreachable, or target.apply
failed; 4 some combination's trials stayed void; 5 our own failure; 130 interrupted.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := defaultScenario
			if len(args) == 1 {
				name = args[0]
			}
			if c.Flags().Changed("repeats") && f.repeats < 1 {
				return &exit{exitUsage, errors.New("--repeats: want 1 or more")}
			}
			return runSweep(name, f, s)
		},
	}
	f.register(c, study.SweepKind)
	c.Flags().StringArrayVar(&f.vary, "vary", nil, "`setting=a,b,c` that is varied (repeatable)")
	c.Flags().IntVar(&f.repeats, "repeats", 0, "trials of each combination (default 3; 5 for --recommend size, 6 for the others)")
	c.Flags().BoolVar(&f.probe, "probe", false, "measure a thin stream of bare requests beside the load")
	c.Flags().Float64Var(&f.probeRate, "probe-rate", 20, "`calls/s` of the probe")
	c.Flags().DurationVar(&f.length, "for", 0, "length of the measured phases in place of the scenario's")
	c.Flags().StringVar(&f.recommend, "recommend", "", "recommend a `setting` and say why: "+strings.Join(recommendations, ", "))
	c.Flags().StringVar(&f.guard, "guard", "2x", "how high the probe's p99 may be for a recommended limit: a `factor` of its value at 1, or a time")
	c.Flags().IntVar(&f.pool, "pool", 0, "`workers` of the node's pool, to simulate it (default: the bundled node's own)")
	return c
}

func runSweep(name string, f sweepFlags, s streams) error {
	plan, err := loadScenario(name, f.patches())
	if err != nil {
		return err
	}
	g, err := f.grid(name, plan)
	if err != nil {
		return &exit{exitUsage, err}
	}
	way := &recommending{repeats: 3, vary: func(*experimenting) ([]varied, error) { return g.vary, nil }, answer: scalability}
	if f.recommend != "" {
		if way, err = f.recommending(g); err != nil {
			return &exit{exitUsage, err}
		}
	}
	g.patches, g.steady = append(g.patches, way.extra...), f.recommend != ""
	o := experiment.SweepOptions{Repeats: f.repeats, Seed: plan.Seed}
	if o.Repeats == 0 {
		o.Repeats = way.repeats
	}
	if f.probe || way.probe {
		o.Probe = f.probeRate
	}
	if o.Probe > 0 && plan.Target.Transport == "stdio" {
		return &exit{exitUsage, errors.New("--probe: a node on its standard streams has no second connection for it")}
	}
	r, err := record(study.SweepKind, plan, f.settings(g, o))
	if err != nil {
		return err
	}
	adaptive := f.recommend == varyLimit && len(g.vary) == 0
	if !adaptive {
		if err := f.fill(&o, g, way, nil); err != nil {
			return err
		}
		r.Order = o.OrderText()
	}
	e, err := f.begin(r, plan, s)
	if err != nil {
		return err
	}
	defer e.end()
	if adaptive {
		if err := f.fill(&o, g, way, e); err != nil {
			return experimentExit(err)
		}
		o.More = way.more
	}
	a, err := experiment.Sweep(e.ctx, e.journal, o)
	for _, v := range g.vary {
		a.Varied = append(a.Varied, study.Varied{Name: v.name, Values: v.values})
	}
	if err == nil {
		way.answer(a)
	}
	e.head(&a.Head, err)
	if err := e.finish(a, err, f.asJSON, func() error { return report.Sweep(s.out, a) }); err != nil {
		return err
	}
	if a.Status == study.Void {
		return &exit{code: exitVoid}
	}
	return nil
}

// scalability adds what callers alone tell of how the node scales.
func scalability(a *study.Sweep) {
	if m := study.Scalability(a); m != nil {
		a.Models = append(a.Models, *m)
	}
}

// fill gives the options their cells.
func (f *sweepFlags) fill(o *experiment.SweepOptions, g *grid, way *recommending, e *experimenting) (err error) {
	if g.vary, err = way.vary(e); err != nil {
		return err
	}
	o.Cells, err = g.cells()
	return err
}

// settings are what was asked, as a record keeps it.
func (f *sweepFlags) settings(g *grid, o experiment.SweepOptions) []study.Setting {
	all := []study.Setting{
		{Name: "--recommend", Value: f.recommend}, {Name: "--repeats", Value: fmt.Sprint(o.Repeats)},
		{Name: "--for", Value: f.length.String()}, {Name: "--probe", Value: fmt.Sprint(o.Probe)},
	}
	if f.recommend == varyLimit {
		all = append(all, study.Setting{Name: "--guard", Value: f.guard}, study.Setting{Name: "--pool", Value: fmt.Sprint(f.pool)})
	}
	for _, v := range g.vary {
		all = append(all, study.Setting{Name: "--vary " + v.name, Value: strings.Join(v.values, ",")})
	}
	return all
}

func (f *sweepFlags) grid(name string, plan *scenario.Plan) (*grid, error) {
	switch {
	case len(f.vary) == 0 && f.recommend == "":
		return nil, errors.New("nothing is varied: give --vary, for instance --vary size=1,10,100, or --recommend")
	case f.length < 0 || f.length > 0 && f.length < time.Millisecond:
		return nil, fmt.Errorf("--for %v is too short", f.length)
	case !(f.probeRate > 0 && f.probeRate <= 1e5):
		return nil, fmt.Errorf("--probe-rate %g: want calls a second", f.probeRate)
	}
	g := &grid{scenario: name, patches: f.patches(), base: plan}
	if f.length > 0 {
		g.length = f.length.String()
	}
	trials := max(f.repeats, 1)
	for _, text := range f.vary {
		v, err := parseVary(text)
		if err != nil {
			return nil, err
		}
		g.vary = append(g.vary, v)
		if trials *= len(v.values); trials > mostSwept {
			return nil, fmt.Errorf("these are more than %d trials", mostSwept)
		}
	}
	return g, nil
}
