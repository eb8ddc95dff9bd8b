package study

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"volley/results"
	"volley/results/capacity/cost"
)

// SizeOptions are what the choice of a size goes by.
type SizeOptions struct {
	Setting string
	Array   bool // sizes are items of a call, not entries of a batch
	// Metric is the percentile that has to stay within Limit, in microseconds: of the
	// cells' own, such as ResponseP99. Limit 0: there is no objective.
	Metric string
	Limit  float64
}

// enoughGain is the share of the greatest speedup at which a size is large enough
// when no objective bounds it.
const enoughGain = 0.9

// RecommendSize fits what a call costs by its size, in time and in the node's CPU, and
// chooses a size: the largest measured whose percentile stays within the objective, its
// interval included, or without one the smallest that reaches 90% of the greatest
// speedup that the model has.
func RecommendSize(cells []Cell, o SizeOptions) (*Recommendation, []Model) {
	r := &Recommendation{Setting: o.Setting}
	for i := range cells {
		r.Front = append(r.Front, candidate(&cells[i], o.Setting))
	}
	var models []Model
	latency, latencyModel := costModel(cells, o, "time of a call", ServiceMean)
	cpu, cpuModel := costModel(cells, o, "node CPU of a call", CPUPerCall)
	for _, m := range []*Model{latencyModel, cpuModel} {
		if m != nil {
			models = append(models, *m)
		}
	}
	if o.Limit > 0 {
		r.withinObjective(cells, o, latency)
	} else {
		r.withoutObjective(cells, o, latency, cpu)
	}
	return r, models
}

func (r *Recommendation) withinObjective(cells []Cell, o SizeOptions, latency *cost.Model) {
	limit := results.Micros(o.Limit)
	r.Rule = fmt.Sprintf("the largest size measured whose %s, with its 95%% interval, stays within %s", strings.ReplaceAll(strings.TrimSuffix(o.Metric, "_us"), "_", " "), limit)
	best, chosen := 0, -1
	for i := range cells {
		m, ok := cells[i].Metric(o.Metric)
		n, err := strconv.Atoi(cells[i].Setting(o.Setting))
		if !ok || err != nil {
			continue
		}
		upper := m.Value
		if m.High != nil {
			upper = max(upper, *m.High)
		}
		r.Front[i].Allowed = upper <= o.Limit
		switch {
		case m.Few:
			r.Front[i].Note = "too few calls for the percentile"
		case m.High == nil:
			r.Front[i].Note = "one repeat has no interval"
		}
		if r.Front[i].Allowed && n > best {
			best, chosen = n, i
		}
	}
	if chosen < 0 {
		r.Sentence = fmt.Sprintf("no size measured stays within %s", limit)
	} else {
		r.Value, r.Front[chosen].Chosen = strconv.Itoa(best), true
		r.Sentence = fmt.Sprintf("%d: the largest size measured that stays within %s", best, limit)
		if note := r.Front[chosen].Note; note != "" {
			r.Warnings = append(r.Warnings, fmt.Sprintf("at %d: %s", best, note))
		}
	}
	largest := 0
	for i := range cells {
		n, _ := strconv.Atoi(cells[i].Setting(o.Setting))
		largest = max(largest, n)
	}
	if latency == nil || o.Array {
		return
	}
	if s, err := latency.SizeWithin(o.Limit/1e6, largest); err == nil {
		r.Why = append(r.Why, "by the model of mean times: "+s.Sentence)
		r.Warnings = append(r.Warnings, s.Warnings...)
	}
}

func (r *Recommendation) withoutObjective(cells []Cell, o SizeOptions, latency, cpu *cost.Model) {
	model, of := cpu, "CPU"
	if model == nil {
		model, of = latency, "time"
	}
	r.Rule = fmt.Sprintf("without an objective for the response time: the size that reaches %.0f%% of the greatest speedup, by the model of %s", 100*enoughGain, of)
	if model == nil {
		r.Sentence = nothing + "the trials give no model of costs"
		return
	}
	if model.DF < 1 {
		r.Sentence = nothing + "these few points fit any model exactly; repeat them, or measure more sizes"
		return
	}
	n, ok := model.SizeFor(enoughGain)
	if !ok || !(n.Value >= 1) {
		r.Sentence = nothing + "the model cannot tell a call's own cost from its entries'"
		return
	}
	largest := 0.0
	for i := range cells {
		v, _ := strconv.ParseFloat(cells[i].Setting(o.Setting), 64)
		largest = max(largest, v)
	}
	if n.Value > largest {
		r.Warnings = append(r.Warnings, fmt.Sprintf("that is beyond %g, the largest size measured: the model may not hold there", largest))
	}
	r.Value = strconv.Itoa(int(n.Value + 0.999))
	r.Sentence = r.Value + ", by the model"
	if n.Bounded {
		r.Sentence += fmt.Sprintf(" (95%% %.3g to %.3g)", n.Low, n.High)
	} else {
		r.Warnings = append(r.Warnings, "the interval of that size has no end: repeat more, or measure more sizes")
	}
}

// costModel fits a metric of the cells' repeats, in microseconds a call; nil where it
// cannot be.
func costModel(cells []Cell, o SizeOptions, of, metric string) (*cost.Model, *Model) {
	var points []cost.Point
	out := &Model{Name: "cost", Of: of, XLabel: o.Setting, YLabel: "us a call"}
	for i := range cells {
		m, ok := cells[i].Metric(metric)
		n, err := strconv.ParseFloat(cells[i].Setting(o.Setting), 64)
		if !ok || err != nil {
			continue
		}
		shape := cost.Batch(n)
		if o.Array {
			shape = cost.Array(n)
		}
		for _, v := range m.Repeats {
			if v > 0 {
				points = append(points, cost.Point{Shape: shape, Cost: v / 1e6})
			}
		}
		out.Points = append(out.Points, Point{X: n, Y: m.Value, Low: m.Low, High: m.High})
	}
	if len(points) == 0 {
		return nil, nil
	}
	fit, err := cost.Fit(points)
	if err != nil {
		out.Warnings = append(out.Warnings, plainly(err))
		return nil, out
	}
	for _, c := range []struct {
		name string
		c    cost.Coefficient
	}{{"A, a call's envelope", fit.Envelope}, {"e, an entry", fit.Entry}, {"b, an item", fit.Item}} {
		if !c.c.Known {
			continue
		}
		p := Parameter{Name: c.name, Unit: "us", Value: c.c.Value * 1e6}
		if c.c.Bounded {
			p.Low, p.High = new(c.c.Low*1e6), new(c.c.High*1e6)
		}
		out.Parameters = append(out.Parameters, p)
	}
	if !fit.Entry.Known && !fit.Item.Known && !o.Array {
		out.Parameters = append(out.Parameters, together(&fit))
	}
	for i := range out.Points {
		shape := cost.Batch(out.Points[i].X)
		if o.Array {
			shape = cost.Array(out.Points[i].X)
		}
		if v, ok := fit.Predict(shape); ok {
			out.Curve = append(out.Curve, Point{X: out.Points[i].X, Y: v.Value * 1e6})
			out.Points[i].Residual = new(out.Points[i].Y - v.Value*1e6)
		}
	}
	out.Warnings = append(out.Warnings, fit.Warnings...)
	if ratio, ok := fit.OverheadRatio(); ok {
		out.Sentence = fmt.Sprintf("A call's envelope costs as much as %.3g entries.", ratio.Value)
	}
	if fit.DF > 0 {
		out.Sentence = strings.TrimSpace(out.Sentence + " " + farthest(out.Points))
	}
	return &fit, out
}

// farthest says how well the line goes through the points.
func farthest(points []Point) string {
	worst, at := 0.0, 0.0
	for _, p := range points {
		if p.Residual != nil && p.Y > 0 && math.Abs(*p.Residual)/p.Y >= worst {
			worst, at = math.Abs(*p.Residual)/p.Y, p.X
		}
	}
	if at == 0 {
		return ""
	}
	return fmt.Sprintf("The fitted line is off by at most %.0f%%, at %g.", 100*worst, at)
}

// together is what an entry and its item cost, where batches of one item an entry
// cannot tell the two apart.
func together(m *cost.Model) Parameter {
	v := m.Theta[1] + m.Theta[2]
	p := Parameter{Name: "e+b, an entry with its item", Unit: "us", Value: v * 1e6}
	if variance := m.Cov[1][1] + m.Cov[2][2] + 2*m.Cov[1][2]; m.DF > 0 && variance >= 0 {
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(m.DF)}.Quantile(0.975) * math.Sqrt(variance)
		p.Low, p.High = new((v-half)*1e6), new((v+half)*1e6)
	}
	return p
}
