package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"volley/loadgen"
	"volley/results"
	"volley/results/selfcheck"
	"volley/scenario"
)

// nullBench makes trials of a plan's calls against a null server of its own.
type nullBench struct {
	plan *scenario.Plan // its target is the null server
	node *child
	stop <-chan struct{}
}

// openNullBench starts the null server, on the CPUs that the plan has for its node.
// What it needs on disk goes into dir.
func openNullBench(ctx context.Context, plan *scenario.Plan, dir string, stop <-chan struct{}) (*nullBench, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to start the null server: %w", err)
	}
	text, err := json.Marshal(readyAnswers(plan))
	if err != nil {
		return nil, err
	}
	answers := filepath.Join(dir, "answers.json")
	if err := os.WriteFile(answers, text, 0o644); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "null-node.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() // the server has its own handle on it
	node, err := startNode(ctx, []string{self, "null-node", "--answers", answers}, plan.Target.NodeCPUs, log)
	if err != nil {
		return nil, err
	}
	return &nullBench{plan: against(plan, node.url), node: node, stop: stop}, nil
}

func (b *nullBench) close() { b.node.close() }

// against gives the plan's calls, as they are, for the node at url: without what
// concerns its own node alone (credentials, metrics, ceilings, expectations), and
// without entries that are malformed on purpose, which the null server cannot answer.
func against(plan *scenario.Plan, url string) *scenario.Plan {
	p := *plan
	p.Target = scenario.Target{
		Dialect: plan.Target.Dialect, Transport: plan.Target.Transport, URL: url,
		Connections: plan.Target.Connections, NodeCPUs: plan.Target.NodeCPUs,
	}
	p.Malformed = 0
	p.Objectives = nil
	p.Expect = scenario.Expect{}
	p.Warnings = nil
	p.Drain = min(p.Drain, 2*time.Second)
	return &p
}

// trial carries out phases of the plan's calls.
func (b *nullBench) trial(ctx context.Context, phases ...scenario.Phase) (*results.Summary, error) {
	plan := *b.plan
	plan.Phases = phases
	meta, err := describeRun(&plan)
	if err != nil {
		return nil, err
	}
	endpoint, err := openEndpoint(&plan, plan.Target.URL)
	if err != nil {
		return nil, err
	}
	defer endpoint.Close()
	var whole results.Aggregate
	account, err := loadgen.Run(ctx, loadgen.Config{
		Plan: &plan, Endpoint: endpoint, Stop: b.stop,
		Snapshot: func(s *results.Snapshot) error { whole.Add(s); return nil },
	})
	switch {
	case errors.Is(err, context.Canceled), err == nil && account.Interrupted:
		return nil, &exit{exitInterrupted, errors.New("interrupted: nothing is stored")}
	case err != nil:
		return nil, err
	case b.node.ended():
		return nil, fmt.Errorf("the null server ended: %s", lastLine(b.node.log))
	}
	summary := results.Summarise(meta, &whole, endOf(account))
	if bad := foreign(summary.Totals.ByClass); bad != "" {
		return nil, fmt.Errorf("the null server's answers were not understood (%s), so that it can't stand for this plan's node", bad)
	}
	return &summary, nil
}

// foreign names the classes of entries that a null server should not have caused.
func foreign(byClass map[string]uint64) string {
	var found []string
	for class := range results.NumClasses {
		c := results.Class(class)
		switch n := byClass[c.String()]; {
		case n == 0, c == results.OK, c == results.Notified, c == results.Timeout, c == results.CutOff:
		default:
			found = append(found, fmt.Sprintf("%s: %d", c, n))
		}
	}
	return strings.Join(found, ", ")
}

// closed lets callers call as fast as they are answered.
func (b *nullBench) closed(ctx context.Context, callers int, span time.Duration) (closedTrial, error) {
	s, err := b.trial(ctx, scenario.Phase{Name: "closed", Callers: callers, For: span, Measured: true})
	if err != nil {
		return closedTrial{}, err
	}
	p := &s.Phases[0]
	t := closedTrial{
		Callers: callers, CallsPerS: p.Achieved.CallsPerS, EntriesPerS: p.Achieved.EntriesPerS,
		CPUFraction: s.Generator.CPUFraction,
	}
	if p.Calls == 0 || t.CallsPerS == 0 {
		return t, errors.New("not one call was answered in the time: give --for more")
	}
	return t, nil
}

// settle is for connections to be made and memory to be had, before a trial counts.
const settle = 200 * time.Millisecond

// open calls at a rate.
func (b *nullBench) open(ctx context.Context, callsPerS float64, span time.Duration) (*results.Summary, error) {
	phase := scenario.Phase{
		Name: "settle", Rate: scenario.Rate{Value: callsPerS, Unit: scenario.Calls}, To: callsPerS,
		Arrivals: peakArrivals(b.plan), For: settle,
	}
	measured := phase
	measured.Name, measured.For, measured.Measured = "trial", span, true
	return b.trial(ctx, phase, measured)
}

// judged is what a trial at a rate says of the generator: it kept its schedule when 99
// calls in 100 were sent in time and at most limit late, and its CPUs were not full.
func judged(callsPerS float64, s *results.Summary, limit time.Duration) openTrial {
	p := &s.Phases[len(s.Phases)-1]
	t := openTrial{CallsPerS: callsPerS, LatenessP99: p.Lateness.P99, CPUFraction: s.Generator.CPUFraction}
	planned := p.Calls + p.Unsent
	inTime := p.Calls - min(p.Calls, p.Overrun)
	if planned > 0 {
		t.SentShare = float64(inTime) / float64(planned)
	}
	switch {
	case planned == 0:
		t.Why = "no call was due"
	case t.SentShare < selfcheck.MinSent && 2*(p.OverBound+p.Unsent) >= planned-inTime:
		t.Why = fmt.Sprintf("only %s of the calls were sent in time, all callers being under way: the null server and we could not take more", results.Share(inTime, planned))
	case t.SentShare < selfcheck.MinSent:
		t.Why = fmt.Sprintf("only %s of the calls were sent in time, though callers were free", results.Share(inTime, planned))
	case t.CPUFraction >= selfcheck.FullCPU:
		t.Why = fmt.Sprintf("the generator used %.0f%% of its CPUs", 100*t.CPUFraction)
	case time.Duration(p.Lateness.P99)*time.Microsecond > limit:
		t.Why = fmt.Sprintf("the p99 of lateness was %s, over %s", results.Micros(float64(p.Lateness.P99)), results.Micros(float64(limit.Microseconds())))
	default:
		t.Held = true
	}
	return t
}

// lateLimit is the lateness that is not held against a rate: what every run is
// allowed, or what the machine's own pauses made of the p99 at a rate at which nothing
// waits.
func lateLimit(f *floor) time.Duration {
	return max(selfcheck.MaxLateness(0), time.Duration(f.Lateness.P99)*time.Microsecond)
}
