package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"volley/loadgen/experiment"
	"volley/results"
	"volley/results/correlate"
	"volley/results/study"
	"volley/scenario"
)

// lab makes an experiment's trials. The node stays from one to the next, and so do the
// connections to it, as long as both have the same target; else the bundled node is
// started anew, and a node of the user's own brought to the setting by the scenario's
// command. The bundled node is started anew for each block as well: its times are drawn
// by the block's seed, so that a node's settings are held against each other with the
// same ones within a block, and blocks are independent.
type lab struct {
	dir  string // the experiment's: the node's config and log are here
	stop <-chan struct{}
	warn func(string)

	place   *reached
	target  scenario.Target   // what place was opened for
	seed    uint64            // and with which
	applied map[string]string // what the user's own node was brought to last
	rest    map[correlate.Role]float64
	warned  []string
}

// Prepare brings the node to what s asks for and waits until it is at rest.
func (l *lab) Prepare(ctx context.Context, s *experiment.Spec) (notes []experiment.Note, err error) {
	ctx, cancel := untilStopped(ctx, l.stop)
	defer cancel()
	if l.place != nil && l.place.node != nil && l.place.node.ended() {
		notes = append(notes, experiment.Note{Text: "the bundled node had ended and was started anew; it last said: " + lastLine(l.place.node.log)})
		l.close()
	}
	t := &s.Plan.Target
	drawn := t.URL == "" && len(t.Command) == 0 && s.Block > 0 && l.seed != s.Plan.Seed
	if l.place != nil && (s.Fresh || drawn || !reflect.DeepEqual(l.target, *t)) {
		l.close()
	}
	if s.Fresh {
		l.applied = nil
	}
	if err := l.apply(ctx, s); err != nil {
		return notes, err
	}
	if l.place == nil {
		if err := l.open(ctx, s.Plan); err != nil {
			return notes, err
		}
	}
	return append(notes, l.settle(ctx, s.Plan)...), nil
}

func (l *lab) open(ctx context.Context, plan *scenario.Plan) error {
	log, err := os.OpenFile(filepath.Join(l.dir, "node.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return ours(err)
	}
	defer log.Close() // the node has its own handle on it
	if l.place, err = openTarget(ctx, plan, l.dir, log); err != nil {
		return err
	}
	l.target, l.seed, l.rest = plan.Target, plan.Seed, nil
	return nil
}

func (l *lab) close() {
	if l.place != nil {
		l.place.close()
		l.place = nil
	}
}

// apply runs the command that brings the user's own node to the trial's settings,
// where they are not those that it has.
func (l *lab) apply(ctx context.Context, s *experiment.Spec) error {
	t := &s.Plan.Target
	if len(t.Apply) == 0 || len(s.Placeholders) == 0 || l.applied != nil && maps.Equal(l.applied, s.Placeholders) {
		return nil
	}
	command, err := t.ApplyFor(s.Placeholders)
	if err != nil {
		return &exit{exitUsage, err}
	}
	l.close() // what apply restarts has other connections
	log, err := os.OpenFile(filepath.Join(l.dir, "apply.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return ours(err)
	}
	defer log.Close()
	fmt.Fprintf(log, "%s: for %s\n", time.Now().UTC().Format(time.RFC3339), study.Text(s.Settings))
	l.applied = nil // until it is known
	if err := runApply(ctx, command, log); err != nil {
		return err
	}
	if err := ready(ctx, t); err != nil {
		return err
	}
	l.applied = maps.Clone(s.Placeholders)
	return nil
}

// Run makes the trial, and its probe's run at the same time.
func (l *lab) Run(ctx context.Context, s *experiment.Spec, dir string) (experiment.Made, error) {
	var probe *probeRun
	run, err := perform(ctx, s.Plan, performance{
		dir: dir, place: l.place, stop: l.stop, shared: s.Probe != nil,
		observer: observer{
			reached: func(*results.Meta, bool) {
				if s.Probe != nil {
					probe = l.probe(ctx, s.Probe, study.ProbeDir(dir))
				}
			},
			warn: l.warnOnce,
		},
	})
	made := experiment.Made{Summary: run.summary}
	if probe != nil {
		early := err != nil || run.summary.Status == results.Interrupted
		if e := probe.wait(early); err == nil {
			err = e
		}
		made.Probed = !early
	}
	if err != nil {
		return made, err
	}
	made.NodeCPU = nodeCPU(s.Plan, run)
	return made, nil
}

// warnOnce says what is the same in every trial but once.
func (l *lab) warnOnce(w string) {
	if !slices.Contains(l.warned, w) {
		l.warned = append(l.warned, w)
		l.warn(w)
	}
}

// probeRun is the run of the thin stream beside a trial's load.
type probeRun struct {
	stop chan struct{}
	done chan struct{}
	run  *performed
	err  error
}

// probe starts it, on connections of its own.
func (l *lab) probe(ctx context.Context, plan *scenario.Plan, dir string) *probeRun {
	p := &probeRun{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		place := *l.place
		place.metrics, place.node = nil, nil
		if place.endpoint, p.err = openEndpoint(plan, l.place.url); p.err != nil {
			p.err = &exit{exitUsage, p.err}
			return
		}
		defer place.close()
		p.run, p.err = perform(ctx, plan, performance{dir: dir, place: &place, stop: p.stop, shared: true})
	}()
	return p
}

// wait returns when the probe is through; early: it is told to stop.
func (p *probeRun) wait(early bool) error {
	if early {
		close(p.stop)
	}
	<-p.done
	switch {
	case early:
		return nil
	case p.err != nil:
		return fmt.Errorf("the probe beside the load: %w", p.err)
	}
	return nil
}

// nodeCPU is the CPU time that the node's own counter gained over the run; nil where
// it has none, or was started anew.
func nodeCPU(plan *scenario.Plan, run *performed) *float64 {
	names, err := seriesNames(plan)
	if err != nil || run.account == nil {
		return nil
	}
	cpu := names[correlate.CPU]
	before, ok := total(cpu, run.account.Before.Series)
	after, too := total(cpu, run.account.After.Series)
	if !ok || !too || after < before {
		return nil
	}
	return new(after - before)
}

// total adds up the series that a selector picks; false when there is none.
func total(s correlate.Selector, series map[string]float64) (sum float64, ok bool) {
	for name, v := range series {
		parsed, err := correlate.ParseSeries(name)
		if err == nil && s.Matches(&parsed) {
			sum, ok = sum+v, true
		}
	}
	return sum, ok
}

// untilStopped gives a context that ends when stop closes.
func untilStopped(ctx context.Context, stop <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-stop:
			cancel(errors.New("interrupted"))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}
