package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Run is a stored run.
type Run struct {
	Dir     string
	Meta    Meta
	Summary Summary
	// Cut: the run never wrote its end, as it was killed. Its Summary, like that of a
	// run whose Status is Running, is made of what its intervals tell.
	Cut bool
}

// Open reads a run directory. A run that was killed is read up to its last whole
// interval, and so is one that still goes on (Status Running), where the system has
// the locks to tell them apart. A damaged line in the middle of a file is an error
// that names it.
func Open(dir string) (*Run, error) {
	s, err := readSummary(dir)
	if err != nil {
		return nil, err
	}
	going := s.Status == Running && locked(filepath.Join(dir, lockedFile))
	if s.Status == Running && !going {
		// It may have ended in between.
		if s, err = readSummary(dir); err != nil {
			return nil, err
		}
	}
	r := &Run{Dir: dir, Summary: s, Meta: metaOf(&s), Cut: s.Status == Running && !going}
	r.Summary.Dir = dir
	if plan, err := os.ReadFile(filepath.Join(dir, "plan.yaml")); err == nil {
		r.Meta.Plan = bytes.TrimPrefix(plan, []byte(planHead))
	}
	if going || r.Cut {
		return r, r.soFar()
	}
	return r, nil
}

func readSummary(dir string) (Summary, error) {
	name := filepath.Join(dir, "run.json")
	data, err := os.ReadFile(name)
	if err != nil {
		return Summary{}, noRun(dir, err)
	}
	s, err := parseSummary(data)
	if err != nil {
		return Summary{}, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// noRun says why dir cannot be read as a run.
func noRun(dir string, err error) error {
	info, e := os.Stat(dir)
	switch {
	case errors.Is(e, fs.ErrNotExist), errors.Is(e, syscall.ENOTDIR):
		return fmt.Errorf("%s does not exist: name the directory that a run was written to", dir)
	case e == nil && !info.IsDir():
		if _, e := os.Stat(filepath.Join(filepath.Dir(dir), "run.json")); e == nil {
			return fmt.Errorf("%s is not a run directory: name the one that it is in, %s", dir, filepath.Dir(dir))
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return fmt.Errorf("%s is not a run directory: it has no run.json", dir)
}

// parseSummary reads run.json.
func parseSummary(data []byte) (Summary, error) {
	var f struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return Summary{}, err
	}
	if err := checkFormat(f.Format); err != nil {
		return Summary{}, err
	}
	var s Summary
	if err := json.Unmarshal(data, &s); err != nil {
		return Summary{}, err
	}
	return s, nil
}

// metaOf gives the Meta that the summary was made from, without the plan.
func metaOf(s *Summary) Meta {
	m := Meta{
		Volley: s.Volley, Name: s.Name, Seed: s.Seed, Started: s.Started,
		Dialect: s.Dialect, URL: s.URL, Bundled: s.Bundled, Environment: s.Environment,
		Rows: s.Rows, Form: s.Form,
	}
	for _, p := range s.Phases {
		to := p.Target.Value
		if p.Target.To != nil {
			to = *p.Target.To
		}
		m.Phases = append(m.Phases, PhaseMeta{
			Name: p.Name, Measured: p.Measured, Value: p.Target.Value, To: to, Unit: p.Target.Unit,
			Arrivals: p.Arrivals, For: time.Duration(p.ForS*1e9 + 0.5),
		})
	}
	if c := s.Correlation; c != nil {
		m.Names, m.BatchLimit, m.LargestBatch = namesOf(c), c.Limit, c.Largest
	}
	for _, o := range s.Objectives {
		m.Objectives = append(m.Objectives, Objective{Text: o.Text, Metric: o.Metric, Stat: o.Stat, Op: o.Op, Limit: o.Limit})
	}
	return m
}

// soFar makes the summary of a run that did not write its own.
func (r *Run) soFar() error {
	a, notes, err := r.read()
	if err != nil {
		return err
	}
	end := End{Status: Running}
	if r.Cut {
		end = End{Status: Cut, Finished: r.Meta.Started, Warnings: notes}
		if !a.Wall.IsZero() {
			end.Finished = a.Wall
		}
	}
	if r.Summary.Correlation != nil {
		c, err := r.Correlator()
		if err != nil {
			end.Warnings = append(end.Warnings, fmt.Sprintf("the node's side is left out: %v", err))
		} else {
			end.Correlation = c.Report()
		}
	}
	r.Summary = Summarise(r.Meta, a, end)
	r.Summary.Dir = r.Dir
	return nil
}

// Aggregate adds up the run's intervals.
func (r *Run) Aggregate() (*Aggregate, error) {
	a, _, err := r.read()
	return a, err
}

// Whole is Aggregate of a run that is over: intervals that do not come to as many calls
// as its account are an error.
func (r *Run) Whole() (*Aggregate, error) {
	a, err := r.Aggregate()
	if err != nil || r.Summary.Partial() {
		return a, err
	}
	all := a.Total(func(int) bool { return true })
	return a, r.Tells(all.Calls)
}

// Tells is an error when a run that is over is told of by its intervals with another
// number of calls, in all phases, than by its account: a file of it was changed.
func (r *Run) Tells(calls uint64) error {
	if r.Summary.Partial() || calls == r.Summary.Totals.Calls {
		return nil
	}
	return fmt.Errorf("%s: damaged: intervals.jsonl and latency.hlog tell of %d calls, run.json of %d", r.Dir, calls, r.Summary.Totals.Calls)
}

func (r *Run) read() (a *Aggregate, notes []string, err error) {
	a = &Aggregate{Plan: r.Meta.Phases}
	for s, err := range r.snapshots(func(note string) { notes = append(notes, note) }) {
		if err != nil {
			return nil, nil, err
		}
		a.Add(s)
	}
	return a, notes, nil
}

// Snapshots gives the run's intervals in order. A torn end of a file ends them
// silently; an error is the last thing given.
func (r *Run) Snapshots() iter.Seq2[*Snapshot, error] {
	return r.snapshots(func(string) {})
}

func (r *Run) snapshots(note func(string)) iter.Seq2[*Snapshot, error] {
	return func(yield func(*Snapshot, error) bool) {
		hlog, err := openHlog(filepath.Join(r.Dir, "latency.hlog"), phaseTags(r.Meta.Phases))
		if r.Summary.Partial() && errors.Is(err, fs.ErrNotExist) {
			note("latency.hlog was not begun")
			return
		}
		if err != nil {
			yield(nil, err)
			return
		}
		defer hlog.close()
		name := filepath.Join(r.Dir, "intervals.jsonl")
		err = eachLine(name, intervalsFile, note, func(line []byte) error {
			s, end, err := parseInterval(line, len(r.Meta.Phases))
			if err != nil {
				return err
			}
			if err := hlog.upTo(end, &s); err != nil {
				return err
			}
			if !yield(&s, nil) {
				return errStop
			}
			return nil
		})
		if r.Summary.Partial() && errors.Is(err, fs.ErrNotExist) {
			note("intervals.jsonl was not begun")
			return
		}
		if err == nil && hlog.short {
			note("latency.hlog ends in the middle: its last distributions are missing from the percentiles")
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

var errStop = errors.New("stop")

// located is an error that already says where it is.
type located struct{ error }

// eachLine gives every whole line after the header. A last line that was torn off
// is told by note and passed over.
func eachLine(name, what string, note func(string), do func(line []byte) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		switch {
		case err == io.EOF:
			if len(line) > 0 {
				note(fmt.Sprintf("%s ends in the middle of line %d, which is left out", filepath.Base(name), n))
			}
			return nil
		case err != nil:
			return err
		}
		if n == 1 {
			err = parseHeader(line, what)
		} else {
			err = do(line)
		}
		if err != nil {
			if _, ok := errors.AsType[located](err); ok || errors.Is(err, errStop) {
				return err
			}
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
}

// hlogReader reads latency.hlog beside intervals.jsonl.
type hlogReader struct {
	name  string
	f     *os.File
	in    *bufio.Reader
	tags  []string
	at    int64 // bytes read
	line  int
	short bool // the file ended before an interval's distributions did
}

func openHlog(name string, tags []string) (*hlogReader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &hlogReader{name: name, f: f, in: bufio.NewReader(f), tags: tags}, nil
}

func (r *hlogReader) close() { r.f.Close() }

// upTo reads the lines up to that offset into s.
func (r *hlogReader) upTo(end int64, s *Snapshot) error {
	for r.at < end && !r.short {
		text, err := r.in.ReadBytes('\n')
		if err == io.EOF {
			r.short = true
			return nil
		}
		if err != nil {
			return err
		}
		r.at += int64(len(text))
		r.line++
		l, err := parseHlog(bytes.TrimSuffix(text, []byte("\n")))
		if err == nil && l.h != nil {
			err = l.addTo(s, r.tags)
		}
		if err != nil {
			return located{fmt.Errorf("%s:%d: %w", r.name, r.line, err)}
		}
	}
	return nil
}
