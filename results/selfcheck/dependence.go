package selfcheck

import "math"

// minDependence is the fewest values from which a dependence is estimated.
const minDependence = 10

// Tau is the integrated autocorrelation time of a series, in its own steps: tau =
// 1 + 2 sum r_k over k = 1, 2, ... up to before the first r_k < 0, so that n values
// are worth n/tau independent ones (A. Sokal, "Monte Carlo Methods in Statistical
// Mechanics", 1989; the stop is the initial positive sequence in its simplest
// form, C. J. Geyer, Statistical Science 7, 1992). It is at least 1.
//
// It is a lower bound: a dependence longer than the series can't be seen in it,
// r_k is biased to 0 by the estimated mean, and the tail after the stop is left
// out. Of a series of windows it says nothing about dependence inside a window:
// see Overdispersion for calls. ok is false for fewer than 10 values, for one
// that isn't finite, and for a series that never varies.
func Tau(series []float64) (tau float64, ok bool) {
	if len(series) < minDependence || !allFinite(series) {
		return 0, false
	}
	m, total := mean(series), squares(series)
	if !(total > 0) || !finite(total) || total <= 1e-24*m*m*float64(len(series)) {
		return 0, false
	}
	tau = 1
	for k := 1; k < len(series); k++ {
		c := 0.0
		for i := k; i < len(series); i++ {
			c += (series[i] - m) * (series[i-k] - m)
		}
		if !(c >= 0) {
			break
		}
		tau += 2 * c / total
	}
	return tau, finite(tau)
}

// EffectiveN is n/tau, the independent samples that n dependent ones are worth; 0
// when either is not usable.
func EffectiveN(n int64, tau float64) float64 {
	if n < 1 || !(tau >= 1) || math.IsInf(tau, 0) {
		return 0
	}
	return float64(n) / tau
}

// Overdispersion estimates the tau of calls from windows' counts alone, for the
// one question that percentiles ask: is a call over a limit. With o_i of n_i calls
// over it in window i, and p their share over all windows W, phi = sum (o_i - n_i
// p)^2 / (n_i p (1-p)) / (W-1) is 1 for independent calls and counts the
// dependence within windows (Pearson's overdispersion: P. McCullagh, J. A. Nelder,
// Generalized Linear Models, 4.5). Times the Tau of the windows' shares it counts
// that between windows too. The zero value is empty and ready; memory is that of a
// Series. The limit should be near the percentile that is judged.
//
// It comes short where the dependence lasts longer than the windows show. Of simulated
// M/M/1 queues with 200 calls/s, watched for 12 to 60 s, the 95% interval of the p99 held
// the true one in 93 to 99% at a utilisation of 0.3, 82 to 93% at 0.7, 80 to 84% at 0.9.
type Overdispersion struct {
	windows    int64
	n, over    float64
	overSquare float64 // sum of o_i^2 / n_i
	shares     Series
}

// Add takes a window in which over of n calls were over the limit. A window
// without calls, or whose counts contradict each other, is passed by.
func (d *Overdispersion) Add(over, n int64) {
	if n < 1 || over < 0 || over > n {
		return
	}
	o, m := float64(over), float64(n)
	d.windows++
	d.n += m
	d.over += o
	d.overSquare += o * o / m
	d.shares.Add(o / m)
}

// Tau is the estimate, at least 1, for use wherever a tau of calls is asked for.
// Its relative error is about sqrt(2/W). ok is false for fewer than 10 windows,
// and when no call or every call was over the limit.
func (d *Overdispersion) Tau() (tau float64, ok bool) {
	if d.windows < minDependence || d.over == 0 || d.over == d.n {
		return 0, false
	}
	p := d.over / d.n
	phi := (d.overSquare - p*d.over) / (p * (1 - p)) / float64(d.windows-1)
	between, ok := Tau(d.shares.Values())
	if !ok {
		between = 1
	}
	tau = max(1, phi*between)
	return tau, finite(tau)
}

// Dependence judges how many independent samples n dependent calls are worth.
// Value is their effective number, Limit the 100 below which a p99 is anecdote.
func Dependence(n int64, tau float64) Check {
	c := Check{Name: "dependence", Limit: minForP99, Unit: "samples"}
	worth := EffectiveN(n, tau)
	switch {
	case worth == 0:
		return c.unknown("How many independent samples the calls are worth is not known, which takes 10 whole windows: intervals take the calls for independent.")
	case worth < minForP99:
		return c.judged(NotEnough, worth, "%d calls are worth only %.0f independent ones, as neighbours share their fate (tau %.1f): too few for a p99.", n, worth, tau)
	}
	return c.judged(OK, worth, "%d calls are worth %.0f independent ones (tau %.1f); intervals use that number.", n, worth, tau)
}
