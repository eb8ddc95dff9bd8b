package selfcheck

import (
	"math"
	"slices"
)

// The limits of a stationary run.
const (
	maxDrift      = 0.05 // of the mean, from the first window to the last
	maxHalves     = 0.10 // between the halves' medians, of the whole's
	maxDeviations = 3.0  // of in-flight at the end above its mean before
	leastBacklog  = 1.0  // call that is in flight more at the end
	leastEnd      = 3    // windows that are the end
)

// Stationarity is whether a run described one state of the node.
type Stationarity struct {
	P50      Trend // of the response time
	InFlight Trend
	// Growing is the sign of a rate that the node can't sustain: calls in flight at
	// the end are more than 3 standard deviations above their mean before. It is
	// the node's failure, never the generator's.
	Growing bool
	Checks  []Check
}

// Stationary judges windows' p50 of the response time and mean number of calls in
// flight, over a phase at a steady rate; either may be nil. A trend counts when
// its interval leaves out 0 and it makes at least 5% of the mean over the phase.
// The halves' medians of p50 may differ by 10%, or by what chance gives: their 95%
// intervals, by OrderCIEffective, overlap. At most it warns.
func Stationary(p50, inFlight []float64) Stationarity {
	s := Stationarity{P50: TheilSen(p50), InFlight: TheilSen(inFlight)}
	backlog, growing := backlogAt(inFlight)
	s.Growing = growing
	s.Checks = []Check{
		s.P50.check("drift of p50", "The p50 of the response time"),
		s.InFlight.check("drift of calls in flight", "The number of calls in flight"),
		halves(p50),
		backlog,
	}
	return s
}

func (t Trend) check(name, what string) Check {
	c := Check{Name: name, Limit: maxDrift, Unit: pure}
	drift := t.Drift()
	switch {
	case !t.Enough:
		return c.unknown("%s: whether it drifted can't be told, as that takes %d windows, all with a value.", what, minDependence)
	case t.Mean == 0 && t.Slope != 0:
		return c.unknown("%s: whether it drifted can't be told, as its mean is 0.", what)
	case math.Abs(drift) < maxDrift:
		return c.judged(OK, drift, "%s did not drift: %+.1f%% of its mean over the phase (limit %.0f%%).", what, 100*drift, 100*maxDrift)
	case !t.Significant():
		return c.judged(OK, drift, "%s did not drift beyond chance: %+.1f%% of its mean over the phase, and the interval of the slope holds 0.", what, 100*drift)
	}
	return c.judged(Warn, drift, "%s drifted by %+.1f%% of its mean over the phase (limit %.0f%%): the numbers describe no one state of the node.", what, 100*drift, 100*maxDrift)
}

// halves compares the medians of a series' two halves.
func halves(series []float64) Check {
	c := Check{Name: "halves", Limit: maxHalves, Unit: pure}
	if len(series) < 2*minDependence || !allFinite(series) {
		return c.unknown("The phase's halves can't be compared: it takes %d windows, all with a value.", 2*minDependence)
	}
	mid := len(series) / 2
	first, firstCI := medianCI(series[:mid], tauOf(series[:mid]))
	second, secondCI := medianCI(series[mid:], tauOf(series[mid:]))
	whole := median(slices.Sorted(slices.Values(series)))
	if whole == 0 {
		return c.unknown("The phase's halves can't be compared: their median is 0.")
	}
	off := (second - first) / math.Abs(whole)
	switch {
	case math.Abs(off) <= maxHalves:
		return c.judged(OK, off, "The phase's halves agree: the second median of p50 is %+.1f%% off the first (limit %.0f%%).", 100*off, 100*maxHalves)
	case !apart(firstCI, secondCI):
		return c.judged(NotEnough, off, "The phase's halves differ by %+.1f%% in their median of p50 (limit %.0f%%), which chance can do with so few windows.", 100*off, 100*maxHalves)
	}
	return c.judged(Warn, off, "The phase's halves differ: the second median of p50 is %+.1f%% off the first (limit %.0f%%).", 100*off, 100*maxHalves)
}

// apart tells whether two intervals do not overlap.
func apart(a, b [2]float64) bool { return a[0] > b[1] || b[0] > a[1] }

// tauOf is a series' Tau; 1 where it has none.
func tauOf(series []float64) float64 {
	if tau, ok := Tau(series); ok {
		return tau
	}
	return 1
}

// medianCI is a series' median with its 95% interval; a bound that can't be had is
// infinite.
func medianCI(series []float64, tau float64) (m float64, ci [2]float64) {
	sorted := slices.Sorted(slices.Values(series))
	r := OrderCIEffective(int64(len(series)), tau, 0.5, 0.95)
	ci = [2]float64{math.Inf(-1), math.Inf(1)}
	if r.Lower > 0 {
		ci[0] = sorted[r.Lower-1]
	}
	if r.Upper > 0 {
		ci[1] = sorted[r.Upper-1]
	}
	return median(sorted), ci
}

// backlogAt compares calls in flight at the end, the median of the last tenth of the
// windows, with their first half. Not with all of them: a backlog that grows steadily
// from nothing ends only 1.7 standard deviations above the mean that it has raised
// itself. A backlog stays, which is what the median tells from a pause in one of the
// last windows, and it is of calls: what is less than one more is none.
func backlogAt(inFlight []float64) (c Check, growing bool) {
	c = Check{Name: "backlog", Limit: maxDeviations, Unit: "standard deviations"}
	n := len(inFlight)
	if n < 2*minDependence || !allFinite(inFlight) {
		return c.unknown("Whether a backlog grew can't be told: it takes %d windows, all with a value.", 2*minDependence), false
	}
	before := inFlight[:n/2]
	usual := mean(before)
	sd := math.Sqrt(squares(before) / float64(len(before)-1))
	end := median(slices.Sorted(slices.Values(inFlight[n-max(n/10, leastEnd):])))
	// A paced load against a steady node hardly varies: what is within 5% of the
	// mean is no backlog whatever its deviations, and they are told up to 1000.
	sd = max(sd, 1e-3*math.Abs(end-usual))
	deviations := 0.0
	if sd > 0 {
		deviations = (end - usual) / sd
	}
	if deviations > maxDeviations && end >= usual+max(leastBacklog, maxDrift*math.Abs(usual)) {
		c = c.judged(Warn, deviations, "A backlog grew: %.3g calls were in flight at the end and %.3g in the first half (%.1f standard deviations more, limit %.0f). The node doesn't sustain this rate.",
			end, usual, deviations, maxDeviations)
		return c, c.Verdict == Warn
	}
	return c.judged(OK, deviations, "No backlog grew: %.3g calls were in flight at the end and %.3g in the first half.", end, usual), false
}
