package results

import (
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// evaluate holds the objective against the measured phases.
func (o Objective) evaluate(p *PhaseSlice, span time.Duration) ObjectiveResult {
	r := ObjectiveResult{Text: o.Text, Metric: o.Metric, Stat: o.Stat, Op: o.Op, Limit: o.Limit, N: p.Calls}
	set := func(v float64) { r.Value = &v }
	share := func(n, of uint64) {
		if r.N = of; of > 0 {
			set(float64(n) / float64(of))
		}
	}
	rate := func(n uint64) {
		if span > 0 && p.Calls > 0 {
			set(float64(n) / span.Seconds())
		}
	}
	switch o.Metric {
	case "response":
		r.Value = o.latency(p.Response)
	case "service":
		r.Value = o.latency(p.Service)
	case "lateness":
		r.Value = o.latency(p.Lateness)
	case "entry errors":
		share(p.FailedEntries(), p.Entries)
	case "call errors":
		share(p.FailedCalls(), p.Calls)
	case "goodput":
		rate(p.GoodEntries())
	case "calls":
		rate(p.Calls)
	case "entries":
		rate(p.Entries)
	case "items":
		rate(p.Items)
	}
	r.Met = r.Value != nil && holds(*r.Value, o.Op, o.Limit)
	return r
}

func (o Objective) latency(h *hdrhistogram.Histogram) *float64 {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	var v float64
	switch p, ok := percentile(o.Stat); {
	case ok:
		v = float64(h.ValueAtPercentile(p))
	case o.Stat == "max":
		v = float64(h.Max())
	case o.Stat == "mean":
		v = h.Mean()
	default:
		return nil
	}
	return &v
}

// percentile takes a stat such as "p99.9" apart.
func percentile(stat string) (float64, bool) {
	if len(stat) < 2 || stat[0] != 'p' {
		return 0, false
	}
	p, err := strconv.ParseFloat(stat[1:], 64)
	return p, err == nil && p > 0 && p <= 100
}

func holds(v float64, op string, limit float64) bool {
	switch op {
	case "<=":
		return v <= limit
	case "<":
		return v < limit
	case ">=":
		return v >= limit
	case ">":
		return v > limit
	}
	return false
}
