package report

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
)

// mostSlots is about how many stretches of time a picture shows, however long the run.
const mostSlots = 100

// timeline is a run cut into stretches of equal length, made of its intervals one by
// one: it keeps histograms of one stretch only.
type timeline struct {
	width time.Duration
	slots []slot
	total results.Aggregate

	open    slot
	latency *hdrhistogram.Histogram
	inCalls float64 // calls under way, times time
}

// slot is one stretch, as long as whole intervals make it.
type slot struct {
	Start, End                   time.Duration
	Phase                        int // at its end
	Calls, Entries, Good, Failed uint64
	InFlight                     float64 // mean over it, of what is known
	N, P50, P99, Max             int64   // of response times, in microseconds
	CPU                          float64 // the generator's, at most in one interval
	Bins                         []bin   // of the response time
}

// bin is how many calls were that slow.
type bin struct {
	At int // place in binEdges
	N  uint64
}

// newTimeline makes one for a run of about that length.
func newTimeline(length time.Duration) *timeline {
	return &timeline{width: slotWidth(length), latency: hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3)}
}

// slotWidth is the least usual length that cuts a run into mostSlots at most.
func slotWidth(length time.Duration) time.Duration {
	for _, s := range []time.Duration{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600} {
		if width := s * time.Second; length <= mostSlots*width {
			return width
		}
	}
	return length/mostSlots + 1
}

// add takes the next interval. It keeps nothing of s.
func (t *timeline) add(s *results.Snapshot) {
	t.total.Add(s)
	if t.open.End == 0 && t.open.Calls == 0 {
		t.open.Start = s.Start
	}
	o := &t.open
	o.End, o.Phase = s.End, s.Current
	for i := range s.Phases {
		p := &s.Phases[i]
		o.Calls += p.Calls
		o.Entries += p.Entries
		o.Good += p.GoodEntries()
		o.Failed += p.FailedEntries()
		if p.Response != nil && p.Response.TotalCount() > 0 {
			t.latency.Merge(p.Response)
		}
	}
	in := float64(s.InFlight)
	if s.InFlightMean != nil {
		in = *s.InFlightMean
	}
	t.inCalls += in * (s.End - s.Start).Seconds()
	o.CPU = max(o.CPU, s.Health.CPUFraction)
	if o.End-o.Start >= t.width-(s.End-s.Start)/2 {
		t.cut()
	}
}

// end ends the last stretch. What is left of a drain in which nothing ended is none.
func (t *timeline) end() {
	if t.open.Calls == 0 && t.open.End-t.open.Start < t.width/2 && len(t.slots) > 0 {
		t.open = slot{}
		return
	}
	t.cut()
}

// cut ends the stretch.
func (t *timeline) cut() {
	o := t.open
	if o.End <= o.Start {
		return
	}
	o.InFlight = t.inCalls / (o.End - o.Start).Seconds()
	if o.N = t.latency.TotalCount(); o.N > 0 {
		o.P50, o.P99, o.Max = results.Percentile(t.latency, 50), results.Percentile(t.latency, 99), t.latency.Max()
		o.Bins = binned(t.latency)
	}
	t.slots = append(t.slots, o)
	t.latency.Reset()
	t.inCalls = 0
	t.open = slot{}
}

// seconds is how long the stretch is.
func (s *slot) seconds() float64 { return (s.End - s.Start).Seconds() }

// binSteps cut a decade of latencies into ten of about the same ratio (Renard's series).
var binSteps = [...]float64{1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8}

// binEdge is the lower edge of a bin in microseconds; that of the first is 1, and it
// holds what is less too.
func binEdge(i int) float64 {
	edge := binSteps[i%len(binSteps)]
	for range i / len(binSteps) {
		edge *= 10
	}
	return edge
}

// binned counts a histogram's values by bin.
func binned(h *hdrhistogram.Histogram) (all []bin) {
	at, next := 0, binEdge(1)
	for _, b := range h.Distribution() {
		if b.Count == 0 {
			continue
		}
		for float64(b.From) >= next {
			at++
			next = binEdge(at + 1)
		}
		if n := len(all); n > 0 && all[n-1].At == at {
			all[n-1].N += uint64(b.Count)
		} else {
			all = append(all, bin{at, uint64(b.Count)})
		}
	}
	return all
}
