package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"volley/results"
	"volley/results/compare"
	"volley/results/report"
	"volley/results/study"
)

type compareFlags struct {
	liveFlags
	metric   string
	margin   string
	failIf   []string
	format   string
	anyway   bool
	unpaired bool
}

func compareCommand(s streams) *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare A B | compare A1 A2 A3 -- B1 B2 B3 | compare --live [SCENARIO] --a X=1 --b X=2",
		Short: "Tell whether one setting is faster than another",
		Long: `Compare stored runs of one setting, B, with those of another, A. A side is a run
directory, a directory that holds run directories (taken by their start), what a sweep
measured of one combination (DIR:size=10,form=batch), or an arm of a stored comparison
(DIR:a; the directory alone stands for both of its arms). With more than two, a -- is
between the sides.

As many runs on either side are pairs, in their order, those of one experiment by its
blocks: of their ratios the change is Hodges and Lehmann's estimate with the interval
of Wilcoxon's signed-rank test, for which six pairs are the least. Other numbers of
runs are compared as two groups (Mann and Whitney). One run of each side is resampled
within itself, and what is said holds within these two runs.

One metric is judged by itself (--metric), the others together by Holm's rule, so that
the chance of calling any of them different when none is stays 5%: over four that
takes eight pairs. Beside "inconclusive" stands what would have been shown.

The node's own settings, its address on the same host and the program's version may
differ, and are named. Another scenario, another machine, runs that are void or were
cut off are refused, with all that differs, unless --anyway is given.

A rule such as --fail-if 'p99 > +5%' is broken when the whole 95% interval of the
change is beyond the limit; of errors the change is in percentage points. Without an
interval it cannot be decided, which is exit code 4.

With --live the runs are made: pairs of a scenario with the settings of --a and of
--b, in the order ABBA or BAAB so that an even drift cancels, both of a pair with the
same arrivals and sizes, each with the node started anew (or brought to its setting by
target.apply) and load before it that is not measured. --aa makes both arms A: a
difference that it shows, or could not show, is what noise makes.
` + experimentHelp + `

Exit codes: 0 compared; 2 usage, or not comparable; 3 node unreachable; 4 a rule that
cannot be decided, or too many trials stayed void; 5 our own failure; 6 a rule of
--fail-if is broken; 130 interrupted.`,
		RunE: func(c *cobra.Command, args []string) error {
			if f.live {
				return compareLive(args, f, s)
			}
			if name := f.stray(c); name != "" {
				return &exit{exitUsage, fmt.Errorf("%s is for --live: stored runs are as they are", name)}
			}
			if f.asJSON {
				f.format = "json"
			}
			return compareStored(args, c.ArgsLenAtDash(), f, s)
		},
	}
	f.register(c)
	return c
}

func (f *compareFlags) register(c *cobra.Command) {
	f.liveFlags.register(c)
	c.Flags().StringVar(&f.metric, "metric", compare.Primary, "the `metric` that is judged by itself: "+strings.Join(compare.Names(), ", "))
	c.Flags().StringVar(&f.margin, "margin", "", "a change that does not matter, such as 2%: within it both are called equivalent")
	c.Flags().StringArrayVar(&f.failIf, "fail-if", nil, "`rule` such as 'p99 > +5%' whose breach is exit code 6 (repeatable)")
	c.Flags().StringVar(&f.format, "format", "text", "text, json (compare.json), or benchfmt (for benchstat -col /arm)")
	c.Flags().BoolVar(&f.anyway, "anyway", false, "compare what is not comparable, and say so")
	c.Flags().BoolVar(&f.unpaired, "unpaired", false, "compare the runs as two groups, although there are as many on either side")
}

// options reads the flags that say how to compare.
func (f *compareFlags) options() (o compare.Options, err error) {
	o = compare.Options{Metric: f.metric, Unpaired: f.unpaired}
	if f.margin != "" {
		if o.Margin, err = shareOf("--margin", f.margin); err != nil {
			return o, err
		}
	}
	for _, text := range f.failIf {
		r, err := compare.ParseRule(text)
		if err != nil {
			return o, fmt.Errorf("--fail-if: %w", err)
		}
		o.Rules = append(o.Rules, r)
	}
	switch f.format {
	case "text", "json", "benchfmt":
	default:
		return o, fmt.Errorf("--format %.20q: want text, json or benchfmt", f.format)
	}
	return o, nil
}

func compareStored(args []string, dash int, f compareFlags, s streams) error {
	o, err := f.options()
	if err != nil {
		return &exit{exitUsage, err}
	}
	left, right, err := sides(args, dash)
	if err != nil {
		return &exit{exitUsage, err}
	}
	a, err := compare.Open(left)
	if err != nil {
		return &exit{exitUsage, err}
	}
	b, err := compare.Open(right)
	if err != nil {
		return &exit{exitUsage, err}
	}
	d := compare.Check(a, b)
	if len(d.Refused) > 0 && !f.anyway {
		return &exit{exitUsage, fmt.Errorf("not comparable:\n  %s\n--anyway compares them all the same", strings.Join(escaped(d.Refused), "\n  "))}
	}
	c, err := compare.Sides(a, b, o)
	if err != nil {
		return &exit{exitUsage, err}
	}
	c.Differ, c.Despite, c.Warnings = append(c.Differ, d.Purpose...), d.Refused, append(c.Warnings, d.Notes...)
	if err := f.print(s, c, a, b); err != nil {
		return ours(err)
	}
	return rulesVerdict(c)
}

// sides parts the arguments.
func sides(args []string, dash int) (a, b []string, err error) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "--") {
			return nil, nil, fmt.Errorf("%s stands behind the --: flags go before the runs there", arg)
		}
	}
	switch {
	case dash >= 0:
		a, b = args[:dash], args[dash:]
	case len(args) == 1:
		if r, err := study.ReadRecord(args[0]); err == nil && r.Kind == study.CompareKind {
			return []string{args[0] + ":a"}, []string{args[0] + ":b"}, nil
		}
		return nil, nil, errors.New("one side alone: give two, A and B")
	case len(args) == 2:
		a, b = args[:1], args[1:]
	case len(args) > 2:
		return nil, nil, errors.New("more than two: put a -- between the runs of A and those of B")
	}
	if len(a) == 0 || len(b) == 0 {
		return nil, nil, errors.New("give two sides, A and B: run directories, directories of runs, or parts of experiments")
	}
	return a, b, nil
}

func (f *compareFlags) print(s streams, c *study.Compare, a, b *compare.Side) error {
	switch f.format {
	case "json":
		enc := json.NewEncoder(s.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(c)
	case "benchfmt":
		return compare.Benchfmt(s.out, a, b)
	}
	return report.Compare(s.out, c)
}

// rulesVerdict is the exit code of a comparison with rules.
func rulesVerdict(c *study.Compare) error {
	code := exitOK
	for _, r := range c.Rules {
		switch {
		case r.Broken:
			return &exit{code: exitRule}
		case !r.Decided:
			code = exitVoid
		}
	}
	if code != exitOK {
		return &exit{code: code}
	}
	return nil
}

func escaped(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = results.Escape(s)
	}
	return out
}
