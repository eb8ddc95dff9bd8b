package results

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results/selfcheck"
)

// Evaluate holds the objective against p, what the measured phases sent together,
// and against the time that they took. It is how Summarise judges, and shows how an
// objective stands while a run goes on.
func (o Objective) Evaluate(p *PhaseSlice, span time.Duration) ObjectiveResult {
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
		r.Value, r.Unanswered = o.latency(p.Response, p), p.Unanswered
	case "service":
		r.Value, r.Unanswered = o.latency(p.Service, p), p.Unanswered
	case "lateness":
		if h := p.Lateness; h != nil {
			r.Value = o.stat(h, h.TotalCount(), h.TotalCount(), 0)
		}
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

// latency gives the objective's statistic over all of p's calls, each one without
// an answer counted as slower than any limit; nil where it falls among those. h is
// p's distribution of answered calls and of those that waited in vain. Of the
// latter, the timed-out are taken to be the slowest in h, the cut-off the fastest,
// so that neither flatters the node.
func (o Objective) latency(h *hdrhistogram.Histogram, p *PhaseSlice) *float64 {
	if h == nil {
		return nil
	}
	atOnce := max(0, int64(p.Unanswered)-int64(p.inVain())) // these are not in h
	answered := h.TotalCount() - int64(p.inVain())
	return o.stat(h, answered, h.TotalCount()+atOnce, int64(p.CallsByClass[CutOff]))
}

// stat gives the objective's statistic of n calls, of which so many were answered;
// the first cutOff values in h are of others.
func (o Objective) stat(h *hdrhistogram.Histogram, answered, n, cutOff int64) *float64 {
	if answered < 1 {
		return nil
	}
	var v float64
	switch p, ok := percentile(o.Stat); {
	case ok && rank(p, n) <= answered:
		v = float64(atRank(h, rank(p, n)+cutOff))
	case o.Stat == "max" && answered == n:
		v = float64(h.Max())
	case o.Stat == "mean" && answered == n:
		v = h.Mean()
	default:
		return nil
	}
	return &v
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

// prove says what the calls prove of an upper limit on a percentile of the response or
// service time; nil of other objectives, and where known has no tau for it.
func (o Objective) prove(p *PhaseSlice, known *taus) *selfcheck.Proof {
	q, ok := percentile(o.Stat)
	h := p.Response
	if o.Metric == "service" {
		h = p.Service
	}
	if !ok || q >= 100 || o.Metric != "response" && o.Metric != "service" || o.Op != "<=" && o.Op != "<" || known.response == nil || h == nil || p.Calls == 0 {
		return nil
	}
	var over int64
	for _, bar := range h.Distribution() {
		if !holds(float64(bar.To), o.Op, o.Limit) {
			over += bar.Count
		}
	}
	// Of those that waited in vain the timed-out are the slowest: they are among the
	// unanswered too.
	over -= min(over, int64(p.CallsByClass[Timeout]))
	over += int64(p.Unanswered)
	// Where no call was over it, the tau about the limit is that of the slowest.
	tau, ok := known.response(int64(o.Limit))
	if !ok {
		tau = 1
	}
	proof := selfcheck.MeetsEffective(min(over, int64(p.Calls)), int64(p.Calls), tau, q/100, confidence)
	return &proof
}
