package transport

import (
	"context"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// polledConn is one plain connection whose answers a poller reads, so that an
// exchange needs no goroutine: whoever calls Start writes the request, and the
// poller says what came of it. See streamConn for when a request may be sent again.
//
// Whose it is follows from its state: the user's while it is off, the starter's
// while it is starting, the poller's while it is waiting. While it is idle either
// may take it: the user to start an exchange, the poller when the node hangs up.
type polledConn struct {
	endpoint *HTTP
	poller   *poller
	state    atomic.Uint32
	closed   bool // by the user

	fd          int
	fresh       bool // has carried no exchange yet
	usage       usage
	reader      responseReader
	request     requestWriter
	first, then []byte // what of the request is still to be written
	written     int
	size        int // of the request
	writeErr    error
	stray       [1]byte // read by check

	// Of the exchange under way.
	ctx      context.Context
	deadline int64 // in nanoseconds since poller.base
	done     func(Reply, error)

	ended   <-chan struct{} // of the context whose end kicks the poller
	unwatch func() bool
	answers chan answered      // of Do
	answer  func(Reply, error) // puts one there
}

const (
	off uint32 = iota // not connected
	idle
	starting
	waiting
)

type answered struct {
	reply Reply
	err   error
}

func openPolled(h *HTTP) (Conn, error) {
	p, err := h.pollers.join()
	if err != nil {
		return nil, err
	}
	c := &polledConn{endpoint: h, poller: p, answers: make(chan answered, 1)}
	c.answer = func(r Reply, err error) { c.answers <- answered{r, err} }
	c.reader.maxBody, c.reader.share.of = h.maxReply, &h.budget
	return c, nil
}

// Do posts one body. A Reply comes back for every status.
func (c *polledConn) Do(ctx context.Context, req Request, deadline time.Time) (Reply, error) {
	if c.closed {
		return Reply{}, &Error{Failure: Refused, Err: net.ErrClosed}
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, &Error{Failure: Cancelled, Err: err}
	}
	if !deadline.IsZero() && time.Until(deadline) <= 0 {
		return Reply{}, &Error{Failure: Timeout, Err: os.ErrDeadlineExceeded}
	}
	c.check() // the poller may not yet have seen that the node hung up
	connected, took := false, time.Duration(0)
	for !c.Start(ctx, req, deadline, c.answer) {
		began := time.Now()
		if err := c.Connect(ctx, deadline); err != nil {
			return Reply{}, err
		}
		connected, took = true, time.Since(began)
	}
	a := <-c.answers
	a.reply.Connected, a.reply.Connecting = connected, took
	return a.reply, a.err
}

// Ready tells whether the connection is there and idle.
func (c *polledConn) Ready() bool { return c.state.Load() == idle }

// Connect connects, where there is no connection.
func (c *polledConn) Connect(ctx context.Context, deadline time.Time) error {
	if c.closed {
		return &Error{Failure: Refused, Err: net.ErrClosed}
	}
	for c.state.Load() == starting {
		runtime.Gosched() // the poller is looking whether the node hung up
	}
	if c.state.Load() != off {
		return nil
	}
	conn, _, err := c.endpoint.connectBy(ctx, deadline)
	if err != nil {
		return err
	}
	defer conn.Close() // c has its own descriptor of the same socket
	if err := c.adopt(conn); err != nil {
		return &Error{Failure: classify(ctx, err, Refused), Err: err}
	}
	return nil
}

// adopt takes a descriptor of the socket that the runtime's poller does not know.
func (c *polledConn) adopt(conn socket) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var dup error
	err = raw.Control(func(fd uintptr) { c.fd, dup = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err == nil {
		err = os.NewSyscallError("fcntl", dup)
	}
	if err != nil {
		return err
	}
	c.fresh = true
	c.usage.begin(c.endpoint.life)
	c.reader.reset(nil)
	c.state.Store(idle)
	if err := c.poller.add(c); err != nil {
		c.state.Store(off)
		unix.Close(c.fd)
		return os.NewSyscallError("epoll_ctl", err)
	}
	return nil
}

// Start sends req if the connection is there and idle.
func (c *polledConn) Start(ctx context.Context, req Request, deadline time.Time, done func(Reply, error)) bool {
	if !c.state.CompareAndSwap(idle, starting) {
		return false
	}
	if c.usage.over(c.endpoint.life) {
		c.drop()
		return false
	}
	c.usage.used++
	p := c.poller
	by := int64(never)
	if !deadline.IsZero() {
		by = int64(deadline.Sub(p.base))
	}
	c.ctx, c.deadline, c.done = ctx, by, done
	c.written, c.writeErr = 0, nil
	c.watch(ctx)
	c.reader.begin()
	c.first, c.then = c.request.assemble(c.endpoint, &req)
	c.size = len(c.first) + len(c.then)
	if err := c.write(); err != nil {
		if c.written == 0 && !c.fresh {
			c.drop() // closed since its last exchange: nothing was taken
			return false
		}
		// A node that refuses a body answers, and closes before it has read it all.
		c.writeErr, c.first, c.then = err, nil, nil
	}
	if len(c.first) > 0 {
		if err := p.alsoWritable(c, true); err != nil {
			c.writeErr, c.first, c.then = err, nil, nil
		}
	}
	c.state.Store(waiting)
	// From here on c is the poller's, and may be in its next exchange already.
	p.remind(by)
	if ctx.Err() != nil {
		p.kick()
	}
	return true
}

// watch makes the end of ctx kick the poller. The watch on one context is kept from
// exchange to exchange: the calls of a run share theirs, and so pay for it once.
func (c *polledConn) watch(ctx context.Context) {
	ended := ctx.Done()
	if ended == c.ended {
		return
	}
	if c.unwatch != nil {
		c.unwatch()
	}
	c.ended, c.unwatch = ended, nil
	if ended != nil {
		c.unwatch = context.AfterFunc(ctx, c.poller.kick)
	}
}

// write writes as much of the request as the socket takes at once.
func (c *polledConn) write() error {
	for len(c.first) > 0 {
		var n int
		var err error
		if len(c.then) > 0 {
			n, err = unix.Writev(c.fd, [][]byte{c.first, c.then})
		} else {
			n, err = writeNow(c.fd, c.first)
		}
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return nil
		case err != nil:
			return err
		}
		c.written += n
		if n < len(c.first) {
			c.first = c.first[n:]
			continue
		}
		c.first, c.then = c.then[n-len(c.first):], nil
	}
	return nil
}

// news serves what epoll says of the socket; false says that a starter is in
// the way, and that epoll has to be asked again.
func (c *polledConn) news(events uint32) bool {
	switch c.state.Load() {
	case starting:
		return false
	case idle:
		// When the connection turns out well, the news was of a socket that had this
		// descriptor before.
		return c.check()
	case waiting:
		if events&unix.EPOLLOUT != 0 && len(c.first) > 0 {
			c.writeOn()
		}
		if events&^unix.EPOLLOUT != 0 {
			c.read()
		}
	}
	return true
}

// check drops an idle connection that the node has hung up, or on which bytes came
// that nobody asked for: both spoil it. False says that somebody else has it.
func (c *polledConn) check() bool {
	if !c.state.CompareAndSwap(idle, starting) {
		return false
	}
	if _, err := readNow(c.fd, c.stray[:]); err == unix.EAGAIN {
		c.state.Store(idle)
	} else {
		c.drop()
	}
	return true
}

// writeOn goes on with a request that the socket did not take at once.
func (c *polledConn) writeOn() {
	if err := c.write(); err != nil {
		c.writeErr, c.first, c.then = err, nil, nil
	}
	if len(c.first) == 0 {
		if err := c.poller.alsoWritable(c, false); err != nil {
			c.fail(err)
		}
	}
}

// read takes what there is of the answer.
func (c *polledConn) read() {
	for {
		space := c.reader.space()
		n, err := readNow(c.fd, space)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return
		case err != nil:
			c.fail(err)
			return
		}
		var res response
		if n == 0 {
			res, err = c.reader.ended()
		} else {
			c.reader.took(n)
			res, err = c.reader.next()
		}
		switch {
		case err == nil:
			c.finish(res)
			return
		case err != errMore:
			c.fail(err)
			return
		case n < len(space):
			return
		}
	}
}

// finish ends the exchange with an answer.
func (c *polledConn) finish(res response) {
	done := c.done
	c.done, c.fresh = nil, false
	if !res.keep || c.endpoint.close || len(c.first) > 0 || c.writeErr != nil || !c.reader.idle() || c.usage.over(c.endpoint.life) {
		c.drop()
	} else {
		c.state.Store(idle)
	}
	done(res.reply(), nil)
}

// fail ends the exchange without one.
func (c *polledConn) fail(err error) {
	done, ctx := c.done, c.ctx
	if c.writeErr != nil && c.reader.got == 0 && classify(ctx, err, Reset) == Reset {
		err = c.writeErr // says more
	}
	failure := classify(ctx, err, Reset)
	e := &Error{Failure: failure, Sent: c.written > 0, Err: explain(ctx, failure, err, c.reader.got, c.size-c.written)}
	c.reader.share.end()
	c.done = nil
	c.drop()
	done(Reply{}, e)
}

// look ends the exchange if its time is up or its context has ended; else it gives
// when its time will be up, never if none is under way.
func (c *polledConn) look(now int64) int64 {
	if c.state.Load() != waiting {
		return never // one that is starting reminds the poller of itself
	}
	switch {
	case c.ctx.Err() != nil:
		c.fail(c.ctx.Err())
	case c.deadline <= now:
		c.fail(os.ErrDeadlineExceeded)
	default:
		return c.deadline
	}
	return never
}

// drop closes the socket; it is for whose the connection is. The answer that was
// read stays valid.
func (c *polledConn) drop() {
	c.poller.forget(c.fd)
	unix.Close(c.fd) // leaves the epoll set by itself: there is no other descriptor
	c.first, c.then = nil, nil
	c.state.Store(off)
}

// Release gives back the memory of a large answer.
func (c *polledConn) Release() { c.reader.release() }

// Close closes the connection for good. It is not for use within done.
func (c *polledConn) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	if c.unwatch != nil {
		c.unwatch()
	}
	for !c.state.CompareAndSwap(idle, starting) {
		if s := c.state.Load(); s == off || s == waiting {
			c.endpoint.pollers.leave(c.poller)
			return nil
		}
		runtime.Gosched() // the poller is looking whether the node hung up
	}
	c.drop()
	c.endpoint.pollers.leave(c.poller)
	return nil
}

var _ Starter = (*polledConn)(nil)
