package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Writer writes a run directory as the run goes on, straight to its files, so
// that a killed run can be read up to its last whole interval. Where the system has
// locks it holds one until Close, so that Open can tell a run that goes on from a
// killed one. Interval and Node
// may be called at the same time, each from one goroutine. An error from any of
// them means that the record is no longer whole: the run must stop.
type Writer struct {
	dir       string
	phases    []PhaseMeta
	tags      []string
	hlog      *os.File
	intervals *os.File
	node      *os.File
	nodeRows  nodeRows
	log       *os.File
	hlogEnd   int64

	gathered  Breakdown // of intervals that were written without theirs
	gathering int       // how many those are
}

// Create makes a run directory and writes what is known before the run:
// plan.yaml and run.json, with the status "running". It refuses a directory that
// holds anything (an error that is fs.ErrExist), and makes sure that files can be
// written there.
func Create(dir string, m Meta) (w *Writer, err error) {
	if err := makeEmpty(dir); err != nil {
		return nil, err
	}
	if err := probe(dir); err != nil {
		return nil, fmt.Errorf("%s cannot take a run: %w", dir, err)
	}
	w = &Writer{dir: dir, phases: m.Phases, tags: phaseTags(m.Phases)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if err := writeWhole(filepath.Join(dir, "plan.yaml"), append([]byte(planHead), m.Plan...)); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		to   **os.File
		name string
	}{
		{&w.hlog, "latency.hlog"}, {&w.intervals, lockedFile}, {&w.node, "node.jsonl"}, {&w.log, "node.log"},
	} {
		if *f.to, err = os.OpenFile(filepath.Join(dir, f.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644); err != nil {
			return nil, err
		}
	}
	lock(w.intervals) // before there is a run.json, by which readers go
	head := hlogHead(m.Started)
	w.hlogEnd = int64(len(head))
	if _, err := w.hlog.Write(head); err != nil {
		return nil, err
	}
	if err := writeLine(w.intervals, header{Format, intervalsFile}); err != nil {
		return nil, err
	}
	if err := writeLine(w.node, header{Format, nodeFile}); err != nil {
		return nil, err
	}
	if err := w.summary(Summarise(m, &Aggregate{}, End{Status: Running})); err != nil {
		return nil, err
	}
	return w, nil
}

// lockedFile is the one that the Writer's lock is on.
const lockedFile = "intervals.jsonl"

// planHead tells what plan.yaml is. The file is a scenario like any other.
const planHead = "# volley: the effective plan of this run (format 1)\n"

func makeEmpty(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, "run.json")); err == nil {
		return &taken{dir + " holds a run already: choose another directory, or remove it"}
	}
	return &taken{dir + " is not empty: choose another directory"}
}

// taken says that a directory is in use.
type taken struct{ text string }

func (e *taken) Error() string        { return e.text }
func (e *taken) Is(target error) bool { return target == fs.ErrExist }

// probeSize is what must fit on the disk for a run to begin: about an hour of a
// plain plan.
const probeSize = 1 << 20

func probe(dir string) error {
	name := filepath.Join(dir, ".probe")
	defer os.Remove(name)
	return writeWhole(name, bytes.Repeat([]byte{0xa5}, probeSize))
}

// writeWhole writes a file such that its name never stands for half of it.
func writeWhole(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func writeLine(f *os.File, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	_, err = f.Write(append(b, '\n'))
	return err
}

// Interval writes one snapshot. It keeps nothing of it.
func (w *Writer) Interval(s *Snapshot) error {
	for i := range s.Phases {
		if p := s.Phases[i].Phase; p < 0 || p >= len(w.phases) {
			return fmt.Errorf("a snapshot of phase %d: the plan has %d", p, len(w.phases))
		}
	}
	for c := range s.Breakdown.Cells() {
		if c.Phase >= len(w.phases) {
			return fmt.Errorf("a breakdown of phase %d: the plan has %d", c.Phase, len(w.phases))
		}
	}
	s = w.thinned(s)
	lines, err := appendHlog(nil, s, w.tags)
	if err != nil {
		return err
	}
	if _, err := w.hlog.Write(lines); err != nil {
		return err
	}
	w.hlogEnd += int64(len(lines))
	return writeLine(w.intervals, rowOf(s, w.phases, w.hlogEnd))
}

// A cell takes some 220 bytes of an interval's record, mostly for its distribution, so
// that a long run writes it seldom: after wholeBreakdown, with every gatherOver-th
// interval, for all of them. What came since is lost where the run is killed. The last
// intervals, when the plan is over, are written with theirs.
const (
	wholeBreakdown = 10 * time.Minute
	gatherOver     = 10
)

// thinned gives the snapshot with the breakdown that is to be written with it.
func (w *Writer) thinned(s *Snapshot) *Snapshot {
	if s.End <= wholeBreakdown {
		return s
	}
	w.gathered.Merge(&s.Breakdown)
	w.gathering++
	out := *s
	out.Breakdown = Breakdown{}
	if s.Current >= len(w.phases) || w.gathering == gatherOver {
		out.Breakdown, w.gathered, w.gathering = w.gathered, Breakdown{}, 0
	}
	return &out
}

// Node writes one scrape of the node's metrics, or what of it is new. Values that are
// not finite are left out: JSON has no word for them.
func (w *Writer) Node(s NodeSample) error { return writeLine(w.node, w.nodeRows.row(s)) }

// NodeLog is where the node's own log goes; it is closed by Close.
func (w *Writer) NodeLog() (*os.File, error) {
	if w.log == nil {
		return nil, fs.ErrClosed
	}
	return w.log, nil
}

// Finish writes the final run.json.
func (w *Writer) Finish(s Summary) error { return w.summary(s) }

func (w *Writer) summary(s Summary) error {
	var b bytes.Buffer
	if err := s.WriteJSON(&b); err != nil {
		return err
	}
	return writeWhole(filepath.Join(w.dir, "run.json"), b.Bytes())
}

// Close closes the directory's files. Without Finish before it the run counts as
// cut off.
func (w *Writer) Close() error {
	var err error
	for _, f := range []**os.File{&w.hlog, &w.intervals, &w.node, &w.log} {
		if *f != nil {
			err = errors.Join(err, (*f).Close())
			*f = nil
		}
	}
	return err
}
