package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"volley/loadgen"
	"volley/results"
	"volley/scenario"
	"volley/tui"
)

type runFlags struct {
	out           string
	noTUI, asJSON bool
	exit          bool // the screen, at the run's end
	traceSends    string
	cpus          string
	sets          []string
}

func runCommand(s streams) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [SCENARIO]",
		Short: "Run a scenario and store the result",
		Long: `Run a scenario (a file, or the name of a built-in one; without an argument: ` + defaultScenario + `)
against the target that it names, by default the bundled node, and store the
result in a run directory. On a terminal a screen shows the run as it goes on;
? lists its keys. Without one, status lines go to standard error.

The first interrupt stops sending, waits for the answers still due and writes
the results; the second leaves at once.

Exit codes: 0 finished, objectives met; 1 an objective missed; 2 usage or
scenario invalid; 3 node unreachable, or the canary call failed; 4 void: rate
not reached or generator-limited; 5 our own failure; 130 interrupted.`,
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
			if err := pin(f.cpus, plan); err != nil {
				return err
			}
			return runPlan(plan, f, s)
		},
	}
	c.Flags().StringVar(&f.out, "out", "", "run `directory` to write (default runs/NAME-TIME)")
	c.Flags().BoolVar(&f.noTUI, "no-tui", false, "status lines on standard error, also on a terminal")
	c.Flags().BoolVar(&f.exit, "exit", false, "leave the screen when the run ends, without waiting for q")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print run.json on standard output instead of the report")
	c.Flags().StringVar(&f.traceSends, "trace-sends", "", "`file` for when each call was due and sent, in nanoseconds from the start, a line each")
	c.Flags().StringVar(&f.cpus, "cpus", "", cpusUsage)
	_ = c.Flags().MarkHidden("trace-sends") // it grows with every call: for benchmarks
	c.Flags().StringArrayVar(&f.sets, "set", nil, "`path=value` that patches the scenario first (repeatable)")
	return c
}

func runPlan(plan *scenario.Plan, f runFlags, s streams) error {
	dir := f.out
	if dir == "" {
		dir = filepath.Join("runs", fileName(plan.Name)+"-"+time.Now().Format("20060102-150405.000"))
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sends, err := newTrace(f.traceSends)
	if err != nil {
		return &exit{exitUsage, fmt.Errorf("--trace-sends: %w", err)}
	}
	asked := make(chan struct{}, 2) // interrupts from the screen: the third changes nothing
	shown := &display{s: s}
	rates := loadgen.NewRates()
	stop := interruptsBy(cancel, asked, shown.note)
	shown.control = tui.Control{
		Interrupt: func() {
			select {
			case asked <- struct{}{}:
			default:
			}
		},
		Scale: rates.Scale,
		Leave: stop,
		Exit:  f.exit,
	}
	run, err := perform(ctx, plan, performance{
		dir:   dir,
		stop:  stop,
		rates: rates,
		sent:  sends.sent(),
		observer: observer{
			reached: func(meta *results.Meta, started bool) {
				if started && meta.URL != "" {
					fmt.Fprintf(s.err, "node: %s, dialect %s, started for this run\n", meta.URL, meta.Dialect)
				}
				shown.reached(meta, !f.noTUI && !f.asJSON && onTerminal(s))
			},
			correlated: shown.correlated,
			snapshot:   shown.snapshot,
			warn:       shown.warn,
			failed:     shown.failed,
		},
	})
	if e := sends.close(); err == nil && e != nil {
		err = ours(fmt.Errorf("--trace-sends: %w", e))
	}
	if err != nil {
		shown.end(nil)
		return err
	}
	shown.end(&run.summary)
	// A terminal that was closed interrupts the run, and takes no report: the run's
	// directory has it.
	if err := printSummary(s, &run.summary, f.asJSON); err != nil && run.summary.Status != results.Interrupted {
		return err
	}
	return verdict(&run.summary)
}

// interrupts turns the first signal into a closed channel (drain) and the
// second into the end of the run's context (leave at once).
func interrupts(cancel context.CancelFunc, s streams) <-chan struct{} {
	return interruptsBy(cancel, nil, func(text string) { fmt.Fprintln(s.err, text) })
}

// interruptsBy takes what comes from asked for a signal too, and tells by note what the
// first one did.
func interruptsBy(cancel context.CancelFunc, asked <-chan struct{}, note func(string)) <-chan struct{} {
	stop := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A reader of our output that goes away must not end the run.
	signal.Ignore(syscall.SIGPIPE)
	// It lives as long as the process: a command runs one plan.
	go func() {
		next := func() {
			select {
			case <-signals:
			case <-asked:
			}
		}
		next()
		note("interrupted: waiting for the answers still due; interrupt again to leave at once")
		close(stop)
		next()
		cancel()
	}()
	return stop
}

// verdict turns a summary into the exit code.
func verdict(s *results.Summary) error {
	switch {
	case s.Status == results.Interrupted:
		return &exit{code: exitInterrupted}
	case s.Status == results.Void:
		return &exit{code: exitVoid}
	case !s.ObjectivesMet():
		return &exit{code: exitMissed}
	}
	return nil
}

// fileName makes a directory name of a scenario's name.
func fileName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		default:
			return '-'
		}
	}, name)
	if len(clean) > 60 {
		clean = clean[:60]
	}
	if strings.Trim(clean, "-.") == "" {
		return "run"
	}
	return clean
}
