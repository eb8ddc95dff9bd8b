package tui

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
)

// interval is a snapshot in a form that takes little memory: some kilobytes in place
// of half a megabyte a phase. It is not changed once it is made.
type interval struct {
	start, end time.Duration
	current    int
	inFlight   int
	planned    uint64
	phases     []phasePart
	steps      []results.RateStep
	health     results.Health
	cells      []cellPart
}

type phasePart struct {
	phase               int
	firstSent, lastSent time.Duration
	results.Counts
	latencies
}

// latencies are the three distributions of some calls; see results.Latency.
type latencies struct{ response, service, lateness dist }

func (l latencies) merge(o latencies) latencies {
	return latencies{l.response.merge(o.response), l.service.merge(o.service), l.lateness.merge(o.lateness)}
}

// cellPart is a results.Cell.
type cellPart struct {
	phase, row            int
	band                  results.Band
	calls, entries, items uint64
	byClass               [results.NumClasses]uint64
	response              dist // of every entry
}

func (c *cellPart) failed() (n uint64) {
	for class, count := range c.byClass {
		if results.Class(class).Failed() {
			n += count
		}
	}
	return n
}

// add adds o's counts, and keeps nothing that o may change.
func (c *cellPart) add(o *cellPart) {
	c.calls += o.calls
	c.entries += o.entries
	c.items += o.items
	for class, n := range o.byClass {
		c.byClass[class] += n
	}
	c.response = c.response.merge(o.response)
}

// intervalOf keeps nothing of s.
func intervalOf(s *results.Snapshot) *interval {
	i := &interval{
		start: s.Start, end: s.End, current: s.Current, inFlight: s.InFlight, planned: s.Planned, steps: s.RateSteps, health: s.Health,
	}
	for p := range s.Phases {
		from := &s.Phases[p]
		part := phasePart{
			phase: from.Phase, firstSent: from.FirstSent, lastSent: from.LastSent,
			latencies: latencies{distOf(from.Response), distOf(from.Service), distOf(from.Lateness)},
		}
		part.Counts.Add(&from.Counts)
		i.phases = append(i.phases, part)
	}
	for c := range s.Breakdown.Cells() {
		i.cells = append(i.cells, cellPart{
			phase: c.Phase, row: c.Row, band: c.Band, calls: c.Calls, entries: c.Entries, items: c.Items,
			byClass: c.ByClass, response: distOf(c.Response),
		})
	}
	return i
}

// snapshot gives the interval back, without its breakdown.
func (i *interval) snapshot() *results.Snapshot {
	s := &results.Snapshot{
		Start: i.start, End: i.end, Current: i.current, InFlight: i.inFlight, Planned: i.planned, RateSteps: i.steps, Health: i.health,
	}
	for p := range i.phases {
		from := &i.phases[p]
		slice := results.PhaseSlice{Phase: from.phase, FirstSent: from.firstSent, LastSent: from.lastSent, Latency: results.NewLatency()}
		slice.Counts.Add(&from.Counts)
		from.latencies.addTo(&slice.Latency)
		s.Phases = append(s.Phases, slice)
	}
	return s
}

func (l *latencies) addTo(to *results.Latency) {
	for _, p := range []struct {
		from dist
		to   *hdrhistogram.Histogram
	}{{l.response, to.Response}, {l.service, to.Service}, {l.lateness, to.Lateness}} {
		for _, b := range p.from {
			// It came from a histogram of the same range, so that it fits.
			_ = p.to.RecordValues(b.low, int64(b.n))
		}
	}
}
