package tui

import (
	"math"
	"slices"

	"volley/results"
	"volley/results/correlate"
)

// drawOverlay sets the node's histogram under the client's, on one axis.
func drawOverlay(c canvas, v *view) {
	var service []dist
	for i := range v.phases {
		service = append(service, v.phases[i].service)
	}
	client, node := mergeAll(service), nodeDist(v.node.intervals)
	if len(node) == 0 || c.h < 9 {
		drawHistogram(c, "Service time", "calls", client)
		return
	}
	note := results.Count(client.count()) + " calls, " + results.Count(node.count()) + " batches"
	body := heading(c, "Service time, node's time", note)
	s := scaleOf(client, body.w) // the node's first bucket begins at 0
	if high := niceAbove(float64(node.greatest())); high > s.high && len(client) > 0 {
		s.high = high
	}
	axisBelow(body, body.h-2, s)
	upper := (body.h - 2) / 2
	drawSilhouette(body.rows(0, upper), s, client, in(first))
	drawSilhouette(body.rows(upper, body.h-2-upper), s, node, in(second))
	body.text(0, 0, "client", in(first).bold())
	body.text(0, upper, "node", in(second).bold())
}

// drawSilhouette draws a distribution's counts in one colour.
func drawSilhouette(c canvas, s logScale, d dist, st style) {
	bins := d.bins(s.low, s.high, s.n)
	most := 0.0
	for _, n := range bins {
		most = max(most, n)
	}
	for x, n := range bins {
		if most > 0 {
			column(c, x, n/most, st)
		}
	}
}

// nodeDist is what the node's histogram of batches counted, in microseconds. Where in
// its bucket a value lies is not known: a bucket is drawn as wide as it is.
func nodeDist(intervals []correlate.Interval) (d dist) {
	counts := map[float64]float64{}
	var bounds []float64
	for i := range intervals {
		h, ok := intervals[i].Node.Histograms[correlate.BatchTime]
		if !ok {
			continue
		}
		for _, b := range h.Buckets {
			if _, known := counts[b.Le]; !known {
				bounds = append(bounds, b.Le)
			}
			counts[b.Le] += b.Count
		}
	}
	slices.Sort(bounds)
	below, low := 0.0, int64(1)
	for _, le := range bounds {
		high := int64(le * 1e6)
		if n := counts[le] - below; n > 0 && high >= low {
			d = append(d, bucket{low: low, high: high, n: uint64(n + .5)})
		}
		below, low = max(below, counts[le]), high+1
	}
	return d
}

// curveSet is a chart of what the client and the node say of the same thing.
type curveSet struct {
	title string
	names [2]string
	of    func(i *correlate.Interval) [2]float64 // NaN: not known
	limit func(r *correlate.Report) float64      // a line across; 0: none
}

var entriesCurves = curveSet{
	title: "Batch entries a second", names: [2]string{"client", "node"},
	of: func(i *correlate.Interval) [2]float64 {
		v := [2]float64{math.NaN(), math.NaN()}
		if s := i.ClientSeconds(); s >= sliver {
			v[0] = float64(i.Client.BatchEntries) / s
		}
		if n, ok := i.Node.Counters[correlate.Entries]; ok && i.NodeSeconds() >= sliver && !i.Node.Reset {
			v[1] = n / i.NodeSeconds()
		}
		return v
	},
}

var slotCurves = curveSet{
	title: "Batches in flight, slots of each", names: [2]string{"in flight", "slots"},
	of: func(i *correlate.Interval) [2]float64 {
		v := [2]float64{math.NaN(), math.NaN()}
		if mean, ok := i.Node.Gauges[correlate.BatchesInFlight].Mean(); ok {
			v[0] = mean
		}
		if s := i.Node.Slots; s.N > 0 && s.Batches > 0 {
			v[1] = s.Entries / s.Batches
		}
		return v
	},
	limit: func(r *correlate.Report) float64 { return float64(r.Limit) },
}

func drawNodeCurves(c canvas, v *view, l look, set curveSet) {
	body := heading(c, set.title, "")
	styles := [2]style{in(first), in(second)}
	x := c.w
	for i := len(set.names) - 1; i >= 0; i-- {
		x -= width(set.names[i]) + 1
		c.text(x, 0, " "+set.names[i], styles[i].bold())
	}
	const margin = 8
	plot := body.part(margin, 0, body.w-margin, body.h-2)
	if plot.w < 4 || plot.h < 2 {
		return
	}
	a := v.timeAxis(plot.w, l.window == allTime, dots)
	if len(a.points) == 0 {
		return
	}
	drawTimes(body.part(margin, plot.h, plot.w, 2), 0, a)
	lines := [2][]float64{}
	for i := range lines {
		lines[i] = make([]float64, len(a.points))
		for n := range lines[i] {
			lines[i][n] = math.NaN()
		}
	}
	most := 0.0
	for i := range v.node.intervals {
		one := &v.node.intervals[i]
		values := set.of(one)
		from, to := int((one.Client.Start-a.start)/a.step), int((one.Client.End-a.start-1)/a.step)
		for n := max(from, 0); n <= to && n < len(a.points); n++ {
			for k, value := range values {
				if !math.IsNaN(value) {
					lines[k][n] = value
					most = max(most, value)
				}
			}
		}
	}
	limit := 0.0
	if set.limit != nil {
		limit = set.limit(v.node.report)
		if limit > 4*most { // far away, it would flatten all else
			limit = 0
		}
	}
	top := niceAbove(max(most, limit, 1))
	axisLinear(body.part(0, 0, margin, plot.h), top)
	curve := newCurves(plot)
	if limit > 0 {
		y := int(math.Round((1 - limit/top) * float64(4*plot.h-1)))
		for x := 0; x < 2*plot.w; x += 2 {
			curve.dot(x, y, in(bad))
		}
	}
	for k := len(lines) - 1; k >= 0; k-- { // where both agree the client's is seen
		for n := range lines[k] {
			lines[k][n] /= top
		}
		curve.line(lines[k], 2*a.each, styles[k])
	}
}
