package search

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Verdict is what one trial shows of one goal.
type Verdict string

// The verdicts. Void means that a self-check of the generator failed: the trial
// counts nowhere. Unproven means that its samples decide neither way.
const (
	Good     Verdict = "good"
	Bad      Verdict = "bad"
	Unproven Verdict = "unproven"
	Void     Verdict = "void"
)

// Trial is one finished trial, as a search is told of it.
type Trial struct {
	Load     float64       `json:"load"`     // offered, in the search's unit
	Duration time.Duration `json:"duration"` // as it counts: without warm-up
	// Took is how long the trial took in all, warm-up and pauses included; 0 means
	// Duration.
	Took time.Duration `json:"took,omitempty"`
	// Loss is the share of the load that was not delivered as the goal asks, from 0
	// to 1; it decides nothing unless Verdicts is empty, and gives the conditional
	// throughput.
	Loss float64 `json:"loss"`
	// Verdicts has one for each goal, in the goals' order. Left empty, a trial is
	// good for a goal when Loss is at most the goal's LossRatio (the RFC's rule).
	Verdicts []Verdict `json:"verdicts,omitempty"`
}

func (t Trial) verdict(goal int, g Goal) Verdict {
	switch {
	case len(t.Verdicts) > goal:
		switch v := t.Verdicts[goal]; v {
		case Good, Bad, Unproven:
			return v
		default:
			return Void
		}
	case len(t.Verdicts) > 0:
		return Void
	case t.Loss >= 0 && t.Loss <= g.LossRatio:
		return Good
	case t.Loss > g.LossRatio && t.Loss <= 1:
		return Bad
	}
	return Void
}

// Goal is one thing to search for (RFC 9971, "Search Goal").
type Goal struct {
	Name string `json:"name"` // as answers name it, such as "response p99 <= 40ms"
	// Final is the length of a full trial; shorter ones count less.
	Final time.Duration `json:"final"`
	// Sum is how many seconds of full trials decide a load for certain.
	Sum time.Duration `json:"sum"`
	// LossRatio is the loss up to which a trial without a verdict is good.
	LossRatio float64 `json:"loss_ratio"`
	// Exceed is the share of bad seconds that a lower bound may have: 0.5 asks what
	// the node does typically, 0 what it does always. Below 1.
	Exceed float64 `json:"exceed_ratio"`
	// Width is the relative width (upper-lower)/upper at which the interval is
	// narrow enough.
	Width float64 `json:"width"`
}

// Class is what the trials at one load say of it, for one goal.
type Class string

// The classes.
const (
	Lower     Class = "lower bound"
	Upper     Class = "upper bound"
	Undecided Class = "undecided"
)

// Tally is the seconds of trials at one load that a goal counts.
type Tally struct {
	FullGood, FullBad, FullUnproven    time.Duration
	ShortGood, ShortBad, ShortUnproven time.Duration
	Void                               int // trials
}

// Tally counts the trials, which must be of one load, as goal number i of a
// search; of Verdicts it reads the i-th.
func (g Goal) Tally(i int, trials []Trial) Tally {
	var t Tally
	for _, trial := range trials {
		if trial.Duration <= 0 {
			continue
		}
		full := trial.Duration >= g.Final
		switch trial.verdict(i, g) {
		case Good:
			*pick(full, &t.FullGood, &t.ShortGood) += trial.Duration
		case Bad:
			*pick(full, &t.FullBad, &t.ShortBad) += trial.Duration
		case Unproven:
			*pick(full, &t.FullUnproven, &t.ShortUnproven) += trial.Duration
		case Void:
			t.Void++
		}
	}
	return t
}

func pick(full bool, long, short *time.Duration) *time.Duration {
	if full {
		return long
	}
	return short
}

// Classify is the rule of RFC 9971. With er the goal's exceed ratio:
//
//	balance = short good * er / (1 - er)
//	bad     = full bad + max(0, short bad - balance)
//	whole   = max(full good + bad, duration sum)
//	optimistic = bad <= whole * er;  pessimistic = whole - full good <= whole * er
//
// A load where both hold is a lower bound, where neither does an upper bound.
// Unproven seconds are counted twice: as bad for a lower bound, as good for an
// upper one.
func (g Goal) Classify(t Tally) Class {
	er := g.Exceed
	if !(er >= 0 && er < 1) {
		return Undecided
	}
	rule := func(fullGood, fullBad, shortGood, shortBad time.Duration) (optimistic, pessimistic bool) {
		balance := shortGood.Seconds() * er / (1 - er)
		bad := fullBad.Seconds() + max(0, shortBad.Seconds()-balance)
		whole := max(fullGood.Seconds()+bad, g.Sum.Seconds())
		const rounding = 1e-9 // seconds, relative: sums of floats against their own shares
		allowed := whole*er + whole*rounding
		return bad <= allowed, whole-fullGood.Seconds() <= allowed
	}
	if o, p := rule(t.FullGood, t.FullBad+t.FullUnproven, t.ShortGood, t.ShortBad+t.ShortUnproven); o && p {
		return Lower
	}
	if o, p := rule(t.FullGood+t.FullUnproven, t.FullBad, t.ShortGood+t.ShortUnproven, t.ShortBad); !o && !p {
		return Upper
	}
	return Undecided
}

// spent says that full trials of the asked sum were run: if the load is still
// undecided, more of the same length hardly help.
func (g Goal) spent(t Tally) bool {
	return t.FullGood+t.FullBad+t.FullUnproven >= g.Sum
}

// ConditionalThroughput is load*(1 - loss), with the loss at the quantile 1-er of
// the full trials' durations; time missing to the goal's sum counts as loss 1
// (RFC 9971, "Conditional Throughput"). The trials must be of that load.
func (g Goal) ConditionalThroughput(i int, load float64, trials []Trial) float64 {
	var full []Trial
	whole := time.Duration(0)
	for _, t := range trials {
		if t.Duration >= g.Final && t.Duration > 0 && t.verdict(i, g) != Void && t.Loss >= 0 && t.Loss <= 1 {
			full = append(full, t)
			whole += t.Duration
		}
	}
	slices.SortFunc(full, func(a, b Trial) int { return cmp.Compare(a.Loss, b.Loss) })
	remaining := max(whole, g.Sum).Seconds() * (1 - g.Exceed)
	loss := 1.0
	for _, t := range full {
		if remaining <= 1e-9 {
			break
		}
		loss = t.Loss
		remaining -= t.Duration.Seconds()
	}
	if remaining > 1e-9 {
		loss = 1
	}
	return load * (1 - loss)
}

// sameLoad treats loads as equal that differ by rounding only.
func sameLoad(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}
