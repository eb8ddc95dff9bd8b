package results

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The range and precision of every latency histogram, in microseconds.
const (
	lowestLatency  = 1
	highestLatency = int64(time.Hour / time.Microsecond)
	latencyDigits  = 3
)

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(lowestLatency, highestLatency, latencyDigits)
}

// NewLatency gives three empty distributions.
func NewLatency() Latency {
	return Latency{Response: newHistogram(), Service: newHistogram(), Lateness: newHistogram()}
}

// Record records one call's lateness and, when it was answered or waited in vain,
// its response and service time, rounded to the nearest microsecond; what is under
// half a microsecond is 0. A value below 0 or above one hour is recorded at that
// edge; clipped is how many of the three were, for Counts.Clipped.
func (l *Latency) Record(o *Outcome) (clipped int) {
	clipped = record(l.Lateness, o.Sent-o.Due)
	if o.Answered() || o.Class.inVain() {
		clipped += record(l.Response, o.Done-o.Due) + record(l.Service, o.Done-o.Sent)
	}
	return clipped
}

// wholeMicros rounds to the nearest microsecond, halves away from zero.
func wholeMicros(d time.Duration) int64 {
	if d >= 0 && d < math.MaxInt64-time.Microsecond {
		return int64((d + time.Microsecond/2) / time.Microsecond) // cheaper
	}
	return int64(d.Round(time.Microsecond) / time.Microsecond)
}

func record(h *hdrhistogram.Histogram, d time.Duration) (clipped int) {
	us := wholeMicros(d)
	switch {
	case us < 0:
		us, clipped = 0, 1
	case us > highestLatency:
		us, clipped = highestLatency, 1
	}
	if h.RecordValue(us) != nil {
		return 1 // cannot be: us is within the range
	}
	return clipped
}

// Merge adds o's distributions to l's, which it creates when they are nil; a nil
// distribution of o is an empty one. dropped is how many values did not fit and
// are lost (none, when o was recorded here), for Counts.Clipped.
func (l *Latency) Merge(o *Latency) (dropped int64) {
	for _, p := range []struct {
		to   **hdrhistogram.Histogram
		from *hdrhistogram.Histogram
	}{{&l.Response, o.Response}, {&l.Service, o.Service}, {&l.Lateness, o.Lateness}} {
		if *p.to == nil {
			*p.to = newHistogram()
		}
		if p.from != nil && p.from.TotalCount() > 0 {
			dropped += (*p.to).Merge(p.from)
		}
	}
	return dropped
}

// Merge adds o, a slice of the same phase, to s. It keeps nothing of o.
func (s *PhaseSlice) Merge(o *PhaseSlice) {
	if s.Calls == 0 || o.Calls > 0 && o.FirstSent < s.FirstSent {
		s.FirstSent = o.FirstSent
	}
	s.LastSent = max(s.LastSent, o.LastSent)
	s.Counts.Add(&o.Counts)
	s.Clipped += uint64(s.Latency.Merge(&o.Latency))
}
