package search

import (
	"fmt"
	"math"
	"time"
)

// choose is the next load for the goal, if it still wants one.
func (s *state) choose(g Goal, b bracket) (load float64, purpose Purpose, why string) {
	switch {
	case len(s.loads) == 0:
		return s.o.Start, Explore, fmt.Sprintf("The search starts low, at %s.", s.say(s.o.Start))
	case b.open != 0:
		return b.open, Decide, fmt.Sprintf("%s is not decided yet.", s.say(b.open))
	}
	if load, why := s.carryOver(g, b); load != 0 {
		return load, Decide, why
	}
	if b.lower == 0 {
		return s.downwards(b)
	}
	if b.upper == 0 {
		if load, purpose, why = s.upwards(g, b); purpose != "" {
			return load, purpose, why
		}
	}
	return s.between(g, b)
}

// carryOver are the bounds of the round before, which this one has to decide by
// its own longer trials: the lower one first.
func (s *state) carryOver(g Goal, b bracket) (float64, string) {
	undecided := func(load float64) bool {
		l := s.find(load)
		if load == 0 || l == nil || s.voided(s.goal, g, *l) {
			return false
		}
		t := g.Tally(s.goal, l.trials)
		return g.Classify(t) == Undecided && !g.spent(t)
	}
	if low := s.prev.lower; undecided(low) && (b.upper == 0 || low < b.upper) {
		return low, fmt.Sprintf("%s held in shorter trials.", s.say(low))
	}
	if high := s.prev.upper; b.lower != 0 && undecided(high) && high > b.lower && (b.upper == 0 || high < b.upper) {
		return high, fmt.Sprintf("%s failed in shorter trials.", s.say(high))
	}
	return 0, ""
}

// downwards looks for a lower bound below everything tried.
func (s *state) downwards(b bracket) (float64, Purpose, string) {
	floor := math.Inf(1) // lowest load that is not a lower bound
	for _, known := range []float64{b.upper, b.darkLow, b.limit} {
		if known != 0 {
			floor = min(floor, known)
		}
	}
	if math.IsInf(floor, 1) {
		// Only trials too short for this round: begin where they are.
		return s.loads[0].load, Decide, fmt.Sprintf("%s was tried too shortly.", s.say(s.loads[0].load))
	}
	if floor <= s.o.Min*(1+1e-9) {
		return 0, "", ""
	}
	load := max(s.o.Min, tidy(floor/s.factor(), s.o.Min, floor))
	if load < s.o.Min*(1+s.o.Goals[s.goal].Width/4) {
		load = s.o.Min // all but equal: one load
	}
	return load, Explore, fmt.Sprintf("Nothing up to %s holds.", s.say(floor))
}

// upwards looks for an upper bound above everything tried.
func (s *state) upwards(g Goal, b bracket) (float64, Purpose, string) {
	top := max(b.lower, b.darkHigh)
	if top >= s.o.Max*(1-1e-9) || b.limit > top {
		return 0, "", ""
	}
	next := top * s.factor()
	if s.o.Hint > top*(1+g.Width/4) {
		next = min(next, s.o.Hint)
	}
	load := s.known(min(s.o.Max, tidy(next, top, s.o.Max)), g.Width/4, top)
	return load, Explore, fmt.Sprintf("%s holds and nothing above it is known to fail.", s.say(b.lower))
}

// known is a load above low that was tried already, where one is as near as that share
// of the load: two that are all but equal would share no trials.
func (s *state) known(load, near, low float64) float64 {
	for _, l := range s.loads {
		if l.load > low*(1+1e-9) && math.Abs(l.load-load) <= near*load {
			return l.load
		}
	}
	return load
}

// factor is how far to step outside: the full expansion in the first round, later
// the width of the round before, doubled with every step.
func (s *state) factor() float64 {
	if !(s.prev.lower > 0 && s.prev.upper > s.prev.lower) {
		return s.o.Expansion
	}
	s.outs++
	return min(s.o.Expansion, math.Pow(s.prev.upper/s.prev.lower, math.Pow(2, float64(s.outs-1))))
}

// between narrows the bracket; where loads in it cannot be decided, the gaps on
// their two sides.
func (s *state) between(g Goal, b bracket) (float64, Purpose, string) {
	high := b.upper
	if b.limit != 0 {
		high = b.limit
	}
	low := b.lower
	if b.darkLow == 0 {
		if high == 0 || width(low, high) <= g.Width+1e-9 {
			return 0, "", ""
		}
	} else {
		// The wider gap first, each down to half the width: together they make one.
		below, above := width(low, b.darkLow), 0.0
		if high != 0 {
			above = width(b.darkHigh, high)
		}
		if max(below, above) <= 1-math.Sqrt(1-g.Width)+1e-9 {
			return 0, "", ""
		}
		if above > below {
			low = b.darkHigh
		} else {
			high = b.darkLow
		}
	}
	load := tidy(math.Sqrt(low*high), low, high)
	return load, Narrow, fmt.Sprintf("The answer lies between %s and %s.", s.say(low), s.say(high))
}

func width(low, high float64) float64 { return max(0, 1-low/high) }

// tidy rounds a load to four significant digits where that keeps it well between
// its neighbours: loads are read and typed by people.
func tidy(load, low, high float64) float64 {
	digit := math.Pow(10, math.Floor(math.Log10(load))-3)
	r := math.Round(load/digit) * digit
	if digit < 1 && digit > 0 {
		inv := math.Round(1 / digit)
		r = math.Round(load*inv) / inv // exact decimals, not sums of rounding
	}
	edge := (high - low) / 10
	if r < low+edge || r > high-edge {
		return load
	}
	return r
}

// left guesses the time of the trials to come.
func (s *state) left(b bracket, step Step) time.Duration {
	left := step.Duration
	for i := s.goal; i < len(s.o.Goals); i++ {
		g := s.o.Goals[i]
		steps := 2.0
		if i == s.goal && s.final() && b.lower > 0 && b.upper > 0 {
			steps = math.Ceil(math.Log2(max(1, math.Log(b.lower/b.upper)/math.Log(1-g.Width))))
		} else if i > s.goal {
			steps = 1 // trials are shared
		}
		left += time.Duration((steps + 1) * 2 / 3 * float64(g.Sum))
		if step.Purpose != Confirm || i > s.goal {
			left += s.confirmLength(g)
		}
	}
	if step.Purpose == Confirm && s.goal == len(s.o.Goals)-1 {
		return step.Duration
	}
	return left
}
