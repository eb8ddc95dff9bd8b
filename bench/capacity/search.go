package main

import (
	"context"
	"fmt"
	"time"

	"volley/results/capacity/queueing"
)

// searching looks for the highest rate with a p99 of at most 40 ms on an M/M/4 node
// with a mean service time of 5 ms: 669.4 calls/s by the formula.
//
// A trial of 8 s holds 5,000 calls, which are worth some 50 independent states of the
// queue at that rate: it forgets itself in 1/(800/s (1-sqrt(.84))^2) = 0.18 s. Three of
// them decide a rate, and an interval of 8% is about as narrow as they can honestly
// tell.
func searching(ctx context.Context, b *bench) ([]line, error) {
	const mean, limit = 5 * time.Millisecond, 40 * time.Millisecond
	more, err := overhead(ctx, b, mean)
	if err != nil {
		return nil, err
	}
	truth, err := queueing.HighestRate(servers, 1/mean.Seconds(), .99, limit.Seconds())
	if err != nil {
		return nil, err
	}
	least, err := queueing.HighestRate(servers, 1/(mean.Seconds()+more), .99, limit.Seconds())
	if err != nil {
		return nil, err
	}
	file, err := b.scenario("search", bare("search", mean, 600, 2*time.Second, "response p99 <= "+limit.String()))
	if err != nil {
		return nil, err
	}
	seeds := b.seedsOr(10)
	trial := b.trialOr(8 * time.Second)
	lines := make([]line, seeds)
	err = each(seeds, func(i int) error {
		e, err := b.experiment(ctx, fmt.Sprintf("search-%d", i+1), []int{1, 4}, "search", file, "--seed", fmt.Sprint(i+1),
			"--from", "500", "--to", "790", "--width", "8%", "--trial", trial.String(), "--sum", (3 * trial).String(), "--confirm", "0")
		if err != nil {
			return err
		}
		l := line{what: fmt.Sprintf("seed %d, highest rate", i+1), expected: fmt.Sprintf("%.1f to %.1f calls/s", least, truth), note: true}
		a := e.Search
		switch {
		case a == nil || a.Lower == nil || a.Upper == nil:
			l.measured = "no interval"
		default:
			l.measured = fmt.Sprintf("%.1f to %.1f calls/s, %d trials", *a.Lower, *a.Upper, len(a.Trials))
			l.ok = *a.Lower <= truth && *a.Upper >= least
		}
		lines[i] = l
		return nil
	})
	if err != nil {
		return nil, err
	}
	inside := 0
	for i := range lines {
		if lines[i].ok {
			inside++
		} else {
			lines[i].measured += " (beside it)"
		}
		lines[i].ok = true
	}
	need := atLeast(9, 10, seeds)
	return append(lines, line{what: "the rate lies in the interval", expected: "at least " + share(need, seeds, "seeds"), measured: share(inside, seeds, "seeds"), ok: inside >= need}), nil
}

// atLeast is how many of n there must be, when of so many there must be so few, at the
// least all but one.
func atLeast(want, of, n int) int {
	if n >= of {
		return (want*n + of - 1) / of
	}
	return max(1, n-(of-want))
}
