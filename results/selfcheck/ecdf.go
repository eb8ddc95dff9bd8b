package selfcheck

import (
	"math"
	"slices"
)

// ecdfBins is the number of equal-probability bins of an ecdf.
const ecdfBins = 4096

// binningError bounds what binning adds to an ecdf's distance: 1/4096 = 0.00024.
const binningError = 1.0 / ecdfBins

// ecdf is an empirical distribution of values already passed through the
// hypothesis's distribution function, hence uniform on [0,1] if it holds. Bins
// are equal in probability, so they are fine where the values are and the bound
// on the binning error holds for any data; the ratio of a bin's ends in time is
// what a logarithmic grid would give near zero, and finer in the tail.
type ecdf struct {
	bins [ecdfBins]int64
	n    int64
}

func (e *ecdf) add(u float64) {
	e.bins[min(max(int(u*ecdfBins), 0), ecdfBins-1)]++
	e.n++
}

// distance is the Kolmogorov-Smirnov distance sup |F_n - F|, from above: within
// a bin F_n lies between its values at the ends, so the true distance is at most
// this and at least this less binningError. 0 when empty.
func (e *ecdf) distance() float64 {
	d, below, from := 0.0, int64(0), 0.0
	for i, k := range e.bins {
		left := float64(i) / ecdfBins
		right := left + binningError
		below += k
		to := float64(below) / float64(max(e.n, 1))
		if e.n > 0 {
			d = max(d, to-left, right-from)
		}
		from = to
	}
	return d
}

// thinned keeps at most sampleSize values out of any number: every k-th, with k
// doubled and every other value dropped whenever it is full. What is kept spans
// the whole run evenly, and needs no chance.
type thinned struct {
	values [sampleSize]float64
	kept   int
	every  int64
	seen   int64
}

const sampleSize = 4096

func (t *thinned) add(v float64) {
	if t.every == 0 {
		t.every = 1
	}
	if t.seen%t.every == 0 {
		if t.kept == sampleSize {
			for i := range sampleSize / 2 {
				t.values[i] = t.values[2*i]
			}
			t.kept = sampleSize / 2
			t.every *= 2
		}
		// The value that found it full is at an even place, so it is kept.
		t.values[t.kept] = v
		t.kept++
	}
	t.seen++
}

// anderson1 is the critical value of AndersonDarling at 1% (M. A. Stephens, "EDF
// Statistics for Goodness of Fit and Some Comparisons", JASA 69, 1974: the
// exponential with its mean estimated).
const anderson1 = 1.957

// AndersonDarling is A2*, the Anderson-Darling statistic of values against the
// exponential distribution with the values' own mean:
// A2 = -n - (1/n) sum (2i-1)[ln(1-exp(-y_i)) - y_(n+1-i)], y = x/mean sorted;
// A2* = A2 (1 + 0.6/n). Values below 1e-9 of the mean count as that: a clock's
// grain can make them 0, where the statistic is infinite. ok is false for fewer
// than 8 values, for a mean of 0 and for a value that is negative or no number.
func AndersonDarling(values []float64) (a2 float64, ok bool) {
	n := float64(len(values))
	if n < 8 {
		return 0, false
	}
	y := slices.Clone(values)
	mean := 0.0
	for _, v := range y {
		if !(v >= 0) || math.IsInf(v, 0) {
			return 0, false
		}
		mean += v / n
	}
	if mean == 0 || math.IsInf(mean, 0) {
		return 0, false
	}
	slices.Sort(y)
	for i := range y {
		y[i] = max(y[i]/mean, 1e-9)
	}
	sum := 0.0
	for i := range y {
		sum += float64(2*i+1) * (math.Log(-math.Expm1(-y[i])) - y[len(y)-1-i])
	}
	return (-n - sum/n) * (1 + 0.6/n), true
}
