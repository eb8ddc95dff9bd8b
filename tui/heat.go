package tui

import (
	"math"

	"volley/results"
)

// drawHeat draws how many calls had which response time when: time to the right,
// latency upwards on a log axis, lighter where there are more.
func drawHeat(c canvas, v *view, l look, t *Theme) {
	const margin = 8
	strips := 2
	if c.h < 12 {
		strips = 0
	}
	body := heading(c, "Response time, calls by when they were done", "")
	plot := body.part(margin, 0, body.w-margin, body.h-3-strips)
	if plot.w < 4 || plot.h < 2 {
		return
	}
	a := v.timeAxis(plot.w, l.window == allTime, columns)
	low, high, all := 100.0, 100_000.0, dist(nil)
	for _, p := range a.points {
		if p != nil {
			all = all.merge(p.response)
		}
	}
	if len(all) > 0 {
		low, high = float64(all.quantile(.001)), float64(all.greatest())
	}
	rows := plot.h
	if t.fine() {
		rows *= 2 // half blocks
	}
	s := newLogScale(low, high, rows)
	axisLeft(body.part(0, 0, margin, plot.h), s)
	counts, most := heatColumns(a, s, rowsTogether(a, rows))
	for i, bins := range counts {
		from, to := a.columns(i)
		for x := from; x < to && bins != nil; x++ {
			drawHeatColumn(plot, x, bins, most, t)
		}
	}
	y := plot.h
	drawTimes(body.part(margin, y, plot.w, 2), 0, a)
	y += 2
	if strips > 0 {
		drawStrip(body.part(0, y, body.w, 1), margin, "entries", a, third, func(p *point) float64 { return p.rate(p.entries) })
		drawStrip(body.part(0, y+1, body.w, 1), margin, "failed", a, bad, func(p *point) float64 { return p.rate(p.failed) })
		y += 2
	}
	drawLegend(body.rows(y, 1), margin, most, a, t)
}

// rowsTogether is how many rows share a count: few calls in many rows would be dust.
func rowsTogether(a timeAxis, rows int) int {
	var calls, some float64
	for _, p := range a.points {
		if p != nil && len(p.response) > 0 {
			calls += float64(p.response.count())
			some++
		}
	}
	if calls == 0 {
		return 1
	}
	return min(max(int(math.Round(float64(rows)*some/calls)), 1), 5, max(rows/16, 1))
}

// heatColumns counts each point's calls by rows of the scale, so many of them together,
// and gives the greatest count.
func heatColumns(a timeAxis, s logScale, together int) (columns [][]float64, most float64) {
	n := (s.n + together - 1) / together
	high := s.low * math.Pow(s.high/s.low, float64(n*together)/float64(s.n))
	columns = make([][]float64, len(a.points))
	for i, p := range a.points {
		if p == nil {
			continue
		}
		bins := p.response.bins(s.low, high, n)
		columns[i] = make([]float64, s.n)
		for y := range columns[i] {
			columns[i][y] = bins[y/together]
			most = max(most, columns[i][y])
		}
	}
	return columns, most
}

func drawStrip(c canvas, margin int, name string, a timeAxis, st colour, of func(*point) float64) {
	c.right(margin-1, 0, name, in(dim))
	var values []float64
	most := 0.0
	for i, p := range a.points {
		v := math.NaN()
		if p != nil && p.seconds() >= sliver {
			v = of(p)
			most = max(most, v)
		}
		from, to := a.columns(i)
		for range to - from {
			values = append(values, v)
		}
	}
	spark(c.part(margin, 0, c.w-margin, 1), values, in(st))
}

// level gives the step of the ramp for so many calls, of steps of them, by the
// logarithm; the greatest count is at its end. Nothing is -1.
func level(n, most float64, steps int) int {
	if n < 0.05 || most <= 0 {
		return -1
	}
	if most <= 1 {
		return steps - 1
	}
	share := math.Log(max(n, 1)) / math.Log(most)
	return min(int(share*float64(steps)), steps-1)
}

func drawHeatColumn(c canvas, x int, bins []float64, most float64, t *Theme) {
	for y := range c.h {
		if !t.fine() {
			if i := level(bins[c.h-1-y], most, len(shades)); i >= 0 {
				c.put(x, y, shades[i], in(shadeColour(i)))
			}
			continue
		}
		upper, lower := level(bins[2*(c.h-1-y)+1], most, steps), level(bins[2*(c.h-1-y)], most, steps)
		switch {
		case upper >= 0 && lower >= 0:
			c.put(x, y, "▀", in(heat+colour(upper)).on(heat+colour(lower)))
		case upper >= 0:
			c.put(x, y, "▀", in(heat+colour(upper)))
		case lower >= 0:
			c.put(x, y, "▄", in(heat+colour(lower)))
		}
	}
}

// shadeColour is the colour that goes with a shade where there are few.
func shadeColour(i int) colour { return [len(shades)]colour{first, accent, second, fifth}[i] }

// drawLegend says what the colours stand for, and what a column does.
func drawLegend(c canvas, margin int, most float64, a timeAxis, t *Theme) {
	if most <= 0 {
		c.text(margin, 0, "nothing yet", in(dim))
		return
	}
	n := len(shades)
	if t.fine() {
		n = steps
	}
	x := c.text(margin, 0, "1 ", in(dim))
	for i := range n {
		if t.fine() {
			c.put(x, 0, "█", in(heat+colour(i)))
			x++
		} else {
			c.put(x, 0, shades[i], in(shadeColour(i)))
			c.put(x+1, 0, shades[i], in(shadeColour(i)))
			x += 2
		}
	}
	x = c.text(x+1, 0, results.Count(uint64(math.Ceil(most)))+" calls", in(dim))
	each := "an interval: " + results.Seconds(a.step.Seconds())
	if x+3+width(each) <= c.w {
		c.right(c.w, 0, each, in(dim))
	}
}
