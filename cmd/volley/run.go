package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"volley/internal/jsonrpc"
	"volley/loadgen"
	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
	"volley/tui"
)

type runFlags struct {
	out           string
	noTUI, asJSON bool
	traceSends    string
	sets          []string
}

func runCommand(s streams) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [SCENARIO]",
		Short: "Run a scenario and store the result",
		Long: `Run a scenario (a file, or the name of a built-in one; without an argument: ` + defaultScenario + `)
against the target that it names, by default the bundled node, and store the
result in a run directory.

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
			return runPlan(plan, f, s)
		},
	}
	c.Flags().StringVar(&f.out, "out", "", "run `directory` to write (default runs/NAME-TIME)")
	c.Flags().BoolVar(&f.noTUI, "no-tui", false, "status lines on standard error, also on a terminal")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print run.json on standard output instead of the report")
	c.Flags().StringVar(&f.traceSends, "trace-sends", "", "`file` for when each call was due and sent, in nanoseconds from the start, a line each")
	_ = c.Flags().MarkHidden("trace-sends") // it grows with every call: for benchmarks
	c.Flags().StringArrayVar(&f.sets, "set", nil, "`path=value` that patches the scenario first (repeatable)")
	return c
}

func runPlan(plan *scenario.Plan, f runFlags, s streams) error {
	meta, err := describeRun(plan)
	if err != nil {
		return ours(err)
	}
	dir := f.out
	if dir == "" {
		dir = filepath.Join("runs", fileName(plan.Name)+"-"+meta.Started.Format("20060102-150405.000"))
	}
	writer, err := results.Create(dir, meta)
	if errors.Is(err, fs.ErrExist) {
		return &exit{exitUsage, fmt.Errorf("--out: %w", err)}
	}
	if err != nil {
		return ours(fmt.Errorf("run directory %s: %w", dir, err))
	}
	defer writer.Close()

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := interrupts(cancel, s)

	var whole results.Aggregate
	place, err := openTarget(ctx, plan, dir, writer)
	if err != nil {
		return giveUp(writer, meta, &whole, nil, err)
	}
	defer place.close()
	if place.bundledURL != "" {
		meta.URL = place.bundledURL
		fmt.Fprintf(s.err, "node: %s, dialect %s, started for this run\n", place.bundledURL, plan.Target.Dialect)
	}
	if place.addresses != "" {
		meta.Environment["target_addresses"] = place.addresses
	}
	for _, w := range plan.Warnings {
		fmt.Fprintf(s.err, "warning: %s\n", results.Escape(w))
	}

	sends, err := newTrace(f.traceSends)
	if err != nil {
		return giveUp(writer, meta, &whole, nil, &exit{exitUsage, fmt.Errorf("--trace-sends: %w", err)})
	}
	account, err := loadgen.Run(ctx, loadgen.Config{
		Plan:       plan,
		Endpoint:   place.endpoint,
		MetricsURL: place.metricsURL,
		MetricsTLS: place.metricsTLS,
		Guard:      guard(plan.Target.Authorised),
		Secrets:    secrets(plan),
		Stop:       stop,
		Snapshot: func(snapshot *results.Snapshot) error {
			whole.Add(snapshot)
			fmt.Fprintln(s.err, tui.StatusLine(snapshot, meta.Phases, 0))
			return writer.Interval(snapshot)
		},
		Node: writer.Node,
		Sent: sends.sent(),
		Warn: func(w string) { fmt.Fprintf(s.err, "warning: %s\n", results.Escape(w)) },
	})
	if e := sends.close(); err == nil && e != nil {
		err = fmt.Errorf("--trace-sends: %w", e)
	}
	if err != nil {
		return giveUp(writer, meta, &whole, account, err)
	}

	end := endOf(account)
	end.Warnings = append(plan.Warnings, end.Warnings...)
	if place.node != nil && place.node.ended() {
		end.Warnings = append(end.Warnings, "the bundled node ended during the run: "+lastLine(filepath.Join(dir, "node.log")))
	}
	summary := results.Summarise(meta, &whole, end)
	summary.Dir = dir
	if err := writer.Finish(summary); err != nil {
		return ours(err)
	}
	if err := printSummary(s, &summary, f.asJSON); err != nil {
		return err
	}
	return verdict(&summary)
}

// describeRun is what is known before anything is started.
func describeRun(plan *scenario.Plan) (results.Meta, error) {
	text, err := plan.YAML()
	if err != nil {
		return results.Meta{}, err
	}
	phases, objectives := loadgen.Describe(plan)
	return results.Meta{
		Volley:      fullVersion(),
		Name:        plan.Name,
		Seed:        plan.Seed,
		Started:     time.Now(),
		Dialect:     plan.Target.Dialect,
		URL:         plan.SecretFreeURL(),
		Bundled:     plan.Target.URL == "" && len(plan.Target.Command) == 0,
		Phases:      phases,
		Objectives:  objectives,
		Environment: environment(),
		Plan:        text,
	}, nil
}

// interrupts turns the first signal into a closed channel (drain) and the
// second into the end of the run's context (leave at once).
func interrupts(cancel context.CancelFunc, s streams) <-chan struct{} {
	stop := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A reader of our output that goes away must not end the run.
	signal.Ignore(syscall.SIGPIPE)
	// It lives as long as the process: a command runs one plan.
	go func() {
		<-signals
		fmt.Fprintln(s.err, "interrupted: waiting for the answers still due; interrupt again to leave at once")
		close(stop)
		<-signals
		cancel()
	}()
	return stop
}

// reached is the node that the load goes to.
type reached struct {
	endpoint   transport.Endpoint
	metricsURL string
	metricsTLS *tls.Config // of the target's own page; nil: nothing special
	addresses  string      // of the URL's host, where it is a name
	bundledURL string      // "" when the node is not ours, or speaks on its standard streams
	node       *child
}

func (r *reached) close() {
	_ = r.endpoint.Close()
	if r.node != nil {
		r.node.close()
	}
}

// openTarget starts the bundled node if the plan names no other, and opens an
// endpoint to whichever it is.
func openTarget(ctx context.Context, plan *scenario.Plan, dir string, writer *results.Writer) (*reached, error) {
	log, err := writer.NodeLog()
	if err != nil {
		return nil, err
	}
	defer log.Close() // the node has its own handle on it
	if plan.Target.Transport == "stdio" {
		return openStdio(plan, dir, log)
	}

	r := &reached{metricsURL: plan.Target.Metrics.URL}
	url := plan.Target.URL
	if url == "" {
		arguments, err := nodeArguments(plan, dir)
		if err != nil {
			return nil, err
		}
		if r.node, err = startNode(ctx, arguments, log); err != nil {
			return nil, err
		}
		r.bundledURL = r.node.url
		url = r.node.url
		if plan.Target.Dialect == "rcp" {
			url += "/rcp"
		}
	}
	if r.metricsURL == "" && plan.Target.Metrics.Every > 0 {
		r.metricsURL = besides(url, "/metrics")
		if r.metricsTLS, err = metricsTrust(&plan.Target); err != nil {
			return nil, &exit{exitUsage, err}
		}
	}
	if r.endpoint, err = openEndpoint(plan, url); err != nil {
		if r.node != nil {
			r.node.close()
		}
		return nil, &exit{exitUsage, err}
	}
	if r.addresses, err = addresses(ctx, r.endpoint, &plan.Target); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func openStdio(plan *scenario.Plan, dir string, log *os.File) (*reached, error) {
	command := plan.Target.Command
	if len(command) == 0 {
		arguments, err := nodeArguments(plan, dir)
		if err != nil {
			return nil, err
		}
		command = append(arguments, "--stdio")
	}
	endpoint, err := transport.NewStdio(transport.StdioConfig{Command: command, Stderr: log, Route: firstID})
	if err != nil {
		return nil, &exit{exitUnreachable, err}
	}
	return &reached{endpoint: endpoint}, nil
}

// firstID gives the first of our ids that a line answers. A line that is a request
// or a notification of the node's own answers nobody: no call has the id 0.
func firstID(line []byte) (id uint64, ok bool) {
	if r := jsonrpc.ParseRequest(bytes.TrimSpace(line)); r.MethodKind == jsonrpc.String && !r.HasResult {
		return 0, true
	}
	_, _, _ = jsonrpc.ScanReply(line, func(a *jsonrpc.Answer) {
		if !ok && a.IsInt {
			id, ok = a.Int, true
		}
	})
	return id, ok
}

// guard refuses addresses that are neither loopback nor private unless the
// scenario names who authorised the test.
func guard(a *scenario.Authorised) func(netip.Addr) error {
	return func(addr netip.Addr) error {
		if a != nil {
			return nil
		}
		return transport.LocalOnly(addr)
	}
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

// endOf is what a run's account says beyond its snapshots.
func endOf(account *loadgen.Account) results.End {
	return results.End{
		Finished:    time.Now(),
		Stopped:     account.Stopped,
		Interrupted: account.Interrupted,
		Left:        account.Left,
		Before:      account.Before,
		After:       account.After,
		Generator:   account.Generator,
		Warnings:    account.Warnings,
		Pinned:      account.Pinned,
	}
}

// giveUp stores why a run has no result, with all that was seen up to then, and
// picks the exit code. account is nil when there was no load.
func giveUp(writer *results.Writer, meta results.Meta, whole *results.Aggregate, account *loadgen.Account, err error) error {
	var known *exit
	var canary *loadgen.CanaryError
	var exchange *transport.Error
	end := results.End{Finished: time.Now(), Status: results.Void}
	if account != nil {
		end = endOf(account)
		end.Status = results.Void
	}
	switch {
	case errors.As(err, &known):
	case errors.As(err, &exchange) && exchange.Failure == transport.Forbidden:
		known = &exit{exitUsage, exchange}
	case errors.As(err, &canary):
		known = &exit{exitUnreachable, err}
	case errors.Is(err, context.Canceled):
		known = &exit{exitInterrupted, errors.New("interrupted before the load")}
		end.Status = results.Interrupted
	default:
		known = &exit{exitOurs, err}
	}
	summary := results.Summarise(meta, whole, end)
	if end.Status == results.Void {
		summary.VoidReason = results.Escape(known.Error())
	}
	if err := writer.Finish(summary); err != nil {
		// The directory stays as it was written up to here, and reads as cut off.
		return &exit{exitOurs, errors.Join(known.cause, err)}
	}
	return known
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
