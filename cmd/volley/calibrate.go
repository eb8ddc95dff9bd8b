package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"volley/results"
	"volley/scenario"
)

type calibrateFlags struct {
	cpus   string
	span   time.Duration
	asJSON bool
	sets   []string
}

// leastCalibration is the shortest time that trials worth the name fit into.
const leastCalibration = 3 * time.Second

func calibrateCommand(s streams) *cobra.Command {
	var f calibrateFlags
	c := &cobra.Command{
		Use:   "calibrate [SCENARIO]",
		Short: "Measure what the generator itself can do with a scenario's calls",
		Long: `Send the calls of a scenario (a file, or the name of a built-in one; without an
argument: ` + defaultScenario + `) to a null server, a process that answers each at once with a
ready-made answer, and see what the generator reaches on this machine:

  ceiling  the highest rate at which it keeps its schedule: 99% of calls sent in
           time and at most 1 ms late, its CPUs not full; more lateness is put up
           with where the machine shows it at the lowest rate too
  floor    the response time at a rate at which nothing waits

The result is stored in the user's cache directory, for these calls on this
machine. "volley run" looks it up, and warns when a scenario asks for more than
half of the ceiling. Null server and generator share the machine's CPUs as node
and generator would; --cpus and target.node_cpus part them.

Only HTTP/1.1 without TLS can be calibrated. What the scenario's own node would
take or answer has no part in it, and entries malformed on purpose are left out.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := defaultScenario
			if len(args) == 1 {
				name = args[0]
			}
			plan, err := loadScenario(name, f.sets)
			if err != nil {
				return err
			}
			return calibrate(plan, f, s)
		},
	}
	c.Flags().StringVar(&f.cpus, "cpus", "", cpusUsage)
	c.Flags().DurationVar(&f.span, "for", 30*time.Second, "`time` for all trials together, about")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the calibration as JSON instead of a table")
	c.Flags().StringArrayVar(&f.sets, "set", nil, "`path=value` that patches the scenario first (repeatable)")
	return c
}

func calibrate(plan *scenario.Plan, f calibrateFlags, s streams) error {
	if err := calibratable(&plan.Target); err != nil {
		return &exit{exitUsage, err}
	}
	if f.span < leastCalibration {
		return &exit{exitUsage, fmt.Errorf("--for %v is too short: want %v or more", f.span, leastCalibration)}
	}
	// The node that is started for it is the null server, wherever the plan's own is.
	local := *plan
	local.Target.URL = ""
	if err := pin(f.cpus, &local); err != nil {
		return err
	}
	env := environment(&local.Target)
	key, err := keyOf(plan, env)
	if err != nil {
		return ours(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := interrupts(cancel, s)
	dir, err := os.MkdirTemp("", "volley-calibrate-")
	if err != nil {
		return ours(err)
	}
	defer os.RemoveAll(dir)
	bench, err := openNullBench(ctx, &local, dir, stop)
	if err != nil {
		return ours(err)
	}
	defer bench.close()

	c := &calibration{
		Format: calibrationFormat, Made: time.Now().UTC().Round(0), Scenario: plan.Name, ForS: f.span.Seconds(),
		calibrationKey: key, EntriesPerCall: perCall(plan, scenario.Entries), Environment: env, Trials: []openTrial{},
	}
	progress := func(format string, args ...any) { fmt.Fprintf(s.err, format+"\n", args...) }
	if err := c.measure(ctx, bench, f.span, progress); err != nil {
		return known(err)
	}
	where, err := c.keep()
	if err != nil {
		where = "nowhere, and so unknown to runs: " + results.Escape(err.Error())
		fmt.Fprintf(s.err, "warning: stored %s\n", where)
	}
	if f.asJSON {
		enc := json.NewEncoder(s.out)
		enc.SetIndent("", "  ")
		return ours(enc.Encode(c))
	}
	_, asked := peak(plan)
	return ours(c.print(s.out, asked, where))
}

// keep stores a calibration and says where. One without a ceiling does not take the
// place of one that has it.
func (c *calibration) keep() (where string, err error) {
	dir, err := calibrationDir()
	if err != nil {
		return "", err
	}
	if c.Ceiling.Held == 0 {
		if old, err := loadCalibration(dir, c.calibrationKey); err == nil && old.Ceiling.Held > 0 {
			return "nowhere: the calibration of " + old.Made.Format(time.DateOnly) + ", which found a ceiling, is kept", nil
		}
	}
	return c.store(dir)
}

// known lets an error that has an exit code be, and takes any other for our own.
func known(err error) error {
	if _, ok := err.(*exit); ok || err == nil {
		return err
	}
	return ours(err)
}

// calibratable tells whether a null server can stand for the target.
func calibratable(t *scenario.Target) error {
	scheme, _, _ := strings.Cut(t.URL, ":")
	how := ""
	switch {
	case t.Transport != "http":
		how = "transport " + t.Transport
	case scheme == "https":
		how = "TLS"
	case scheme != "http" && scheme != "":
		how = "a Unix socket"
	}
	if how == "" {
		return nil
	}
	return fmt.Errorf("only HTTP/1.1 over TCP and without TLS can be calibrated: what the generator reaches with %s is not known", how)
}

// How the time is shared out.
const (
	closedShare  = 0.08
	floorShare   = 0.17
	trialLength  = 2 * time.Second // with what is not measured of it
	leastTrials  = 6
	mostTrials   = 12
	floorRate    = 200.0 // calls/s, unless that is not low
	lowShare     = 0.05  // of what the closed loop reached: a rate at which nothing waits
	closedCaller = 64
)

// trialsIn tells how many trials at a rate fit into a calibration of that length, and
// what of each is measured.
func trialsIn(span time.Duration) (trials int, length time.Duration) {
	rest := time.Duration((1 - closedShare - floorShare) * float64(span))
	trials = min(max(int(rest/trialLength), leastTrials), mostTrials)
	return trials, max(rest/time.Duration(trials)-settle, settle)
}

// trialSeconds is what was measured of each trial at a rate.
func (c *calibration) trialSeconds() float64 {
	if c.ForS <= 0 {
		return 0
	}
	_, length := trialsIn(time.Duration(c.ForS * float64(time.Second)))
	return length.Seconds()
}

// measure makes all trials and takes about span for it. What it is at is told.
func (c *calibration) measure(ctx context.Context, b *nullBench, span time.Duration, progress func(string, ...any)) (err error) {
	part := func(share float64) time.Duration { return time.Duration(share * float64(span)) }
	callers := min(closedCaller, b.plan.InFlight)
	if c.Closed, err = b.closed(ctx, callers, part(closedShare)); err != nil {
		return err
	}
	progress("closed loop of %d: %s calls/s", callers, results.Rate(c.Closed.CallsPerS))

	low := min(floorRate, lowShare*c.Closed.CallsPerS)
	s, err := b.open(ctx, low, part(floorShare))
	if err != nil {
		return err
	}
	c.Floor = floor{low, s.Phases[len(s.Phases)-1].Distributions}
	progress("floor at %s calls/s: response p50 %s", results.Rate(low), results.Micros(float64(c.Floor.Response.P50)))

	limit := lateLimit(&c.Floor)
	c.LateLimitUS = limit.Microseconds()
	trials, length := trialsIn(span)
	found, err := findCeiling(c.Closed.CallsPerS, trials, func(rate float64) (bool, error) {
		s, err := b.open(ctx, rate, length)
		if err != nil {
			return false, err
		}
		t := judged(rate, s, limit)
		c.Trials = append(c.Trials, t)
		if t.Held {
			progress("%s calls/s: held", results.Rate(rate))
		} else {
			progress("%s calls/s: not held: %s", results.Rate(rate), t.Why)
		}
		return t.Held, nil
	})
	c.Ceiling = ceiling{found.held, found.lost, found.held * c.EntriesPerCall, found.lost * c.EntriesPerCall}
	return err
}
