package paired

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is how a metric of B compares with that of A, as a ratio B/A.
type Estimate struct {
	N     int     `json:"n"`      // pairs, or runs of the smaller arm
	Pairs bool    `json:"paired"` // runs were compared in pairs
	Ratio float64 `json:"ratio"`
	// Low and High are the 95% interval, Low90 and High90 the 90% one by which
	// equivalence is judged. All are 0 when Bounded, or Bounded90, is false: so few
	// runs have no such interval.
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Bounded   bool    `json:"bounded"`
	Low90     float64 `json:"low90"`
	High90    float64 `json:"high90"`
	Bounded90 bool    `json:"bounded90"`
	P         float64 `json:"p"` // two-sided, of a ratio of 1
	// LeastP is the smallest p that so many runs can give.
	LeastP float64 `json:"least_p"`
	SD     float64 `json:"sd"` // of the logarithms of ratios; pooled, of runs not in pairs
	// Detectable is the smallest relative change, such as 0.06, that so many runs as
	// noisy as these show 4 times of 5; 0 when the data never vary.
	Detectable float64 `json:"minimal_detectable_effect"`
	// Cliff is the share of pairs of any runs with B above A less that with B below,
	// from -1 to 1 (N. Cliff, Psychological Bulletin 114, 1993).
	Cliff    float64  `json:"cliffs_delta"`
	Warnings []string `json:"warnings,omitempty"`
}

// FewestPairs is the smallest number of pairs whose signed-rank test can be
// significant at 5%: 2/2^6 = 0.031.
const FewestPairs = 6

// Ratios compares B with A in pairs: the i-th values are of the i-th pair and must
// be above 0.
func Ratios(a, b []float64) (Estimate, error) {
	if len(a) != len(b) {
		return Estimate{}, fmt.Errorf("%d values of A and %d of B are no pairs", len(a), len(b))
	}
	if len(a) < 2 {
		return Estimate{}, fmt.Errorf("%d pairs: at least 2 are needed, and %d to show a difference", len(a), FewestPairs)
	}
	la, err := logs("A", a)
	if err != nil {
		return Estimate{}, err
	}
	lb, err := logs("B", b)
	if err != nil {
		return Estimate{}, err
	}
	d := make([]float64, len(a))
	for i := range d {
		d[i] = lb[i] - la[i]
		if b[i] == a[i] {
			d[i] = 0
		}
	}
	e := Estimate{N: len(a), Pairs: true, SD: sd(d), Cliff: Cliff(a, b), LeastP: math.Exp2(float64(1 - len(a)))}
	if err := e.fill(func(conf float64) (Test, error) { return SignedRank(d, conf) }); err != nil {
		return Estimate{}, err
	}
	e.Detectable = detectable(e.SD/math.Sqrt(float64(e.N)), float64(e.N-1))
	if len(a) < FewestPairs {
		e.warn("%d pairs cannot show a difference at 5%%: the least p is %.3g; run at least %d", len(a), e.LeastP, FewestPairs)
	}
	if e.SD < 1e-12 {
		e.warn("all %d ratios are the same: measurements of a running system vary, counts may not", len(a))
	}
	return e, nil
}

// Unpaired compares runs of B with runs of A that do not belong together in pairs.
func Unpaired(a, b []float64) (Estimate, error) {
	if len(a) < 2 || len(b) < 2 {
		return Estimate{}, fmt.Errorf("%d runs of A and %d of B: at least 2 of each are needed, and 4 to show a difference", len(a), len(b))
	}
	la, err := logs("A", a)
	if err != nil {
		return Estimate{}, err
	}
	lb, err := logs("B", b)
	if err != nil {
		return Estimate{}, err
	}
	n, m := float64(len(a)), float64(len(b))
	va, vb := sd(la), sd(lb)
	pooled := math.Sqrt(((n-1)*va*va + (m-1)*vb*vb) / (n + m - 2))
	e := Estimate{N: min(len(a), len(b)), SD: pooled, Cliff: Cliff(a, b), LeastP: min(1, 2/choose(len(a)+len(b), len(a)))}
	if err := e.fill(func(conf float64) (Test, error) { return MannWhitney(la, lb, conf) }); err != nil {
		return Estimate{}, err
	}
	e.Detectable = detectable(pooled*math.Sqrt(1/n+1/m), n+m-2)
	if e.LeastP > 0.05 {
		e.warn("%d and %d runs cannot show a difference at 5%%: the least p is %.3g; run at least 4 of each", len(a), len(b), e.LeastP)
	}
	if pooled < 1e-12 {
		e.warn("the runs of each setting are all the same: measurements of a running system vary, counts may not")
	}
	e.warn("the runs are not in pairs: a drift of the machine between them counts as a difference")
	return e, nil
}

func (e *Estimate) warn(format string, a ...any) {
	e.Warnings = append(e.Warnings, fmt.Sprintf(format, a...))
}

func (e *Estimate) fill(test func(conf float64) (Test, error)) error {
	wide, err := test(0.95)
	if err != nil {
		return err
	}
	narrow, err := test(0.90)
	if err != nil {
		return err
	}
	e.Ratio, e.P = math.Exp(wide.Centre), wide.P
	if e.Bounded = wide.Bounded(); e.Bounded {
		e.Low, e.High = math.Exp(wide.Low), math.Exp(wide.High)
	}
	if e.Bounded90 = narrow.Bounded(); e.Bounded90 {
		e.Low90, e.High90 = math.Exp(narrow.Low), math.Exp(narrow.High)
	}
	if !wide.Exact {
		e.warn("p by the normal approximation: too many runs to count")
	}
	for _, x := range []float64{e.Ratio, e.Low, e.High, e.Low90, e.High90} {
		if math.IsInf(x, 0) {
			return errors.New("the ratio of the two is too large for a number: are both in the same unit?")
		}
	}
	return nil
}

func logs(arm string, x []float64) ([]float64, error) {
	out := make([]float64, len(x))
	for i, v := range x {
		if !(v > 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("run %d of %s measured %g: a ratio needs finite measurements above 0", i+1, arm, v)
		}
		out[i] = math.Log(v)
	}
	return out, nil
}

func sd(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	return stat.StdDev(x, nil)
}

func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c *= float64(n-i) / float64(i+1)
	}
	return c
}

// MinimalDetectable is the relative change that k pairs whose log ratios have the
// standard deviation sd show with 80% power at 5%, two-sided: exp(2.80
// sd/sqrt(k))-1, by the normal approximation. 0 when k is below 1.
func MinimalDetectable(sd float64, k int) float64 {
	if k < 1 || !(sd >= 0) {
		return 0
	}
	return bounded(math.Expm1((normalQuantile(0.975) + normalQuantile(0.80)) * sd / math.Sqrt(float64(k))))
}

// detectable is the same with Student's t in place of the normal: few runs show less.
func detectable(se, df float64) float64 {
	if se < 1e-12 || !(df >= 1) {
		return 0
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}
	return bounded(math.Expm1((t.Quantile(0.975) + t.Quantile(0.80)) * se))
}

// bounded keeps a number fit for JSON.
func bounded(x float64) float64 {
	if math.IsNaN(x) || x > 1e9 {
		return 1e9
	}
	return x
}

// Cliff is Cliff's delta: the share of pairs with b above a less that with b
// below; 0 when either is empty.
func Cliff(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	sum := 0
	for _, x := range a {
		for _, y := range b {
			switch {
			case y > x:
				sum++
			case y < x:
				sum--
			}
		}
	}
	return float64(sum) / float64(len(a)*len(b))
}
