package loadgen

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
)

// recorder gathers outcomes and gives them out as snapshots. Its memory depends
// on the number of phases and CPUs, not on time or on the number of calls.
type recorder struct {
	shards    []shard
	planned   atomic.Uint64
	start     time.Time    // of the run; zero: how many calls are under way is not integrated
	flying    flights      // calls under way
	most      atomic.Int64 // the most of them at once
	dials     connects
	exhausted atomic.Uint64 // calls that failed for want of what is ours

	// What follows belongs to the goroutine that takes snapshots.
	last    time.Duration
	flown   flown  // at the last snapshot
	counted uint64 // of planned, by the snapshots taken
	total   results.Counts
	told    [results.NumClasses]bool  // classes of failures that were told of
	late    []*hdrhistogram.Histogram // lateness by phase, since the start
}

// shard is a recorder's part for some of the callers, so that they seldom wait
// for each other.
type shard struct {
	mu    sync.Mutex
	held  gathered                      // what callers write to
	words [results.NumClasses]string    // the first Outcome.Detail of a class
	odd   [results.NumDeviations]string // the first Outcome.Oddity of a deviation
	mute  mute
	// taken changes places with held at each snapshot, whose goroutine it belongs to.
	taken gathered
	_     [64]byte // keeps neighbours' locks out of one cache line
}

// gathered is what came to a shard in an interval.
type gathered struct {
	phases []*results.PhaseSlice // by phase; nil: nothing to tell
	spare  []*results.PhaseSlice // emptied ones
	parts  results.Breakdown
}

func newRecorder(phases int) *recorder {
	r := &recorder{
		shards: make([]shard, min(runtime.GOMAXPROCS(0), 8)),
		late:   make([]*hdrhistogram.Histogram, phases),
	}
	for i := range r.shards {
		s := &r.shards[i]
		s.held.phases, s.taken.phases = make([]*results.PhaseSlice, phases), make([]*results.PhaseSlice, phases)
	}
	return r
}

// began and ended bracket a call, which is sent at that offset.
func (r *recorder) began(at time.Duration) {
	n := r.flying.began(at)
	for {
		most := r.most.Load()
		if n <= most || r.most.CompareAndSwap(most, n) {
			return
		}
	}
}

// busy tells whether calls are under way.
func (r *recorder) busy() bool { return r.flying.count() > 0 }

// undone takes began back: the call was not made.
func (r *recorder) undone(at time.Duration) { r.flying.ended(at) }

// ended records a call's outcome; caller is the number of who made it.
func (r *recorder) ended(caller int, o *results.Outcome) {
	s := &r.shards[caller%len(r.shards)]
	s.mu.Lock()
	p := s.held.phase(o.Phase)
	if p.Calls == 0 || o.Sent < p.FirstSent {
		p.FirstSent = o.Sent
	}
	p.LastSent = max(p.LastSent, o.Sent)
	p.AddOutcome(o)
	p.Clipped += uint64(p.Record(o))
	s.held.parts.AddOutcome(o)
	switch {
	case o.Detail == "":
	case o.MissingMalformed > 0 && o.Class == results.Missing && o.MissingMalformed == o.ByClass[results.Missing]:
		s.mute.add(o)
	case s.words[o.Class] == "":
		s.words[o.Class] = o.Detail
	}
	if o.Oddity != "" {
		s.oddity(o)
	}
	s.mu.Unlock()
	r.flying.ended(o.Done)
}

// unsent counts a call that was due and is never sent.
func (r *recorder) unsent(phase int) {
	s := &r.shards[0]
	s.mu.Lock()
	s.held.phase(phase).Unsent++
	s.mu.Unlock()
}

func (g *gathered) phase(i int) *results.PhaseSlice {
	if g.phases[i] == nil {
		if n := len(g.spare); n > 0 {
			g.phases[i], g.spare = g.spare[n-1], g.spare[:n-1]
		} else {
			g.phases[i] = &results.PhaseSlice{Latency: results.NewLatency()}
		}
		g.phases[i].Phase = i
	}
	return g.phases[i]
}

// snapshot takes what was recorded since the last one. It is for one goroutine.
func (r *recorder) snapshot(end time.Duration, wall time.Time, current int) *results.Snapshot {
	planned := r.planned.Load()
	snap := &results.Snapshot{
		Start: r.last, End: end, Wall: wall,
		Current:  current,
		InFlight: int(r.flying.count()),
		Planned:  planned - r.counted,
	}
	if !r.start.IsZero() {
		now := r.flying.by(wall.Sub(r.start))
		snap.InFlightMean, r.flown = now.since(r.flown), now
	}
	r.last, r.counted = end, planned
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		s.held, s.taken = s.taken, s.held
		s.mu.Unlock()
	}
	for phase := range r.late {
		if p := r.take(phase); p != nil {
			snap.Phases = append(snap.Phases, *p)
			r.total.Add(&p.Counts)
			if r.late[phase] == nil {
				r.late[phase] = hdrhistogram.Import(p.Lateness.Export())
			} else {
				r.late[phase].Merge(p.Lateness)
			}
		}
	}
	for i := range r.shards {
		t := &r.shards[i].taken
		snap.Breakdown.Merge(&t.parts)
		t.parts.Reset()
	}
	return snap
}

// take merges what was taken of a phase into the first of it, which leaves the recorder
// for good; the others are emptied and kept.
func (r *recorder) take(phase int) *results.PhaseSlice {
	var sum *results.PhaseSlice
	for i := range r.shards {
		t := &r.shards[i].taken
		p := t.phases[phase]
		t.phases[phase] = nil
		switch {
		case p == nil:
		case sum == nil:
			sum = p
		default:
			sum.Merge(p)
			p.Counts, p.FirstSent, p.LastSent = results.Counts{}, 0, 0
			p.Response.Reset()
			p.Service.Reset()
			p.Lateness.Reset()
			t.spare = append(t.spare, p)
		}
	}
	return sum
}

// firstFailures tells of each class that calls failed with for the first time since it was
// last asked, with what the node or the system said of one of them. It is for the
// goroutine that takes snapshots, after one.
func (r *recorder) firstFailures(tell func(class results.Class, words string)) {
	for class, calls := range r.total.CallsByClass {
		if calls == 0 || r.told[class] || !results.Class(class).Failed() {
			continue
		}
		r.told[class] = true
		words := ""
		for i := range r.shards {
			s := &r.shards[i]
			s.mu.Lock()
			words = cmp.Or(words, s.words[class])
			s.mu.Unlock()
		}
		tell(results.Class(class), words)
	}
}
