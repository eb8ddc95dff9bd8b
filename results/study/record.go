package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Format is the version of the files that this package writes.
const Format = 1

// Kind is what an experiment asks.
type Kind string

// The kinds. Each has its answer in the file that File names.
const (
	SearchKind  Kind = "search"
	SweepKind   Kind = "sweep"
	CompareKind Kind = "compare"
)

// File is the name of the answer's file in the experiment's directory.
func (k Kind) File() string { return string(k) + ".json" }

// Record is experiment.json: what was asked. Two records of the same question are
// equal but for Volley and Started.
type Record struct {
	Format   int       `json:"format"`
	Kind     Kind      `json:"kind"`
	Volley   string    `json:"volley"`
	Name     string    `json:"name"` // the scenario's
	Started  time.Time `json:"started"`
	Scenario string    `json:"scenario_sha256"` // of the effective plan, before anything is varied
	Seed     uint64    `json:"seed"`
	Options  []Setting `json:"options"` // as a user would write them, in a fixed order
	// Order is that of the trials where it is known beforehand: each trial's settings
	// as text. A search chooses its trials as it goes.
	Order []string `json:"order,omitempty"`
}

// Setting is a name and a value, as a user writes them.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Text joins settings as a person reads them: "size=10 form=batch".
func Text(settings []Setting) string {
	words := make([]string, len(settings))
	for i, s := range settings {
		words[i] = s.Name + "=" + s.Value
	}
	return strings.Join(words, " ")
}

// Differences names what r asks otherwise than other, one sentence each; none when
// both ask the same.
func (r *Record) Differences(other *Record) (all []string) {
	differ := func(what, there, here string) {
		if there != here {
			all = append(all, fmt.Sprintf("%s is %s there, %s here", what, orNothing(there), orNothing(here)))
		}
	}
	differ("the command", string(other.Kind), string(r.Kind))
	differ("the scenario's name", other.Name, r.Name)
	differ("the seed", fmt.Sprint(other.Seed), fmt.Sprint(r.Seed))
	values := func(settings []Setting, name string) string {
		for _, s := range settings {
			if s.Name == name {
				return s.Value
			}
		}
		return ""
	}
	var names []string
	for _, s := range slices.Concat(other.Options, r.Options) {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
			differ(s.Name, values(other.Options, s.Name), values(r.Options, s.Name))
		}
	}
	if len(all) == 0 && other.Scenario != r.Scenario {
		all = append(all, "the scenario's contents differ")
	}
	if len(all) == 0 && !slices.Equal(other.Order, r.Order) {
		all = append(all, "the order of the trials differs")
	}
	return all
}

func orNothing(s string) string {
	if s == "" {
		return "not given"
	}
	return s
}

// Trial is trial.json: what there is to know of a finished trial besides its run
// directory.
type Trial struct {
	Format int `json:"format"`
	N      int `json:"n"` // from 1, in the order they were made
	// Key tells what was run: equal keys, equal plans.
	Key      string    `json:"key"`
	Purpose  string    `json:"purpose,omitempty"` // why a search made it
	Settings []Setting `json:"settings,omitempty"`
	Load     float64   `json:"load,omitempty"` // of a search, in its unit
	Block    int       `json:"block,omitempty"`
	Started  time.Time `json:"started"`
	TookS    float64   `json:"took_s"` // from the node's preparation to its end
	// Void says that the generator and not the node failed: the trial counts nowhere.
	// Reason says why.
	Void   bool   `json:"void,omitempty"`
	Reason string `json:"reason,omitempty"`
	// NodeCPUS is the node's own CPU time over the whole run, warm-up included; null
	// where its metrics do not tell it.
	NodeCPUS *float64 `json:"node_cpu_s"`
	Notes    []string `json:"notes,omitempty"`    // of its preparation
	NotIdle  bool     `json:"not_idle,omitempty"` // the node's gauges were not at rest before it
	Probe    bool     `json:"probe,omitempty"`    // its probe's run is stored below it

	Dir string `json:"-"` // the run directory
}

const (
	recordFile = "experiment.json"
	trialFile  = "trial.json"
	trialsDir  = "trials"
	probeDir   = "probe"
)

// TrialDir is where trial n of the experiment in dir is stored.
func TrialDir(dir string, n int) string { return filepath.Join(dir, trialsDir, fmt.Sprintf("%03d", n)) }

// ProbeDir is where the probe's run beside the trial in that directory is stored.
func ProbeDir(trial string) string { return filepath.Join(trial, probeDir) }

// WriteRecord writes experiment.json.
func WriteRecord(dir string, r *Record) error { return writeJSON(filepath.Join(dir, recordFile), r) }

// ReadRecord reads experiment.json; the error is fs.ErrNotExist where dir has none.
func ReadRecord(dir string) (*Record, error) {
	var r Record
	if err := readJSON(filepath.Join(dir, recordFile), &r, func() int { return r.Format }); err != nil {
		return nil, err
	}
	return &r, nil
}

// WriteTrial finishes the trial in t.Dir.
func WriteTrial(t *Trial) error { return writeJSON(filepath.Join(t.Dir, trialFile), t) }

// ReadTrial reads the trial in a directory; the error is fs.ErrNotExist for one that
// was not finished.
func ReadTrial(dir string) (*Trial, error) {
	t := &Trial{Dir: dir}
	if err := readJSON(filepath.Join(dir, trialFile), t, func() int { return t.Format }); err != nil {
		return nil, err
	}
	return t, nil
}

// Experiment is a stored experiment. Of the answers one is there, none while the
// experiment goes on or when it was cut off.
type Experiment struct {
	Dir     string
	Record  Record
	Trials  []Trial // the finished ones
	Search  *Search
	Sweep   *Sweep
	Compare *Compare
}

// Ended tells whether the answer is there and is no longer one to go on with.
func (e *Experiment) Ended() bool {
	switch {
	case e.Search != nil:
		return e.Search.Status != Interrupted
	case e.Sweep != nil:
		return e.Sweep.Status != Interrupted
	case e.Compare != nil:
		return e.Compare.Status != Interrupted
	}
	return false
}

// Open reads an experiment's directory.
func Open(dir string) (*Experiment, error) {
	record, err := ReadRecord(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not an experiment's directory: it has no %s", dir, recordFile)
	}
	if err != nil {
		return nil, err
	}
	e := &Experiment{Dir: dir, Record: *record}
	for n := 1; ; n++ {
		t, err := ReadTrial(TrialDir(dir, n))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		e.Trials = append(e.Trials, *t)
	}
	name := filepath.Join(dir, record.Kind.File())
	switch record.Kind {
	case SearchKind:
		e.Search, err = readAnswer[Search](name)
	case SweepKind:
		e.Sweep, err = readAnswer[Sweep](name)
	case CompareKind:
		e.Compare, err = readAnswer[Compare](name)
	default:
		err = fmt.Errorf("%s: kind %q is none that this volley knows", filepath.Join(dir, recordFile), record.Kind)
	}
	return e, err
}

// readAnswer reads an answer's file; nil where there is none yet.
func readAnswer[A any](name string) (*A, error) {
	var head struct {
		Format int `json:"format"`
	}
	err := readJSON(name, &head, func() int { return head.Format })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a := new(A)
	return a, readJSON(name, a, func() int { return head.Format })
}

// Write stores the answer of an experiment: a *Search, *Sweep or *Compare.
func Write(dir string, kind Kind, answer any) error {
	return writeJSON(filepath.Join(dir, kind.File()), answer)
}

func readJSON(name string, into any, format func() int) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	switch f := format(); {
	case f > Format:
		return fmt.Errorf("%s: format %d is newer than this volley reads (%d): use a newer volley", name, f, Format)
	case f < 1:
		return fmt.Errorf("%s: format %d is none", name, f)
	}
	return nil
}

// writeJSON writes a file such that its name never stands for half of it.
func writeJSON(name string, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(text.Bytes())
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
