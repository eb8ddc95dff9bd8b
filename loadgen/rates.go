package loadgen

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"volley/results"
)

// Rates changes the rate of a run's open loops while it goes on. It is for one Config, made by
// NewRates, and safe for concurrent use.
//
// A change takes effect with the first call that is due after it: the calls after that
// one come at the new rate. The schedule's clock runs faster or slower from there, so
// that no burst and no gap arises, and Poisson arrivals stay Poisson. It holds until
// the next change, over the ends of phases too. Steps are in the snapshots and in the
// account. A closed loop's rate follows from its answers, and a replay's due times are
// the file's: neither is changed.
type Rates struct {
	waiting atomic.Bool // there are changes that the schedule does not know

	mu      sync.Mutex
	start   time.Time          // of the run; zero: it has not begun
	factor  float64            // what was asked last
	asked   []results.RateStep // what the schedule does not know yet
	taken   float64            // the last one that it does
	applied float64            // of it, what the phase's limit allows
	limit   float64            // of the factor, in this phase: by the authorised ceiling
	fixed   error              // why the rate cannot be changed now
	steps   []results.RateStep // changes of applied
}

// NewRates gives the Rates of a run that begins with the plan's rates.
func NewRates() *Rates { return &Rates{factor: 1, taken: 1, applied: 1} }

// The bounds of the factor: beyond them somebody has leant on a key.
const (
	leastFactor = 1e-3
	mostFactor  = 1e3
)

var errNoLoad = errors.New("there is no load whose rate could be changed")

// Scale multiplies the rate that was asked last, by a factor above 0. It gives the
// factor of the plan's rate that is asked from now on: within a thousandth and a
// thousand times, and never more than the authorised ceiling allows (but not less than
// the plan's own rate, which the ceiling holds back by itself). An error says why the
// rate stays as it is.
func (r *Rates) Scale(by float64) (now float64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.factor
	if !r.start.IsZero() {
		was = min(was, r.limit)
	}
	switch {
	case r.start.IsZero():
		return was, errNoLoad
	case r.fixed != nil:
		return was, r.fixed
	case !(by > 0) || math.IsInf(by, 0):
		return was, fmt.Errorf("a rate cannot be multiplied by %v: give a number above 0", by)
	}
	now = min(max(was*by, leastFactor), mostFactor, max(was, r.limit))
	if now == was {
		return was, fmt.Errorf("the rate stays at %s times the plan's: %s", results.Number(was), r.bound(by))
	}
	r.factor = now
	r.asked = append(r.asked, results.RateStep{At: time.Since(r.start), Factor: now})
	r.waiting.Store(true)
	return now, nil
}

// bound says what keeps the factor from being multiplied.
func (r *Rates) bound(by float64) string {
	switch {
	case by > 1 && r.limit < mostFactor:
		return "the authorised ceiling allows no more"
	case by == 1:
		return "to multiply by 1 changes nothing"
	}
	return "it is at the end of its range"
}

// Factor is that of the plan's rate that was asked last: 1 without a change.
func (r *Rates) Factor() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.factor
}

// Steps gives the changes that took effect, in order.
func (r *Rates) Steps() []results.RateStep { return r.since(0) }

// since gives the steps from the n-th on. A nil Rates has none.
func (r *Rates) since(n int) []results.RateStep {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.steps[n:])
}

// enter tells of a phase that begins at an offset from the run's start, in which the
// factor can be up to limit; fixed says why it cannot be changed, nil that it can. It
// gives the factor of the phase's rate.
func (r *Rates) enter(start time.Time, at time.Duration, limit float64, fixed error) float64 {
	if r == nil {
		return 1
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.start, r.limit, r.fixed = start, limit, fixed
	if fixed == nil {
		r.apply(at)
	}
	return r.applied
}

// after gives the factor for the calls that are due after one that was due then; false
// says that nothing changed.
func (r *Rates) after(due time.Duration) (now float64, changed bool) {
	if r == nil || !r.waiting.Load() {
		return 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.asked) > 0 && r.asked[0].At <= due {
		r.taken, r.asked = r.asked[0].Factor, r.asked[1:]
	}
	r.waiting.Store(len(r.asked) > 0)
	return r.apply(due)
}

func (r *Rates) apply(at time.Duration) (now float64, changed bool) {
	now = min(r.taken, r.limit)
	if now == r.applied {
		return now, false
	}
	r.applied = now
	r.steps = append(r.steps, results.RateStep{At: at, Factor: now})
	return now, true
}
