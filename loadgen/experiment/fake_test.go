package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"volley/loadgen"
	"volley/results"
	"volley/results/study"
	"volley/scenario"
)

// fakeLab makes trials without a node or time: each comes to what outcome says of it,
// stored as a run is.
type fakeLab struct {
	made    []string // what was run, in order
	outcome func(n int, s *Spec) fakeOutcome
	prepare func(n int) ([]Note, error)
}

// fakeOutcome is what one run comes to, in each second of its measured phases.
type fakeOutcome struct {
	slow float64 // share of calls that take a second; the others take a millisecond
	fail float64 // share of calls that are refused
	void bool    // the generator's CPUs were full
	held bool    // the node did not take the rate: calls waited for free callers
	cpuS float64
	// lateShare of the calls are sent late.
	late      time.Duration
	lateShare float64
	kill      bool // the process ends in mid-trial: the directory has no end
	stop      func()
}

var errKilled = errors.New("killed")

func (l *fakeLab) Prepare(context.Context, *Spec) ([]Note, error) {
	if l.prepare == nil {
		return nil, nil
	}
	return l.prepare(len(l.made) + 1)
}

func (l *fakeLab) Run(_ context.Context, s *Spec, dir string) (Made, error) {
	l.made = append(l.made, study.Text(s.Settings))
	o := l.outcome(len(l.made), s)
	summary, err := store(s.Plan, dir, o)
	if err != nil {
		return Made{}, err
	}
	made := Made{Summary: summary, NodeCPU: &o.cpuS}
	if s.Probe != nil {
		if _, err := store(s.Probe, study.ProbeDir(dir), fakeOutcome{}); err != nil {
			return Made{}, err
		}
		made.Probed = true
	}
	return made, nil
}

// store writes the run that a plan comes to.
func store(p *scenario.Plan, dir string, o fakeOutcome) (results.Summary, error) {
	phases, objectives := loadgen.Describe(p)
	meta := results.Meta{Name: p.Name, Seed: p.Seed, Started: time.Unix(1000, 0), Phases: phases, Objectives: objectives, Dialect: p.Target.Dialect, Bundled: true}
	w, err := results.Create(dir, meta)
	if err != nil {
		return results.Summary{}, err
	}
	defer w.Close()
	var all results.Aggregate
	var at time.Duration
	for i, ph := range p.Phases {
		for end := at + ph.For; at < end; {
			step := min(time.Second, end-at)
			snap := second(i, ph, p, at, step, o)
			all.Add(snap)
			if err := w.Interval(snap); err != nil {
				return results.Summary{}, err
			}
			if o.kill {
				return results.Summary{}, errKilled
			}
			at += step
		}
	}
	end := results.End{Finished: time.Unix(1000, 0).Add(at), Stopped: at}
	if o.void {
		end.Generator = results.Generator{CPUs: 2, CPUFraction: 0.99}
	}
	if o.stop != nil {
		o.stop()
		end.Interrupted = true
	}
	s := results.Summarise(meta, &all, end)
	return s, w.Finish(s)
}

func second(i int, ph scenario.Phase, p *scenario.Plan, at, length time.Duration, o fakeOutcome) *results.Snapshot {
	slice := results.PhaseSlice{Phase: i, Latency: results.NewLatency(), FirstSent: at, LastSent: at + length - time.Millisecond}
	calls := int(ph.Rate.Value / perCall(p, string(ph.Rate.Unit)) * length.Seconds())
	if ph.Callers > 0 {
		calls = int(400 * length.Seconds())
	}
	size := int(p.Size.Mean())
	for n := range calls {
		out := results.Outcome{Phase: i, Due: at, Sent: at, Done: at + time.Millisecond, Entries: size, Items: size, Class: results.OK, BytesOut: 100, BytesIn: 100}
		out.ByClass[results.OK] = size
		if float64(n) < o.lateShare*float64(calls) {
			out.Sent += o.late
			out.Done += o.late
		}
		switch at := float64(n) / float64(calls); {
		case at < o.slow:
			out.Done = out.Due + time.Second
		case at >= 1-o.fail:
			out.Class = results.Refused
			out.ByClass = [results.NumClasses]int{results.Refused: size}
		}
		out.OverBound, out.Overrun = o.held, o.held
		slice.AddOutcome(&out)
		slice.Record(&out)
	}
	return &results.Snapshot{Start: at, End: at + length, Wall: time.Unix(1000, 0).Add(at + length), Current: i, Planned: uint64(calls), Phases: []results.PhaseSlice{slice}}
}

// planOf loads a scenario of so many calls/s.
func planOf(t *testing.T, sets ...string) *scenario.Plan {
	t.Helper()
	file := filepath.Join(t.TempDir(), "small.yaml")
	text := `name: small
target: {dialect: near}
load: [{name: steady, rate: 100 calls/s, for: 3s}]
mix: [{method: query, params: {request_type: view_account, account_id: near, finality: final}}]
slo: [response p90 <= 40ms]
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := scenario.Load(file, sets)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func begin(t *testing.T, dir string, kind study.Kind, lab Lab, options ...study.Setting) *Journal {
	t.Helper()
	j, err := Open(dir, study.Record{Format: study.Format, Kind: kind, Name: "small", Options: options}, lab)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() }) // where the test did not
	return j
}

// end leaves the journal's directory, as the end of its process does.
func end(t *testing.T, j *Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}
