package loadgen

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"volley/loadgen/transport"
	"volley/scenario"
)

// numbered is a call with all that makes it this one; its bytes follow from it.
type numbered struct {
	n     uint64 // its index in the run
	first uint64 // the id of its first entry
	shape shape
}

// sequence numbers calls and hands out ids, each once in a run.
type sequence struct {
	mu     sync.Mutex
	sizes  *sizes
	stream *stream
	n, id  uint64
}

func newSequence(z *sizes) *sequence { return &sequence{sizes: z, stream: newStream(), id: 1} }

// peek gives the shape of the call that take gives next if nobody else takes.
func (s *sequence) peek() shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sizes.at(s.stream, s.n)
}

func (s *sequence) take() numbered {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := numbered{n: s.n, first: s.id, shape: s.sizes.at(s.stream, s.n)}
	s.n++
	s.id += uint64(c.shape.entries)
	return c
}

// skip hands out n ids that belong to no numbered call, and gives the first.
func (s *sequence) skip(n int) (first uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = s.id
	s.id += uint64(n)
	return first
}

// line is what all callers of a run share.
type line struct {
	ctx      context.Context // its end cuts off the calls under way
	work     *work
	seq      *sequence
	endpoint transport.Endpoint
	field    string // a header field of every call, which bears the session's token; "" for none
	rec      *recorder
	fidelity *fidelity
	expect   scenario.Expect
	dialect  string
	rates    *Rates        // nil: the plan's
	ceiling  *rate.Limiter // in entries; nil: none
	timeout  time.Duration // of one call
	start    time.Time
	quit     *quitting
	sent     func(due, sent time.Duration) // nil: nobody asks
	finished atomic.Bool                   // all is sent, or the time for it is over
}

// quitting tells that no more calls may be sent.
type quitting struct {
	done chan struct{}
	once sync.Once
	at   time.Time // when; to be read once done is closed
}

func (q *quitting) quit() {
	q.once.Do(func() {
		q.at = time.Now()
		close(q.done)
	})
}

func (l *line) now() time.Duration { return time.Since(l.start) }

func (l *line) over() bool { return l.finished.Load() || closed(l.quit.done) }

// admit waits until the ceiling lets a call of that many entries pass, and tells
// whether it had to wait; ok is false when the wait was cut short.
func (l *line) admit(entries int, w waiter) (held, ok bool) {
	if l.ceiling == nil {
		return false, true
	}
	now := time.Now()
	r := l.ceiling.ReserveN(now, entries)
	delay := r.DelayFrom(now)
	if delay <= 0 {
		return false, true
	}
	if w.until(now.Add(delay), l.quit.done) {
		return true, true
	}
	r.CancelAt(now)
	return true, false
}
