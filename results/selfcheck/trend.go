package selfcheck

import (
	"math"
	"slices"
)

// trendCap is the most windows between which slopes are taken: 32,640 of them.
const trendCap = 256

// Trend is a series' slope, per step of the series, with its 99% interval.
type Trend struct {
	Enough    bool // false: nothing else means anything
	Slope     float64
	Bounded   bool // false: the interval has no ends
	Low, High float64
	Mean      float64 // of the series
	Steps     int     // that it spans, from the first to the last
}

// Drift is how far the trend goes from the first window to the last, as a share of
// the mean; 0 where the mean is 0.
func (t Trend) Drift() float64 {
	if t.Mean == 0 {
		return 0
	}
	return t.Slope * float64(t.Steps) / math.Abs(t.Mean)
}

// Significant is whether the interval leaves out 0.
func (t Trend) Significant() bool { return t.Bounded && (t.Low > 0 || t.High < 0) }

// TheilSen estimates a series' slope as the median of the slopes between all pairs
// of windows, with the distribution-free interval of P. K. Sen ("Estimates of the
// Regression Coefficient Based on Kendall's Tau", JASA 63, 1968): the ordered
// slopes at (N -+ C)/2, N = n(n-1)/2, C = 2.58 sqrt(n(n-1)(2n+5)/18). As windows
// depend on each other the variance is multiplied by the Tau of what remains when
// the slope is taken out (S. Yue, C. Wang, Water Resources Management 18, 2004).
// More than 256 windows are first merged in pairs. Fewer than 10 windows, or one
// that isn't finite, are not enough.
func TheilSen(series []float64) Trend {
	if len(series) < minDependence || !allFinite(series) {
		return Trend{}
	}
	step := 1
	for ; len(series) > trendCap; step *= 2 {
		series = pairs(nil, series)
	}
	n := len(series)
	slopes := make([]float64, 0, n*(n-1)/2)
	for i, a := range series {
		for j := i + 1; j < n; j++ {
			slopes = append(slopes, (series[j]-a)/float64(j-i))
		}
	}
	slices.Sort(slopes)
	slope := median(slopes)

	rest := make([]float64, n)
	for i, v := range series {
		rest[i] = v - slope*float64(i)
	}
	tau, ok := Tau(rest)
	if !ok {
		tau = 1
	}
	m := float64(n)
	c := chanceZ * math.Sqrt(tau*m*(m-1)*(2*m+5)/18)
	all := float64(len(slopes))
	low, high := int(math.Floor((all-c)/2)), int(math.Ceil((all+c)/2))+1

	per := float64(step)
	t := Trend{Enough: true, Slope: slope / per, Mean: mean(series), Steps: (n - 1) * step}
	if low >= 1 && high <= len(slopes) {
		t.Bounded, t.Low, t.High = true, slopes[low-1]/per, slopes[high-1]/per
	}
	if !finite(t.Slope) || !finite(t.Low) || !finite(t.High) || !finite(t.Mean) || !finite(t.Drift()) {
		return Trend{}
	}
	return t
}

// median is of values in order, which must not be empty.
func median(sorted []float64) float64 {
	k := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[k]
	}
	return sorted[k-1]/2 + sorted[k]/2
}
