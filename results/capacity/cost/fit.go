package cost

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Shape is what one observation is made of.
type Shape struct {
	Calls   float64 `json:"calls"`
	Entries float64 `json:"entries"`
	Items   float64 `json:"items"`
}

// Single is a bare call with one item.
func Single() Shape { return Shape{1, 1, 1} }

// Batch is a call with n entries of one item each.
func Batch(n float64) Shape { return Shape{1, n, n} }

// Array is a bare call with n items.
func Array(n float64) Shape { return Shape{1, 1, n} }

func (s Shape) vector() [3]float64 { return [3]float64{s.Calls, s.Entries, s.Items} }

// perItem is the shape of one item of s.
func (s Shape) perItem() Shape { return Shape{s.Calls / s.Items, s.Entries / s.Items, 1} }

// Point is one measurement: a repeat of a shape.
type Point struct {
	Shape
	Cost float64 `json:"cost"` // seconds, or CPU seconds, of the whole shape
	// SE is the standard error of Cost if it is known; 0 for all points means that
	// noise is proportional to the cost.
	SE float64 `json:"se,omitempty"`
}

// Interval is an estimate with its 95% interval. Low and High are 0 when Bounded is
// false: the data give no end.
type Interval struct {
	Value   float64 `json:"value"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Bounded bool    `json:"bounded"`
}

// Coefficient is one of the model's costs, in seconds.
type Coefficient struct {
	Interval
	// Known is false when the points cannot tell it from another cost.
	Known bool `json:"known"`
}

// Residual is how far a point lies from the model.
type Residual struct {
	Point
	Fitted float64 `json:"fitted"`
	// Relative is (Cost-Fitted)/Fitted.
	Relative float64 `json:"relative"`
}

// LackOfFit compares the points' means per shape with the line.
type LackOfFit struct {
	F   float64 `json:"f"`
	DF1 int     `json:"df1"`
	DF2 int     `json:"df2"`
	P   float64 `json:"p"` // small means: not a straight line
}

// Model is a fitted cost model. Its methods need only its exported fields.
type Model struct {
	Envelope Coefficient `json:"envelope"` // A, per call
	Entry    Coefficient `json:"entry"`    // e
	Item     Coefficient `json:"item"`     // b
	// Theta is (A, e, b), of least length where the points leave a choice, Cov its
	// covariance, Unknown the directions that the points cannot see.
	Theta   [3]float64    `json:"theta"`
	Cov     [3][3]float64 `json:"covariance"`
	Unknown [][3]float64  `json:"unknown,omitempty"`

	DF        int        `json:"df"`        // points beyond the costs fitted
	Noise     float64    `json:"noise"`     // standard deviation, relative to the cost, or in units of SE
	Largest   Shape      `json:"largest"`   // of each count per call among the points: beyond it is extrapolation
	Residuals []Residual `json:"residuals"` // in the points' order
	LackOfFit *LackOfFit `json:"lack_of_fit,omitempty"`
	Missing   []string   `json:"missing,omitempty"` // shapes to measure
	Warnings  []string   `json:"warnings,omitempty"`
}

// Fit fits the points by weighted least squares, the weights 1/SE^2 or, noise
// being proportional, 1/fitted^2 found by iteration. It wants about 5 repeats of
// sizes such as 1, 2, 5, 10, 20, 50 and 100 in random order, and arrays of other
// sizes.
func Fit(points []Point) (Model, error) {
	if err := check(points); err != nil {
		return Model{}, err
	}
	weights := make([]float64, len(points))
	for i, p := range points {
		weights[i] = 1 / p.Cost
		if p.SE > 0 {
			weights[i] = 1 / p.SE
		}
	}
	var s solution
	for range 10 {
		var err error
		if s, err = solve(points, weights); err != nil {
			return Model{}, err
		}
		if points[0].SE > 0 {
			break
		}
		for i, p := range points {
			if fitted := dot(p.vector(), s.theta); fitted > p.Cost/100 {
				weights[i] = 1 / fitted
			}
		}
	}
	m := Model{Theta: s.theta, Unknown: s.unknown, DF: len(points) - s.rank}
	m.fill(points, weights, s)
	return m, nil
}

func check(points []Point) error {
	if len(points) < 2 {
		return fmt.Errorf("cost: %d points fit any model: at least two shapes are needed, repeated", len(points))
	}
	known := 0
	for i, p := range points {
		for _, v := range p.vector() {
			if !(v >= 0) || math.IsInf(v, 0) || v > 1e12 {
				return fmt.Errorf("cost: point %d counts %g calls, %g entries, %g items: no finite numbers", i+1, p.Calls, p.Entries, p.Items)
			}
		}
		if !(p.Calls > 0) || !(p.Cost > 1e-15) || p.Cost > 1e15 {
			return fmt.Errorf("cost: point %d costs %g s for %g calls: both must be above 0", i+1, p.Cost, p.Calls)
		}
		if !(p.SE >= 0) || math.IsInf(p.SE, 0) || p.SE > 0 && p.SE < 1e-9*p.Cost {
			return fmt.Errorf("cost: point %d has a standard error of %g: give one for each point, or none", i+1, p.SE)
		}
		if p.SE > 0 {
			known++
		}
	}
	if known != 0 && known != len(points) {
		return fmt.Errorf("cost: %d of %d points have a standard error: give one for each point, or none", known, len(points))
	}
	return nil
}

type solution struct {
	theta   [3]float64
	cov     [3][3]float64 // of unit noise
	unknown [][3]float64
	rank    int
	cond    float64
}

// solve is weighted least squares by singular values of the columns scaled to
// length 1: what the points cannot see is a singular value of 0.
func solve(points []Point, weights []float64) (solution, error) {
	x := mat.NewDense(len(points), 3, nil)
	y := mat.NewVecDense(len(points), nil)
	for i, p := range points {
		for j, v := range p.vector() {
			x.Set(i, j, v*weights[i])
		}
		y.SetVec(i, p.Cost*weights[i])
	}
	var scale [3]float64
	for j := range scale {
		scale[j] = mat.Norm(x.ColView(j), 2)
		if scale[j] == 0 {
			scale[j] = 1
		}
		for i := range points {
			x.Set(i, j, x.At(i, j)/scale[j])
		}
	}
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		return solution{}, errors.New("cost: the points could not be fitted: check their sizes and costs")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	var s solution
	_, columns := v.Dims()
	for k := range columns {
		direction := [3]float64{}
		for j := range direction {
			direction[j] = v.At(j, k)
		}
		if values[k] <= 1e-7*values[0] {
			continue
		}
		s.rank++
		s.cond = values[0] / values[k]
		along := mat.Dot(u.ColView(k), y) / values[k]
		for j := range direction {
			s.theta[j] += along * direction[j] / scale[j]
			for l := range direction {
				s.cov[j][l] += direction[j] * direction[l] / (values[k] * values[k]) / (scale[j] * scale[l])
			}
		}
	}
	s.unknown = unseen(&v, values, scale)
	return s, nil
}

// unseen are the directions of theta that change no point: what is orthogonal to
// the seen ones, in units of the costs.
func unseen(v *mat.Dense, values []float64, scale [3]float64) (out [][3]float64) {
	var seen [][3]float64
	for k := range values {
		if values[k] > 1e-7*values[0] {
			seen = append(seen, [3]float64{v.At(0, k), v.At(1, k), v.At(2, k)})
		}
	}
	// Complete the seen directions by Gram and Schmidt.
	for axis := 0; axis < 3 && len(seen) < 3; axis++ {
		d := [3]float64{}
		d[axis] = 1
		for range 2 {
			for _, s := range seen {
				along := dot(d, s)
				for j := range d {
					d[j] -= along * s[j]
				}
			}
		}
		length := math.Sqrt(dot(d, d))
		if length < 1e-3 {
			continue
		}
		for j := range d {
			d[j] /= length
		}
		seen = append(seen, d)
		unit := [3]float64{d[0] / scale[0], d[1] / scale[1], d[2] / scale[2]}
		length = math.Sqrt(dot(unit, unit))
		for j := range unit {
			unit[j] /= length
		}
		out = append(out, unit)
	}
	return out
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func (m *Model) fill(points []Point, weights []float64, s solution) {
	squares := 0.0
	for i, p := range points {
		fitted := dot(p.vector(), m.Theta)
		r := Residual{Point: p, Fitted: fitted}
		if fitted != 0 {
			r.Relative = (p.Cost - fitted) / fitted
		}
		m.Residuals = append(m.Residuals, r)
		squares += (p.Cost - fitted) * (p.Cost - fitted) * weights[i] * weights[i]
		m.Largest.Calls = max(m.Largest.Calls, p.Calls)
		m.Largest.Entries = max(m.Largest.Entries, p.Entries/p.Calls)
		m.Largest.Items = max(m.Largest.Items, p.Items/p.Calls)
	}
	m.Largest.Calls = 1
	if m.DF > 0 {
		m.Noise = math.Sqrt(squares / float64(m.DF))
	} else {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%d points fit %d costs exactly: no error can be given; repeat the measurements", len(points), s.rank))
	}
	for j := range m.Cov {
		for k := range m.Cov[j] {
			m.Cov[j][k] = s.cov[j][k] * m.Noise * m.Noise
		}
	}
	for j, c := range []*Coefficient{&m.Envelope, &m.Entry, &m.Item} {
		axis := [3]float64{}
		axis[j] = 1
		if c.Known = m.sees(axis); c.Known {
			c.Interval = m.linear(axis)
		}
	}
	m.lackOfFit(points, weights, squares, s.rank)
	m.missing(points)
	m.warn(s)
}

// sees says that x*theta is the same for all thetas that fit the points equally.
func (m Model) sees(x [3]float64) bool {
	length := math.Sqrt(dot(x, x))
	for _, u := range m.Unknown {
		if math.Abs(dot(x, u)) > 1e-6*length {
			return false
		}
	}
	return true
}

func (m Model) variance(x, y [3]float64) float64 {
	v := 0.0
	for j := range x {
		v += x[j] * dot(m.Cov[j], y)
	}
	return v
}

// t is the 97.5% quantile of Student's t for the model's degrees of freedom.
func (m Model) t() float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(m.DF)}.Quantile(0.975)
}

func (m Model) linear(x [3]float64) Interval {
	i := Interval{Value: dot(x, m.Theta)}
	if m.DF < 1 {
		return i
	}
	half := m.t() * math.Sqrt(max(0, m.variance(x, x)))
	i.Low, i.High, i.Bounded = i.Value-half, i.Value+half, true
	return i
}

// lackOfFit is the F test of the means per shape against the model, with the
// spread of repeats as pure error (N. Draper, H. Smith, "Applied Regression
// Analysis", 2.1).
func (m *Model) lackOfFit(points []Point, weights []float64, squares float64, rank int) {
	type group struct{ weight, sum float64 }
	groups := map[Shape]*group{}
	for i, p := range points {
		g := groups[p.Shape]
		if g == nil {
			g = &group{}
			groups[p.Shape] = g
		}
		w := weights[i] * weights[i]
		g.weight += w
		g.sum += w * p.Cost
	}
	pure := 0.0
	for i, p := range points {
		g := groups[p.Shape]
		off := (p.Cost - g.sum/g.weight) * weights[i]
		pure += off * off
	}
	l := LackOfFit{DF1: len(groups) - rank, DF2: len(points) - len(groups)}
	if l.DF1 < 1 || l.DF2 < 1 {
		return
	}
	if pure <= 1e-24*float64(len(points)) {
		m.Warnings = append(m.Warnings, "repeats of a shape are all the same: measurements of a running system vary, counts may not; the fit cannot be tested")
		return
	}
	l.F = max(0, squares-pure) / float64(l.DF1) / (pure / float64(l.DF2))
	l.P = distuv.F{D1: float64(l.DF1), D2: float64(l.DF2)}.Survival(l.F)
	m.LackOfFit = &l
}

func (m *Model) missing(points []Point) {
	if len(m.Unknown) == 0 {
		return
	}
	batches, arrays := map[float64]bool{}, map[float64]bool{}
	for _, p := range points {
		batches[p.Entries/p.Calls] = true
		if p.Entries > 0 {
			arrays[p.Items/p.Entries] = true
		}
	}
	if len(batches) < 2 {
		m.Missing = append(m.Missing, "batches of several sizes: without them the cost of a call cannot be told from that of an entry")
	}
	if len(arrays) < 2 {
		m.Missing = append(m.Missing, "arrays of several items: without them the cost of an entry cannot be told from that of an item")
	}
	if len(m.Missing) == 0 {
		m.Missing = append(m.Missing, "single calls, and arrays of other sizes than the batches': the points' entries and items grow together")
	}
}

func (m *Model) warn(s solution) {
	add := func(format string, a ...any) { m.Warnings = append(m.Warnings, fmt.Sprintf(format, a...)) }
	for _, missing := range m.Missing {
		add("not measured: %s", missing)
	}
	if l := m.LackOfFit; l != nil && l.P < 0.05 {
		add("the costs are not a straight line of the sizes (lack of fit, p %.2g): sizes above the node's batch_concurrency_limit bend it; leave them out, or take the fitted costs as averages", l.P)
	}
	if s.cond > 100 {
		add("the shapes measured are so alike that the costs are hardly told apart (condition %.0f): measure more different sizes", s.cond)
	}
	for name, c := range m.named {
		switch {
		case !c.Known:
		case c.Value < 0:
			add("the cost of %s comes out negative: it is too small to be measured, or the model does not hold", name)
		case c.Bounded && c.Low <= 0:
			add("the cost of %s cannot be told from 0", name)
		}
	}
	if m.DF > 0 && m.DF < 5 {
		add("only %d points more than costs: intervals are wide, and wrong if one point is", m.DF)
	}
}

// named ranges over the costs by their names.
func (m *Model) named(yield func(string, Coefficient) bool) {
	_ = yield("a call", m.Envelope) && yield("an entry", m.Entry) && yield("an item", m.Item)
}
