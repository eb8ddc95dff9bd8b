package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"volley/results"
	"volley/results/study"
)

// ErrInterrupted is why an experiment that was told to stop has no full answer. Its
// finished trials are kept.
var ErrInterrupted = errors.New("the experiment was interrupted")

// Conflict says that a directory holds another experiment.
type Conflict struct {
	Dir         string
	Differences []string
}

func (e *Conflict) Error() string {
	return fmt.Sprintf("%s holds another experiment: %s; choose another directory, or give the same command to go on with it",
		e.Dir, strings.Join(e.Differences, "; "))
}

// Event is what an experiment tells as it goes on.
type Event struct {
	N    int
	Spec *Spec
	Left time.Duration // what is still to come, this trial included; 0: not known
	// Trial is the finished trial, nil at its start. Kept says that it was found there.
	Trial   *study.Trial
	Summary *results.Summary // of the finished trial
	Kept    bool
	// Shows is what a search takes the finished trial for; told after the trial itself.
	Shows string
}

// Journal is an experiment's directory while it goes on. It is for one goroutine.
type Journal struct {
	Dir    string
	Record study.Record
	// Resumed: the directory held this experiment already.
	Resumed bool
	Lab     Lab
	// Stop, when closed, ends the experiment: no further trial is begun, and one that
	// the lab ends early for the same reason does not count.
	Stop <-chan struct{}
	Tell func(Event) // may be nil

	unlock func() error
	n      int // trials so far
	notes  []string
	timing timing
}

// Damaged says that a stored trial, or the experiment's own record, cannot be read.
type Damaged struct {
	Dir string // of the trial, or of the experiment
	Err error
}

func (e *Damaged) Error() string {
	if filepath.Base(filepath.Dir(e.Dir)) == filepath.Dir(study.TrialDir("", 1)) {
		return fmt.Sprintf("a stored trial is damaged: %v; remove %s to have it made again", e.Err, e.Dir)
	}
	return fmt.Sprintf("the stored experiment is damaged: %v; choose another directory", e.Err)
}

func (e *Damaged) Unwrap() error { return e.Err }

// InUse says that another process is at work on an experiment's directory.
type InUse struct{ Dir string }

func (e *InUse) Error() string {
	return fmt.Sprintf("another volley is at work in %s: wait for it, or give another directory", e.Dir)
}

// Open begins an experiment in dir, or goes on with it when dir holds the same one. Until
// Close it is this process's alone. The error is a *Conflict when dir holds another
// experiment, and *InUse when another process is at work there.
func Open(dir string, r study.Record, lab Lab) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	unlock, ok, err := results.Lock(dir)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, &InUse{dir}
	}
	j, err := open(dir, r, lab)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	j.unlock = unlock
	return j, nil
}

// Close leaves the directory to others.
func (j *Journal) Close() error { return j.unlock() }

func open(dir string, r study.Record, lab Lab) (*Journal, error) {
	j := &Journal{Dir: dir, Record: r, Lab: lab}
	there, err := study.ReadRecord(dir)
	switch {
	case err == nil:
		if differ := r.Differences(there); differ != nil {
			return nil, &Conflict{Dir: dir, Differences: differ}
		}
		j.Record.Started, j.Resumed = there.Started, true
		if there.Volley != r.Volley {
			j.notes = append(j.notes, fmt.Sprintf("the experiment was begun by volley %s and goes on with %s: trials of both, and of the bundled node in both, are taken together", there.Volley, r.Volley))
		}
		return j, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, &Damaged{dir, err}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		// A write of the record that was cut off leaves its temporary file.
		if !strings.HasSuffix(e.Name(), ".tmp") {
			return nil, &Conflict{Dir: dir, Differences: []string{"it is not empty and has no experiment.json"}}
		}
	}
	return j, study.WriteRecord(dir, &j.Record)
}

// key tells what a spec runs: equal keys, equal trials.
func (s *Spec) key() (string, error) {
	h := sha256.New()
	text, err := s.Plan.YAML()
	if err != nil {
		return "", err
	}
	h.Write(text)
	if s.Probe != nil {
		if text, err = s.Probe.YAML(); err != nil {
			return "", err
		}
		h.Write(text)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Placeholders)) {
		fmt.Fprintf(h, "%q=%q\n", name, s.Placeholders[name])
	}
	fmt.Fprintf(h, "%s\n%s\n", s.Purpose, study.Text(s.Settings))
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Do makes the next trial, or takes it from the directory where it is stored. left
// is what is still to come, as Event.Left. The error is ErrInterrupted when the
// experiment was told to stop, also in the middle of the trial.
func (j *Journal) Do(ctx context.Context, s *Spec, left time.Duration) (*study.Trial, error) {
	j.n++
	key, err := s.key()
	if err != nil {
		return nil, err
	}
	dir := study.TrialDir(j.Dir, j.n)
	if t, err := j.kept(dir, key, s); t != nil || err != nil {
		return t, err
	}
	if j.stopped(ctx) {
		return nil, ErrInterrupted
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	j.tell(Event{N: j.n, Spec: s, Left: j.timing.scale(left)})
	started := time.Now()
	t := &study.Trial{
		Format: study.Format, N: j.n, Key: key, Purpose: s.Purpose, Settings: s.Settings,
		Load: s.Load, Block: s.Block, Started: started.UTC().Round(0), Dir: dir,
	}
	notes, err := j.Lab.Prepare(ctx, s)
	if err != nil {
		return nil, j.orInterrupted(ctx, err)
	}
	for _, n := range notes {
		t.Notes = append(t.Notes, n.Text)
		t.NotIdle = t.NotIdle || n.NotIdle
	}
	if j.stopped(ctx) {
		return nil, ErrInterrupted
	}
	made, err := j.Lab.Run(ctx, s, dir)
	if err != nil {
		return nil, j.orInterrupted(ctx, err)
	}
	if made.Summary.Status == results.Interrupted || j.stopped(ctx) && made.Summary.Status != results.Finished {
		return nil, ErrInterrupted
	}
	t.TookS = time.Since(started).Seconds()
	t.NodeCPUS, t.Probe = made.NodeCPU, made.Probed
	t.Void, t.Reason = void(&made.Summary)
	if s.Purpose == "" && overwhelmed(&made.Summary) {
		t.Notes = append(t.Notes, "the node did not take the rate: "+made.Summary.VoidReason)
	}
	if err := study.WriteTrial(t); err != nil {
		return nil, err
	}
	j.timing.add(s.Length(), t.TookS)
	j.tell(Event{N: j.n, Spec: s, Trial: t, Summary: &made.Summary})
	return t, nil
}

// kept gives the stored trial in dir; it must be what s asks for. One without an end
// was cut off, and is removed.
func (j *Journal) kept(dir, key string, s *Spec) (*study.Trial, error) {
	t, err := study.ReadTrial(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, &Damaged{dir, err}
	case t.Key == key && t.N == j.n:
		run, err := results.Open(dir)
		if err != nil {
			return nil, &Damaged{dir, err}
		}
		j.timing.add(s.Length(), t.TookS)
		j.tell(Event{N: j.n, Spec: s, Trial: t, Summary: &run.Summary, Kept: true})
		return t, nil
	default:
		return nil, &Conflict{Dir: j.Dir, Differences: []string{fmt.Sprintf("its trial %d is of another plan, as another version of the program may have made it", j.n)}}
	}
	return nil, os.RemoveAll(dir)
}

// measure reads a finished trial.
func measure(t *study.Trial) (*study.Measured, error) {
	m, err := study.Measure(t)
	if err != nil {
		return nil, &Damaged{t.Dir, err}
	}
	return m, nil
}

// Repeats is how often a void trial is made again.
const Repeats = 3

// DoRepeated is Do, made again while the trial is void, up to Repeats times. The
// last one is returned, void or not, with how many before it were.
func (j *Journal) DoRepeated(ctx context.Context, s *Spec, left time.Duration) (t *study.Trial, voids int, err error) {
	for {
		t, err = j.Do(ctx, s, left)
		if err != nil || !t.Void || voids == Repeats {
			return t, voids, err
		}
		voids++
	}
}

// void tells whether the generator is to blame for what a run's figures are worth.
// A rate that was not reached because every caller was waiting for the node is the
// node's doing.
func void(s *results.Summary) (bool, string) {
	if s.Status != results.Void || overwhelmed(s) {
		return false, ""
	}
	return true, s.VoidReason
}

// overwhelmed tells that the rate was not reached for want of free callers, all of
// which were waiting for the node.
func overwhelmed(s *results.Summary) bool {
	if s.VoidCause != results.VoidRate {
		return false
	}
	var held, waited uint64
	for i := range s.Phases {
		if s.Phases[i].Measured {
			held += s.Phases[i].Held
			waited += s.Phases[i].OverBound + s.Phases[i].Unsent
		}
	}
	return held <= waited
}

// Notes are what is to be known of trials' preparations, each trial named.
func (j *Journal) Notes() []string { return j.notes }

func (j *Journal) tell(e Event) {
	if e.Trial != nil && e.Shows == "" {
		for _, n := range e.Trial.Notes {
			j.notes = append(j.notes, fmt.Sprintf("trial %d: %s", e.N, n))
		}
	}
	if j.Tell != nil {
		j.Tell(e)
	}
}

func (j *Journal) stopped(ctx context.Context) bool {
	select {
	case <-j.Stop:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// orInterrupted is err, unless it came of being told to stop.
func (j *Journal) orInterrupted(ctx context.Context, err error) error {
	if j.stopped(ctx) {
		return ErrInterrupted
	}
	return err
}

// timing learns how much longer trials take than their plans.
type timing struct{ planned, took float64 }

func (t *timing) add(planned time.Duration, tookS float64) {
	t.planned += planned.Seconds()
	t.took += tookS
}

func (t *timing) scale(left time.Duration) time.Duration {
	if t.planned <= 0 || t.took <= 0 {
		return left
	}
	return time.Duration(float64(left) * t.took / t.planned)
}
