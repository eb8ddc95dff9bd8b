package tui

import (
	"fmt"
	"math"
	"time"

	"volley/results"
)

// drawGenerator shows what the load generator says of itself: how late it sent, what
// it used, and the verdicts of its self-checks.
func drawGenerator(c canvas, v *view, l look, f *figures) {
	rows := generatorRows(v, l, f)
	if c.w < 64 || c.h < 15 {
		y := 0
		for _, r := range rows {
			at := c.text(0, y, fit(r.name, c.w), in(dim))
			c.right(c.w, y, fit(r.value, c.w-at-1), r.st)
			y++
		}
		return
	}
	left := c.w/2 - 1
	upper := min(max(len(rows)+1, 8), c.h-7)
	if c.h >= 34 {
		upper = max(upper, c.h/3)
	}
	body := heading(c.part(0, 0, left, upper), "Generator", "")
	for y, r := range rows {
		at := body.text(0, y, r.name, in(dim))
		body.right(body.w, y, fit(r.value, body.w-at-1), r.st)
	}
	drawChecks(c.part(left+2, 0, c.w, upper), v)
	c = c.rows(upper, c.h-upper)
	if c.h < 20 {
		drawHistogram(c.part(0, 0, left, c.h), "Lateness", "calls", f.lateness)
		drawHealth(c.part(left+2, 0, c.w, c.h), v, l)
		return
	}
	drawHistogram(c.rows(0, c.h/2), "Lateness", "calls", f.lateness)
	drawHealth(c.rows(c.h/2, c.h), v, l)
}

type generatorRow struct {
	name, value string
	st          style
}

func generatorRows(v *view, l look, f *figures) []generatorRow {
	plainly := style{}
	rows := []generatorRow{{"sent", results.Count(f.Calls) + " calls", plainly}}
	if f.planned > f.Calls {
		rows = append(rows, generatorRow{"due", results.Count(f.planned) + " calls", plainly})
	}
	p99 := "-"
	if len(f.lateness) > 0 {
		p99 = results.Micros(float64(f.lateness.quantile(.99)))
		if int64(f.lateness.count()) < results.NeededFor(.99) {
			p99 += "?"
		}
	}
	rows = append(rows, generatorRow{"lateness p99", p99, plainly}, generatorRow{"in flight", itoa(v.flying), plainly})
	for _, odd := range [...]struct {
		n    uint64
		what string
	}{
		{f.OverBound, "waited for a caller"}, {f.Overrun, "after their phase's end"}, {f.Unsent, "never sent"},
		{f.Held, "held by the ceiling"}, {f.Clipped, "clipped latencies"}, {f.Surplus, "surplus answers"},
	} {
		if odd.n > 0 {
			rows = append(rows, generatorRow{odd.what, results.Count(odd.n), in(caution).bold()})
		}
	}
	if h := health(v, l.window, f); h != (results.Health{}) {
		rows = append(rows,
			generatorRow{"CPU", fmt.Sprintf("%.1f%% of its CPUs", 100*h.CPUFraction), plainly},
			generatorRow{"longest GC pause", micros(h.GCPauseMax), plainly},
			generatorRow{"GC cycles", results.Count(h.GCCycles), plainly},
			generatorRow{"wait for a CPU, p99", micros(h.SchedP99), plainly},
			generatorRow{"connections opened", results.Count(h.Connections), plainly},
			generatorRow{"heap", fmt.Sprintf("%.1f MB", float64(h.HeapBytes)/1e6), plainly})
	}
	return rows
}

func micros(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return results.Micros(float64(d) / float64(time.Microsecond))
}

// health gives the generator's over the time of the figures, as far as it is known.
func health(v *view, window int, f *figures) results.Health {
	points := v.points
	if window == allTime {
		points = v.whole
	} else {
		from := len(points)
		for took := time.Duration(0); from > 0 && took < f.took; from-- {
			took += points[from-1].end - points[from-1].start
		}
		points = points[from:]
	}
	if len(points) == 0 {
		return results.Health{}
	}
	return joined(points).health
}

// drawHealth draws CPU, pauses and heap over time, in strips.
func drawHealth(c canvas, v *view, l look) {
	const margin = 18
	body := heading(c, "Over time", "lateness: p99; with the greatest values")
	plot := body.w - margin
	if plot < 4 || body.h < 4 {
		return
	}
	a := v.timeAxis(plot, l.window == allTime, columns)
	strips := [...]struct {
		name string
		st   colour
		of   func(*point) float64
		word func(float64) string
	}{
		{"CPU", first, func(p *point) float64 { return p.health.CPUFraction }, func(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }},
		{"lateness", second, func(p *point) float64 { return p.latenessP99 }, results.Micros},
		{"GC pause", fourth, func(p *point) float64 { return float64(p.health.GCPauseMax) / 1e3 }, results.Micros},
		{"CPU wait", third, func(p *point) float64 { return float64(p.health.SchedP99) / 1e3 }, results.Micros},
		{"heap", accent, func(p *point) float64 { return float64(p.health.HeapBytes) / 1e6 }, func(x float64) string { return fmt.Sprintf("%.1f MB", x) }},
	}
	known := false
	for _, p := range a.points {
		known = known || p != nil && p.health != (results.Health{})
	}
	each := max((body.h-2)/len(strips), 1)
	y := 0
	for i, s := range strips {
		if !known && i != 1 || y+each > body.h-2 {
			continue
		}
		values, most := make([]float64, 0, plot), 0.0
		for i, p := range a.points {
			x := math.NaN()
			if p != nil && p.seconds() >= sliver {
				x = s.of(p)
				most = max(most, x)
			}
			from, to := a.columns(i)
			for range to - from {
				values = append(values, x)
			}
		}
		strip := body.part(margin, y, plot, each)
		spark(strip, values, in(s.st))
		body.text(0, y, s.name, in(dim))
		body.right(margin-1, y, s.word(most), style{})
		y += each
	}
	drawTimes(body.part(margin, y, plot, 2), 0, a)
}
