package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"volley/loadgen"
	"volley/loadgen/transport"
	"volley/results"
	"volley/results/selfcheck"
	"volley/scenario"
)

// performance is how one run of a plan is made. It may be done any number of times
// in one process; what interrupts it is set up once, for all of them.
type performance struct {
	dir string // the run directory, which is created
	// place is a target that is reached already and stays open; nil: the run opens
	// the plan's own and closes it again.
	place *reached
	stop  <-chan struct{} // closed: stop sending, drain, write the results
	// shared: another run loads the same node at the same time.
	shared bool
	sent   func(due, sent time.Duration)
	rates  *loadgen.Rates // changes the rate while the run goes on; nil: nobody does
	observer
}

// observer is told of a run as it goes on: reached before all else, snapshot and
// node each from one goroutine, after the directory has it. Nil functions are not
// called.
type observer struct {
	reached func(meta *results.Meta, started bool) // started: the node, for this run
	// correlated is given what sets the node's metrics beside the run, before the load.
	correlated func(*results.Correlator)
	snapshot   func(*results.Snapshot, []results.PhaseMeta)
	node       func(results.NodeSample)
	warn       func(string)
	// failed is told of the first failure of each class; see loadgen.Config.
	failed func(class results.Class, words string)
}

// performed is what a run came to.
type performed struct {
	summary results.Summary
	whole   results.Aggregate
	account *loadgen.Account // nil: there was no load
}

// perform runs a plan and stores the result, its end whatever it is. The error
// carries the exit code; with one, the summary says as well as it can what was
// stored, save where the directory could not be created.
func perform(ctx context.Context, plan *scenario.Plan, p performance) (*performed, error) {
	run := &performed{}
	meta, err := describeRun(plan)
	if err != nil {
		return run, ours(err)
	}
	if err := describeNode(&meta, plan); err != nil {
		return run, err
	}
	machine, tight, err := allow(plan, os.DirFS("/"))
	if err != nil {
		return run, &exit{exitUsage, err}
	}
	machine.record(meta.Environment)
	writer, err := results.Create(p.dir, meta)
	if errors.Is(err, fs.ErrExist) {
		return run, &exit{exitUsage, fmt.Errorf("--out: %w", err)}
	}
	if err != nil {
		return run, ours(fmt.Errorf("run directory %s: %w", p.dir, err))
	}
	defer writer.Close()

	place := p.place
	if place == nil {
		if place, err = openOwn(ctx, plan, p.dir, writer); err != nil {
			return run, run.giveUp(writer, meta, err)
		}
		defer place.close()
	}
	if place.bundledURL != "" {
		meta.URL = place.bundledURL
	}
	if place.addresses != "" {
		meta.Environment["target_addresses"] = place.addresses
	}
	if p.reached != nil {
		p.reached(&meta, p.place == nil && place.bundledURL != "")
	}
	if p.warn != nil {
		for _, w := range slices.Concat(plan.Warnings, tight) {
			p.warn(w)
		}
	}

	calibration := calibrated(plan, meta.Environment, p.warn)
	if c, ok := calibration.Check(); ok && c.Verdict == selfcheck.Warn && p.warn != nil {
		p.warn(results.CheckWarning(c)) // before it is too late; the results have it too
	}

	correlator := results.NewCorrelator(meta.Correlation())
	if p.correlated != nil && place.metrics != nil {
		p.correlated(correlator)
	}
	run.whole.Plan = meta.Phases
	run.account, err = loadgen.Run(ctx, loadgen.Config{
		Plan:     plan,
		Endpoint: place.endpoint,
		Metrics:  place.metrics,
		Secrets:  secrets(plan),
		Stop:     p.stop,
		Snapshot: func(snapshot *results.Snapshot) error {
			run.whole.Add(snapshot)
			if place.metrics != nil {
				correlator.Snapshot(snapshot)
			}
			err := writer.Interval(snapshot)
			if p.snapshot != nil {
				p.snapshot(snapshot, meta.Phases)
			}
			return err
		},
		Node: func(sample results.NodeSample) error {
			err := writer.Node(sample)
			correlator.Node(sample)
			if p.node != nil {
				p.node(sample)
			}
			return err
		},
		Sent:   p.sent,
		Failed: p.failed,
		Rates:  p.rates,
		Warn:   p.warn,
	})
	if err != nil {
		return run, run.giveUp(writer, meta, err)
	}
	end := endOf(run.account)
	end.Generator.Calibration = calibration
	end.Warnings = slices.Concat(plan.Warnings, tight, end.Warnings)
	if place.metrics != nil {
		end.Correlation = correlator.Report()
	}
	end.Shared = p.shared
	if place.node != nil && place.node.ended() {
		end.Warnings = append(end.Warnings, "the bundled node ended during the run: "+lastLine(place.node.log))
	}
	run.summary = results.Summarise(meta, &run.whole, end)
	run.summary.Dir = p.dir
	return run, ours(writer.Finish(run.summary))
}

// openOwn opens the plan's target for one run alone.
func openOwn(ctx context.Context, plan *scenario.Plan, dir string, writer *results.Writer) (*reached, error) {
	log, err := writer.NodeLog()
	if err != nil {
		return nil, err
	}
	defer log.Close() // the node has its own handle on it
	return openTarget(ctx, plan, dir, log)
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
		Rows:        loadgen.Rows(plan),
		Form:        string(plan.Form),
		Environment: environment(&plan.Target),
		Plan:        text,
	}, nil
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
		Reset:       account.Reset,
		Generator:   account.Generator,
		Arrivals:    account.Arrivals,
		Warnings:    account.Warnings,
		Pinned:      account.Pinned,
	}
}

// giveUp stores why a run has no result, with all that was seen up to then, and
// picks the exit code.
func (run *performed) giveUp(writer *results.Writer, meta results.Meta, err error) error {
	var known *exit
	var canary *loadgen.CanaryError
	var exchange *transport.Error
	end := results.End{Finished: time.Now(), Status: results.Void}
	if run.account != nil {
		end = endOf(run.account)
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
	run.summary = results.Summarise(meta, &run.whole, end)
	if end.Status == results.Void {
		run.summary.VoidReason = results.Escape(known.Error())
	}
	if err := writer.Finish(run.summary); err != nil {
		// The directory stays as it was written up to here, and reads as cut off.
		return &exit{exitOurs, errors.Join(known.cause, err)}
	}
	return known
}
