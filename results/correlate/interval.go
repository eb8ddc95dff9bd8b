package correlate

import (
	"maps"
	"math"
	"time"
)

// Client is what the client's account says of the calls that were done in an
// interval of its own.
type Client struct {
	Start, End                            time.Duration
	Calls, Batches, Entries, BatchEntries uint64
	Items                                 uint64
	// Timed calls are those behind the two sums, in seconds: that were answered, or
	// waited in vain.
	Timed             uint64
	Response, Service float64
	Before, InFlight  int  // calls under way at Start and at End
	Drained           bool // sending was over at End, and no call was under way
	Times             Bars // of the response
}

// merge adds o, which follows.
func (c *Client) merge(o *Client) {
	if c.Calls == 0 && c.End == c.Start {
		c.Start = o.Start
	}
	c.End, c.InFlight, c.Drained = o.End, o.InFlight, o.Drained
	c.Calls += o.Calls
	c.Batches += o.Batches
	c.Entries += o.Entries
	c.BatchEntries += o.BatchEntries
	c.Items += o.Items
	c.Timed += o.Timed
	c.Response += o.Response
	c.Service += o.Service
	if len(o.Times) > 0 {
		c.Times = c.Times.merge(o.Times)
	}
}

// singles are the calls that were no arrays.
func (c *Client) singles() uint64 { return c.Calls - c.Batches }

// Node is what the node's series did between two scrapes. A role that the node
// does not expose is in none of the maps.
type Node struct {
	Start, End time.Duration // the scrapes
	Scrapes    int           // that succeeded, after Start
	Failed     int           // that failed in between: what they would have told apart is together
	// Reset: a counter went down or away in between, as when the node was restarted.
	// What it counted since is in the sums, and what it counted before, from the
	// scrape before on, is lost.
	Reset bool

	Counters   map[Role]float64
	Histograms map[Role]Histogram
	Gauges     map[Role]Gauge
	// Slots are the samples of the two in-flight gauges together.
	Slots Slots

	families families // by place in the catalog
}

// Gauge are samples of a gauge, one for each scrape.
type Gauge struct {
	N                      int
	Sum, Squares, Max, End float64
}

// Mean is that of the samples; false without one.
func (g Gauge) Mean() (float64, bool) {
	if g.N == 0 {
		return 0, false
	}
	return g.Sum / float64(g.N), true
}

func (g Gauge) merge(o Gauge) Gauge {
	if o.N == 0 {
		g.End = o.End
		return g
	}
	most := o.Max
	if g.N > 0 {
		most = math.Max(g.Max, o.Max)
	}
	return Gauge{g.N + o.N, g.Sum + o.Sum, g.Squares + o.Squares, most, o.End}
}

// Slots are the samples of entries in flight (y) and batches in flight (x) that
// found a batch in flight: how many, and the sums of x, y, x^2, x y and y^2.
type Slots struct {
	N                                                                int
	Batches, Entries, BatchesSquared, BatchesEntries, EntriesSquared float64
}

func (s Slots) merge(o Slots) Slots {
	return Slots{
		s.N + o.N, s.Batches + o.Batches, s.Entries + o.Entries,
		s.BatchesSquared + o.BatchesSquared, s.BatchesEntries + o.BatchesEntries, s.EntriesSquared + o.EntriesSquared,
	}
}

// merge adds o, which follows.
func (n *Node) merge(o *Node, c *catalog) {
	if n.Scrapes == 0 {
		failed := n.Failed
		*n = *o
		n.Failed += failed
		return
	}
	n.End = o.End
	n.Failed += o.Failed
	n.Reset = n.Reset || o.Reset
	n.Counters = added(n.Counters, o.Counters, func(a, b float64) float64 { return a + b })
	n.Histograms = added(n.Histograms, o.Histograms, Histogram.merge)
	n.Gauges = added(n.Gauges, o.Gauges, Gauge.merge)
	n.Slots = n.Slots.merge(o.Slots)
	n.families = c.merge(n.families, o.families, n.Scrapes, o.Scrapes)
	n.Scrapes += o.Scrapes
}

// added gives a map that shares nothing with a, nor with b. What only one of them
// has it keeps: a series may appear with its first event.
func added[V any](a, b map[Role]V, add func(a, b V) V) map[Role]V {
	out := maps.Clone(a)
	if out == nil {
		out = make(map[Role]V, len(b))
	}
	for role, v := range b {
		if have, ok := out[role]; ok {
			v = add(have, v)
		}
		out[role] = v
	}
	return out
}

// Interval is a stretch of the run that is bounded by a client's interval and a
// scrape on both sides. Both sides' own bounds stand in it: they differ by Skew at
// most, save before the load and after the drain, when nothing happens. Nothing is
// interpolated to make them equal.
type Interval struct {
	Client Client
	Node   Node
	Skew   time.Duration
}

func (i *Interval) merge(o *Interval, c *catalog) {
	i.Client.merge(&o.Client)
	i.Node.merge(&o.Node, c)
	i.Skew = max(i.Skew, o.Skew)
}

// ClientSeconds and NodeSeconds are the lengths of the two sides.
func (i *Interval) ClientSeconds() float64 { return (i.Client.End - i.Client.Start).Seconds() }

// NodeSeconds is the time between the scrapes.
func (i *Interval) NodeSeconds() float64 { return (i.Node.End - i.Node.Start).Seconds() }

// idle leaves out a scrape's samples of what was in flight, as it found no load.
func (n *Node) idle() {
	for _, role := range []Role{BatchesInFlight, EntriesInFlight} {
		if g, ok := n.Gauges[role]; ok {
			n.Gauges[role] = Gauge{End: g.End}
		}
	}
	n.Slots = Slots{}
}
