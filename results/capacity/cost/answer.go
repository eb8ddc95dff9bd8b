package cost

import (
	"fmt"
	"math"
)

// Predict is the mean cost of a shape, with the interval of that mean; ok is false
// when the points cannot tell it.
func (m Model) Predict(s Shape) (Interval, bool) {
	x := s.vector()
	if !m.sees(x) || !finite(x) {
		return Interval{}, false
	}
	return m.linear(x), true
}

func finite(x [3]float64) bool {
	sum := x[0] + x[1] + x[2]
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// Ratio is how often more one item costs in the shape over than in the shape under:
// the speedup of under, with Fieller's interval. ok is false when the points cannot
// tell it, or the divisor is not above 0.
func (m Model) Ratio(over, under Shape) (r Interval, ok bool) {
	return m.fieller(over.perItem().vector(), under.perItem().vector())
}

// fieller is x*theta / y*theta: all S with (X - S Y)^2 <= t^2 Var(X - S Y). The
// interval has no end unless Y differs from 0.
func (m Model) fieller(x, y [3]float64) (r Interval, ok bool) {
	if !finite(x) || !finite(y) || !m.sees(x) || !m.sees(y) {
		return Interval{}, false
	}
	num, den := dot(x, m.Theta), dot(y, m.Theta)
	if !(den > 0) {
		return Interval{}, false
	}
	r.Value = num / den
	if m.DF < 1 {
		return r, true
	}
	tt := m.t() * m.t()
	vxx, vxy, vyy := m.variance(x, x), m.variance(x, y), m.variance(y, y)
	a, b, c := den*den-tt*vyy, num*den-tt*vxy, num*num-tt*vxx
	root := b*b - a*c
	if !(a > 0) {
		return r, true
	}
	half := math.Sqrt(max(0, root))
	r.Low, r.High, r.Bounded = min(r.Value, (b-half)/a), max(r.Value, (b+half)/a), true
	return r, true
}

// Speedup is one row of what sizes gain.
type Speedup struct {
	N              float64   `json:"n"`               // 0 stands for without end: the limit
	Batch          *Interval `json:"batch,omitempty"` // batch of n over single calls; nil is not known
	Array          *Interval `json:"array,omitempty"` // array of n over single calls
	ArrayOverBatch *Interval `json:"array_over_batch,omitempty"`
	// Extrapolated says that n is beyond the sizes measured.
	Extrapolated bool `json:"extrapolated"`
}

// Speedups are, for each n, (A+e+b)/(A/n+e+b), (A+e+b)/((A+e)/n+b) and
// (A/n+e+b)/((A+e)/n+b): the cost of an item in single calls over that in batches
// and arrays of n. +Inf as n gives the limits 1+A/(e+b), 1+(A+e)/b and 1+e/b.
func (m Model) Speedups(ns []float64) []Speedup {
	out := make([]Speedup, 0, len(ns))
	for _, n := range ns {
		if !(n >= 1) {
			continue
		}
		single, batch, array := [3]float64{1, 1, 1}, [3]float64{1 / n, 1, 1}, [3]float64{1 / n, 1 / n, 1}
		s := Speedup{N: n}
		s.Batch, s.Array, s.ArrayOverBatch = m.maybe(single, batch), m.maybe(single, array), m.maybe(batch, array)
		s.Extrapolated = s.Batch != nil && n > m.Largest.Entries || s.Array != nil && n > m.Largest.Items
		if math.IsInf(n, 1) {
			s.N = 0 // JSON has no infinity
		}
		out = append(out, s)
	}
	return out
}

func (m Model) maybe(x, y [3]float64) *Interval {
	if r, ok := m.fieller(x, y); ok {
		return &r
	}
	return nil
}

// OverheadRatio is A/(e+b), the number of entries whose own cost equals a call's
// envelope; ok is false when it is not known.
func (m Model) OverheadRatio() (Interval, bool) {
	return m.fieller([3]float64{1, 0, 0}, [3]float64{0, 1, 1})
}

// SizeFor is the batch size that reaches the share eta of the greatest speedup,
// eta/(1-eta) * A/(e+b); ok is false when it is not known or eta not inside (0,1).
func (m Model) SizeFor(eta float64) (Interval, bool) {
	r, ok := m.OverheadRatio()
	if !ok || !(eta > 0 && eta < 1) {
		return Interval{}, false
	}
	f := eta / (1 - eta)
	return Interval{f * r.Value, f * r.Low, f * r.High, r.Bounded}, true
}

// Size is a batch size and its reason.
type Size struct {
	N        int    `json:"n"`    // 0: not even one entry
	Safe     int    `json:"safe"` // the same against the upper end of the fitted interval
	Sentence string `json:"sentence"`
	// Warnings say where the answer is an extrapolation.
	Warnings []string `json:"warnings,omitempty"`
}

// SizeWithin is the largest batch whose fitted cost stays within the limit in
// seconds: n <= (limit-A)/(e+b), at most the given number (the node's own limit).
// Of a model fitted to mean times it bounds the mean, not a percentile.
func (m Model) SizeWithin(limit float64, most int) (Size, error) {
	if !(limit > 0) || math.IsInf(limit, 0) || most < 1 {
		return Size{}, fmt.Errorf("cost: a limit of %g s for at most %d entries", limit, most)
	}
	if !m.sees(Batch(1).vector()) || !m.sees(Batch(2).vector()) {
		return Size{}, fmt.Errorf("cost: batch costs are not known: measure batches of several sizes")
	}
	fits := func(n int, upper bool) bool {
		c, _ := m.Predict(Batch(float64(n)))
		if upper && c.Bounded {
			return c.High <= limit
		}
		return c.Value <= limit
	}
	s := Size{N: largest(most, func(n int) bool { return fits(n, false) }), Safe: largest(most, func(n int) bool { return fits(n, true) })}
	switch {
	case s.N == 0:
		s.Sentence = fmt.Sprintf("Not even a batch of one stays within %.4g s.", limit)
	case s.N == most:
		s.Sentence = fmt.Sprintf("Batches of %d, the largest asked about, stay within %.4g s.", most, limit)
	default:
		s.Sentence = fmt.Sprintf("Batches of up to %d stay within %.4g s; up to %d by the upper end of the 95%% interval.", s.N, limit, s.Safe)
	}
	if float64(s.N) > m.Largest.Entries {
		s.Warnings = append(s.Warnings, fmt.Sprintf("extrapolated: no batch above %g entries was measured", m.Largest.Entries))
	}
	if m.DF < 1 {
		s.Warnings = append(s.Warnings, "the model has no error estimate: measure repeats")
	}
	return s, nil
}

// largest n up to most for which all smaller ones hold too; 0 for none.
func largest(most int, holds func(int) bool) int {
	low, high := 0, most+1
	for high-low > 1 {
		if mid := (low + high) / 2; holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// Throughput is the most items a second that cores spend on the shape by a model
// of CPU seconds: cores / cost of an item (the utilisation law at 1). No node
// reaches it within an objective; it bounds what one can. ok is false when it is
// not known.
func (m Model) Throughput(s Shape, cores float64) (Interval, bool) {
	c, ok := m.Predict(s.perItem())
	if !ok || !(c.Value > 0) || !(cores > 0) {
		return Interval{}, false
	}
	t := Interval{Value: cores / c.Value}
	if c.Bounded && c.Low > 0 {
		t.Low, t.High, t.Bounded = cores/c.High, cores/c.Low, true
	}
	return t, true
}
