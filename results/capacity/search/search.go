package search

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Options are what a search is asked. The zero of every field but Goals, Min and
// Max means its default.
type Options struct {
	Goals []Goal
	// Min and Max are the loads that may be tried; both are tried before it is
	// said that no load, or every load, meets a goal.
	Min, Max float64
	Unit     string // of loads, as sentences name it, such as "entries/s"
	// Start is the first load: Hint/4 when there is a hint, else Min.
	Start float64
	// Hint is a load believed too high, such as the throughput of a closed-loop
	// saturation run. It is tried before anything above it.
	Hint float64
	// Expansion is the largest factor between a load and the next higher or lower
	// while there is no bracket: 2.
	Expansion float64
	// Coarse is the number of rounds of shorter trials and wider intervals before a
	// goal's own: 2, negative for none.
	Coarse int
	// Confirm is the length of the trial that confirms a lower bound: ten times the
	// goal's Final; negative for no confirmation.
	Confirm time.Duration
	// Revisit is the chance, after a trial, that a lower bound is tried again: 0.1;
	// negative for never.
	Revisit float64
	// Retries is how often a void trial is repeated: 3; negative for never.
	Retries int
	// MaxTrials ends a search that does not converge: 200.
	MaxTrials int
	// Budget is how long trials may take in all, by their Took; 0 is no bound. What is
	// left of it when another trial does not fit goes to the confirmation, which is
	// kept free from the beginning; the answer is then as wide as it is.
	Budget time.Duration
	// Lasts tells how long a trial of that length will take in all, for the budget; nil:
	// as much longer as those before did.
	Lasts func(load float64, length time.Duration) time.Duration
	Seed  uint64 // of the re-visits
}

// Search is a controller; it is immutable and safe for concurrent use.
type Search struct{ o Options }

// DefaultGoal is a goal of full trials of 30 s, decided by 90 s of them, half of
// which may be bad, to a width of 5%.
func DefaultGoal(name string) Goal {
	return Goal{Name: name, Final: 30 * time.Second, Sum: 90 * time.Second, Exceed: 0.5, Width: 0.05}
}

// New checks the options and fills in their defaults.
func New(o Options) (*Search, error) {
	if len(o.Goals) == 0 {
		return nil, errors.New("search: no goal: name at least one objective")
	}
	for i, g := range o.Goals {
		if err := g.check(); err != nil {
			return nil, fmt.Errorf("search: goal %d (%s): %w", i+1, g.Name, err)
		}
	}
	if !(o.Min > 0) || !(o.Max > o.Min) || math.IsInf(o.Max, 0) {
		return nil, fmt.Errorf("search: loads from %g to %g: the lowest must be above 0 and below the highest", o.Min, o.Max)
	}
	for name, v := range map[string]float64{"start": o.Start, "hint": o.Hint, "expansion": o.Expansion} {
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("search: %s %g is not a load", name, v)
		}
	}
	if o.Budget < 0 {
		return nil, fmt.Errorf("search: a budget of %s is no time", o.Budget)
	}
	fill(&o.Expansion, 2)
	if !(o.Expansion > 1) {
		return nil, fmt.Errorf("search: expansion %g must be above 1", o.Expansion)
	}
	fill(&o.Start, o.Hint/4)
	o.Start = min(max(o.Start, o.Min), o.Max)
	fill(&o.Coarse, 2)
	fill(&o.Revisit, 0.1)
	fill(&o.Retries, 3)
	fill(&o.MaxTrials, 200)
	return &Search{o}, nil
}

// fill replaces a zero by its default.
func fill[T float64 | int](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

func (g Goal) check() error {
	switch {
	case g.Final <= 0 || g.Sum < g.Final:
		return fmt.Errorf("trials of %s summing to %s: a full trial must be longer than 0 and at most the sum", g.Final, g.Sum)
	case !(g.Exceed >= 0 && g.Exceed < 1):
		return fmt.Errorf("exceed ratio %g must be at least 0 and below 1", g.Exceed)
	case !(g.LossRatio >= 0 && g.LossRatio < 1):
		return fmt.Errorf("loss ratio %g must be at least 0 and below 1", g.LossRatio)
	case !(g.Width > 0 && g.Width < 1):
		return fmt.Errorf("width %g must be above 0 and below 1", g.Width)
	}
	return nil
}

// Purpose is why a trial is asked for.
type Purpose string

// The purposes.
const (
	Explore Purpose = "explore" // find a load on either side
	Narrow  Purpose = "narrow"  // between the two
	Decide  Purpose = "decide"  // the same load again: not yet decided
	Repeat  Purpose = "repeat"  // the same load again: the trial was void
	Revisit Purpose = "re-visit"
	Confirm Purpose = "confirm"
)

// Step is what to do next.
type Step struct {
	Done     bool          `json:"done"`
	Load     float64       `json:"load,omitempty"`
	Duration time.Duration `json:"duration,omitempty"`
	Purpose  Purpose       `json:"purpose,omitempty"`
	Goal     int           `json:"goal"` // for which of the goals
	// Left is a guess of the time that trials will still take, this one included and
	// without pauses between them.
	Left time.Duration `json:"left"`
	Why  string        `json:"why"` // one sentence
}

// Next is the step after the trials so far, in the order they were run. The same
// trials give the same step. Trials that no step asked for are welcome: they count
// like others.
func (s *Search) Next(trials []Trial) Step {
	return s.replay(trials).asked
}

func (s *Search) replay(trials []Trial) *state {
	st := newState(s.o)
	st.ask()
	for _, t := range trials {
		if t.Duration <= 0 || !(t.Load > 0) || math.IsInf(t.Load, 0) {
			continue
		}
		st.observe(t)
		st.ask()
	}
	return st
}
