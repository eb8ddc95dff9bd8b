package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"volley/loadgen/experiment"
	"volley/results/compare"
	"volley/results/paired"
	"volley/results/study"
	"volley/scenario"
)

// liveFlags are those of a comparison that makes its runs itself.
type liveFlags struct {
	experimentFlags
	live   bool
	a, b   []string
	aa     bool
	pairs  int
	length time.Duration
}

func (f *liveFlags) register(c *cobra.Command) {
	f.experimentFlags.register(c, study.CompareKind)
	c.Flags().BoolVar(&f.live, "live", false, "run a scenario with two settings in turn, in place of comparing stored runs")
	c.Flags().StringArrayVar(&f.a, "a", nil, "`setting=value` of arm A, as in sweep --vary (repeatable; none: the scenario as it is)")
	c.Flags().StringArrayVar(&f.b, "b", nil, "`setting=value` of arm B (repeatable)")
	c.Flags().BoolVar(&f.aa, "aa", false, "both arms are A: how much of a difference noise makes")
	c.Flags().IntVar(&f.pairs, "pairs", 8, "pairs of runs")
	c.Flags().DurationVar(&f.length, "for", 0, "length of the measured phases in place of the scenario's")
}

// stray names a flag that only a live comparison has, if it was given; "" for none.
func (f *liveFlags) stray(c *cobra.Command) string {
	for _, name := range []string{"a", "b", "aa", "pairs", "for", "out", "seed", "set", "cpus"} {
		if c.Flags().Changed(name) {
			return "--" + name
		}
	}
	return ""
}

func compareLive(args []string, f compareFlags, s streams) error {
	if len(args) > 1 {
		return &exit{exitUsage, errors.New("--live: one scenario, please")}
	}
	name := defaultScenario
	if len(args) == 1 {
		name = args[0]
	}
	how, err := f.options()
	if err != nil {
		return &exit{exitUsage, err}
	}
	plan, err := loadScenario(name, f.patches())
	if err != nil {
		return err
	}
	o, err := f.arms(name, plan)
	if err != nil {
		return err
	}
	r, err := record(study.CompareKind, plan, []study.Setting{
		{Name: "--a", Value: study.Text(o.A.Settings)}, {Name: "--b", Value: study.Text(o.B.Settings)}, {Name: "--aa", Value: fmt.Sprint(f.aa)},
		{Name: "--pairs", Value: fmt.Sprint(f.pairs)}, {Name: "--for", Value: f.length.String()},
	})
	if err != nil {
		return err
	}
	r.Order = o.OrderText()
	e, err := f.begin(r, plan, s)
	if err != nil {
		return err
	}
	defer e.end()
	made, err := experiment.Compare(e.ctx, e.journal, o)
	if err != nil && !errors.Is(err, experiment.ErrInterrupted) {
		return experimentExit(err)
	}
	c, a, b, problem := judgeLive(e.journal.Dir, made, how, &o)
	if problem != nil {
		return problem
	}
	if c.Same = f.aa; c.Same {
		c.Warnings = append(c.Warnings, compare.Unsteady(c)...)
	}
	e.head(&c.Head, err)
	f.asJSON = f.asJSON || f.format == "json"
	if err := e.finish(c, err, f.asJSON, func() error { return f.print(s, c, a, b) }); err != nil {
		return err
	}
	if c.Status == study.Void {
		return &exit{code: exitVoid}
	}
	return rulesVerdict(c)
}

// arms are the two settings.
func (f *liveFlags) arms(name string, plan *scenario.Plan) (o experiment.CompareOptions, err error) {
	switch {
	case f.aa && len(f.b) > 0:
		err = errors.New("--aa and --b exclude each other: with --aa both arms are A")
	case !f.aa && len(f.b) == 0:
		err = errors.New("arm B has no setting: give --b, for instance --b batch_concurrency_limit=4, or --aa for the noise")
	case f.pairs < 1 || f.pairs > mostSwept/2:
		err = fmt.Errorf("--pairs %d: want 1 to %d; %d are the fewest that show a difference", f.pairs, mostSwept/2, paired.FewestPairs)
	case f.length < 0 || f.length > 0 && f.length < time.Millisecond:
		err = fmt.Errorf("--for %v is too short", f.length)
	}
	if err != nil {
		return o, &exit{exitUsage, err}
	}
	g := grid{scenario: name, patches: f.patches(), base: plan, give: "--a %[1]s=A --b %[1]s=B"}
	if f.length > 0 {
		g.length = f.length.String()
	}
	a, err := g.arm("--a", f.a)
	if err != nil {
		return o, err
	}
	b, err := g.arm("--b", f.b)
	if err != nil {
		return o, err
	}
	if f.aa {
		b = a
	} else if slices.Equal(a, b) {
		return o, &exit{exitUsage, errors.New("--a and --b are the same: give --aa to see what noise makes of it")}
	}
	if err := g.placeholders(); err != nil {
		return o, &exit{exitUsage, err}
	}
	o = experiment.CompareOptions{Pairs: f.pairs, Seed: plan.Seed}
	if o.A, err = g.cell(a); err != nil {
		return o, err
	}
	o.B, err = g.cell(b)
	return o, err
}

// arm reads an arm's settings, which the grid then varies.
func (g *grid) arm(flag string, texts []string) (all []study.Setting, err error) {
	for _, text := range texts {
		at := equalsSign(text)
		if at <= 0 || at == len(text)-1 {
			return nil, &exit{exitUsage, fmt.Errorf("%s %q: write it like %s batch_concurrency_limit=4", flag, text, flag)}
		}
		s := study.Setting{Name: text[:at], Value: text[at+1:]}
		if slices.ContainsFunc(all, func(o study.Setting) bool { return o.Name == s.Name }) {
			return nil, &exit{exitUsage, fmt.Errorf("%s %s stands twice", flag, s.Name)}
		}
		all = append(all, s)
		g.vary = append(g.vary, varied{name: s.Name, values: []string{s.Value}})
	}
	return all, nil
}

// judgeLive compares the trials. Where not one pair counts there is nothing to
// compare, and the answer says so.
func judgeLive(dir string, made *experiment.Compared, how compare.Options, o *experiment.CompareOptions) (c *study.Compare, a, b *compare.Side, err error) {
	label := func(cell *experiment.Cell) string {
		if text := study.Text(cell.Settings); text != "" {
			return text
		}
		return "the scenario as it is"
	}
	if a, err = compare.OfTrials(label(&o.A), dir, made.A); err == nil {
		b, err = compare.OfTrials(label(&o.B), dir, made.B)
	}
	if err != nil {
		return nil, nil, nil, ours(err)
	}
	c = &study.Compare{A: a.Label, B: b.Label, RunsA: []string{}, RunsB: []string{}, Differ: []study.Setting{}, Metrics: []study.Comparison{}}
	if len(a.Runs) > 0 {
		if c, err = compare.Sides(a, b, how); err != nil {
			return nil, nil, nil, &exit{exitUsage, err}
		}
		d := compare.Check(a, b)
		c.Differ, c.Despite = append(c.Differ, d.Purpose...), d.Refused
	} else if len(made.Lost) > 0 {
		c.Status = study.Void
	}
	c.Lost, c.Warnings = len(made.Lost), append(c.Warnings, made.Lost...)
	if len(made.A) < paired.FewestPairs && o.Pairs >= paired.FewestPairs && c.Lost > 0 {
		c.Status = study.Void
	}
	return c, a, b, nil
}
