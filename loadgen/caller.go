package loadgen

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"volley/loadgen/transport"
	"volley/results"
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

// skip hands out one id that belongs to no numbered call.
func (s *sequence) skip() (id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id++
	return s.id - 1
}

// line is what all callers of a run share.
type line struct {
	ctx      context.Context // its end cuts off the calls under way
	work     *work
	seq      *sequence
	endpoint transport.Endpoint
	rec      *recorder
	ceiling  *rate.Limiter // in entries; nil: none
	timeout  time.Duration // of one call
	start    time.Time
	quit     *quitting
	finished atomic.Bool // all is sent, or the time for it is over
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

// job is what a caller is woken for: one call, or a closed loop of them.
type job struct {
	phase int
	end   time.Duration // of the phase; for an open loop, when a call overruns it
	loop  bool          // call until end; else make this call:

	call      numbered
	due       time.Duration
	overBound bool
	held      bool // by the ceiling
}

// overrunAt is when a call of an open loop that ends at end is sent too late to
// count for its rate; see results.Counts.
func overrunAt(end, length time.Duration) time.Duration {
	return end + max(10*time.Millisecond, length/100)
}

// caller makes one call at a time over a connection of its own.
type caller struct {
	*line
	number  int
	jobs    chan job
	conn    transport.Conn
	encoder *encoder
	judge   *correlator
	message message
	outcome results.Outcome
}

func newCaller(l *line, number int) *caller {
	return &caller{
		line: l, number: number,
		jobs:    make(chan job, 1),
		encoder: newEncoder(l.work),
		judge:   newCorrelator(),
	}
}

// run serves jobs until there are no more, and tells back after each.
func (c *caller) run(done func(*caller, job)) {
	for j := range c.jobs {
		if j.loop {
			c.loop(j)
		} else {
			c.call(j)
		}
		done(c, j)
	}
	if c.conn != nil {
		_ = c.conn.Close() // nothing more is to be learnt from it
	}
}

// refusedPause keeps a closed loop from spinning against a node that is gone.
const refusedPause = 10 * time.Millisecond

func (c *caller) loop(j job) {
	var w timerWaiter
	for {
		j.due = c.now()
		if j.due >= j.end || c.over() {
			return
		}
		j.call = c.seq.take()
		c.rec.planned.Add(1)
		var ok bool
		if j.held, ok = c.admit(j.call.shape.entries, w); !ok {
			c.rec.unsent(j.phase)
			return
		}
		c.call(j)
		if c.outcome.Class == results.Refused {
			w.until(time.Now().Add(refusedPause), c.quit.done)
		}
	}
}

// call makes one call and records what became of it.
func (c *caller) call(j job) {
	c.rec.began()
	c.encoder.encode(&c.message, j.call.n, j.call.first, j.call.shape)
	o := &c.outcome
	o.Phase, o.Due, o.OverBound, o.Held = j.phase, j.due, j.overBound, j.held
	o.Sent = c.now()
	o.Overrun = !j.loop && o.Sent > j.end
	reply, err := c.exchange(&c.message)
	o.Done = c.now()
	if reply.Connected {
		c.rec.dials.Add(1)
	}
	if exhausted(err) {
		c.rec.exhausted.Add(1)
	}
	c.judge.judge(&c.message, reply, err, o)
	describe(o, &c.message)
	c.rec.ended(c.number, o)
}

// exhausted tells whether a call failed for want of what is ours.
func exhausted(err error) bool {
	var e *transport.Error
	return errors.As(err, &e) && e.Failure == transport.Exhausted
}

// describe sets what an outcome says of what was sent.
func describe(o *results.Outcome, m *message) {
	o.Batch, o.Entries, o.Items = m.batch, len(m.members), m.items
	o.Notifications, o.Malformed = m.notifications, m.malformed
	o.BytesOut = len(m.body)
}

func (c *caller) exchange(m *message) (transport.Reply, error) {
	if c.conn == nil {
		conn, err := c.endpoint.Open()
		if err != nil {
			return transport.Reply{}, &transport.Error{Failure: transport.Refused, Err: err}
		}
		c.conn = conn
	}
	return c.conn.Do(c.ctx, m.request(), time.Now().Add(c.timeout))
}

func (m *message) request() transport.Request {
	return transport.Request{
		Path: m.path, Body: m.body,
		FirstID: m.first, LastID: m.last(),
		NoReply: m.due() == 0,
		Idless:  !slices.ContainsFunc(m.members, member.echoed),
	}
}
