package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"volley/results/capacity/search"
	"volley/results/report"
	"volley/results/study"
)

type fleetFlags struct {
	rate, growth, headroom string
	spares                 int
	asJSON                 bool
}

func fleetCommand(s streams) *cobra.Command {
	var f fleetFlags
	c := &cobra.Command{
		Use:   "fleet SEARCH --rate RATE",
		Short: "Say how many nodes a rate needs, by a stored search of one",
		Long: `Say how many nodes a rate needs, by what "volley search" found one to sustain:

  nodes = rate (1 + growth) / (lower end of the search's interval * headroom), rounded
          up, and the spares

Never by the middle of the interval; what its width is worth in nodes is told. Where
the search had an objective for the response p99, balancers in front of the fleet are
simulated: random, round robin, the shorter of two queues, the shortest of all.

Exit codes: 0 answered; 1 the search found that no rate meets the objectives; 2 usage;
4 the search could show nothing; 5 our own failure.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runFleet(args[0], f, s) },
	}
	c.Flags().StringVar(&f.rate, "rate", "", "`rate` of all nodes together at the peak, in the search's unit, such as 50000 or \"50000 entries/s\"")
	c.Flags().StringVar(&f.growth, "growth", "0%", "`share` that the rate will grow by")
	c.Flags().StringVar(&f.headroom, "headroom", "80%", "`share` of what a node sustains at which it shall run at most")
	c.Flags().IntVar(&f.spares, "spares", 0, "nodes that may be down at once")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print JSON instead of text")
	if err := c.MarkFlagRequired("rate"); err != nil {
		panic(err)
	}
	return c
}

func runFleet(dir string, f fleetFlags, s streams) error {
	e, err := study.Open(dir)
	if err != nil {
		return &exit{exitUsage, err}
	}
	unit := ""
	if e.Search != nil {
		unit = e.Search.Unit
	}
	o, err := f.options(unit)
	if err != nil {
		return &exit{exitUsage, err}
	}
	a, err := study.FleetOf(e, o)
	switch {
	case err == nil:
	case e.Search == nil || e.Search.Lower != nil:
		return &exit{exitUsage, err}
	case e.Search.Answer == search.NoLoad:
		return &exit{exitMissed, err}
	default:
		return &exit{exitVoid, err}
	}
	if f.asJSON {
		enc := json.NewEncoder(s.out)
		enc.SetIndent("", "  ")
		return ours(enc.Encode(a))
	}
	return ours(report.Fleet(s.out, a))
}

func (f *fleetFlags) options(unit string) (o study.FleetOptions, err error) {
	o.Spares = f.spares
	if number, given, ok := strings.Cut(strings.TrimSpace(f.rate), " "); ok && strings.TrimSpace(given) != unit {
		return o, fmt.Errorf("--rate %q: the search is in %s", f.rate, unit)
	} else if o.Rate, err = strconv.ParseFloat(number, 64); err != nil || !(o.Rate > 0 && o.Rate <= 1e12) {
		return o, fmt.Errorf("--rate %q is no rate: write it like 50000 or \"50000 %s\"", f.rate, unit)
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(f.growth), "%")
	if o.Growth, err = strconv.ParseFloat(number, 64); err != nil || !(math.Abs(o.Growth) <= 1e6) {
		return o, fmt.Errorf("--growth %q: want a share such as 50%%", f.growth)
	}
	if percent {
		o.Growth /= 100
	}
	if f.headroom == "100%" {
		o.Headroom = 1
	} else if o.Headroom, err = shareOf("--headroom", f.headroom); err != nil {
		return o, err
	}
	if o.Growth <= -1 {
		return o, fmt.Errorf("--growth %q leaves nothing to carry", f.growth)
	}
	if o.Spares < 0 {
		return o, errors.New("--spares: want 0 or more")
	}
	return o, nil
}
