package loadgen

import (
	"sync/atomic"
	"time"
)

// flights counts calls under way and integrates their number over time. Both are in
// one word, so that they are of the same instant: the count in its low bits; in the
// others, in microseconds, when calls ended less when they began, all summed up. What
// overflows there does no harm, as only the difference over an interval is of use.
type flights struct{ word atomic.Uint64 }

// countBits hold a million calls under way; a plan's bounds are far below.
const countBits = 20

// began counts a call that begins at an offset from the run's start, and tells how
// many are under way.
func (f *flights) began(at time.Duration) int64 {
	return int64(f.word.Add(1-uint64(at.Microseconds())<<countBits) & (1<<countBits - 1))
}

func (f *flights) ended(at time.Duration) {
	f.word.Add(uint64(at.Microseconds())<<countBits - 1)
}

func (f *flights) count() int64 { return int64(f.word.Load() & (1<<countBits - 1)) }

// flown is the integral of the calls under way up to an instant.
type flown struct {
	at       time.Duration
	integral uint64 // in call microseconds, in the high bits of a word
}

// by tells the integral up to now, an offset from the run's start.
func (f *flights) by(now time.Duration) flown {
	word := f.word.Load()
	count := word & (1<<countBits - 1)
	return flown{now, word - count + count*uint64(now.Microseconds())<<countBits}
}

// since gives the mean number of calls that were under way since another instant; nil
// when no time has passed.
func (f flown) since(before flown) *float64 {
	passed := (f.at - before.at).Microseconds()
	if passed <= 0 {
		return nil
	}
	// An end is told a little after it was, so that an idle second may come to just
	// below nothing.
	mean := max(0, float64(int64(f.integral-before.integral)>>countBits)/float64(passed))
	return &mean
}
