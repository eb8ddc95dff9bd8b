package queueing

import (
	"errors"
	"fmt"
	"math"
)

// Harmonic is 1 + 1/2 + ... + 1/n.
func Harmonic(n int) float64 {
	sum := 0.0
	for i := n; i >= 1; i-- { // small terms first
		sum += 1 / float64(i)
	}
	return sum
}

func batch(entries, slots int) error {
	if entries < 1 || slots < 1 || entries > 1<<30 {
		return fmt.Errorf("queueing: %d entries on %d slots: at least 1 of each", entries, slots)
	}
	return nil
}

// MakespanExponential is the mean time that one batch alone takes on so many slots
// with exponential entries of mean s: s((n-c)/c + H_c) for n >= c, s H_n below. It
// holds while every slot finds a free core (see Slots).
func MakespanExponential(entries, slots int, service float64) (float64, error) {
	if err := batch(entries, slots); err != nil {
		return 0, err
	}
	if entries <= slots {
		return service * Harmonic(entries), nil
	}
	return service * (float64(entries-slots)/float64(slots) + Harmonic(slots)), nil
}

// MakespanDeterministic is s*ceil(n/c): all entries take s.
func MakespanDeterministic(entries, slots int, service float64) (float64, error) {
	if err := batch(entries, slots); err != nil {
		return 0, err
	}
	return service * float64((entries+slots-1)/slots), nil
}

// MakespanBounds are R. Graham's (SIAM J. Applied Mathematics 17, 1969) for a batch
// whose entries are known: between max(largest, sum/c) and sum/c + (1-1/c) largest.
func MakespanBounds(services []float64, slots int) (low, high float64, err error) {
	if err := batch(len(services), slots); err != nil {
		return 0, 0, err
	}
	sum, largest := 0.0, 0.0
	for i, s := range services {
		if !finite(s) {
			return 0, 0, fmt.Errorf("queueing: entry %d takes %g", i+1, s)
		}
		sum += s
		largest = max(largest, s)
	}
	c := float64(slots)
	return max(largest, sum/c), sum/c + (1-1/c)*largest, nil
}

// EntryQuantile is which quantile of one entry the p-quantile of a batch is when
// all its n entries start at once: p^(1/n). The median of batches of 100 is the
// entries' p99.31.
func EntryQuantile(p float64, entries int) (float64, error) {
	if !(p > 0 && p < 1) || entries < 1 {
		return 0, errors.New("queueing: a quantile inside (0,1) of at least one entry")
	}
	return math.Pow(p, 1/float64(entries)), nil
}

// Largest is the mean of the largest of n independent times, the integral of 1 -
// F(t)^n, from their quantile function by the midpoint rule: the mean makespan of a
// batch on as many slots as it has entries. The quantile function must have a
// finite mean.
func Largest(quantile func(p float64) float64, entries int) (float64, error) {
	if entries < 1 {
		return 0, errors.New("queueing: at least one entry")
	}
	// With u uniform the largest is F^-1(u^(1/n)); u = 1 - v^4 crowds the points where
	// the quantile function is steep.
	const steps = 20000
	sum := 0.0
	for i := range steps {
		v := (float64(i) + 0.5) / steps
		p := min(math.Exp(math.Log1p(-v*v*v*v)/float64(entries)), math.Nextafter(1, 0))
		x := quantile(p)
		if !finite(x) {
			return 0, fmt.Errorf("queueing: the quantile function gives %g at %g", x, p)
		}
		sum += x * 4 * v * v * v / steps
	}
	return sum, nil
}

// Slots is how many entries in work keep m cores busy when each waits w without a
// core for every d it works: m (1 + w/d). More of them do not speed a batch up.
func Slots(cores, wait, work float64) float64 { return cores * (1 + wait/work) }
