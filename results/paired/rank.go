package paired

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Test is a rank test of a centre of 0, with its estimate.
type Test struct {
	N int // values; of two samples, of both
	// Statistic is the sum of ranks of values above 0, or U of the second sample.
	Statistic float64
	P         float64 // two-sided
	Exact     bool    // by counting, not by the normal approximation
	// Centre is the Hodges-Lehmann estimate.
	Centre float64
	// Low and High are the interval of the asked confidence; infinite when so few
	// values cannot have one.
	Low, High float64
}

// Bounded says that the interval has both ends.
func (t Test) Bounded() bool { return !math.IsInf(t.Low, 0) && !math.IsInf(t.High, 0) }

// mostExact is the largest sample whose distribution is counted.
const mostExact = 60

// mostWalsh bounds the averages that are sorted: about a million.
const mostWalsh = 1400

// SignedRank is Wilcoxon's signed-rank test of the values' symmetry around 0, with
// the median of Walsh averages and its interval. Values of exactly 0 are left out
// of the test (Wilcoxon's way), not of the estimate. The p-value is exact up to 60
// values, ties included, beyond that normal with corrections for ties and
// continuity. Hollander and Wolfe, 3.1, 3.19, 3.42.
func SignedRank(values []float64, conf float64) (Test, error) {
	if err := check(values, conf); err != nil {
		return Test{}, err
	}
	if len(values) > mostWalsh {
		return Test{}, fmt.Errorf("%d values are too many for a rank test: %d at most", len(values), mostWalsh)
	}
	t := Test{N: len(values)}
	nonzero := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v == 0 })
	ranks, ties := midranks(nonzero, math.Abs)
	positive := 0
	for i, v := range nonzero {
		if v > 0 {
			positive += ranks[i]
		}
	}
	t.Statistic = float64(positive) / 2
	t.P, t.Exact = signedRankP(positive, ranks, ties)

	walsh := make([]float64, 0, len(values)*(len(values)+1)/2)
	for i, v := range values {
		for _, w := range values[i:] {
			walsh = append(walsh, v/2+w/2)
		}
	}
	slices.Sort(walsh)
	t.Centre = middle(walsh)
	t.Low, t.High = orderInterval(walsh, signedRankCut(len(values), 1-conf))
	return t, nil
}

func check(values []float64, conf float64) error {
	if len(values) == 0 {
		return errors.New("no values")
	}
	if !(conf > 0 && conf < 1) {
		return fmt.Errorf("a confidence of %g: it must be between 0 and 1", conf)
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value %d is %g: not a finite number", i+1, v)
		}
	}
	return nil
}

// midranks are twice the ranks of f(values), ties sharing their mean; ties is the
// sum of t^3-t over groups of t equal ones.
func midranks(values []float64, f func(float64) float64) (twice []int, ties float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(f(values[a]), f(values[b])) })
	twice = make([]int, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && f(values[order[j]]) == f(values[order[i]]) {
			twice[order[j]] = 0
			j++
		}
		for _, k := range order[i:j] {
			twice[k] = i + 1 + j // (i+1 + j)/2, doubled
		}
		n := float64(j - i)
		ties += n*n*n - n
		i = j
	}
	return twice, ties
}

// signedRankP is the two-sided p of a doubled sum of positive ranks.
func signedRankP(positive int, ranks []int, ties float64) (p float64, exact bool) {
	n := float64(len(ranks))
	if n == 0 {
		return 1, true
	}
	if len(ranks) > mostExact {
		mean, variance := n*(n+1)/4, n*(n+1)*(2*n+1)/24-ties/48
		return normalP(float64(positive)/2, mean, variance), false
	}
	total := 0
	for _, r := range ranks {
		total += r
	}
	// Of all 2^n choices of signs, how many give each doubled sum.
	ways := make([]float64, total+1)
	ways[0] = 1
	for _, r := range ranks {
		for s := total; s >= r; s-- {
			ways[s] += ways[s-r]
		}
	}
	return twoSided(ways, positive, math.Exp2(n)), true
}

// twoSided is twice the smaller tail of a counted distribution, at most 1.
func twoSided(ways []float64, at int, all float64) float64 {
	below, above := 0.0, 0.0
	for s, w := range ways {
		if s <= at {
			below += w
		}
		if s >= at {
			above += w
		}
	}
	return min(1, 2*min(below, above)/all)
}

// normalP is two-sided with a continuity correction of 1/2.
func normalP(x, mean, variance float64) float64 {
	if !(variance > 0) {
		return 1
	}
	z := max(0, math.Abs(x-mean)-0.5) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}

// signedRankCut is the number of Walsh averages to leave out at either end: the
// largest k with P(W <= k-1) <= alpha/2 of the untied distribution.
func signedRankCut(n int, alpha float64) int {
	if n > mostExact {
		mean := float64(n) * float64(n+1) / 4
		sd := math.Sqrt(float64(n) * float64(n+1) * float64(2*n+1) / 24)
		return int(math.Floor(mean - normalQuantile(1-alpha/2)*sd))
	}
	total := n * (n + 1) / 2
	ways := make([]float64, total+1)
	ways[0] = 1
	for r := 1; r <= n; r++ {
		for s := total; s >= r; s-- {
			ways[s] += ways[s-r]
		}
	}
	return cut(ways, math.Exp2(float64(n)), alpha)
}

func cut(ways []float64, all, alpha float64) int {
	sum := 0.0
	for k, w := range ways {
		sum += w
		if sum/all > alpha/2*(1+1e-12) {
			return k
		}
	}
	return len(ways)
}

func normalQuantile(p float64) float64 { return distuv.UnitNormal.Quantile(p) }

// orderInterval leaves out cut-1 values at either end; with nothing to leave out
// there is no end.
func orderInterval(sorted []float64, cut int) (low, high float64) {
	if cut < 1 || 2*cut > len(sorted)+1 {
		return math.Inf(-1), math.Inf(1)
	}
	return sorted[cut-1], sorted[len(sorted)-cut]
}

func middle(sorted []float64) float64 {
	return sorted[(len(sorted)-1)/2]/2 + sorted[len(sorted)/2]/2
}

// MannWhitney tests whether values of b tend to be above or below those of a, with
// the median of all differences b-a and its interval (Hollander and Wolfe, 4.1,
// 4.15, 4.34). It is exact up to 60 values in all, ties included, beyond that
// normal with corrections for ties and continuity.
func MannWhitney(a, b []float64, conf float64) (Test, error) {
	if err := check(a, conf); err != nil {
		return Test{}, fmt.Errorf("the first sample: %w", err)
	}
	if err := check(b, conf); err != nil {
		return Test{}, fmt.Errorf("the second sample: %w", err)
	}
	if len(a)*len(b) > mostWalsh*mostWalsh/2 {
		return Test{}, fmt.Errorf("%d and %d values are too many for a rank test", len(a), len(b))
	}
	t := Test{N: len(a) + len(b)}
	ranks, ties := midranks(slices.Concat(a, b), func(v float64) float64 { return v })
	sum := 0
	for _, r := range ranks[len(a):] {
		sum += r
	}
	t.Statistic = float64(sum)/2 - float64(len(b)*(len(b)+1))/2
	t.P, t.Exact = mannWhitneyP(sum, ranks, len(a), len(b), ties, t.Statistic)

	differences := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			differences = append(differences, y-x)
		}
	}
	slices.Sort(differences)
	t.Centre = middle(differences)
	t.Low, t.High = orderInterval(differences, mannWhitneyCut(len(a), len(b), 1-conf))
	return t, nil
}

func mannWhitneyP(sum int, ranks []int, na, nb int, ties, u float64) (float64, bool) {
	if na+nb > mostExact {
		n, m := float64(na), float64(nb)
		all := n + m
		return normalP(u, n*m/2, n*m/12*(all+1-ties/(all*(all-1)))), false
	}
	ways := rankSums(ranks, nb)
	all := 0.0
	for _, w := range ways {
		all += w
	}
	return twoSided(ways, sum, all), true
}

// rankSums counts the choices of k of the doubled ranks by their sum.
func rankSums(ranks []int, k int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	ways := make([][]float64, k+1) // by how many were chosen
	for i := range ways {
		ways[i] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for _, r := range ranks {
		for i := k; i >= 1; i-- {
			for s := total; s >= r; s-- {
				ways[i][s] += ways[i-1][s-r]
			}
		}
	}
	return ways[k]
}

func mannWhitneyCut(na, nb int, alpha float64) int {
	n, m := float64(na), float64(nb)
	if na+nb > mostExact {
		return int(math.Floor(n*m/2 - normalQuantile(1-alpha/2)*math.Sqrt(n*m*(n+m+1)/12)))
	}
	ranks := make([]int, na+nb)
	for i := range ranks {
		ranks[i] = i + 1
	}
	ways := rankSums(ranks, nb)[nb*(nb+1)/2:]
	all := 0.0
	for _, w := range ways {
		all += w
	}
	return cut(ways, all, alpha)
}
