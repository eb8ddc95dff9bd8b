package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"volley/loadgen/experiment"
	"volley/results/report"
	"volley/results/study"
	"volley/scenario"
)

type searchFlags struct {
	experimentFlags
	from, to, width     string
	trial, sum, confirm time.Duration
	exceed              float64
	atMost              time.Duration
	quick               bool
	callers             int
}

func searchCommand(s streams) *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use:   "search [SCENARIO]",
		Short: "Find the highest rate that meets the objectives",
		Long: `Find the highest rate at which the node meets the scenario's objectives (slo), all
of them from the same trials. The rate of the first measured phase is what is
searched for; its form, sizes, mix and arrivals stay.

Loads are classified as MLRsearch does (RFC 9971): by how many seconds of trials at
a load were good and how many bad. A trial shows that a percentile objective is met,
or missed, by a binomial test over as many calls as its dependent ones are worth; one
that shows neither counts against a lower bound and not for an upper one. Trials that
the generator spoiled count nowhere and are repeated. The answer is an interval, and
the goodput that can be counted on at its lower end, which a long trial confirms.
` + experimentHelp + `

Exit codes: 0 answered; 1 no rate meets an objective; 2 usage or scenario invalid;
3 node unreachable; 4 nothing could be shown, as trials were void or too short;
5 our own failure; 130 interrupted.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := defaultScenario
			if len(args) == 1 {
				name = args[0]
			}
			f.hurry(c)
			return runSearch(name, f, s)
		},
	}
	f.register(c, study.SearchKind)
	c.Flags().StringVar(&f.from, "from", "", "lowest `rate` to try, such as 100 or \"100 entries/s\" (default: a small share of what a closed loop reaches)")
	c.Flags().StringVar(&f.to, "to", "", "highest `rate` to try (default: four times what a closed loop reaches)")
	c.Flags().StringVar(&f.width, "width", "5%", "relative `width` of the interval to stop at")
	c.Flags().DurationVar(&f.trial, "trial", 30*time.Second, "length of a full trial, beside its warm-up")
	c.Flags().DurationVar(&f.sum, "sum", 90*time.Second, "length of full trials together that decides a rate")
	c.Flags().Float64Var(&f.exceed, "exceed", 0.5, "share of bad trial time that a rate may have: 0.5 asks what the node does typically, 0 what it does always")
	c.Flags().DurationVar(&f.confirm, "confirm", 3*time.Minute, "length of the trial that confirms the lower end; 0 for none")
	c.Flags().DurationVar(&f.atMost, "at-most", 15*time.Minute, "time that all trials may take: then the interval is what it is; 0 for no bound")
	c.Flags().BoolVar(&f.quick, "quick", false, "a rough answer: --trial 5s --sum 15s --width 20% --confirm 15s --at-most 3m, where these are not given")
	c.Flags().IntVar(&f.callers, "callers", 64, "callers of the closed loop that looks for a first guess")
	return c
}

// hurry fills in what --quick stands for.
func (f *searchFlags) hurry(c *cobra.Command) {
	if !f.quick {
		return
	}
	given := c.Flags().Changed
	for _, flag := range []struct {
		name  string
		at    *time.Duration
		value time.Duration
	}{
		{"trial", &f.trial, 5 * time.Second}, {"sum", &f.sum, 15 * time.Second},
		{"confirm", &f.confirm, 15 * time.Second}, {"at-most", &f.atMost, 3 * time.Minute},
	} {
		if !given(flag.name) {
			*flag.at = flag.value
		}
	}
	if !given("width") {
		f.width = "20%"
	}
}

func runSearch(name string, f searchFlags, s streams) error {
	plan, err := loadScenario(name, f.patches())
	if err != nil {
		return err
	}
	o, err := f.options(plan)
	if err != nil {
		return &exit{exitUsage, err}
	}
	if err := o.Check(); err != nil {
		return &exit{exitUsage, err}
	}
	r, err := record(study.SearchKind, plan, []study.Setting{
		{Name: "--from", Value: f.from}, {Name: "--to", Value: f.to}, {Name: "--width", Value: f.width},
		{Name: "--trial", Value: f.trial.String()}, {Name: "--sum", Value: f.sum.String()},
		{Name: "--exceed", Value: fmt.Sprint(f.exceed)}, {Name: "--confirm", Value: f.confirm.String()}, {Name: "--callers", Value: fmt.Sprint(f.callers)},
		{Name: "--at-most", Value: f.atMost.String()},
	})
	if err != nil {
		return err
	}
	e, err := f.begin(r, plan, s)
	if err != nil {
		return err
	}
	defer e.end()
	if o.AtMost > 0 {
		fmt.Fprintf(s.err, "at most about %s in all, less where the answer is found before (--at-most)\n", about(o.AtMost))
	}
	a, err := experiment.Search(e.ctx, e.journal, o)
	if a == nil {
		return experimentExit(err)
	}
	e.head(&a.Head, err)
	if err := e.finish(a, err, f.asJSON, func() error { return report.Search(s.out, a) }); err != nil {
		return err
	}
	return searchVerdict(a)
}

func (f *searchFlags) options(plan *scenario.Plan) (o experiment.SearchOptions, err error) {
	o = experiment.SearchOptions{Plan: plan, Trial: f.trial, Sum: f.sum, Exceed: f.exceed, Confirm: f.confirm, AtMost: f.atMost, Callers: f.callers}
	i, err := experiment.Operating(plan)
	if err != nil {
		return o, err
	}
	unit := string(plan.Phases[i].Rate.Unit)
	if o.From, err = rateIn("--from", f.from, unit); err != nil {
		return o, err
	}
	if o.To, err = rateIn("--to", f.to, unit); err != nil {
		return o, err
	}
	if o.Width, err = shareOf("--width", f.width); err != nil {
		return o, err
	}
	switch {
	case f.trial < 100*time.Millisecond:
		err = fmt.Errorf("--trial %v is too short: want 100ms or more", f.trial)
	case f.sum < f.trial:
		err = fmt.Errorf("--sum %v is less than one trial (--trial %v)", f.sum, f.trial)
	case !(f.exceed >= 0 && f.exceed < 1):
		err = fmt.Errorf("--exceed %g: want a share from 0 to less than 1", f.exceed)
	case f.confirm < 0:
		err = errors.New("--confirm is a length, or 0 for none")
	case f.atMost < 0:
		err = errors.New("--at-most is a time, or 0 for no bound")
	case f.callers < 1:
		err = errors.New("--callers: want 1 or more")
	}
	return o, err
}

// rateIn reads a rate whose unit, when it is given, must be the scenario's.
func rateIn(flag, text, unit string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	number, given, _ := strings.Cut(strings.TrimSpace(text), " ")
	if given = strings.TrimSpace(given); given != "" && given != unit {
		return 0, fmt.Errorf("%s %q: the scenario's measured phase has its rate in %s", flag, text, unit)
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v > 0) || v > 1e7 {
		return 0, fmt.Errorf("%s %q is no rate: write it like 600 or \"600 %s\"", flag, text, unit)
	}
	return v, nil
}

// shareOf reads a share between 0 and 1, both left out: 5% or 0.05.
func shareOf(flag, text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return 0, fmt.Errorf("%s %q: want a share such as 5%%", flag, text)
	}
	return v, nil
}
