package correlate

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Options are what a Report needs to know besides what was measured.
type Options struct {
	Names Names
	// Limit is the node's batch_concurrency_limit, Largest the most entries that a
	// batch of the client's has; 0 where it is not known.
	Limit, Largest int
	// Service gives the client's service time at a quantile, in seconds, over the same
	// calls as the Grid's; nil where it is not known.
	Service func(q float64) (seconds float64, n int64)
}

// Report is what can be said of a run, over FromS to ToS, in seconds from its start:
// from the first scrape that a client interval begins with to the last that one ends
// with. What is nil is not known, and Notes says why. Times are in seconds.
type Report struct {
	FromS     float64 `json:"from_s"`
	ToS       float64 `json:"to_s"`
	Intervals int     `json:"intervals"`
	Scrapes   int     `json:"scrapes"` // that succeeded, after the first
	Failed    int     `json:"failed_scrapes"`
	SkewS     float64 `json:"skew_s"` // the farthest that a scrape was from its client interval's bound
	Reset     bool    `json:"reset"`  // the node's counters were, on the way

	Split     *Split     `json:"split"`
	Little    *Little    `json:"little"`
	Occupancy *Occupancy `json:"occupancy"`
	Quantiles []Quantile `json:"quantiles"`
	Usage     *Usage     `json:"usage"`
	Surplus   []Surplus  `json:"surplus"` // other traffic, by what the node counts
	Movers    Movers     `json:"movers"`
	Notes     []string   `json:"notes"`

	// What the report was made with, so that a stored run can be read in the same way.
	Names   map[Role]string `json:"names"`
	Limit   int             `json:"limit,omitempty"`
	Largest int             `json:"largest,omitempty"`
}

// Quantile sets the node's bounds of a quantile of its processing time beside the
// client's service time, in seconds. Each batch takes the client at least as long as
// the node, so where both are of the same batches Client is over Lower.
type Quantile struct {
	Q      float64  `json:"q"`
	Lower  float64  `json:"node_over"`
	Upper  *float64 `json:"node_at_most"` // nil: over the histogram's last bound
	Client float64  `json:"client"`
	N      int64    `json:"n"` // values on the side that has fewer
}

var quantiles = [...]float64{.5, .9, .99, .999}

// Report gives it. It takes nothing away, and can be had at any time.
func (g *Grid) Report(o Options) *Report {
	total := g.total
	r := &Report{
		Intervals: len(g.intervals), Scrapes: total.Node.Scrapes, Failed: total.Node.Failed + g.unmatched.Node.Failed,
		SkewS: total.Skew.Seconds(), Reset: total.Node.Reset,
		Quantiles: []Quantile{}, Surplus: []Surplus{}, Notes: []string{},
		Names: map[Role]string{}, Limit: o.Limit, Largest: o.Largest,
	}
	for role, s := range o.Names {
		r.Names[role] = s.String()
	}
	if len(g.intervals) == 0 {
		r.note("nothing", "the node's metrics were not read at both ends of any client interval")
		r.Movers = g.Movers()
		return r
	}
	r.FromS, r.ToS = total.Client.Start.Seconds(), total.Client.End.Seconds()
	var why string
	if r.Split, why = total.Split(o.Names); why != "" {
		r.note("where the time goes", why)
	}
	if r.Little, why = littleOf(&total, g.intervals, o.Names); why != "" {
		r.note("Little's law", why)
	}
	if r.Occupancy, why = total.Occupancy(o.Limit, o.Largest); why != "" {
		r.note("slots", why)
	}
	if r.Usage, why = total.Usage(o.Names); why != "" {
		r.note("CPU", why)
	}
	r.Surplus = append(r.Surplus, total.Surplus()...)
	r.quantiles(&total, o)
	r.Movers = g.Movers()
	r.gaps(g)
	r.sound()
	return r
}

// sound leaves out what is beyond all numbers, as a series of no sense can make it:
// a report must be fit to be stored.
func (r *Report) sound() {
	ok := true
	drop := func(part any, gone func()) {
		if _, err := json.Marshal(part); err != nil {
			gone()
			ok = false
		}
	}
	drop(r.Split, func() { r.Split = nil })
	drop(r.Little, func() { r.Little = nil })
	drop(r.Occupancy, func() { r.Occupancy = nil })
	drop(r.Usage, func() { r.Usage = nil })
	drop(r.Quantiles, func() { r.Quantiles = []Quantile{} })
	drop(r.Surplus, func() { r.Surplus = []Surplus{} })
	drop(r.Movers, func() { r.Movers = Movers{Silent: "values beyond all numbers", Top: []Mover{}} })
	if !ok {
		r.note("left out", "what came to no number, from series of no sense")
	}
}

func (r *Report) note(what, why string) {
	r.Notes = append(r.Notes, what+": "+why)
}

// quantiles compares like with like only: one kind of calls.
func (r *Report) quantiles(total *Interval, o Options) {
	role := BatchTime
	switch {
	case r.Split == nil || o.Service == nil:
		return
	case total.Client.Batches == 0:
		role = MethodTime
	}
	h := total.Node.Histograms[role]
	for _, q := range quantiles {
		client, n := o.Service(q)
		b, ok := h.Quantile(q)
		// Without enough values the nearest rank is the largest one: no quantile.
		n = min(n, int64(h.Count))
		if !ok || float64(n) < 1/(1-q)-1e-6 {
			continue
		}
		quantile := Quantile{Q: q, Lower: b.Lower, Client: client, N: n}
		if math.IsInf(b.Lower, 0) {
			continue
		}
		if !b.Open() {
			quantile.Upper = &b.Upper
		}
		if client < b.Lower && len(r.Surplus) == 0 {
			r.note(fmt.Sprintf("p%g", 100*q), "the client's service time is under the node's bounds: they are not of the same calls")
		}
		r.Quantiles = append(r.Quantiles, quantile)
	}
}

// gaps tells of what is not covered.
func (r *Report) gaps(g *Grid) {
	if r.Failed > 0 {
		r.note("gaps", fmt.Sprintf("%d of %d scrapes failed; counters are differenced across them", r.Failed, r.Failed+r.Scrapes))
	}
	if r.Reset {
		r.note("reset", "the node's counters began anew on the way: what they counted between the last scrape before that and the reset is lost")
	}
	if end := g.clientEnd(); end > g.total.Client.End+time.Second {
		r.note("gaps", fmt.Sprintf("the last %.3g s are in no interval: no scrape follows them", (end-g.total.Client.End).Seconds()))
	}
}

// clientEnd is how far the client's account goes.
func (g *Grid) clientEnd() time.Duration {
	end := g.unmatched.Client.End
	if n := len(g.ends); n > 0 {
		end = g.ends[n-1].End
	}
	return end
}
