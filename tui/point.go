package tui

import (
	"slices"
	"time"

	"volley/results"
)

// point is one interval, or several in a row, as curves and heat maps show them. It
// is not changed once it is made.
type point struct {
	start, end             time.Duration
	calls, entries, items  uint64
	goodEntries, goodItems uint64
	failed                 uint64 // entries
	planned                uint64
	inFlight               int  // at the end; the most of several
	response, lateness     dist // coarse
	p50, p90, p99, p999    float64
	latenessP99            float64
	health                 results.Health
}

// shown are the percentiles that screens mark, and their names.
var shown = [...]struct {
	name string
	q    float64
}{{"p50", .5}, {"p90", .9}, {"p99", .99}, {"p99.9", .999}}

func pointOf(i *interval) *point {
	p := &point{start: i.start, end: i.end, planned: i.planned, inFlight: i.inFlight, health: i.health}
	var response, lateness []dist
	for n := range i.phases {
		c := &i.phases[n]
		p.calls += c.Calls
		p.entries += c.Entries
		p.items += c.Items
		p.goodEntries += c.GoodEntries()
		p.goodItems += c.GoodItems
		p.failed += c.FailedEntries()
		response, lateness = append(response, c.response), append(lateness, c.lateness)
	}
	p.measure(mergeAll(response), mergeAll(lateness))
	return p
}

// measure reads the percentiles of the distributions and keeps coarse ones.
func (p *point) measure(response, lateness dist) {
	for i, to := range [...]*float64{&p.p50, &p.p90, &p.p99, &p.p999} {
		*to = float64(response.quantile(shown[i].q))
	}
	p.latenessP99 = float64(lateness.quantile(.99))
	p.response, p.lateness = response.coarse(), lateness.coarse()
}

// joined gives several points, at least one, as one; its percentiles are those of the
// merged distributions.
func joined(points []*point) *point {
	if len(points) == 1 {
		return points[0]
	}
	sum := &point{start: points[0].start}
	var response, lateness []dist
	for _, p := range points {
		sum.end = p.end
		sum.calls += p.calls
		sum.entries += p.entries
		sum.items += p.items
		sum.goodEntries += p.goodEntries
		sum.goodItems += p.goodItems
		sum.failed += p.failed
		sum.planned += p.planned
		sum.inFlight = max(sum.inFlight, p.inFlight)
		response, lateness = append(response, p.response), append(lateness, p.lateness)
		h, all := p.health, sum.end-sum.start
		if took := p.end - p.start; all > 0 {
			sum.health.CPUFraction += (h.CPUFraction - sum.health.CPUFraction) * took.Seconds() / all.Seconds()
		}
		sum.health.GCPauseMax = max(sum.health.GCPauseMax, h.GCPauseMax)
		sum.health.SchedP99 = max(sum.health.SchedP99, h.SchedP99)
		sum.health.GCCycles += h.GCCycles
		sum.health.Connections += h.Connections
		sum.health.HeapBytes = max(sum.health.HeapBytes, h.HeapBytes)
	}
	sum.measure(mergeAll(response), mergeAll(lateness))
	return sum
}

func (p *point) seconds() float64 { return (p.end - p.start).Seconds() }

// sliver is the length in seconds below which an interval gives no rate.
const sliver = 0.5

func (p *point) rate(n uint64) float64 {
	if p.seconds() < sliver {
		return 0
	}
	return float64(n) / p.seconds()
}

// history is a run's points: all of them as long as there are few, later joined in
// pairs, again and again, so that a run of a day takes no more memory than one of an
// hour; beside them the latest as they came.
type history struct {
	whole  []*point
	latest []*point
	each   int      // how many intervals a point of whole stands for
	rest   []*point // fewer than each, not yet in whole
}

const (
	mostWhole  = 1024
	mostLatest = 512
)

func (h *history) add(p *point) {
	if h.latest = append(h.latest, p); len(h.latest) > mostLatest {
		h.latest = slices.Clone(h.latest[len(h.latest)-mostLatest:])
	}
	h.each = max(h.each, 1)
	if h.rest = append(h.rest, p); len(h.rest) < h.each {
		return
	}
	h.whole, h.rest = append(h.whole, joined(h.rest)), nil
	if len(h.whole) < mostWhole {
		return
	}
	pairs := make([]*point, 0, mostWhole)
	for i := 0; i < len(h.whole); i += 2 {
		pairs = append(pairs, joined(h.whole[i:min(i+2, len(h.whole))]))
	}
	h.whole, h.each = pairs, 2*h.each
}

// all gives the run's points from its start; they are not changed later.
func (h *history) all() []*point {
	all := slices.Clone(h.whole)
	if len(h.rest) > 0 {
		all = append(all, joined(h.rest))
	}
	return all
}
