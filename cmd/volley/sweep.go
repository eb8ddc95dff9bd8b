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
` + experimentHelp + `

Exit codes: 0 done; 2 usage or scenario invalid; 3 node unreachable, or target.apply
failed; 4 some combination's trials stayed void; 5 our own failure; 130 interrupted.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := defaultScenario
			if len(args) == 1 {
				name = args[0]
			}
			return runSweep(name, f, s)
		},
	}
	f.register(c, study.SweepKind)
	c.Flags().StringArrayVar(&f.vary, "vary", nil, "`setting=a,b,c` that is varied (repeatable)")
	c.Flags().IntVar(&f.repeats, "repeats", 3, "trials of each combination")
	c.Flags().BoolVar(&f.probe, "probe", false, "measure a thin stream of bare requests beside the load")
	c.Flags().Float64Var(&f.probeRate, "probe-rate", 20, "`calls/s` of the probe")
	c.Flags().DurationVar(&f.length, "for", 0, "length of the measured phases in place of the scenario's")
	return c
}

func runSweep(name string, f sweepFlags, s streams) error {
	plan, err := loadScenario(name, f.patches())
	if err != nil {
		return err
	}
	o, vary, err := f.options(name, plan)
	if err != nil {
		return err
	}
	options := []study.Setting{{Name: "--repeats", Value: fmt.Sprint(f.repeats)}, {Name: "--for", Value: f.length.String()}, {Name: "--probe", Value: fmt.Sprint(o.Probe)}}
	for _, v := range vary {
		options = append(options, study.Setting{Name: "--vary " + v.Name, Value: strings.Join(v.Values, ",")})
	}
	r, err := record(study.SweepKind, plan, options)
	if err != nil {
		return err
	}
	r.Order = o.OrderText()
	e, err := f.begin(r, plan, s)
	if err != nil {
		return err
	}
	defer e.end()
	a, err := experiment.Sweep(e.ctx, e.journal, o)
	a.Varied = vary
	e.head(&a.Head, err)
	if err := e.finish(a, err, f.asJSON, func() error { return report.Sweep(s.out, a) }); err != nil {
		return err
	}
	if a.Status == study.Void {
		return &exit{code: exitVoid}
	}
	return nil
}

func (f *sweepFlags) options(name string, plan *scenario.Plan) (o experiment.SweepOptions, vary []study.Varied, err error) {
	usage := func(err error) (experiment.SweepOptions, []study.Varied, error) {
		return o, vary, &exit{exitUsage, err}
	}
	switch {
	case len(f.vary) == 0:
		return usage(errors.New("nothing is varied: give --vary, for instance --vary size=1,10,100"))
	case f.repeats < 1:
		return usage(errors.New("--repeats: want 1 or more"))
	case f.length < 0 || f.length > 0 && f.length < time.Millisecond:
		return usage(fmt.Errorf("--for %v is too short", f.length))
	case f.probe && !(f.probeRate > 0 && f.probeRate <= 1e5):
		return usage(fmt.Errorf("--probe-rate %g: want calls a second", f.probeRate))
	case f.probe && plan.Target.Transport == "stdio":
		return usage(errors.New("--probe: a node on its standard streams has no second connection for it"))
	}
	g := grid{scenario: name, patches: f.patches(), base: plan}
	if f.length > 0 {
		g.length = f.length.String()
	}
	trials := f.repeats
	for _, text := range f.vary {
		v, err := parseVary(text)
		if err != nil {
			return usage(err)
		}
		g.vary = append(g.vary, v)
		vary = append(vary, study.Varied{Name: v.name, Values: v.values})
		if trials *= len(v.values); trials > mostSwept {
			return usage(fmt.Errorf("these are more than %d trials", mostSwept))
		}
	}
	o = experiment.SweepOptions{Repeats: f.repeats, Seed: plan.Seed}
	if f.probe {
		o.Probe = f.probeRate
	}
	o.Cells, err = g.cells()
	return o, vary, err
}
