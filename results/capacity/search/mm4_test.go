package search

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"volley/results/selfcheck"
)

// mm4 runs one trial against a simulated node: Poisson arrivals at the load, one
// queue, four servers of 200/s each, objective p99 <= 40 ms. Its verdict is that of
// the binomial test on the effective number of samples.
func mm4(rng *rand.Rand) node {
	return func(step Step, _ int) Trial {
		const warm, limit = 5.0, 0.040
		var free [4]float64
		var dependence selfcheck.Overdispersion
		var over, n, windowOver, windowN int64
		end := warm + step.Duration.Seconds()
		window := warm + 1
		for now := rng.ExpFloat64() / step.Load; now < end; now += rng.ExpFloat64() / step.Load {
			first := 0
			for i, f := range free {
				if f < free[first] {
					first = i
				}
			}
			done := max(now, free[first]) + rng.ExpFloat64()/200
			free[first] = done
			for ; now >= window; window++ {
				dependence.Add(windowOver, windowN)
				windowOver, windowN = 0, 0
			}
			if now < warm {
				continue
			}
			n++
			windowN++
			if done-now > limit {
				over++
				windowOver++
			}
		}
		tau, known := dependence.Tau()
		if !known {
			tau = 1
		}
		v := Unproven
		switch selfcheck.MeetsEffective(over, n, tau, 0.99, 0.95).Decision {
		case selfcheck.Met:
			v = Good
		case selfcheck.Missed:
			v = Bad
		}
		return Trial{Load: step.Load, Duration: step.Duration, Loss: float64(over) / float64(n), Verdicts: []Verdict{v}}
	}
}

// The M/M/4 node sustains 669.39/s: the rate at which its p99 sojourn is 40 ms.
func TestFindsTheSustainableRateOfMM4(t *testing.T) {
	const truth, seeds = 669.39, 10
	inside := 0
	for seed := range uint64(seeds) {
		goal := DefaultGoal("p99 <= 40ms")
		// What a trial takes beside its measured time: a warm-up, and the node's rest.
		const budget = 15 * time.Minute
		mm4 := mm4(rand.New(rand.NewPCG(seed, 4)))
		node := func(step Step, n int) Trial {
			tr := mm4(step, n)
			tr.Took = tr.Duration + min(tr.Duration/6, 5*time.Second) + time.Second
			return tr
		}
		trials, s := run(t, Options{Goals: []Goal{goal}, Min: 10, Max: 10000, Hint: 800, Unit: "calls/s", Seed: seed, Budget: budget, Confirm: 3 * time.Minute}, node)
		r := s.Results(trials)[0]
		took := time.Duration(0)
		for _, tr := range trials {
			took += tr.Took
		}
		if took > budget+time.Minute {
			t.Errorf("seed %d: it took %s of the %s allowed", seed, took, budget)
		}
		t.Logf("seed %d: %.1f..%.1f (%.1f%%), %s, conditional throughput %.1f, %d trials in %s", seed, r.Lower, r.Upper, 100*width(r.Lower, r.Upper), r.Status, r.ConditionalThroughput, len(trials), took)
		if r.Lower <= truth && truth <= r.Upper {
			inside++
		}
		if width(r.Lower, r.Upper) > 0.25 || math.IsNaN(r.Lower) {
			t.Errorf("seed %d: the interval %g..%g says nothing", seed, r.Lower, r.Upper)
		}
	}
	if inside < 9 {
		t.Errorf("the true rate lies in %d of %d intervals, want at least 9", inside, seeds)
	}
}
