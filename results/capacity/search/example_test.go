package search_test

import (
	"fmt"

	"volley/results/capacity/search"
)

// A node that meets the objective up to 640 calls/s, without noise.
func Example() {
	s, err := search.New(search.Options{
		Goals: []search.Goal{search.DefaultGoal("response p99 <= 40ms")},
		Min:   10, Max: 10000, Hint: 1000, Unit: "calls/s", Revisit: -1,
	})
	if err != nil {
		panic(err)
	}
	var trials []search.Trial
	for {
		step := s.Next(trials)
		if step.Done {
			break
		}
		verdict := search.Good
		if step.Load > 640 {
			verdict = search.Bad
		}
		trials = append(trials, search.Trial{Load: step.Load, Duration: step.Duration, Verdicts: []search.Verdict{verdict}})
	}
	r := s.Results(trials)[0]
	fmt.Println(r.Sentence)
	fmt.Printf("%d trials, %s, confirmed: %v\n", r.Trials, r.Time, r.Confirmed)
	// Output:
	// response p99 <= 40ms is met up to a load between 620.9 calls/s and 648.4 calls/s.
	// 15 trials, 8m43.461s, confirmed: true
}
