package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

const (
	// onePiece is up to which size a body is copied behind its head instead of
	// being written beside it.
	onePiece = 16 << 10
	// concurrentWrite is from which size a body is written while the answer is
	// already being read: a node may refuse it before it has all of it, and
	// then stop reading.
	concurrentWrite = 64 << 10
	// maxHeads bounds the heads kept for their paths.
	maxHeads = 256
)

// httpConn is one connection, lazily opened and opened again when it is gone.
//
// A POST is not to be sent twice. So before a connection is used again it is
// checked for being closed, and an exchange is moved to a new connection only
// while not one byte of its request was taken; after that a connection that
// breaks is a Reset.
type httpConn struct {
	endpoint *HTTP
	conn     net.Conn // nil: not connected; of TLS the inner side
	alive    liveness
	reader   responseReader
	heads    map[string][]byte
	out      []byte      // a request in one piece, or the head of one in two
	pieces   [2][]byte   // the memory of vector
	vector   net.Buffers // a request in two pieces
	written  chan written
	cutoff   cutoff
	closed   bool
}

type written struct {
	n   int64
	err error
}

// Do posts one body. A Reply comes back for every status.
func (c *httpConn) Do(ctx context.Context, req Request, deadline time.Time) (Reply, error) {
	if c.closed {
		return Reply{}, &Error{Failure: Refused, Err: net.ErrClosed}
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, &Error{Failure: Cancelled, Err: err}
	}
	for {
		connected := false
		if c.conn == nil || !c.reader.idle() || !c.alive.check() {
			c.drop()
			if err := c.connect(ctx, deadline); err != nil {
				return Reply{}, err
			}
			connected = true
		}
		res, sent, err := c.exchange(ctx, req, deadline, connected)
		if err == nil {
			return Reply{Status: res.status, ContentType: res.contentType, Encoding: res.encoding, Body: res.body, Connected: connected}, nil
		}
		c.drop()
		failure := classify(ctx, err, Reset)
		if failure == Reset && !sent && !connected {
			continue // closed between the check and the write: nothing was taken
		}
		return Reply{Connected: connected}, &Error{Failure: failure, Sent: sent, Err: c.explain(ctx, failure, err)}
	}
}

func (c *httpConn) explain(ctx context.Context, failure Failure, err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the node closed the connection without an answer")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the node closed the connection after %d bytes of its answer", c.reader.got)
	case failure == Cancelled:
		return fmt.Errorf("cut off: %w", ctx.Err())
	case failure == Timeout && c.reader.got > 0:
		return fmt.Errorf("no whole answer in time, only %d bytes: %w", c.reader.got, err)
	case failure == Timeout:
		return fmt.Errorf("no answer in time: %w", err)
	}
	return err
}

func (c *httpConn) connect(ctx context.Context, deadline time.Time) error {
	limited := ctx
	if !deadline.IsZero() {
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, deadline)
		defer cancel()
	}
	tcp, conn, err := c.endpoint.connect(limited)
	if err == nil {
		if err = c.alive.of(tcp); err != nil {
			tcp.Close()
		}
	}
	if e := new(Error); errors.As(err, &e) {
		return e
	}
	if err != nil {
		return &Error{Failure: classify(ctx, err, Refused), Err: err}
	}
	c.conn = conn
	c.cutoff.of(conn)
	c.reader.reset(conn)
	if c.written == nil {
		c.written = make(chan written, 1)
	}
	return nil
}

// exchange sends req and reads its answer. sent tells whether the connection
// took any byte.
func (c *httpConn) exchange(ctx context.Context, req Request, deadline time.Time, fresh bool) (res response, sent bool, err error) {
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
	c.assemble(req)
	concurrent := len(req.Body) > concurrentWrite
	var w written
	if concurrent {
		go c.send()
	} else {
		c.send()
		w = <-c.written
		if w.err != nil && (w.n == 0 && !fresh || isTimeout(w.err)) {
			return res, w.n > 0, w.err
		}
	}
	// Also after a failed write: a node that refuses a body answers, and closes
	// before it has read it all.
	res, err = c.reader.read()
	if concurrent {
		select {
		case w = <-c.written:
		default:
			// Whatever the answer is, the rest of the body is no longer wanted.
			c.conn.SetWriteDeadline(longAgo)
			w = <-c.written
		}
	}
	switch {
	case err != nil && w.err != nil && errors.Is(err, io.EOF):
		err = w.err // says more
	case err == nil && (w.err != nil || !res.keep || c.endpoint.close || !c.reader.idle()):
		c.drop()
	}
	return res, w.n > 0, err
}

// assemble lays out the request as one piece or two.
func (c *httpConn) assemble(req Request) {
	c.out = append(c.out[:0], c.head(req.Path)...)
	c.out = strconv.AppendInt(c.out, int64(len(req.Body)), 10)
	c.out = append(c.out, "\r\n\r\n"...)
	if len(req.Body) <= onePiece {
		c.out = append(c.out, req.Body...)
		c.pieces = [2][]byte{c.out, nil}
		return
	}
	c.pieces = [2][]byte{c.out, req.Body}
}

// send writes what assemble laid out, and reports on c.written.
func (c *httpConn) send() {
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

func (c *httpConn) head(path string) []byte {
	head, ok := c.heads[path]
	if !ok {
		if c.heads == nil || len(c.heads) == maxHeads {
			c.heads = make(map[string][]byte)
		}
		head = c.endpoint.head(path)
		c.heads[path] = head
	}
	return head
}

// drop closes the connection; the next Do opens another. The answer that was
// read stays valid.
func (c *httpConn) drop() {
	if c.conn == nil {
		return
	}
	c.cutoff.of(nil)
	c.conn.Close()
	c.conn = nil
}

// Close closes the connection for good.
func (c *httpConn) Close() error {
	c.closed = true
	c.cutoff.leave()
	c.drop()
	return nil
}
