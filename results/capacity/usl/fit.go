package usl

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a 95% interval with its standard error.
type Interval struct {
	SE   float64 `json:"se"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Optimum is a concurrency of greatest throughput.
type Optimum struct {
	N  float64 `json:"n"`
	X  float64 `json:"x"`
	SE float64 `json:"se"` // of N, by the delta method
}

// Fit is a fitted law.
type Fit struct {
	Curve
	SigmaCI  Interval `json:"sigma_interval"`
	KappaCI  Interval `json:"kappa_interval"`
	LambdaCI Interval `json:"lambda_interval"`
	// Cov is of (sigma, kappa, lambda); rows of a number held at its bound are 0.
	Cov [3][3]float64 `json:"covariance"`
	// AtBound names what lies at its bound of 0, "sigma" or "kappa".
	AtBound   []string  `json:"at_bound,omitempty"`
	DF        int       `json:"df"`
	Noise     float64   `json:"noise"`     // residual standard error, in the throughput's unit, or in units of SE
	Residuals []float64 `json:"residuals"` // X - X(N), in the points' order
	// Peak is nil unless it lies within one and a half times the highest
	// concurrency measured.
	Peak     *Optimum `json:"peak,omitempty"`
	Highest  float64  `json:"highest"` // concurrency measured
	Levels   int      `json:"levels"`
	Warnings []string `json:"warnings,omitempty"`
}

// New fits the law by Levenberg and Marquardt's method on the weighted residuals
// X - X(N) with sigma and kappa at least 0 and lambda above 0. Intervals are
// Student's t with k-3 degrees of freedom and the covariance s^2 (J'J)^-1. At least
// four levels are needed; six are advised, two of them beyond the peak.
func New(points []Point) (Fit, error) {
	if err := check(points); err != nil {
		return Fit{}, err
	}
	best, err := minimise(points)
	if err != nil {
		return Fit{}, err
	}
	f := Fit{Curve: best.curve(), DF: len(points) - 3, Highest: highest(points)}
	f.intervals(points, best)
	levels := map[float64]bool{}
	for _, p := range points {
		levels[p.N] = true
		f.Residuals = append(f.Residuals, p.X-f.Throughput(p.N))
	}
	f.Levels = len(levels)
	f.peak()
	f.warn(points)
	return f, nil
}

// problem is a fit scaled to numbers near 1: theta is (sigma, kappa, lambda/scale).
type problem struct {
	points  []Point
	weights []float64
	scale   float64
}

type state struct {
	theta   [3]float64
	scale   float64
	squares float64
}

func (s state) curve() Curve { return Curve{s.theta[0], s.theta[1], s.theta[2] * s.scale} }

// minimise starts from several guesses and keeps the best end: the surface is flat
// along sigma against kappa.
func minimise(points []Point) (state, error) {
	p := problem{points: points, weights: make([]float64, len(points))}
	for _, q := range points {
		p.scale = max(p.scale, q.X/q.N)
	}
	for i, q := range points {
		p.weights[i] = 1 / p.scale
		if q.SE > 0 {
			p.weights[i] = 1 / q.SE
		}
	}
	best := state{squares: math.Inf(1)}
	for _, start := range [][3]float64{{0.1, 0.01, 1}, {0.01, 1e-4, 1}, {0.5, 1e-3, 1.5}, {0.02, 0, 1}, {0, 1e-5, 0.7}} {
		if s := p.descend(start); s.squares < best.squares {
			best = s
		}
	}
	if math.IsInf(best.squares, 1) || !(best.theta[2] > 0) {
		return state{}, errors.New("usl: the points could not be fitted: check that N is the measured concurrency and X the throughput at it")
	}
	return best, nil
}

func (p problem) model(t [3]float64, n float64) float64 {
	return p.scale * t[2] * n / (1 + t[0]*(n-1) + t[1]*n*(n-1))
}

func (p problem) squares(t [3]float64) float64 {
	sum := 0.0
	for i, q := range p.points {
		r := (q.X - p.model(t, q.N)) * p.weights[i]
		sum += r * r
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}

// normal is J'WJ and J'Wr at theta.
func (p problem) normal(t [3]float64) (jj [3][3]float64, jr [3]float64) {
	for i, q := range p.points {
		d := 1 + t[0]*(q.N-1) + t[1]*q.N*(q.N-1)
		x := p.scale * t[2] * q.N / d
		row := [3]float64{-x * (q.N - 1) / d, -x * q.N * (q.N - 1) / d, p.scale * q.N / d}
		w := p.weights[i]
		for j := range row {
			row[j] *= w
		}
		r := (q.X - x) * w
		for j := range row {
			jr[j] += row[j] * r
			for k := range row {
				jj[j][k] += row[j] * row[k]
			}
		}
	}
	return jj, jr
}

// descend is Levenberg-Marquardt with the numbers at a bound held there while the
// descent pushes outwards.
func (p problem) descend(theta [3]float64) state {
	s := state{theta: theta, scale: p.scale, squares: p.squares(theta)}
	damping := 1e-3
	for range 2000 {
		jj, jr := p.normal(s.theta)
		var free []int
		for j := range s.theta {
			if j == 2 || s.theta[j] > 0 || jr[j] > 0 {
				free = append(free, j)
			}
		}
		step, ok := damped(jj, jr, free, damping)
		if !ok {
			if damping *= 10; damping > 1e12 {
				break
			}
			continue
		}
		next := s.theta
		for i, j := range free {
			next[j] += step[i]
		}
		next[0], next[1] = max(0, next[0]), max(0, next[1])
		next[2] = max(next[2], s.theta[2]/10)
		squares := p.squares(next)
		if !(squares <= s.squares) {
			if damping *= 10; damping > 1e12 {
				break
			}
			continue
		}
		still := s.squares-squares <= 1e-15*squares && small(next, s.theta)
		s.theta, s.squares = next, squares
		if damping = max(damping/10, 1e-12); still {
			break
		}
	}
	return s
}

func small(a, b [3]float64) bool {
	for j := range a {
		if math.Abs(a[j]-b[j]) > 1e-11*(math.Abs(b[j])+1e-9) {
			return false
		}
	}
	return true
}

// damped solves (JJ + damping diag JJ) step = Jr for the free numbers.
func damped(jj [3][3]float64, jr [3]float64, free []int, damping float64) ([]float64, bool) {
	n := len(free)
	a := mat.NewSymDense(n, nil)
	b := mat.NewVecDense(n, nil)
	for i, j := range free {
		for k := i; k < n; k++ {
			a.SetSym(i, k, jj[j][free[k]]/math.Sqrt(jj[j][j]*jj[free[k]][free[k]]))
		}
		a.SetSym(i, i, 1+damping)
		b.SetVec(i, jr[j]/math.Sqrt(jj[j][j]))
	}
	for _, v := range append(slices.Clone(a.RawSymmetric().Data), b.RawVector().Data...) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		return nil, false
	}
	var x mat.VecDense
	if err := c.SolveVecTo(&x, b); err != nil {
		return nil, false
	}
	step := make([]float64, n)
	for i, j := range free {
		step[i] = x.AtVec(i) / math.Sqrt(jj[j][j])
	}
	return step, true
}

func (f *Fit) intervals(points []Point, s state) {
	p := problem{points: points, weights: make([]float64, len(points)), scale: s.scale}
	for i, q := range points {
		p.weights[i] = 1 / s.scale
		if q.SE > 0 {
			p.weights[i] = 1 / q.SE
		}
	}
	f.Noise = math.Sqrt(s.squares / float64(f.DF))
	noise := f.Noise
	if points[0].SE == 0 {
		f.Noise *= s.scale
	}
	jj, _ := p.normal(s.theta)
	var free []int
	for j, name := range []string{"sigma", "kappa", "lambda"} {
		if s.theta[j] > 0 {
			free = append(free, j)
		} else {
			f.AtBound = append(f.AtBound, name)
		}
	}
	unit := [3]float64{1, 1, s.scale}
	if inverse, ok := invert(jj, free); ok {
		for a, j := range free {
			for b, k := range free {
				f.Cov[j][k] = inverse.At(a, b) * noise * noise * unit[j] * unit[k]
			}
		}
	} else {
		f.Warnings = append(f.Warnings, "the points do not tell sigma, kappa and lambda apart: no intervals")
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(f.DF)}.Quantile(0.975)
	values := [3]float64{f.Sigma, f.Kappa, f.Lambda}
	for j, ci := range []*Interval{&f.SigmaCI, &f.KappaCI, &f.LambdaCI} {
		se := math.Sqrt(max(0, f.Cov[j][j]))
		*ci = Interval{se, values[j] - t*se, values[j] + t*se}
	}
}

func invert(jj [3][3]float64, free []int) (*mat.SymDense, bool) {
	a := mat.NewSymDense(len(free), nil)
	for i, j := range free {
		for k := i; k < len(free); k++ {
			v := jj[j][free[k]]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, false
			}
			a.SetSym(i, k, v/math.Sqrt(jj[j][j]*jj[free[k]][free[k]]))
		}
	}
	var c mat.Cholesky
	if !c.Factorize(a) || c.Cond() > 1e14 {
		return nil, false
	}
	var inverse mat.SymDense
	if err := c.InverseTo(&inverse); err != nil {
		return nil, false
	}
	for i, j := range free {
		for k := i; k < len(free); k++ {
			inverse.SetSym(i, k, inverse.At(i, k)/math.Sqrt(jj[j][j]*jj[free[k]][free[k]]))
		}
	}
	return &inverse, true
}

// peak sets the optimum where the data support one.
func (f *Fit) peak() {
	n := f.Curve.Peak()
	if math.IsInf(n, 1) || !(n >= 1) {
		return
	}
	if n > 1.5*f.Highest {
		f.Warnings = append(f.Warnings, fmt.Sprintf("the fitted peak lies far beyond the highest concurrency measured, %.4g: it is not given; measure higher ones", f.Highest))
		return
	}
	// dN/dsigma = -1/(2 kappa N), dN/dkappa = -N/(2 kappa).
	ds, dk := -1/(2*f.Kappa*n), -n/(2*f.Kappa)
	variance := ds*ds*f.Cov[0][0] + 2*ds*dk*f.Cov[0][1] + dk*dk*f.Cov[1][1]
	f.Peak = &Optimum{N: n, X: f.Throughput(n), SE: math.Sqrt(max(0, variance))}
}

func (f *Fit) warn(points []Point) {
	add := func(format string, a ...any) { f.Warnings = append(f.Warnings, fmt.Sprintf(format, a...)) }
	if f.Levels < advised {
		add("only %d levels of concurrency: at least %d are advised", f.Levels, advised)
	}
	for _, name := range f.AtBound {
		add("%s lies at its bound of 0: the points show no such effect, or a law they do not follow", name)
	}
	if f.Peak != nil {
		beyond := map[float64]bool{}
		for _, p := range points {
			if p.N > f.Peak.N {
				beyond[p.N] = true
			}
		}
		if len(beyond) < 2 {
			add("only %d levels lie beyond the peak: it rests on the curve, not on points; measure 2 or more", len(beyond))
		}
	}
	if f.Sigma > 1 {
		add("sigma is above 1: throughput falls from the first; this is no contention the law knows")
	}
	if f.DF < 3 {
		add("only %d points more than the three numbers: intervals are wide", f.DF)
	}
}

// Bootstrapped are percentile intervals of refitted resamples.
type Bootstrapped struct {
	Sigma    [2]float64 `json:"sigma"`
	Kappa    [2]float64 `json:"kappa"`
	Lambda   [2]float64 `json:"lambda"`
	PeakN    [2]float64 `json:"peak_n"` // 0, 0 when there is none
	Fits     int        `json:"fits"`   // resamples that could be fitted
	Peakless int        `json:"peakless"`
}

// Bootstrap refits the law to its own curve with residuals drawn anew, at least 200
// times, and gives the middle 95%: better than the t intervals where sigma and
// kappa trade for each other or lie at a bound. Resamples without a peak have it at
// infinity: when more than a fortieth are so, the peak's interval has no end and is
// not given.
func (f Fit) Bootstrap(points []Point, times int, rng *rand.Rand) (Bootstrapped, error) {
	if len(points) != len(f.Residuals) {
		return Bootstrapped{}, fmt.Errorf("usl: %d points for a fit of %d", len(points), len(f.Residuals))
	}
	if err := check(points); err != nil {
		return Bootstrapped{}, err
	}
	grow := math.Sqrt(float64(len(points)) / float64(max(f.DF, 1)))
	values := make([][]float64, 4)
	var out Bootstrapped
	for range max(times, 200) {
		again := slices.Clone(points)
		for i := range again {
			from := rng.IntN(len(points))
			r := f.Residuals[from] * grow
			if points[i].SE > 0 {
				r *= points[i].SE / points[from].SE
			}
			again[i].X = max(f.Throughput(points[i].N)+r, points[i].X*1e-3)
		}
		s, err := minimise(again)
		if err != nil {
			continue
		}
		c := s.curve()
		out.Fits++
		peak := c.Peak()
		if math.IsInf(peak, 1) {
			out.Peakless++
		}
		for j, v := range []float64{c.Sigma, c.Kappa, c.Lambda, peak} {
			values[j] = append(values[j], v)
		}
	}
	if out.Fits < 100 {
		return out, fmt.Errorf("usl: only %d resamples could be fitted", out.Fits)
	}
	for j, to := range []*[2]float64{&out.Sigma, &out.Kappa, &out.Lambda, &out.PeakN} {
		slices.Sort(values[j])
		edge := int(0.025 * float64(out.Fits))
		*to = [2]float64{values[j][edge], values[j][out.Fits-1-edge]}
	}
	if math.IsInf(out.PeakN[1], 1) {
		out.PeakN = [2]float64{}
	}
	return out, nil
}
