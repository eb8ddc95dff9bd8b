package loadgen

import (
	"context"
	"errors"
	"slices"
	"time"

	"volley/loadgen/transport"
	"volley/results"
)

// job is what a caller is taken for: one call, or a closed loop of them.
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
//
// Where its connection is a [transport.Starter] and is there, whoever gives it a
// call sends that call, and the transport's goroutine says what became of it and, in
// a closed loop, sends the next one. Else the caller's own goroutine makes the call.
type caller struct {
	*line
	number  int
	done    func(*caller, job) // a job is over, and the caller may be taken again
	conn    transport.Conn
	starter transport.Starter // conn, when it is one
	answer  func(transport.Reply, error)
	encoder *encoder
	judge   *correlator

	message message // of the call that is under way, or next
	outcome results.Outcome
	job     job // of the call that was sent last

	jobs chan job  // for its goroutine; nil: it has none yet
	back chan bool // a loop needs its goroutine: to make the call of job, or for what comes next
}

func newCaller(l *line, number int, done func(*caller, job)) *caller {
	c := &caller{
		line: l, number: number, done: done,
		encoder: newEncoder(l.work),
		judge:   newCorrelator(),
		back:    make(chan bool, 1),
	}
	c.judge.expect = l.expect
	c.judge.speak(l.dialect)
	c.answer = c.answered
	return c
}

// run serves jobs, on the caller's own goroutine, until there are no more.
func (c *caller) run() {
	for j := range c.jobs {
		if j.loop {
			c.loop(j)
		} else {
			c.call(j)
		}
		c.done(c, j)
	}
}

// refusedPause keeps a closed loop from spinning against a node that is gone.
const refusedPause = 10 * time.Millisecond

// loop makes calls one after the other until the job ends.
func (c *caller) loop(j job) {
	var w timerWaiter
	for c.next(&j, c.now()) {
		var ok bool
		if j.held, ok = c.admit(j.call.shape.entries, w); !ok {
			c.rec.unsent(j.phase)
			return
		}
		if c.send(j) {
			// The calls after it are sent when their predecessors are answered.
			if unsent := <-c.back; !unsent {
				continue
			}
			j = c.job
		}
		c.call(j)
		if c.outcome.Class == results.Refused {
			w.until(time.Now().Add(refusedPause), c.quit.done)
		}
	}
}

// next numbers and encodes a loop's next call; false says that the loop is over.
func (c *caller) next(j *job, now time.Duration) bool {
	if now >= j.end || c.over() || c.outcome.Class == results.CutOff {
		return false
	}
	j.due, j.call = now, c.seq.take()
	c.rec.planned.Add(1)
	c.encoder.encode(&c.message, j.call.n, j.call.first, j.call.shape)
	return true
}

// send sends the call that is encoded, if the connection takes it without waiting.
func (c *caller) send(j job) bool {
	if c.starter == nil || !c.starter.Ready() {
		return false
	}
	c.job = j
	sent := c.begin(j)
	if !c.starter.Start(c.ctx, c.message.request(c.field), c.start.Add(sent+c.timeout), c.answer) {
		c.rec.undone(sent)
		return false
	}
	// c is the transport's until the answer.
	if !j.loop {
		c.fidelity.add(&j, sent)
	}
	return true
}

// answered takes what came of a call that send sent, on the transport's goroutine.
func (c *caller) answered(reply transport.Reply, err error) {
	c.outcome.Done = c.now()
	c.record(reply, err)
	j := c.job
	switch {
	case !j.loop:
		c.done(c, j)
	case c.ceiling != nil || !c.starter.Ready() || !c.next(&j, c.outcome.Done):
		c.back <- false
	case !c.send(j):
		c.job = j
		c.back <- true
	}
}

// call makes the call that is encoded, and waits for what comes of it.
func (c *caller) call(j job) {
	sent := c.begin(j)
	if !j.loop {
		c.fidelity.add(&j, sent)
	}
	reply, err := c.exchange()
	c.outcome.Done = c.now()
	if reply.Connected {
		c.rec.dials.made(reply.Connecting)
	}
	c.record(reply, err)
}

// begin sets what an outcome knows before it is sent, right before it is, and tells
// when that was.
func (c *caller) begin(j job) (sent time.Duration) {
	o := &c.outcome
	o.Phase, o.Due, o.OverBound, o.Held = j.phase, j.due, j.overBound, j.held
	o.Sent = c.now()
	c.rec.began(o.Sent)
	o.Overrun = !j.loop && o.Sent > j.end
	if j.loop && !j.held {
		o.Due = o.Sent // nothing was owed before
	}
	return o.Sent
}

func (c *caller) record(reply transport.Reply, err error) {
	if exhausted(err) {
		c.rec.exhausted.Add(1)
	}
	c.judge.judge(&c.message, reply, err, &c.outcome)
	transport.Release(c.conn, &reply) // it was looked at
	describe(&c.outcome, &c.message)
	if c.sent != nil {
		c.sent(c.outcome.Due, c.outcome.Sent)
	}
	c.rec.ended(c.number, &c.outcome)
}

// exhausted tells whether a call failed for want of what is ours.
func exhausted(err error) bool {
	if err == nil {
		return false // nearly always; errors.As allocates
	}
	var e *transport.Error
	return errors.As(err, &e) && e.Failure == transport.Exhausted
}

// describe sets what an outcome says of what was sent.
func describe(o *results.Outcome, m *message) {
	o.Batch, o.Entries, o.Items = m.batch, len(m.members), m.items
	o.Notifications, o.Malformed = m.notifications, m.malformed
	o.BytesOut = len(m.body)
}

func (c *caller) exchange() (transport.Reply, error) {
	if err := c.open(); err != nil {
		return transport.Reply{}, &transport.Error{Failure: transport.Refused, Err: err}
	}
	return c.conn.Do(c.ctx, c.message.request(c.field), time.Now().Add(c.timeout))
}

// open gets the caller its connection, which need not be connected.
func (c *caller) open() error {
	if c.conn != nil {
		return nil
	}
	conn, err := c.endpoint.Open()
	if err == nil {
		c.conn = conn
		c.starter, _ = conn.(transport.Starter)
	}
	return err
}

// connect connects ahead of the next call; false: it did not come about.
func (c *caller) connect(ctx context.Context) bool {
	began := time.Now()
	if c.open() != nil || c.starter == nil || c.starter.Connect(ctx, began.Add(c.timeout)) != nil {
		return false
	}
	c.rec.dials.made(time.Since(began))
	return true
}

func (c *caller) close() {
	if c.conn != nil {
		_ = c.conn.Close() // nothing more is to be learnt from it
	}
}

func (m *message) request(field string) transport.Request {
	return transport.Request{
		Path: m.path, Body: m.body, Field: field,
		FirstID: m.first, LastID: m.last(),
		NoReply: m.due() == 0,
		Idless:  !slices.ContainsFunc(m.members, member.echoed),
	}
}
