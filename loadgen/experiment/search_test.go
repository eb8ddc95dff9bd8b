package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"volley/results/capacity/search"
	"volley/results/study"
)

// knee is a node that meets p90 <= 40 ms up to 500 calls/s.
func knee(_ int, s *Spec) fakeOutcome {
	if s.Load > 500 {
		return fakeOutcome{slow: 0.2}
	}
	return fakeOutcome{}
}

func options(t *testing.T, sets ...string) SearchOptions {
	return SearchOptions{Plan: planOf(t, sets...), Width: 0.05, Trial: time.Second, Sum: 3 * time.Second, Exceed: 0.5, Confirm: 5 * time.Second, Callers: 8}
}

// rough is a search of few trials.
func rough(t *testing.T) SearchOptions {
	o := options(t)
	o.From, o.To, o.Width, o.Confirm = 100, 1000, 0.4, 2*time.Second
	return o
}

func TestSearchFindsTheKnee(t *testing.T) {
	t.Parallel()
	lab := &fakeLab{outcome: knee}
	a, err := Search(context.Background(), begin(t, t.TempDir(), study.SearchKind, lab), options(t))
	if err != nil {
		t.Fatal(err)
	}
	if a.Answer != search.Found || a.Lower == nil || a.Upper == nil || *a.Lower > 500 || *a.Upper <= 500 || 1 - *a.Lower / *a.Upper > 0.0501 {
		t.Errorf("answer %s: %v to %v, want an interval around 500 of 5%%", a.Answer, deref(a.Lower), deref(a.Upper))
	}
	if !a.Goals[0].Confirmed || a.Trials[len(a.Trials)-1].ForS != 5 {
		t.Errorf("the lower bound is not confirmed by a trial of 5 s; last trial %+v", a.Trials[len(a.Trials)-1])
	}
	if lab.made[0] != "callers=8" || a.Saturated == nil || a.Saturated.Achieved < 395 || a.Saturated.Achieved > 400 {
		t.Errorf("the first guess is %+v of %q", a.Saturated, lab.made[0])
	}
}

func TestSearchAtTheEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		outcome func(int, *Spec) fakeOutcome
		want    search.Status
	}{
		{"no rate meets it", func(int, *Spec) fakeOutcome { return fakeOutcome{slow: 0.5} }, search.NoLoad},
		{"every rate meets it", func(int, *Spec) fakeOutcome { return fakeOutcome{} }, search.AtLeast},
		{"every trial is void", func(int, *Spec) fakeOutcome { return fakeOutcome{void: true} }, search.AllVoid},
		{"refused calls are the node's failure", func(int, *Spec) fakeOutcome { return fakeOutcome{fail: 0.05} }, search.NoLoad},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(t)
			o.From, o.To = 100, 400
			a, err := Search(context.Background(), begin(t, t.TempDir(), study.SearchKind, &fakeLab{outcome: c.outcome}), o)
			if limited := a.LimitedBy == "--to"; limited != (c.want == search.AtLeast) {
				t.Errorf("limited by %q", a.LimitedBy)
			}
			if err != nil || a.Answer != c.want {
				t.Errorf("%q (%v), want %q: %s", a.Answer, err, c.want, a.Sentence)
			}
		})
	}
}

func TestSearchNeedsObjectivesAndARate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ set, want string }{
		{"slo=[]", "no objectives"},
		{"load=[{callers: 4, for: 1s}]", "no measured phase with a rate"},
	} {
		o := options(t, c.set)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
}

// Void trials are repeated and leave the answer as it is.
func TestSearchRepeatsVoidTrials(t *testing.T) {
	t.Parallel()
	plain, err := Search(context.Background(), begin(t, t.TempDir(), study.SearchKind, &fakeLab{outcome: knee}), rough(t))
	if err != nil {
		t.Fatal(err)
	}
	lab := &fakeLab{outcome: func(n int, s *Spec) fakeOutcome {
		o := knee(n, s)
		o.void = n == 3 || n == 4
		return o
	}}
	a, err := Search(context.Background(), begin(t, t.TempDir(), study.SearchKind, lab), rough(t))
	if err != nil {
		t.Fatal(err)
	}
	if a.Goals[0].Voids != 2 || len(a.Trials) != len(plain.Trials)+2 {
		t.Errorf("%d trials, %d of them void; without void ones %d", len(a.Trials), a.Goals[0].Voids, len(plain.Trials))
	}
	if third := a.Trials[2]; third.N != 3 || third.Verdicts[0] != search.Void || !strings.Contains(third.Why[0], "the generator was the limit") {
		t.Errorf("the third trial is told as %+v", third)
	}
	if *a.Lower != *plain.Lower || *a.Upper != *plain.Upper {
		t.Errorf("%g to %g; without void trials %g to %g", *a.Lower, *a.Upper, *plain.Lower, *plain.Upper)
	}
}

// An experiment that was interrupted or killed at any trial, and is begun again, ends
// as one that was left alone, and makes no finished trial again.
func TestSearchGoesOn(t *testing.T) {
	t.Parallel()
	options := func(t *testing.T) SearchOptions {
		o := rough(t)
		o.Confirm = 0
		return o
	}
	whole := &fakeLab{outcome: knee}
	want, err := Search(context.Background(), begin(t, t.TempDir(), study.SearchKind, whole), options(t))
	if err != nil {
		t.Fatal(err)
	}
	for how, places := range map[string][]int{"killed": {1, 4}, "interrupted": {2, len(whole.made)}} {
		for _, at := range places {
			dir := t.TempDir()
			stop := make(chan struct{})
			first := &fakeLab{outcome: func(n int, s *Spec) fakeOutcome {
				o := knee(n, s)
				if n == at && how == "killed" {
					o.kill = true
				} else if n == at {
					o.stop = func() { close(stop) }
				}
				return o
			}}
			j := begin(t, dir, study.SearchKind, first)
			j.Stop = stop
			_, err := Search(context.Background(), j, options(t))
			if how == "killed" && !errors.Is(err, errKilled) || how == "interrupted" && !errors.Is(err, ErrInterrupted) {
				t.Fatalf("%s at trial %d: %v", how, at, err)
			}
			end(t, j)
			if _, err := study.ReadTrial(study.TrialDir(dir, at)); err == nil {
				t.Errorf("%s at trial %d: it counts as finished", how, at)
			}
			second := &fakeLab{outcome: knee}
			j = begin(t, dir, study.SearchKind, second)
			got, err := Search(context.Background(), j, options(t))
			if err != nil || !j.Resumed {
				t.Fatalf("%s at trial %d, begun again: %v", how, at, err)
			}
			if again := len(whole.made) - (at - 1); len(second.made) != again {
				t.Errorf("%s at trial %d: %d trials were made again, want %d", how, at, len(second.made), again)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s at trial %d: the answer is another:\n%+v\n%+v", how, at, got, want)
			}
		}
	}
}

func TestAnotherExperimentInTheDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := begin(t, dir, study.SearchKind, nil, study.Setting{Name: "--trial", Value: "1s"})
	var inUse *InUse
	if _, err := Open(dir, j.Record, nil); !errors.As(err, &inUse) {
		t.Errorf("while it goes on: %v", err)
	}
	end(t, j)
	_, err := Open(dir, study.Record{Format: study.Format, Kind: study.SearchKind, Name: "small", Options: []study.Setting{{Name: "--trial", Value: "2s"}}}, nil)
	var conflict *Conflict
	if !errors.As(err, &conflict) || !slices.Equal(conflict.Differences, []string{"--trial is 1s there, 2s here"}) {
		t.Errorf("%v", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other, study.Record{Kind: study.SearchKind}, nil); !errors.As(err, &conflict) {
		t.Errorf("a directory with other files: %v", err)
	}
}

// What the lab says of its preparation is kept with the trial.
func TestNotesAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lab := &fakeLab{outcome: knee, prepare: func(n int) ([]Note, error) {
		if n == 2 {
			return []Note{{NotIdle: true, Text: "not at rest"}}, nil
		}
		return nil, nil
	}}
	j := begin(t, dir, study.SearchKind, lab)
	if _, err := Search(context.Background(), j, rough(t)); err != nil {
		t.Fatal(err)
	}
	trial, err := study.ReadTrial(study.TrialDir(dir, 2))
	if err != nil || !trial.NotIdle || !slices.Equal(j.Notes(), []string{"trial 2: not at rest"}) {
		t.Errorf("trial %+v, notes %q, %v", trial, j.Notes(), err)
	}
}

// A trial that was made longer to send enough calls is one trial, not several.
func TestLengthenedTrialsCountOnce(t *testing.T) {
	o := SearchOptions{Trial: 30 * time.Second}
	for _, c := range []struct{ asked, length, want time.Duration }{
		{30 * time.Second, 30 * time.Second, 30 * time.Second},
		{30 * time.Second, 2 * time.Minute, 30 * time.Second},
		{3 * time.Second, 12 * time.Second, 12 * time.Second},
		{3 * time.Second, time.Minute, 30 * time.Second},
		{3 * time.Minute, 3 * time.Minute, 3 * time.Minute},
	} {
		if got := o.counted(c.asked, c.length); got != c.want {
			t.Errorf("%v asked, %v long: counts as %v, want %v", c.asked, c.length, got, c.want)
		}
	}
}

// What the machine's pauses may have spoiled is void; what was met in spite of them is met.
func TestPausesSpoilATrial(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why  string
		o    fakeOutcome
		want search.Verdict
	}{
		{"calls were late, and some beyond the limit", fakeOutcome{late: 100 * time.Millisecond, lateShare: 0.15}, search.Void},
		{"calls were late, and within the limit all the same", fakeOutcome{late: 20 * time.Millisecond, lateShare: 0.15}, search.Good},
		{"calls were late, and the node far beyond the limit", fakeOutcome{slow: 0.3, late: 20 * time.Millisecond, lateShare: 0.5}, search.Bad},
		{"the node was beyond the limit", fakeOutcome{slow: 0.3}, search.Bad},
	} {
		dir := t.TempDir()
		trial := &study.Trial{Dir: filepath.Join(dir, "run")}
		if _, err := store(planOf(t), trial.Dir, c.o); err != nil {
			t.Fatal(err)
		}
		v, err := judge(trial, "calls/s")
		if err != nil {
			t.Fatal(err)
		}
		if v.verdicts[0] != c.want {
			t.Errorf("%s: %s (%s), want %s", c.why, v.verdicts[0], v.why[0], c.want)
		}
	}
}

// The answer's sentence is of all objectives together, as its numbers are.
func TestSearchTellsOfAllObjectives(t *testing.T) {
	t.Parallel()
	goal := func(name string) search.Goal {
		return search.Goal{Name: name, Final: time.Second, Sum: time.Second, Exceed: 0.5, Width: 0.1}
	}
	control, err := search.New(search.Options{Goals: []search.Goal{goal("p50"), goal("p99")}, Min: 10, Max: 1000, Unit: "calls/s", Coarse: -1})
	if err != nil {
		t.Fatal(err)
	}
	trial := func(load float64, p50, p99 search.Verdict) search.Trial {
		return search.Trial{Load: load, Duration: time.Second, Verdicts: []search.Verdict{p50, p99}}
	}
	a := &study.Search{Unit: "calls/s"}
	answer(a, control, []search.Trial{
		trial(100, search.Good, search.Good), trial(110, search.Good, search.Unproven), trial(120, search.Bad, search.Unproven), trial(140, search.Bad, search.Bad),
	})
	want := "All 2 objectives are met up to a load between 100 and 120 calls/s; p99 gives way first."
	if *a.Lower != 100 || *a.Upper != 120 || a.Sentence != want {
		t.Errorf("%g to %g: %s", *a.Lower, *a.Upper, a.Sentence)
	}
}

// Going on with another version is told: a bundled node is of the version too.
func TestAnotherVersionIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, version := range []string{"1", "1", "2"} {
		j, err := Open(dir, study.Record{Format: study.Format, Kind: study.SearchKind, Name: "small", Volley: version}, &fakeLab{})
		if err != nil {
			t.Fatal(err)
		}
		if told := len(j.Notes()) > 0; told != (i == 2) {
			t.Errorf("begun by 1, goes on with %s: notes %q", version, j.Notes())
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
