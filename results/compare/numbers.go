package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[(len(s)-1)/2]/2 + s[len(s)/2]/2
}

// deviation is the standard deviation; 0 of fewer than two.
func deviation(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	return stat.StdDev(x, nil)
}

// pooled is the standard error of the difference of two groups' means, and its degrees
// of freedom.
func pooled(a, b []float64) (se, df float64) {
	n, m := float64(len(a)), float64(len(b))
	if df = n + m - 2; df < 1 {
		return 0, 0
	}
	va, vb := deviation(a), deviation(b)
	return math.Sqrt(((n-1)*va*va + (m-1)*vb*vb) / df * (1/n + 1/m)), df
}

func logarithms(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Log(v)
	}
	return out
}

// standardError is an estimate's, with its degrees of freedom.
type standardError struct{ se, df float64 }

// detectable is the difference that is shown with 80% power at alpha, two-sided; 0
// where nothing varies.
func (e standardError) detectable(alpha float64) float64 {
	if !(e.se > 1e-12) || !(e.df >= 1) {
		return 0
	}
	quantile := distuv.UnitNormal.Quantile
	if !math.IsInf(e.df, 1) {
		quantile = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: e.df}.Quantile
	}
	return (quantile(1-alpha/2) + quantile(0.80)) * e.se
}
