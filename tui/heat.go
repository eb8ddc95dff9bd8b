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
	a := v.timeAxis(plot.w, l.window == allTime, even)
	low, high, all := math.Inf(1), 0.0, dist(nil)
	for _, p := range a.points {
		if p != nil {
			all = all.merge(p.response)
		}
	}
	if len(all) > 0 {
		low, high = float64(all.quantile(.001)), float64(all.greatest())
	} else {
		low, high = 100, 100_000
	}
	rows := plot.h
	if t.fine() {
		rows *= 2 // half blocks
	}
	s := newLogScale(low, high, rows)
	axisLeft(body.part(0, 0, margin, plot.h), s)
	columns := make([][]float64, len(a.points))
	most := 0.0
	for i, p := range a.points {
		if p == nil {
			continue
		}
		columns[i] = p.response.bins(s.low, s.high, rows)
		for _, n := range columns[i] {
			most = max(most, n)
		}
	}
	for i, bins := range columns {
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
	each := "1 column: " + results.Seconds(a.step.Seconds())
	if a.each > 1 {
		each = itoa(int(a.each)) + " columns: " + results.Seconds(a.step.Seconds())
	}
	if x+3+width(each) <= c.w {
		c.right(c.w, 0, each, in(dim))
	}
}
