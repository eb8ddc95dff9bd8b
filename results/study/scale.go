package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"volley/results"
	"volley/results/capacity/usl"
)

// CallersSetting is the varied setting that puts a closed loop of so many callers in the
// place of a rate.
const CallersSetting = "callers"

// the bootstrap of a peak: so many resamples, always the same.
const peakResamples, peakSeed = 400, 0x05c1

// Scalability fits the Universal Scalability Law to cells that differ by their callers
// alone: throughput against the calls in flight as measured, throughput * response time
// (Little's law), noise in proportion to the throughput. It is nil where something else
// is varied; where the law cannot be fitted, the model says why.
func Scalability(a *Sweep) *Model {
	if len(a.Varied) != 1 || a.Varied[0].Name != CallersSetting {
		return nil
	}
	m := &Model{Name: "Universal Scalability Law", Of: "throughput", XLabel: "calls in flight", YLabel: "calls/s"}
	points, failed := m.levels(a.Cells)
	if failed != "" {
		m.Warnings = append(m.Warnings, failed)
	}
	fit, err := usl.New(points)
	if err != nil {
		m.Warnings = append(m.Warnings, plainly(err))
		return m
	}
	m.Warnings = append(m.Warnings, fit.Warnings...)
	m.law(&fit)
	for i := range m.Points {
		m.Points[i].Residual = new(m.Points[i].Y - fit.Throughput(m.Points[i].X))
	}
	m.curve(&fit)
	m.peak(&fit, points)
	return m
}

// levels are the trials as points, all of a cell at the same concurrency, and the cells as
// the model shows them; failed says that calls came to no good end.
func (m *Model) levels(cells []Cell) (points []usl.Point, failed string) {
	for i := range cells {
		c := &cells[i]
		x, ok := c.Metric(CallsPerS)
		r, too := c.Metric(ResponseMean)
		if !ok || !too || !(x.Value > 0) {
			continue
		}
		n := x.Value * r.Value / 1e6
		for _, v := range x.Repeats {
			points = append(points, usl.Point{N: n, X: v, SE: x.Value})
		}
		m.Points = append(m.Points, Point{X: n, Y: x.Value, Low: x.Low, High: x.High})
		if e, ok := c.Metric(ErrorsPerItem); ok && e.Value > 0.01 {
			failed = fmt.Sprintf("at %s callers %.3g%% of the items came to no good end: what fails fast makes throughput look better", c.Setting(CallersSetting), 100*e.Value)
		}
		if callers, err := strconv.ParseFloat(c.Setting(CallersSetting), 64); err == nil && math.Abs(n/callers-1) > 0.1 {
			m.Warnings = append(m.Warnings, fmt.Sprintf("%s callers had %.3g calls in flight on the average: the others were busy in the generator, or the trial was short", c.Setting(CallersSetting), n))
		}
	}
	return points, failed
}

func (m *Model) law(f *usl.Fit) {
	for _, p := range []struct {
		name, unit string
		value      float64
		ci         usl.Interval
	}{
		{"sigma, contention", "", f.Sigma, f.SigmaCI}, {"kappa, coherence", "", f.Kappa, f.KappaCI}, {"lambda, one call at a time", "calls/s", f.Lambda, f.LambdaCI},
	} {
		out := Parameter{Name: p.name, Unit: p.unit, Value: p.value}
		if p.ci.SE > 0 { // at its bound, or not told apart, it has none
			out.Low, out.High = new(max(0, p.ci.Low)), new(p.ci.High)
		}
		m.Parameters = append(m.Parameters, out)
	}
}

// curve is the law over what was measured, with the 95% interval of its mean by the delta
// method.
func (m *Model) curve(f *usl.Fit) {
	low := m.Points[0].X
	for _, p := range m.Points {
		low = min(low, p.X)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(f.DF)}.Quantile(0.975)
	const steps = 40
	for i := range steps + 1 {
		n := low * math.Pow(f.Highest/low, float64(i)/steps)
		d, x := 1+f.Sigma*(n-1)+f.Kappa*n*(n-1), f.Throughput(n)
		slope := [3]float64{-x * (n - 1) / d, -x * n * (n - 1) / d, n / d}
		variance := 0.0
		for j := range slope {
			for k := range slope {
				variance += slope[j] * f.Cov[j][k] * slope[k]
			}
		}
		p := Point{X: n, Y: x}
		if variance > 0 {
			half := t * math.Sqrt(variance)
			p.Low, p.High = new(max(0, x-half)), new(x+half)
		}
		m.Curve = append(m.Curve, p)
	}
}

// peak says where throughput is greatest, if what was measured can tell.
func (m *Model) peak(f *usl.Fit, points []usl.Point) {
	if f.Peak == nil {
		most := slices.MaxFunc(m.Points, func(a, b Point) int { return int(math.Copysign(1, a.Y-b.Y)) })
		m.Sentence = fmt.Sprintf("No peak of throughput lies near what was measured, up to %.3g calls in flight; the most measured was %s calls/s, at %.3g.", f.Highest, results.Rate(most.Y), most.X)
		return
	}
	p := Parameter{Name: "peak", Unit: "calls in flight", Value: f.Peak.N}
	interval := "its interval has no end"
	if b, err := f.Bootstrap(points, peakResamples, rand.New(rand.NewPCG(peakSeed, 1))); err == nil && b.PeakN[1] > 0 {
		p.Low, p.High = new(b.PeakN[0]), new(b.PeakN[1])
		interval = fmt.Sprintf("95%% %.3g to %.3g", b.PeakN[0], b.PeakN[1])
	}
	m.Parameters = append(m.Parameters, p)
	m.Sentence = fmt.Sprintf("Throughput is greatest at %.3g calls in flight (%s), with %s calls/s by the law.", f.Peak.N, interval, results.Rate(f.Peak.X))
}
