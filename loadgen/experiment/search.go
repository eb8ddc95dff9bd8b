package experiment

import (
	"context"
	"errors"
	"fmt"

	"time"

	"volley/results"
	"volley/results/capacity/search"
	"volley/results/selfcheck"
	"volley/results/study"
	"volley/scenario"
)

// SearchOptions are what a search is asked.
type SearchOptions struct {
	Plan     *scenario.Plan // its objectives are the goals
	From, To float64        // loads that may be tried, in the operating phase's unit; 0: found out
	Width    float64        // relative width of the answer
	Trial    time.Duration  // of a full trial, measured
	Sum      time.Duration  // of full trials that decide a load
	Exceed   float64        // share of bad ones among them
	Confirm  time.Duration  // of the confirmation; 0: none
	// AtMost is how long the trials may take in all, the first guess among them; 0: no
	// bound. What is known by then is the answer, confirmed where there is time.
	AtMost time.Duration
	// Callers of the closed loop that gives a first guess of the highest load.
	Callers int
}

// The range of loads, when none is given: a share and a multiple of what a closed
// loop reached. Such a loop may reach less than the node can do, when its callers
// wait for each other's answers.
const (
	fromShare  = 1.0 / 64
	toMultiple = 4
)

// Search finds the highest load that meets the plan's objectives. With
// ErrInterrupted the answer is of the trials so far.
func Search(ctx context.Context, j *Journal, o SearchOptions) (*study.Search, error) {
	unit, err := o.check()
	if err != nil {
		return nil, err
	}
	a := &study.Search{Unit: string(unit), Trials: []study.SearchTrial{}, Goals: []search.Result{}, Answer: search.Unfinished, Sentence: "No trial was run.", ResponseP99US: p99Limit(o.Plan.Objectives)}
	hint, took := 0.0, time.Duration(0)
	if o.From == 0 || o.To == 0 {
		a.Saturated, took, err = j.saturate(ctx, o, string(unit))
		if err != nil {
			return a, err
		}
		hint = a.Saturated.Achieved
	}
	control, err := o.controller(hint, took, string(unit))
	if err != nil {
		return a, err
	}
	var trials []search.Trial
	for {
		step := control.Next(trials)
		if step.Done {
			break
		}
		length := o.enough(step, string(unit))
		t, v, err := j.searchTrial(ctx, o, step, length, string(unit))
		if err != nil {
			answer(a, control, trials)
			return a, err
		}
		trials = append(trials, search.Trial{
			Load: step.Load, Duration: o.counted(step.Duration, length), Took: inSeconds(t.TookS),
			Loss: v.loss, Verdicts: v.verdicts,
		})
		a.Trials = append(a.Trials, study.SearchTrial{
			N: t.N, Dir: relative(t.N), Load: step.Load, ForS: v.forS, Purpose: string(step.Purpose),
			Verdicts: v.verdicts, Why: v.why, Loss: v.loss, Achieved: v.achieved, P99US: v.p99US,
		})
		a.LoadedS += v.forS
		j.tell(Event{N: t.N, Trial: t, Shows: v.shows(o.Plan.Objectives)})
	}
	answer(a, control, trials)
	if a.Answer == search.AtLeast {
		a.LimitedBy = o.limit(a)
	}
	return a, nil
}

// Check says what keeps the options from being searched; nil for nothing.
func (o *SearchOptions) Check() error {
	_, err := o.check()
	return err
}

// p99Limit is the lowest response p99 that objectives allow, in microseconds; 0: any.
func p99Limit(objectives []scenario.Objective) (least float64) {
	for _, o := range objectives {
		if q, ok := quantile(results.Objective(o)); ok && q == 0.99 && o.Metric == "response" && (least == 0 || o.Limit < least) {
			least = o.Limit
		}
	}
	return least
}

// limit says what kept a search from trying higher loads.
func (o *SearchOptions) limit(a *study.Search) string {
	for i := range a.Goals {
		for _, l := range a.Goals[i].Loads {
			if l.Load > deref(a.Lower) && l.Void > 0 {
				return fmt.Sprintf("the generator's ceiling, which made trials at %s %s void", results.Rate(l.Load), a.Unit)
			}
		}
	}
	switch {
	case o.Plan.Target.Authorised != nil && deref(a.Lower) >= allowed(o.Plan, a.Unit)*(1-1e-9):
		return "target.authorised.max_rate"
	case o.To > 0:
		return "--to"
	}
	return fmt.Sprintf("the range of the search, %d times what the closed loop reached; --to widens it", toMultiple)
}

func deref(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

func (o *SearchOptions) check() (scenario.Unit, error) {
	i, err := Operating(o.Plan)
	if err != nil {
		return "", err
	}
	if len(o.Plan.Objectives) == 0 {
		return "", errors.New("the scenario has no objectives to search for: slo: [response p99 <= 250ms] would be one")
	}
	if o.From < 0 || o.To < 0 || o.To > 0 && o.From >= o.To {
		return "", fmt.Errorf("loads from %g to %g: the lowest must be above 0 and below the highest", o.From, o.To)
	}
	return o.Plan.Phases[i].Rate.Unit, nil
}

// saturate runs a closed loop: what it reaches is a first guess.
func (j *Journal) saturate(ctx context.Context, o SearchOptions, unit string) (_ *study.Saturation, took time.Duration, err error) {
	length := min(max(o.Trial/3, 500*time.Millisecond), 10*time.Second)
	s := &Spec{Plan: saturation(o.Plan, o.Callers, warmUp(length), length), Purpose: "saturation"}
	s.Settings = []study.Setting{{Name: "callers", Value: fmt.Sprint(o.Callers)}}
	t, voids, err := j.DoRepeated(ctx, s, max(s.Length(), o.AtMost))
	if err != nil {
		return nil, 0, err
	}
	v, err := judge(t, unit)
	if err != nil {
		return nil, 0, err
	}
	if !(v.achieved > 0) {
		return nil, 0, fmt.Errorf("%w: a closed loop of %d callers got no answer", ErrNoLoad, o.Callers)
	}
	took = inSeconds(t.TookS * float64(voids+1))
	return &study.Saturation{N: t.N, Callers: o.Callers, Achieved: v.achieved}, took, nil
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// rest is what a trial takes beside its load: the node's coming to rest, its metrics.
const rest = time.Second

// ErrNoLoad says that the node took no load at all.
var ErrNoLoad = errors.New("the node could not be loaded")

func (o *SearchOptions) controller(hint float64, took time.Duration, unit string) (*search.Search, error) {
	so := search.Options{Min: o.From, Max: o.To, Unit: unit, Hint: hint, Seed: o.Plan.Seed, Confirm: o.Confirm}
	if o.AtMost > 0 {
		so.Budget = max(o.AtMost-took, time.Second)
		so.Lasts = func(load float64, length time.Duration) time.Duration {
			length = o.enough(search.Step{Load: load, Duration: length}, unit)
			return warmUp(length) + length + rest
		}
	}
	if o.Confirm == 0 {
		so.Confirm = -1
	}
	if so.Max == 0 {
		so.Max = max(hint*toMultiple, 2*o.From)
	}
	if so.Min == 0 {
		so.Min = min(hint, so.Max) * fromShare
	}
	if a := o.Plan.Target.Authorised; a != nil {
		so.Max = min(so.Max, allowed(o.Plan, unit))
	}
	if so.Hint >= so.Max || so.Hint <= so.Min {
		so.Hint = 0
		so.Start = max(so.Min, so.Max/4)
	}
	for _, objective := range o.Plan.Objectives {
		so.Goals = append(so.Goals, search.Goal{Name: objective.Text, Final: o.Trial, Sum: o.Sum, Exceed: o.Exceed, Width: o.Width})
	}
	return search.New(so)
}

// allowed is the authorised ceiling in the unit of the load.
func allowed(p *scenario.Plan, unit string) float64 {
	return p.Target.Authorised.MaxRate.Value * perCall(p, unit) / perCall(p, string(scenario.Entries))
}

// enough is how long a trial must be at least to show anything: the step's duration,
// or as long as it takes to send four times the calls with which a percentile
// objective is proven met when none is beyond its limit; but no more than ten steps.
func (o *SearchOptions) enough(step search.Step, unit string) time.Duration {
	var calls int64
	for _, objective := range o.Plan.Objectives {
		if q, ok := quantile(results.Objective(objective)); ok {
			calls = max(calls, 4*selfcheck.SamplesToMeet(0, q, proof))
		}
	}
	perSecond := step.Load / perCall(o.Plan, unit)
	need := time.Duration(float64(calls) / perSecond * float64(time.Second))
	return max(step.Duration, min(need, 10*step.Duration)).Round(time.Millisecond)
}

// counted is what a trial of that length counts as: its own length up to that of a full
// trial. One that was made longer to send enough calls is still one trial: only several
// of them decide a load.
func (o *SearchOptions) counted(asked, length time.Duration) time.Duration {
	return min(length, max(asked, o.Trial))
}

// perCall is how many of the unit one call stands for, on the average.
func perCall(p *scenario.Plan, unit string) float64 {
	switch {
	case unit == string(scenario.Calls) || p.Form == scenario.Single:
		return 1
	case unit == string(scenario.Items) && p.Form == scenario.Batch:
		return p.Size.Mean() * p.Items.Mean()
	case unit == string(scenario.Entries) && p.Form == scenario.Array:
		return 1
	}
	return p.Size.Mean()
}

func (j *Journal) searchTrial(ctx context.Context, o SearchOptions, step search.Step, length time.Duration, unit string) (*study.Trial, *verdict, error) {
	// Each trial draws other arrivals and sizes: trials at one load are to be
	// independent of each other.
	plan, err := at(o.Plan, step.Load, warmUp(length), length, o.Plan.Seed+uint64(j.n)+1)
	if err != nil {
		return nil, nil, err
	}
	s := &Spec{
		Plan: plan, Purpose: string(step.Purpose), Load: step.Load,
		Settings: []study.Setting{{Name: "rate", Value: fmt.Sprintf("%.5g %s", step.Load, unit)}},
	}
	t, err := j.Do(ctx, s, step.Left)
	if err != nil {
		return nil, nil, err
	}
	v, err := judge(t, unit)
	return t, v, err
}

func relative(n int) string { return study.TrialDir("", n) }

// answer draws the answer from the trials so far: each objective's, and all of them
// together, of which the one that gives way first limits the load.
func answer(a *study.Search, control *search.Search, trials []search.Trial) {
	a.Goals = control.Results(trials)
	limiting := &a.Goals[0]
	for i := range a.Goals {
		g := &a.Goals[i]
		a.Warnings = append(a.Warnings, g.Warnings...)
		if before(g, limiting) {
			limiting = g
		}
	}
	a.Answer, a.Limiting, a.Sentence = limiting.Status, limiting.Goal.Name, limiting.Sentence
	if limiting.Lower > 0 {
		a.Lower, a.ConditionalThroughput = new(limiting.Lower), new(limiting.ConditionalThroughput)
	}
	for i := range a.Goals {
		if u := a.Goals[i].Upper; u > 0 && (a.Upper == nil || u < *a.Upper) {
			a.Upper = new(u)
		}
	}
	if len(a.Goals) > 1 && a.Lower != nil && a.Upper != nil {
		a.Sentence = fmt.Sprintf("All %d objectives are met up to a load between %s and %s %s; %s gives way first.", len(a.Goals), results.Rate(*a.Lower), results.Rate(*a.Upper), a.Unit, a.Limiting)
	}
}

// before tells whether g gives way at a lower load than other.
func before(g, other *search.Result) bool {
	if g.Lower != other.Lower {
		return g.Lower < other.Lower
	}
	return g.Upper > 0 && (other.Upper == 0 || g.Upper < other.Upper)
}
