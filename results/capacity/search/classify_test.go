package search

import (
	"slices"
	"testing"
	"time"
)

func repeated(n int, d time.Duration, loss float64) []Trial {
	return slices.Repeat([]Trial{{Load: 1, Duration: d, Loss: loss}}, n)
}

// The worked example of RFC 9971: one load, classified after each of six batches
// of trials. The values follow the document's rule. Its table prints "Lower" for
// the last two points of the goal with 20% exceed ratio, where its own shares of
// bad time, 42.857% and 27.273%, are above 20%: by the rule they are upper bounds.
func TestRFC9971Example(t *testing.T) {
	points := [][]Trial{
		repeated(59, time.Second, 0),
		repeated(1, time.Second, 0.01),
		repeated(59, time.Second, 0.01),
		repeated(1, time.Second, 0),
		repeated(1, time.Minute, 0.001),
		repeated(1, time.Minute, 0),
	}
	const u, L, U = Undecided, Lower, Upper
	for _, c := range []struct {
		goal Goal
		want []Class
	}{
		{Goal{Name: "RFC 2544", Final: time.Minute, Sum: time.Minute}, []Class{u, U, U, U, U, U}},
		{Goal{Name: "TST009", Final: time.Minute, Sum: 2 * time.Minute, Exceed: 0.5}, []Class{u, u, u, u, u, L}},
		{Goal{Name: "1s final", Final: time.Second, Sum: 2 * time.Minute, LossRatio: 0.005, Exceed: 0.5}, []Class{u, u, u, L, L, L}},
		{Goal{Name: "20% exceed", Final: time.Minute, Sum: time.Minute, LossRatio: 0.005, Exceed: 0.2}, []Class{u, u, U, U, U, U}},
	} {
		var trials []Trial
		for i, p := range points {
			trials = append(trials, p...)
			if got := c.goal.Classify(c.goal.Tally(0, trials)); got != c.want[i] {
				t.Errorf("%s, point %d: %s, want %s", c.goal.Name, i+1, got, c.want[i])
			}
		}
	}
}

func TestClassify(t *testing.T) {
	goal := DefaultGoal("")
	const s = time.Second
	for _, c := range []struct {
		name  string
		tally Tally
		want  Class
	}{
		{"nothing", Tally{}, Undecided},
		{"one good of three", Tally{FullGood: 30 * s}, Undecided},
		{"two good of three", Tally{FullGood: 60 * s}, Lower},
		{"two bad of three", Tally{FullBad: 60 * s}, Upper},
		{"two good, one bad", Tally{FullGood: 60 * s, FullBad: 30 * s}, Lower},
		{"a long bad confirmation overturns", Tally{FullGood: 60 * s, FullBad: 300 * s}, Upper},
		{"a long unproven one only unsettles", Tally{FullGood: 60 * s, FullUnproven: 300 * s}, Undecided},
		{"unproven is no lower bound and no upper one", Tally{FullUnproven: 900 * s}, Undecided},
		{"unproven with a majority of good", Tally{FullGood: 60 * s, FullUnproven: 30 * s}, Lower},
		{"void counts nowhere", Tally{FullGood: 60 * s, Void: 7}, Lower},
		{"short good does not make a lower bound", Tally{ShortGood: 900 * s}, Undecided},
		{"short bad beyond the balance counts", Tally{ShortBad: 90 * s}, Upper},
		{"short bad within the balance does not", Tally{ShortBad: 90 * s, ShortGood: 90 * s, FullGood: 60 * s}, Lower},
	} {
		if got := goal.Classify(c.tally); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	always := Goal{Final: 30 * s, Sum: 90 * s}
	if got := always.Classify(Tally{FullGood: 60 * s}); got != Undecided {
		t.Errorf("exceed ratio 0, 60 of 90 s good: %s", got)
	}
	if got := always.Classify(Tally{FullGood: 90 * s}); got != Lower {
		t.Errorf("exceed ratio 0, 90 s good: %s", got)
	}
	if got := always.Classify(Tally{FullGood: 900 * s, FullBad: 30 * s}); got != Upper {
		t.Errorf("exceed ratio 0, one bad: %s", got)
	}
}

func TestConditionalThroughput(t *testing.T) {
	goal := DefaultGoal("")
	trial := func(loss float64) Trial {
		return Trial{Load: 1000, Duration: 30 * time.Second, Loss: loss, Verdicts: []Verdict{Good}}
	}
	for _, c := range []struct {
		name   string
		trials []Trial
		want   float64
	}{
		{"none", nil, 0},
		{"too little time: what is missing is lost", []Trial{trial(0)}, 0},
		{"half the time is covered by the second of three", []Trial{trial(0.2), trial(0), trial(0.1)}, 900},
		{"two of three ran", []Trial{trial(0), trial(0.05)}, 950},
		{"void trials do not count", []Trial{trial(0), trial(0.05), {Load: 1000, Duration: time.Hour, Verdicts: []Verdict{Void}}}, 950},
	} {
		if got := goal.ConditionalThroughput(0, 1000, c.trials); got != c.want {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}
