package main

import "math"

// bracket is what a search for the generator's ceiling came to, in calls/s: it kept
// its schedule at held, and no longer at lost. 0: no such rate was met.
type bracket struct{ held, lost float64 }

const (
	// closeEnough is the ratio of lost to held at which a search has its answer: a
	// machine's own ups and downs are as large.
	closeEnough = 1.08
	// tries is how often a rate must be missed: one pause of the machine in a short
	// trial makes more than a call in a hundred late.
	tries = 2
	// lowest is where a search gives up going down, in calls/s.
	lowest = 1
)

// findCeiling looks for the rate up to which try says yes, by bisection on a
// logarithmic scale. full is the rate that it expects not to be exceeded, which it
// does not take for granted: it goes beyond when that is held too. It makes at most
// most trials. try is asked the same rate again before a no counts. An error of try
// ends the search; the bracket is as far as it came.
func findCeiling(full float64, most int, try func(rate float64) (held bool, err error)) (bracket, error) {
	var b bracket
	for rate := full / 2; most > 0 && rate >= lowest; rate = b.next(full) {
		held := false
		for n := 0; n < tries && !held && most > 0; n++ {
			var err error
			if held, err = try(rate); err != nil {
				return b, err
			}
			most--
		}
		if held {
			b.held = rate
		} else {
			b.lost = rate
		}
		if b.held > 0 && b.lost > 0 && b.lost <= closeEnough*b.held {
			break
		}
	}
	return b, nil
}

// next is the rate to try: between those known, below the lowest or above the highest.
func (b *bracket) next(full float64) float64 {
	switch {
	case b.held == 0:
		return b.lost / 2
	case b.lost > 0:
		return math.Sqrt(b.held * b.lost)
	case b.held*closeEnough < full:
		return math.Sqrt(b.held * full)
	}
	return b.held * 1.25
}
