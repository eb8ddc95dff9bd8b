package selfcheck

import "math"

// The tails of Bin(n, p) are summed term by term from their largest term: all
// terms are positive, so nothing cancels, and about 10 sqrt(np(1-p)) of them
// matter. They equal the regularised incomplete beta function of the literature:
// P(Bin(n, p) >= k) = I(p; k, n-k+1).

// atMost is P(Bin(n, p) <= k), for 0 < p < 1.
func atMost(k, n int64, p float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	case float64(k) > float64(n)*p:
		return max(0, 1-sumUp(k+1, n, p))
	}
	return min(1, sumDown(k, n, p))
}

// atLeast is P(Bin(n, p) >= k), for 0 < p < 1.
func atLeast(k, n int64, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	case float64(k) < float64(n)*p:
		return max(0, 1-sumDown(k-1, n, p))
	}
	return min(1, sumUp(k, n, p))
}

// negligible is the share of a sum below which a falling term ends it.
const negligible = 1e-18

func sumDown(k, n int64, p float64) float64 {
	odds := (1 - p) / p
	sum := 0.0
	for term := pmf(k, n, p); term > sum*negligible; k-- {
		sum += term
		term *= float64(k) / float64(n-k+1) * odds
	}
	return sum
}

func sumUp(k, n int64, p float64) float64 {
	odds := p / (1 - p)
	sum := 0.0
	for term := pmf(k, n, p); term > sum*negligible; k++ {
		sum += term
		term *= float64(n-k) / float64(k+1) * odds
	}
	return sum
}

// pmf is P(Bin(n, p) = k) by the saddle-point expansion of C. Loader, "Fast and
// Accurate Computation of Binomial Probabilities" (2000): no difference of large
// logarithms, so it keeps its digits at any n.
func pmf(k, n int64, p float64) float64 {
	x, m, q := float64(k), float64(n), 1-p
	switch k {
	case 0:
		return math.Exp(m * math.Log1p(-p))
	case n:
		return math.Exp(m * math.Log(p))
	}
	e := stirlingError(m) - stirlingError(x) - stirlingError(m-x) - deviance(x, m*p) - deviance(m-x, m*q)
	return math.Exp(e) * math.Sqrt(m/(2*math.Pi*x*(m-x)))
}

// stirlingError is ln n! less Stirling's approximation of it.
func stirlingError(n float64) float64 {
	if n < 16 {
		g, _ := math.Lgamma(n + 1)
		return g - (n+0.5)*math.Log(n) + n - 0.5*math.Log(2*math.Pi)
	}
	nn := n * n
	return (1.0/12 - (1.0/360-(1.0/1260-(1.0/1680-1.0/1188/nn)/nn)/nn)/nn) / n
}

// deviance is x ln(x/m) + m - x, by a series where the logarithm is near zero.
func deviance(x, m float64) float64 {
	if math.Abs(x-m) >= 0.1*(x+m) {
		return x*math.Log(x/m) + m - x
	}
	v := (x - m) / (x + m)
	s := (x - m) * v
	term := 2 * x * v
	for j := 3.0; j < 1000; j += 2 {
		term *= v * v
		next := s + term/j
		if next == s {
			break
		}
		s = next
	}
	return s
}
