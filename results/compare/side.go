package compare

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"volley/results"
	"volley/results/study"
)

// Side is one of the two that are compared: its runs, in the order in which they are
// paired.
type Side struct {
	Label      string // what it is, for people
	Experiment string // the directory of the experiment that made all of its runs; "": none did
	Runs       []*Run
}

// Open reads a side. Each of the names is
//
//   - a run directory,
//   - a directory that holds run directories, all of which are taken, by their start,
//   - DIR:SETTING=VALUE,... for what a sweep measured of one combination of settings;
//     settings that have the same value in all of its combinations may be left out,
//   - DIR:a or DIR:b for an arm of a stored comparison.
func Open(names []string) (*Side, error) {
	s := &Side{Label: strings.Join(names, " ")}
	for i, name := range names {
		dir, selector, err := split(name)
		if err != nil {
			return nil, err
		}
		var more []*Run
		if selector != "" {
			more, err = trials(dir, selector)
			if i == 0 && len(names) == 1 {
				s.Experiment = filepath.Clean(dir)
			}
		} else {
			more, err = runs(dir)
		}
		if err != nil {
			return nil, err
		}
		s.Runs = append(s.Runs, more...)
	}
	return s, nil
}

// split parts DIR:SELECTOR, unless there is a file of the whole name.
func split(name string) (dir, selector string, err error) {
	if _, err := os.Stat(name); err == nil {
		return name, "", whole(name)
	}
	for i := len(name) - 1; i > 0; i-- {
		if name[i] != ':' {
			continue
		}
		if _, err := study.ReadRecord(name[:i]); err == nil && i+1 < len(name) {
			return name[:i], name[i+1:], nil
		}
	}
	return name, "", nil
}

// whole says of an experiment's directory how a part of it is named.
func whole(dir string) error {
	r, err := study.ReadRecord(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	switch r.Kind {
	case study.SweepKind:
		e, err := study.Open(dir)
		if err != nil {
			return err
		}
		return fmt.Errorf("%s is a sweep: name one of its combinations, as in %s:%s; there are %s", dir, dir, strings.ReplaceAll(cells(e.Trials)[0], " ", ","), strings.Join(cells(e.Trials), "; "))
	case study.CompareKind:
		return fmt.Errorf("%s is a comparison: name one of its arms, %s:a or %s:b, or it alone for both", dir, dir, dir)
	}
	return fmt.Errorf("%s is a %s, whose trials are no repeats of each other: name their directories in %s", dir, r.Kind, filepath.Join(dir, "trials"))
}

// cells are the combinations of settings that trials have, in order; one at least.
func cells(trials []study.Trial) (all []string) {
	for i := range trials {
		if text := study.Text(trials[i].Settings); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if all == nil {
		return []string{"no finished trials"}
	}
	return all
}

// trials reads those of an experiment that a selector picks. Void ones were made again
// and are none.
func trials(dir, selector string) ([]*Run, error) {
	e, err := study.Open(dir)
	if err != nil {
		return nil, err
	}
	if len(e.Trials) == 0 {
		return nil, fmt.Errorf("%s has no finished trial", dir)
	}
	var picked []study.Trial
	for _, t := range e.Trials {
		if matches(t.Settings, selector) {
			picked = append(picked, t)
		}
	}
	switch found := cells(picked); {
	case len(picked) == 0:
		return nil, fmt.Errorf("%s has no trial with %s: there are %s", dir, selector, strings.Join(cells(e.Trials), "; "))
	case len(found) > 1:
		return nil, fmt.Errorf("%s:%s are several combinations: say which of %s", dir, selector, strings.Join(found, "; "))
	}
	slices.SortStableFunc(picked, func(a, b study.Trial) int { return a.Block - b.Block })
	var all []*Run
	for _, t := range picked {
		if t.Void {
			continue
		}
		r, err := Read(t.Dir)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	if all == nil {
		return nil, fmt.Errorf("%s:%s: every trial of it was void", dir, selector)
	}
	return all, nil
}

// matches tells whether settings have all that the selector asks for, NAME=VALUE,...
// or an arm's letter.
func matches(settings []study.Setting, selector string) bool {
	has := func(name, value string) bool {
		return slices.Contains(settings, study.Setting{Name: name, Value: value})
	}
	if !strings.Contains(selector, "=") {
		return has(study.ArmSetting, strings.ToUpper(selector))
	}
	// A value may hold commas, so that settings are taken out of the selector, and not
	// parts of the selector looked up among settings.
	rest := "," + selector + ","
	for _, s := range settings {
		rest = strings.Replace(rest, ","+s.Name+"="+s.Value+",", ",", 1)
	}
	return rest == ","
}

// runs reads a run directory, or those that a directory holds.
func runs(dir string) ([]*Run, error) {
	r, err := Read(dir)
	if err == nil {
		return []*Run{r}, nil
	}
	if _, e := os.Stat(filepath.Join(dir, "run.json")); e == nil {
		return nil, err
	}
	entries, e := os.ReadDir(dir)
	if e != nil {
		return nil, err // it says how a run is named
	}
	var all []*Run
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if _, e := os.Stat(filepath.Join(name, "run.json")); e != nil {
			continue
		}
		r, e := Read(name)
		if e != nil {
			return nil, e
		}
		all = append(all, r)
	}
	if all == nil {
		return nil, fmt.Errorf("%w, and holds no run directories", err)
	}
	slices.SortStableFunc(all, func(a, b *Run) int { return a.Started.Compare(b.Started) })
	return all, nil
}

// OfTrials is a side of trials that were just made.
func OfTrials(label, experiment string, made []*study.Trial) (*Side, error) {
	s := &Side{Label: label, Experiment: filepath.Clean(experiment)}
	for _, t := range made {
		r, err := Read(t.Dir)
		if err != nil {
			return nil, err
		}
		s.Runs = append(s.Runs, r)
	}
	return s, nil
}

// needed is how many calls of each run the metric needs; 0 for any.
func (m *Metric) needed() int64 {
	if m.quantile == 0 {
		return 0
	}
	return results.NeededFor(m.quantile)
}
