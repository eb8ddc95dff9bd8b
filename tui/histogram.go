package tui

import (
	"math"
	"slices"
	"time"

	"volley/results"
)

// zones colour a distribution by how rare its values are: up to p50, p90, p99,
// p99.9, and beyond.
var zones = [...]colour{first, third, second, bad, fourth}

// drawHistogram draws a distribution on a log axis with its percentiles marked.
// Heights are proportional to counts; what is not nothing is seen.
func drawHistogram(c canvas, title, what string, d dist) {
	note := results.Count(d.count()) + " " + what
	body := heading(c, title, note)
	if len(d) == 0 {
		body.text(0, 0, "nothing yet", in(dim))
		return
	}
	if body.h < 4 || body.w < 16 {
		drawBars(body, scaleOf(d, body.w), d)
		return
	}
	s := scaleOf(d, body.w)
	axisBelow(body, body.h-2, s)
	bars := body.rows(1, body.h-3)
	drawBars(bars, s, d)
	drawMarks(body.rows(0, body.h-2), s, d)
}

// perColumn is how many values a histogram's column should stand for on average.
const perColumn = 8

// drawBars fills c with the counts of d, one column a step of the scale.
func drawBars(c canvas, s logScale, d dist) {
	// Few values in many columns would look like a comb: columns go together.
	together := min(max(int(math.Ceil(perColumn*float64(s.n)/float64(max(d.count(), 1)))), 1), s.n/20+1, 4)
	bins := d.bins(s.low, s.high*math.Pow(s.high/s.low, float64((together-s.n%together)%together)/float64(s.n)), (s.n+together-1)/together)
	most := slices.Max(append(bins, 0))
	if most == 0 {
		return
	}
	limits := zoneLimits(s, d)
	for x := range s.n {
		n := bins[x/together]
		zone := 0
		for zone < len(limits) && x > limits[zone] {
			zone++
		}
		column(c, x, n/most, in(zones[zone]))
	}
}

// zoneLimits gives the steps that the percentiles shown fall into.
func zoneLimits(s logScale, d dist) (limits [len(shown)]int) {
	for i, q := range shown {
		limits[i] = s.step(float64(d.quantile(q.q)))
	}
	return limits
}

// drawMarks sets the percentiles' names into the first row, with their values where
// there is room for all, and a line down from each, where no bar is.
func drawMarks(c canvas, s logScale, d dist) {
	n := d.count()
	var marks, brief [len(shown)]mark
	for i, q := range shown {
		us := float64(d.quantile(q.q))
		m := mark{x: s.step(us), word: q.name, st: in(zones[i])}
		brief[i] = m
		if m.word += " " + results.Micros(us); int64(n) < results.NeededFor(q.q) {
			m.word += "?"
		}
		marks[i] = m
	}
	placed, all := placeMarks(c.w, marks)
	if !all {
		placed, _ = placeMarks(c.w, brief)
	}
	for _, m := range placed {
		c.text(m.from, 0, m.word, m.st.bold())
	}
	for _, m := range brief {
		for y := 1; y < c.h; y++ {
			if c.at(m.x, y) == "" {
				c.put(m.x, y, "┊", m.st)
			}
		}
	}
}

// mark is a percentile's name and its column.
type mark struct {
	x, from int
	word    string
	st      style
}

// placeMarks puts each word where it begins or ends at its column, or in between; one
// for which there is no room is left out, and all is false.
func placeMarks(w int, marks [len(shown)]mark) (placed []mark, all bool) {
	end := -1
	for _, m := range marks {
		wide := width(m.word)
		m.from = max(min(m.x, w-wide), end+1)
		if m.from > m.x || m.from+wide > w {
			continue
		}
		end = m.from + wide
		placed = append(placed, m)
	}
	return placed, len(placed) == len(marks)
}

// at gives what was drawn at a place.
func (c canvas) at(x, y int) string { return c.cells[(c.y+y)*c.grid.w+c.x+x].s }

// timeAxis says which intervals a chart's columns stand for.
type timeAxis struct {
	points []*point      // as many as there are columns to fill, in order
	each   float64       // columns that a point takes
	start  time.Duration // of the first column
	step   time.Duration // of a point
}

// grain is how a chart divides its columns among points.
type grain int

const (
	columns grain = iota // one column each, or more
	dots                 // half a column each, or more
)

// timeAxis gives the axis of a chart of n columns. A plan that fits is shown from its
// start, and fills the chart as it goes on; else the latest intervals are shown, or,
// with all, the whole run, with several intervals to a point.
func (v *view) timeAxis(n int, all bool, g grain) timeAxis {
	if n < 1 {
		return timeAxis{each: 1, step: time.Second}
	}
	room := n
	if g == dots {
		room *= 2
	}
	seconds := max(int(math.Ceil(max(v.span(), v.now).Seconds())), 1)
	a := timeAxis{}
	switch {
	case seconds <= room && len(v.points) == len(v.whole):
		a.points, a.step = bySecond(v.points, 0, time.Second, seconds), time.Second
	case all:
		a.step = time.Duration((seconds+room-1)/room) * time.Second
		count := int((time.Duration(seconds)*time.Second + a.step - 1) / a.step)
		a.points = bySecond(v.whole, 0, a.step, count)
	default:
		last := int(math.Ceil(v.now.Seconds()))
		a.start, a.step = time.Duration(max(last-room, 0))*time.Second, time.Second
		a.points = bySecond(v.points, a.start, a.step, room)
	}
	a.each = float64(n) / float64(len(a.points))
	return a
}

// bySecond puts points into steps by where their middle lies, joined where several
// fall into one; nil where none does. An interval over several steps fills them.
func bySecond(points []*point, start, step time.Duration, n int) []*point {
	out := make([]*point, n)
	var some []*point
	flush := func(at int) {
		if len(some) > 0 && at >= 0 && at < n {
			out[at] = joined(some)
		}
		some = nil
	}
	at := -1
	for _, p := range points {
		if p.end <= start {
			continue
		}
		i := int(((p.start+p.end)/2 - start) / step)
		if i != at {
			flush(at)
			at = i
		}
		some = append(some, p)
		for j := int((p.start - start) / step); j < i; j++ { // a long one
			if j >= 0 && j < n && p.end-p.start > step*3/2 && out[j] == nil {
				out[j] = p
			}
		}
		for j := i + 1; j < n && start+time.Duration(j+1)*step <= p.end; j++ {
			out[j] = p
		}
	}
	flush(at)
	return out
}

// columns gives the columns of the i-th point: from, and before to.
func (a *timeAxis) columns(i int) (from, to int) {
	const hair = 1e-9
	return int(float64(i)*a.each + hair), int(float64(i+1)*a.each + hair)
}

// drawTimes draws the axis's line in row y and its times below.
func drawTimes(c canvas, y int, a timeAxis) {
	if _, end := a.columns(len(a.points) - 1); end < c.w {
		c = c.part(0, 0, end, c.h)
	}
	for x := range c.w {
		c.put(x, y, "─", in(dim))
	}
	// A label every so many columns, of a length of time that people count in.
	every := time.Duration(0)
	for _, s := range [...]int{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200} {
		every = time.Duration(s) * time.Second
		if float64(every)/float64(a.step)*a.each >= 8 {
			break
		}
	}
	taken := make([]bool, c.w)
	for at := (a.start + every - 1) / every * every; ; at += every {
		x := int(math.Round(float64(at-a.start) / float64(a.step) * a.each))
		if x >= c.w {
			return
		}
		if label(c, y+1, x, clock(at), taken, in(dim)) {
			c.put(x, y, "┴", in(dim))
		}
	}
}

// drawPercentiles draws the response time's percentiles over time on a log axis.
func drawPercentiles(c canvas, v *view, l look) {
	title := "Percentiles over time"
	if c.w < 42 {
		title = "Percentiles"
	}
	body := heading(c, title, "")
	x := c.w
	series := [...]struct {
		name string
		st   colour
		of   func(*point) float64
	}{
		{"p99.9", bad, func(p *point) float64 { return p.p999 }},
		{"p99", second, func(p *point) float64 { return p.p99 }},
		{"p90", third, func(p *point) float64 { return p.p90 }},
		{"p50", first, func(p *point) float64 { return p.p50 }},
	}
	for _, s := range series {
		if x -= width(s.name) + 1; x > width(title) {
			c.text(x, 0, " "+s.name, in(s.st).bold())
		}
	}
	const margin = 8
	plot := body.part(margin, 0, body.w-margin, body.h-2)
	if plot.w < 4 || plot.h < 2 {
		return
	}
	a := v.timeAxis(plot.w, l.window == allTime, dots)
	low, high := math.Inf(1), 0.0
	for _, p := range a.points {
		if p != nil && len(p.response) > 0 {
			low, high = min(low, max(p.p50, 1)), max(high, p.p999)
		}
	}
	drawTimes(body.part(margin, plot.h, plot.w, 2), 0, a)
	if high == 0 {
		axisLeft(body.part(0, 0, margin, plot.h), newLogScale(100, 100_000, 1000))
		return
	}
	s := newLogScale(low, high, 1000)
	axisLeft(body.part(0, 0, margin, plot.h), s)
	curve := newCurves(plot)
	for _, one := range series {
		values := make([]float64, len(a.points))
		for i, p := range a.points {
			if values[i] = math.NaN(); p != nil && len(p.response) > 0 {
				values[i] = s.at(one.of(p)) / float64(s.n)
			}
		}
		curve.line(values, 2*a.each, in(one.st))
	}
}

// drawRateCurves draws what was asked, achieved and good over time, in the unit that
// the plan speaks in.
func drawRateCurves(c canvas, v *view, l look) {
	_, unit := v.asked(min(v.now, max(v.span()-1, 0)))
	if unit == "" || unit == unitCallers {
		unit = "entries/s"
	}
	body := heading(c, "Rates, "+unit, "")
	x := c.w
	for _, s := range [...]struct {
		name string
		st   colour
	}{{"goodput", third}, {"achieved", first}, {"asked", dim}} {
		if x -= width(s.name) + 1; x > 18 {
			c.text(x, 0, " "+s.name, in(s.st).bold())
		}
	}
	const margin = 8
	plot := body.part(margin, 0, body.w-margin, body.h-2)
	if plot.w < 4 || plot.h < 2 {
		return
	}
	a := v.timeAxis(plot.w, l.window == allTime, dots)
	drawTimes(body.part(margin, plot.h, plot.w, 2), 0, a)
	var lines [3][]float64 // asked, achieved, good
	most := 0.0
	for i, p := range a.points {
		at := a.start + time.Duration(i)*a.step + a.step/2
		values := [3]float64{math.NaN(), math.NaN(), math.NaN()}
		if asked, u := v.asked(at); u == unit {
			values[0] = asked
		}
		if p != nil && p.seconds() >= sliver {
			switch unit {
			case "calls/s":
				values[1] = p.rate(p.calls)
			case "items/s":
				values[1], values[2] = p.rate(p.items), p.rate(p.goodItems)
			default:
				values[1], values[2] = p.rate(p.entries), p.rate(p.goodEntries)
			}
		}
		for n := range lines {
			lines[n] = append(lines[n], values[n])
			if !math.IsNaN(values[n]) {
				most = max(most, values[n])
			}
		}
	}
	top := niceAbove(max(most, 1))
	axisLinear(body.part(0, 0, margin, plot.h), top)
	curve := newCurves(plot)
	for n, st := range [...]colour{dim, first, third} {
		for i := range lines[n] {
			lines[n][i] /= top
		}
		curve.line(lines[n], 2*a.each, in(st))
	}
}

// axisLinear draws a scale from 0 to top.
func axisLinear(c canvas, top float64) {
	for y := range c.h {
		c.put(c.w-1, y, "│", in(dim))
	}
	tick := func(y int, v float64) {
		c.put(c.w-1, y, "┤", in(dim))
		c.right(c.w-2, y, shortNumber(v), in(dim))
	}
	tick(0, top)
	tick(c.h-1, 0)
	if c.h >= 5 {
		tick(c.h/2, top/2)
	}
}

// shortNumber gives a number in six columns at most.
func shortNumber(v float64) string {
	switch {
	case v < 9.995 && v != math.Trunc(v):
		return results.Number(math.Round(v*10) / 10)
	case v < 99_999.5:
		return results.Number(math.Round(v))
	case v < 9_999_500:
		return results.Number(math.Round(v/1e3)) + "k"
	}
	return results.Number(math.Round(v/1e6)) + "M"
}
