package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// concurrentWrite is from which size a body is written while the answer is
// already being read: a node may refuse it before it has all of it, and
// then stop reading.
const concurrentWrite = 64 << 10

// streamConn is one connection over any net.Conn (TLS, for one), lazily opened
// and opened again when it is gone. Whoever calls Do waits for it in the runtime's
// network poller.
//
// A POST is not to be sent twice. So before a connection is used again it is
// checked for being closed, and an exchange is moved to a new connection only
// while not one byte of its request was taken; after that a connection that
// breaks is a Reset.
type streamConn struct {
	endpoint *HTTP
	conn     net.Conn // nil: not connected; of TLS the inner side
	alive    liveness
	reader   responseReader
	request  requestWriter
	pieces   [2][]byte   // of the request; the memory of vector
	vector   net.Buffers // a request in two pieces
	written  chan written
	cutoff   cutoff
	usage    usage
	closed   bool

	// Of the exchange under way.
	unsent    int  // bytes of the request
	uninvited bool // its body followed without the 100 that was asked for
}

func openStream(h *HTTP) *streamConn {
	c := &streamConn{endpoint: h}
	c.reader.maxBody, c.reader.share.of = h.maxReply, &h.budget
	return c
}

type written struct {
	n   int64
	err error
}

// Do posts one body. A Reply comes back for every status.
func (c *streamConn) Do(ctx context.Context, req Request, deadline time.Time) (Reply, error) {
	if c.closed {
		return Reply{}, &Error{Failure: Refused, Err: net.ErrClosed}
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, &Error{Failure: Cancelled, Err: err}
	}
	for {
		connected, took := false, time.Duration(0)
		if c.conn == nil || !c.reader.idle() || c.usage.over(c.endpoint.life) || !c.alive.check() {
			c.drop()
			began := time.Now()
			if err := c.connect(ctx, deadline); err != nil {
				return Reply{}, err
			}
			connected, took = true, time.Since(began)
		}
		res, sent, err := c.exchange(ctx, req, deadline, connected)
		if err == nil {
			reply := res.reply()
			reply.Connected, reply.Connecting, reply.Uninvited = connected, took, c.uninvited
			return reply, nil
		}
		c.reader.share.end()
		c.drop()
		failure := classify(ctx, err, Reset)
		if failure == Reset && !sent && !connected {
			continue // closed between the check and the write: nothing was taken
		}
		return Reply{Connected: connected, Connecting: took}, &Error{Failure: failure, Sent: sent, Err: explain(ctx, failure, err, c.reader.got, c.unsent)}
	}
}

func (c *streamConn) connect(ctx context.Context, deadline time.Time) error {
	outer, conn, err := c.endpoint.connectBy(ctx, deadline)
	if err != nil {
		return err
	}
	if err := c.alive.of(outer); err != nil {
		conn.Close()
		return &Error{Failure: classify(ctx, err, Refused), Err: err}
	}
	c.conn = conn
	c.usage.begin(c.endpoint.life)
	c.cutoff.of(conn)
	c.reader.reset(conn)
	if c.written == nil {
		c.written = make(chan written, 1)
	}
	return nil
}

// exchange sends req and reads its answer. sent tells whether the connection
// took any byte.
func (c *streamConn) exchange(ctx context.Context, req Request, deadline time.Time, fresh bool) (res response, sent bool, err error) {
	c.reader.got = 0
	c.cutoff.follow(ctx)
	if err := c.conn.SetDeadline(deadline); err != nil {
		return res, false, err
	}
	// The end of ctx may have come before the deadline was set, and been
	// overwritten by it.
	if err := ctx.Err(); err != nil {
		return res, false, err
	}
	c.usage.used++
	c.uninvited = false
	c.reader.begin()
	head := false // it was sent, by itself
	if c.endpoint.asks(&req) {
		var whole bool
		if res, head, whole, err = c.ask(ctx, &req, deadline); err != nil || whole {
			return res, head, err
		}
		c.pieces = [2][]byte{req.Body}
	} else {
		c.pieces[0], c.pieces[1] = c.request.assemble(c.endpoint, &req)
	}
	c.unsent = len(c.pieces[0]) + len(c.pieces[1])
	concurrent := len(req.Body) > concurrentWrite
	var w written
	if concurrent {
		go c.send()
	} else {
		c.send()
		w = <-c.written
		c.unsent -= int(w.n)
		if w.err != nil && (w.n == 0 && !fresh && !head || isTimeout(w.err)) {
			return res, head || w.n > 0, w.err
		}
	}
	// Also after a failed write: a node that refuses a body answers, and closes
	// before it has read it all.
	res, err = c.reader.goOn()
	if concurrent {
		select {
		case w = <-c.written:
		default:
			// Whatever the answer is, the rest of the body is no longer wanted.
			c.conn.SetWriteDeadline(longAgo)
			w = <-c.written
		}
		c.unsent -= int(w.n)
	}
	switch {
	case err != nil && w.err != nil && errors.Is(err, io.EOF):
		err = w.err // says more
	case err == nil && (w.err != nil || !res.keep || c.endpoint.close || !c.reader.idle() || c.usage.over(c.endpoint.life)):
		c.drop()
	}
	return res, head || w.n > 0, err
}

// ask sends the head of req, and waits for the node to want the body, as far as the
// endpoint waits for that. whole says that res is the answer, in place of that: the
// connection is given up, as the node may be waiting for a body all the same (RFC 9110
// section 10.1.1).
func (c *streamConn) ask(ctx context.Context, req *Request, deadline time.Time) (res response, sent, whole bool, err error) {
	head := c.request.lay(c.endpoint, req)
	c.unsent = len(head) + len(req.Body)
	n, err := c.conn.Write(head)
	c.unsent -= n
	if err != nil {
		return res, n > 0, false, err
	}
	by := time.Now().Add(c.endpoint.expect)
	if !deadline.IsZero() && deadline.Before(by) {
		by = deadline
	}
	if err := c.readUntil(ctx, by); err != nil {
		return res, true, false, err
	}
	c.reader.expecting = true
	res, err = c.reader.goOn()
	c.reader.expecting = false
	late := isTimeout(err) && ctx.Err() == nil && !by.Equal(deadline)
	if late || err == errContinue {
		if err := c.readUntil(ctx, deadline); err != nil {
			return res, true, false, err
		}
	}
	switch {
	case late && c.reader.answering():
		if res, err = c.reader.goOn(); err != nil {
			return res, true, false, err
		}
	case late || err == errContinue:
		c.uninvited = late
		return res, true, false, nil
	case err != nil:
		return res, true, false, err
	}
	c.drop()
	return res, true, true, nil
}

// readUntil bounds what is read from now on, also by the end of ctx.
func (c *streamConn) readUntil(ctx context.Context, deadline time.Time) error {
	if err := c.conn.SetReadDeadline(deadline); err != nil {
		return err
	}
	return ctx.Err() // it may have come before the deadline was set, and been overwritten by it
}

// send writes what assemble laid out, and reports on c.written.
func (c *streamConn) send() {
	var w written
	if c.pieces[1] == nil {
		n, err := c.conn.Write(c.pieces[0])
		w = written{int64(n), err}
	} else {
		c.vector = c.pieces[:]
		w.n, w.err = c.vector.WriteTo(c.conn)
	}
	c.pieces = [2][]byte{}
	c.written <- w
}

// drop closes the connection; the next Do opens another. The answer that was
// read stays valid.
func (c *streamConn) drop() {
	if c.conn == nil {
		return
	}
	c.cutoff.of(nil)
	c.conn.Close()
	c.conn = nil
}

// Close closes the connection for good.
func (c *streamConn) Close() error {
	c.closed = true
	c.cutoff.leave()
	c.drop()
	return nil
}

// Release gives back the memory of a large answer.
func (c *streamConn) Release() { c.reader.release() }
