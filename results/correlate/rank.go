package correlate

import (
	"cmp"
	"math"
	"slices"
)

// ranks gives each value's rank from 1, equal values the mean of theirs; false where
// all are equal.
func ranks(values []float64) ([]float64, bool) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return out, len(values) > 0 && values[order[0]] != values[order[len(order)-1]]
}

// pearson is the correlation of two series of equal length that both vary.
func pearson(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	return max(-1, min(1, xy/math.Sqrt(xx*yy)))
}

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}

// mostLags bounds how far autocorrelation is looked for.
const mostLags = 50

// autocorrelation gives r_1 ... r_k of a series for k up to a fifth of its length.
func autocorrelation(x []float64) []float64 {
	m, total := mean(x), 0.0
	for _, v := range x {
		total += (v - m) * (v - m)
	}
	r := make([]float64, min(len(x)/5, mostLags))
	if total == 0 {
		return r
	}
	for k := range r {
		c := 0.0
		for i := k + 1; i < len(x); i++ {
			c += (x[i] - m) * (x[i-k-1] - m)
		}
		r[k] = c / total
	}
	return r
}

// effective is how many independent values a mean of these is worth: n / (1 + 2 sum
// (1 - k/n) r_k), up to before the first r_k < 0 (C. J. Geyer, Statistical Science 7,
// 1992), and at most n.
func effective(x []float64) float64 {
	n, sum := float64(len(x)), 0.0
	for k, r := range autocorrelation(x) {
		if r < 0 {
			break
		}
		sum += (1 - float64(k+1)/n) * r
	}
	return n / (1 + 2*sum)
}

// effectivePairs is how many independent pairs the correlation of two series is worth:
// 1/n* = 1/n + 2/n sum over j of (n-j)/n r_xx(j) r_yy(j), j up to n/5 (B. J. Pyper, R.
// M. Peterman, "Comparison of methods to account for autocorrelation in correlation
// analyses of fish data", Canadian Journal of Fisheries and Aquatic Sciences 55, 1998,
// after M. S. Bartlett), and at most n.
func effectivePairs(n int, x, y []float64) float64 {
	sum := 0.0
	for j := range min(len(x), len(y)) {
		sum += float64(n-j-1) / float64(n) * x[j] * y[j]
	}
	return float64(n) / max(1, 1+2*sum)
}

// interval gives the confidence interval of a rank correlation rho over n effective
// pairs, n > 3: Fisher's z, atanh(rho), has a standard error of sqrt(1.06/(n-3)) (E. C.
// Fieller, H. O. Hartley, E. S. Pearson, "Tests for Rank Correlation Coefficients. I",
// Biometrika 44, 1957). missed is the share of intervals that may miss.
func interval(rho, n, missed float64) (low, high float64) {
	z := math.Atanh(max(-1+1e-12, min(1-1e-12, rho)))
	half := normal(1-missed/2) * math.Sqrt(1.06/(n-3))
	return math.Tanh(z - half), math.Tanh(z + half)
}

// normal is the standard normal quantile.
func normal(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
