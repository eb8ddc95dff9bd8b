package correlate

import (
	"slices"
	"time"
)

// Bounds of what a Grid holds.
const (
	mostIntervals = 1024 // beyond, the older half is merged in pairs
	mostPending   = 600  // client intervals that wait for a scrape, or the other way about
)

// Grid sets a client's intervals and a node's scrapes on one axis of time. Both come
// in the order of time, but independently of each other. A scrape and the end of a
// client interval that lie no farther apart than half the interval, and half the
// time since the scrape before, bound an Interval; what has no such counterpart is
// merged into the Interval around it. So with scrapes rarer than the client's
// intervals these are added up, and with more frequent ones those are; and after a
// failed scrape the Interval goes on up to the next good one. Nothing of what came
// before the first common bound is in any Interval.
//
// The scrape before the load and the first one after the drain bound the first and
// the last Interval wherever they lie, as nothing happens between them and the load.
// A gauge that was read after the drain is not among the samples of its Interval.
//
// Memory is bounded: beyond 1,024 Intervals the older half is merged in pairs, so
// that those of a day grow longer towards its beginning. Make it with NewGrid. Not
// safe for concurrent use.
type Grid struct {
	meter *meter
	ends  []clientEnd // of client intervals, that no scrape has been found for yet
	heads []scraped   // likewise

	begun     bool // a client interval was taken
	started   bool // there was a common bound
	unmatched Interval
	skew      time.Duration // of the last common bound

	intervals []Interval
	total     Interval // of all, without Times
}

// clientEnd is the end of a client interval, with what was counted before it.
type clientEnd struct {
	Client
	length time.Duration
	first  bool // of the run: nothing was counted before it
}

// scraped is a scrape with what the node did before it. One that failed bounds
// nothing.
type scraped struct {
	Node
	at     time.Duration
	gap    time.Duration // since the one before that succeeded; 0: it is the first
	failed bool
}

// NewGrid reads a node's series by those names.
func NewGrid(n Names) *Grid { return &Grid{meter: newMeter(n)} }

// Client takes the client's next interval.
func (g *Grid) Client(c Client) {
	length := c.End - c.Start
	if !g.begun {
		g.begun = true
		g.ends = append(g.ends, clientEnd{Client{Start: c.Start, End: c.Start}, length, true})
	}
	g.ends = append(g.ends, clientEnd{c, length, false})
	g.match()
}

// Scrape takes the node's next reading. Its series are kept until the next one.
func (g *Grid) Scrape(s Scrape) {
	head := scraped{at: s.At, failed: s.Series == nil}
	if g.meter.before != nil {
		head.gap = s.At - g.meter.at
	}
	head.Node, _ = g.meter.add(s)
	g.heads = append(g.heads, head)
	g.match()
}

// match finds common bounds among what is at hand. What it decides depends on the
// two sides' order alone, and not on which of them came first.
func (g *Grid) match() {
	for len(g.ends) > 0 && len(g.heads) > 0 {
		end, head := &g.ends[0], &g.heads[0]
		apart := head.at - end.End
		near := end.length
		if head.gap > 0 {
			near = min(near, head.gap)
		}
		switch {
		case head.failed:
			// The next scrape is later still.
			if apart > end.length/2 && !end.Drained {
				g.passEnd()
			} else {
				g.passHead()
			}
		case apart.Abs() <= near/2, apart > 0 && end.Drained, apart < 0 && end.first:
			g.skew = apart.Abs()
			if apart < 0 && end.first || apart > 0 && end.Drained {
				g.skew = 0 // nothing happened in between
			}
			if end.Drained {
				head.Node.idle()
			}
			g.passEnd()
			g.passHead()
			g.cut()
		case apart < 0:
			g.passHead()
		default:
			g.passEnd()
		}
	}
	for len(g.ends) > mostPending {
		g.passEnd()
	}
	for len(g.heads) > mostPending {
		g.passHead()
	}
}

func (g *Grid) passEnd() {
	g.unmatched.Client.merge(&g.ends[0].Client)
	g.ends = g.ends[1:]
}

func (g *Grid) passHead() {
	h := &g.heads[0]
	if h.failed {
		g.unmatched.Node.Failed++
	} else if h.Scrapes > 0 {
		h.Node.Failed = 0 // told one by one
		g.unmatched.Node.merge(&h.Node, &g.meter.catalog)
	}
	g.heads = g.heads[1:]
}

// cut ends an Interval at the bound that both sides have reached.
func (g *Grid) cut() {
	i := g.unmatched
	i.Skew = max(i.Skew, g.skew)
	g.unmatched = Interval{Skew: g.skew, Client: Client{Start: i.Client.End, End: i.Client.End, Before: i.Client.InFlight}}
	if !g.started {
		g.started = true
		return
	}
	bare := i
	bare.Client.Times = nil
	g.total.merge(&bare, &g.meter.catalog)
	g.intervals = append(g.intervals, i)
	if len(g.intervals) > mostIntervals {
		g.coarsen()
	}
}

// coarsen merges the older half in pairs.
func (g *Grid) coarsen() {
	half := len(g.intervals) / 2 &^ 1
	kept := g.intervals[:0]
	for k := 0; k < half; k += 2 {
		i := g.intervals[k]
		i.merge(&g.intervals[k+1], &g.meter.catalog)
		kept = append(kept, i)
	}
	kept = append(kept, g.intervals[half:]...)
	clear(g.intervals[len(kept):])
	g.intervals = kept
}

// Intervals gives the Intervals so far, in order. They stay as they are; the slice is
// the caller's.
func (g *Grid) Intervals() []Interval { return slices.Clone(g.intervals) }

// Total gives all Intervals together, but for Client.Times.
func (g *Grid) Total() Interval { return g.total }
