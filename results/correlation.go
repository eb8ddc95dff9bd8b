package results

import (
	"errors"
	"io/fs"
	"iter"
	"math"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results/correlate"
)

// CorrelatorOptions tell what a Correlator needs to know of a run beforehand.
type CorrelatorOptions struct {
	Dialect string          // of the node: it decides the names of its series
	Names   correlate.Names // instead of the dialect's preset, if it is not nil
	// Phases is how many the plan has: a snapshot whose Current is no less is of a run
	// that is draining.
	Phases int
	// Limit is the node's batch_concurrency_limit and LargestBatch the most entries
	// that the plan has in a batch; 0: not known.
	Limit, LargestBatch int
}

// Correlation gives the options for a run.
func (m *Meta) Correlation() CorrelatorOptions {
	return CorrelatorOptions{Dialect: m.Dialect, Names: m.Names, Phases: len(m.Phases), Limit: m.BatchLimit, LargestBatch: m.LargestBatch}
}

func (o *CorrelatorOptions) names() correlate.Names {
	if o.Names != nil {
		return o.Names
	}
	return correlate.Preset(o.Dialect)
}

// Correlator sets a run's snapshots against the scrapes of its node, as they come.
// Both must come in order, those of one kind from one goroutine at a time. Its memory
// is bounded however long the run is. Safe for concurrent use.
type Correlator struct {
	options correlate.Options
	phases  int

	mu      sync.Mutex
	grid    *correlate.Grid
	service *hdrhistogram.Histogram // of all snapshots
	report  *correlate.Report       // until the next one is added
}

// NewCorrelator makes a Correlator.
func NewCorrelator(o CorrelatorOptions) *Correlator {
	names := o.names()
	c := &Correlator{phases: o.Phases, grid: correlate.NewGrid(names), service: newHistogram()}
	c.options = correlate.Options{Names: names, Limit: o.Limit, Largest: o.LargestBatch, Service: c.serviceAt}
	return c
}

// Snapshot adds an interval. It keeps nothing of s.
func (c *Correlator) Snapshot(s *Snapshot) {
	client := correlate.Client{Start: s.Start, End: s.End, InFlight: s.InFlight, Drained: s.Current >= c.phases && s.InFlight == 0}
	c.mu.Lock()
	defer c.mu.Unlock()
	var times *hdrhistogram.Histogram
	for i := range s.Phases {
		p := &s.Phases[i]
		client.Calls += p.Calls
		client.Batches += p.Batches
		client.Entries += p.Entries
		client.BatchEntries += p.BatchEntries
		client.Items += p.Items
		if p.Response == nil || p.Service == nil || p.Response.TotalCount() == 0 {
			continue
		}
		client.Timed += uint64(p.Response.TotalCount())
		client.Response += total(p.Response)
		client.Service += total(p.Service)
		c.service.Merge(p.Service)
		if times == nil {
			times = p.Response
			continue
		}
		both := newHistogram()
		both.Merge(times)
		both.Merge(p.Response)
		times = both
	}
	client.Times = bars(times)
	c.grid.Client(client)
	c.report = nil
}

// total is the sum of a distribution, in seconds.
func total(h *hdrhistogram.Histogram) float64 {
	return h.Mean() * float64(h.TotalCount()) / 1e6
}

// bars tells values apart to within a hundredth: an interval is one point of a rank
// correlation, and a long run has many.
func bars(h *hdrhistogram.Histogram) (all correlate.Bars) {
	if h == nil {
		return nil
	}
	for _, b := range h.Distribution() {
		if b.Count == 0 {
			continue
		}
		value, count := uint32(min(b.To, math.MaxUint32)), uint32(min(b.Count, math.MaxUint32))
		const apart = 7 // bits: 1/128
		value |= 1<<max(0, bits.Len32(value)-1-apart) - 1
		if last := len(all) - 1; last >= 0 && all[last].Value == value {
			all[last].Count += min(count, math.MaxUint32-all[last].Count)
			continue
		}
		all = append(all, correlate.Bar{Value: value, Count: count})
	}
	return slices.Clone(all)
}

// serviceAt is for correlate.Options. The caller holds c.mu.
func (c *Correlator) serviceAt(q float64) (seconds float64, n int64) {
	if c.service.TotalCount() == 0 {
		return 0, 0
	}
	return float64(atPercentile(c.service, 100*q)) / 1e6, c.service.TotalCount()
}

// Node adds a scrape, those before the load and after the drain among them. It keeps
// the sample's series, which must not change any more.
func (c *Correlator) Node(s NodeSample) {
	scrape := correlate.Scrape{At: s.At, Series: s.Series}
	if s.Err != "" || len(s.Series) == 0 {
		scrape.Series = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grid.Scrape(scrape)
	c.report = nil
}

// Intervals gives what is known of each, the older ones being longer where there are
// many. They are shared: they must only be read.
func (c *Correlator) Intervals() []correlate.Interval {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.grid.Intervals()
}

// Report says what can be said so far. It is shared: it must only be read.
func (c *Correlator) Report() *correlate.Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.report == nil {
		c.report = c.grid.Report(c.options)
	}
	return c.report
}

// Correlator gives one that was fed all that the run stored. A run whose node was not
// scraped makes one that says so.
func (r *Run) Correlator() (*Correlator, error) {
	c := NewCorrelator(r.Meta.Correlation())
	next, stop := iter.Pull2(r.NodeSeries())
	defer stop()
	sample, err, more := next()
	if errors.Is(err, fs.ErrNotExist) {
		err, more = nil, false
	}
	// until gives the scrapes of up to then.
	until := func(then time.Duration) error {
		for ; more && err == nil && sample.At < then; sample, err, more = next() {
			c.Node(sample)
		}
		return err
	}
	for s, err := range r.Snapshots() {
		if err == nil {
			err = until(s.End + time.Second)
		}
		if err != nil {
			return nil, err
		}
		c.Snapshot(s)
	}
	return c, until(math.MaxInt64)
}

// namesOf gives the names that a report was made with.
func namesOf(r *correlate.Report) correlate.Names {
	n := make(correlate.Names, len(r.Names))
	for role, text := range r.Names {
		if s, err := correlate.ParseSelector(text); err == nil { // it was written as it reads
			n[role] = s
		}
	}
	return n
}
