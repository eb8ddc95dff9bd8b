package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"volley/loadgen/experiment"
	"volley/results"
	"volley/results/capacity/search"
	"volley/results/study"
	"volley/scenario"
)

// experimentFlags are those that every experiment has.
type experimentFlags struct {
	out    string
	asJSON bool
	cpus   string
	seed   string
	sets   []string
}

func (f *experimentFlags) register(c *cobra.Command, kind study.Kind) {
	c.Flags().StringVar(&f.out, "out", "", fmt.Sprintf("the experiment's `directory` (default runs/%s-NAME-TIME, or the one where the same command was not finished)", kind))
	c.Flags().BoolVar(&f.asJSON, "json", false, fmt.Sprintf("print %s on standard output instead of text", kind.File()))
	c.Flags().StringVar(&f.seed, "seed", "", "`seed` in place of the scenario's")
	c.Flags().StringVar(&f.cpus, "cpus", "", cpusUsage)
	c.Flags().StringArrayVar(&f.sets, "set", nil, "`path=value` that patches the scenario first (repeatable)")
}

// patches are the sets, the seed's own last.
func (f *experimentFlags) patches() []string {
	if f.seed == "" {
		return f.sets
	}
	return append(slices.Clone(f.sets), "seed="+f.seed)
}

const experimentHelp = `
An experiment goes on where it was when the same command is given again, after an
interrupt as after a crash: finished trials are kept, one that was cut off is made
again. The first interrupt drains the trial under way and writes what is known; the
second leaves at once.`

// record is what an experiment asks, in the form that tells it from others.
func record(kind study.Kind, plan *scenario.Plan, options []study.Setting) (study.Record, error) {
	text, err := plan.YAML()
	if err != nil {
		return study.Record{}, ours(err)
	}
	sum := sha256.Sum256(text)
	return study.Record{
		Format: study.Format, Kind: kind, Volley: fullVersion(), Name: plan.Name, Started: time.Now().UTC().Round(0),
		Scenario: hex.EncodeToString(sum[:]), Seed: plan.Seed, Options: options,
	}, nil
}

// place gives the directory of the experiment that r asks for.
func (f *experimentFlags) place(r *study.Record) string {
	if f.out != "" {
		return f.out
	}
	prefix := string(r.Kind) + "-" + fileName(r.Name) + "-"
	if there := unfinished("runs", prefix, r); there != "" {
		return there
	}
	return filepath.Join("runs", prefix+r.Started.Format("20060102-150405.000"))
}

// unfinished gives the latest directory there that holds the same experiment without
// its end; "" for none.
func unfinished(dir, prefix string, r *study.Record) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	slices.Reverse(entries) // names end in the time
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		there, err := study.ReadRecord(name)
		if err != nil || r.Differences(there) != nil {
			continue
		}
		if e, err := study.Open(name); err == nil && e.Ended() {
			continue
		}
		return name
	}
	return ""
}

// experimenting is a command's experiment while it goes on.
type experimenting struct {
	journal *experiment.Journal
	lab     *lab
	ctx     context.Context
	plan    *scenario.Plan
	s       streams
	end     func()
}

// begin opens the experiment's directory and sets up what trials need.
func (f *experimentFlags) begin(r study.Record, plan *scenario.Plan, s streams) (*experimenting, error) {
	if err := pin(f.cpus, plan); err != nil {
		return nil, err
	}
	if f.cpus != "" {
		r.Options = append(r.Options, study.Setting{Name: "--cpus", Value: f.cpus})
	}
	dir := f.place(&r)
	ctx, cancel := context.WithCancel(context.Background())
	l := &lab{dir: dir, warn: func(w string) { fmt.Fprintf(s.err, "warning: %s\n", results.Escape(w)) }}
	journal, err := experiment.Open(dir, r, l)
	if err != nil {
		cancel()
		return nil, experimentExit(err)
	}
	l.stop = interrupts(cancel, s)
	journal.Stop = l.stop
	journal.Tell = func(e experiment.Event) { progress(s, e) }
	if journal.Resumed {
		fmt.Fprintf(s.err, "going on with the experiment in %s\n", dir)
	} else {
		fmt.Fprintf(s.err, "experiment in %s\n", dir)
	}
	return &experimenting{journal: journal, lab: l, ctx: ctx, plan: plan, s: s, end: func() { l.close(); cancel(); _ = journal.Close() }}, nil
}

// head is what every answer begins with.
func (e *experimenting) head(h *study.Head, err error) {
	j := e.journal
	h.Format, h.Volley, h.Name, h.Seed = study.Format, fullVersion(), j.Record.Name, j.Record.Seed
	h.Dialect, h.Bundled = e.plan.Target.Dialect, e.plan.Target.URL == "" && len(e.plan.Target.Command) == 0
	h.Started, h.Finished, h.Dir = j.Record.Started, time.Now().UTC().Round(0), j.Dir
	h.Environment = environment(&e.plan.Target)
	if h.Status == "" {
		h.Status = study.Finished
	}
	if errors.Is(err, experiment.ErrInterrupted) {
		h.Status = study.Interrupted
	}
	h.Warnings = append(slices.Concat(e.plan.Warnings, h.Warnings), j.Notes()...)
	if h.Warnings == nil {
		h.Warnings = []string{}
	}
}

// finish stores and prints the answer; err is what the experiment ended with.
func (e *experimenting) finish(answer any, err error, asJSON bool, text func() error) error {
	if err != nil && !errors.Is(err, experiment.ErrInterrupted) {
		return experimentExit(err)
	}
	if err := study.Write(e.journal.Dir, e.journal.Record.Kind, answer); err != nil {
		return ours(err)
	}
	if asJSON {
		enc := json.NewEncoder(e.s.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(answer); err != nil {
			return ours(err)
		}
	} else if err := text(); err != nil {
		return ours(err)
	}
	if err != nil {
		fmt.Fprintf(e.s.err, "interrupted: the same command goes on with it; it is in %s\n", e.journal.Dir)
		return &exit{code: exitInterrupted}
	}
	return nil
}

// experimentExit picks the exit code of what an experiment ended with.
func experimentExit(err error) error {
	var known *exit
	var conflict *experiment.Conflict
	var inUse *experiment.InUse
	var damaged *experiment.Damaged
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &conflict):
		return &exit{exitUsage, fmt.Errorf("--out: %w", conflict)}
	case errors.As(err, &inUse):
		return &exit{exitUsage, fmt.Errorf("--out: %w", inUse)}
	case errors.As(err, &damaged):
		return &exit{exitUsage, err}
	case errors.Is(err, experiment.ErrNoLoad):
		return &exit{exitUnreachable, err}
	case errors.Is(err, experiment.ErrInterrupted):
		return &exit{code: exitInterrupted}
	case errors.Is(err, fs.ErrExist):
		return &exit{exitUsage, fmt.Errorf("--out: %w", err)}
	}
	return ours(err)
}

// progress tells of a trial, at its start and at its end.
func progress(s streams, e experiment.Event) {
	if e.Shows != "" {
		if !e.Trial.Void {
			fmt.Fprintf(s.err, "trial %d: %s\n", e.N, results.Escape(e.Shows))
		}
		return
	}
	what := results.Escape(study.Text(e.Spec.Settings))
	if e.Spec.Purpose != "" {
		what += " (" + e.Spec.Purpose + ")"
	}
	if e.Trial == nil {
		left := ""
		if e.Left > 0 {
			left = "; about " + about(e.Left) + " left"
		}
		fmt.Fprintf(s.err, "trial %d: %s for %s%s\n", e.N, what, results.Seconds(measuredFor(e.Spec.Plan).Seconds()), left)
		return
	}
	m := &e.Summary.Measured
	words := fmt.Sprintf("%s entries/s, p50 %s, p99 %s", results.Rate(m.Achieved.EntriesPerS), results.Micros(float64(m.Response.P50)), results.Micros(float64(m.Response.P99)))
	if e.Trial.Void {
		words = "VOID: " + results.Escape(e.Trial.Reason)
	}
	if e.Kept {
		words += " (kept)"
	}
	fmt.Fprintf(s.err, "trial %d: %s\n", e.N, words)
	for _, n := range e.Trial.Notes {
		fmt.Fprintf(s.err, "trial %d: %s\n", e.N, results.Escape(n))
	}
}

func measuredFor(p *scenario.Plan) (length time.Duration) {
	for _, ph := range p.Phases {
		if ph.Measured {
			length += ph.For
		}
	}
	return length
}

// about is a time as one says it.
func about(d time.Duration) string {
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < 10*time.Minute:
		return d.Round(10 * time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

// searchVerdict is the exit code of a search that was not interrupted.
func searchVerdict(a *study.Search) error {
	switch a.Answer {
	case search.NoLoad:
		return &exit{code: exitMissed}
	case search.AllVoid:
		return &exit{code: exitVoid}
	}
	if a.Lower == nil {
		return &exit{code: exitVoid}
	}
	return nil
}
