package cost

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

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
