package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// stream is one WebSocket that calls share.
type stream struct {
	*routing
	endpoint *WebSocket
	turn     chan struct{} // held by who writes a message, or opens the WebSocket

	// Written under turn and the endpoint's mu, so that either will do to read them.
	conn *websocket.Conn // nil: never opened
	down chan struct{}   // closed when the reading of conn has ended
}

func newStream(e *WebSocket, route func([]byte) (uint64, bool)) *stream {
	return &stream{routing: newRouting(route), endpoint: e, turn: make(chan struct{}, 1)}
}

// lost is why a WebSocket is no more.
type lost struct {
	failure Failure
	err     error
}

func (l *lost) Error() string { return l.err.Error() }
func (l *lost) Unwrap() error { return l.err }

// up tells whether the WebSocket is there. The caller has the turn.
func (s *stream) up() bool {
	if s.conn == nil {
		return false
	}
	select {
	case <-s.down:
		return false
	default:
		return true
	}
}

// connect opens the WebSocket. The caller has the turn; the error is an *Error.
func (s *stream) connect(ctx context.Context, deadline time.Time) error {
	limited, cancel := until(ctx, deadline)
	defer cancel()
	conn, err := s.endpoint.open(limited)
	if err == nil {
		err = s.endpoint.adopt(s, conn)
	}
	if e := new(Error); err == nil || errors.As(err, &e) {
		return err
	}
	return &Error{Failure: classify(ctx, err, Refused), Err: err}
}

// read hands every message to the call that it answers, and gives why there will be
// no more.
func (s *stream) read(conn *websocket.Conn) error {
	defer conn.CloseNow() // nothing more comes of it: the words are in the error
	m := message{most: s.endpoint.maxReply}
	for {
		_, r, err := conn.Reader(context.Background())
		if err == nil {
			err = m.readFrom(r)
		}
		switch {
		case errors.As(err, new(*protocolError)):
			s.deliver(nil, err)
		case err != nil:
			return why(err)
		default:
			if text := bytes.TrimSpace(m.text); len(text) > 0 {
				s.deliver(text, nil)
			}
		}
		m.release()
	}
}

// why says in plain words why reading ended.
func why(err error) error {
	var closing websocket.CloseError
	switch {
	case errors.As(err, &closing):
		err = fmt.Errorf("the node closed the WebSocket with status %d and the words %q", closing.Code, closing.Reason)
		return &lost{Reset, err}
	case errors.Is(err, net.ErrClosed):
		return &lost{Reset, errors.New("the WebSocket was closed from this side")}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &lost{Reset, errors.New("the node closed the connection without closing the WebSocket")}
	}
	failure := classify(context.Background(), err, Malformed)
	if failure == Malformed {
		return &lost{Malformed, fmt.Errorf("the node breaks WebSocket: %w", err)}
	}
	return &lost{failure, plain(err)}
}

// message is the memory of one message, used again for the next.
type message struct {
	text []byte
	most int64
}

// readFrom reads a message. One over the bound is read to its end, thrown away, and
// reported as a *protocolError.
func (m *message) readFrom(r io.Reader) error {
	m.text = m.text[:0]
	for {
		if len(m.text) == cap(m.text) {
			m.text = append(m.text, make([]byte, max(firstBuffer, cap(m.text)))...)[:len(m.text)]
		}
		n, err := r.Read(m.text[len(m.text):cap(m.text)])
		m.text = m.text[:len(m.text)+n]
		switch {
		case int64(len(m.text)) > m.most:
			m.text = m.text[:0]
			if err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			return protocolErrorf("a message is over the bound of %d bytes", m.most)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (m *message) release() {
	if cap(m.text) > largeReply {
		m.text = nil
	}
}

// streamUser is one user of a shared WebSocket.
type streamUser struct {
	waiter
	stream *stream
	closed bool
}

// Do sends req as one message. With NoReply it is done when the message is written,
// with status 204. A deadline that passes within the write costs the WebSocket: half
// a message cannot be taken back.
func (c *streamUser) Do(ctx context.Context, req Request, deadline time.Time) (Reply, error) {
	s := c.stream
	if c.closed {
		return Reply{}, &Error{Failure: Refused, Err: net.ErrClosed}
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, &Error{Failure: Cancelled, Err: err}
	}
	if !deadline.IsZero() && time.Until(deadline) <= 0 {
		return Reply{}, &Error{Failure: Timeout, Err: os.ErrDeadlineExceeded}
	}
	expired := c.arm(deadline)
	defer c.disarm()
	if req.Idless && !req.NoReply {
		if err := take(ctx, s.idless, expired, untold); err != nil {
			return Reply{}, err
		}
		defer func() { <-s.idless }()
	}
	if err := take(ctx, s.turn, expired, "another message was still being written"); err != nil {
		return Reply{}, err
	}
	reply, err := c.send(ctx, &req, deadline)
	<-s.turn
	if err != nil || req.NoReply {
		return reply, err
	}
	if err := s.wait(ctx, &c.waiter, expired); err != nil {
		return reply, err
	}
	if c.err != nil {
		return reply, failed(ctx, true, c.err)
	}
	reply.Status, reply.Body = 200, c.answer
	return reply, nil
}

// send writes the message, over a new WebSocket where there is none. The caller has
// the turn; the error is an *Error.
func (c *streamUser) send(ctx context.Context, req *Request, deadline time.Time) (reply Reply, err error) {
	s := c.stream
	for {
		if !s.up() {
			began := time.Now()
			err := s.connect(ctx, deadline)
			reply.Connecting, reply.Connected = time.Since(began), err == nil
			if err != nil {
				return reply, err
			}
		}
		if req.NoReply {
			break
		}
		err := s.await(&c.waiter, req)
		if err == nil {
			break
		}
		if reply.Connected {
			return reply, failed(ctx, false, err)
		}
		<-s.down // lost since its last message: another is opened
	}
	if err = c.write(ctx, req.Body, deadline); err == nil {
		reply.Status = 204
		return reply, nil
	}
	_ = s.conn.CloseNow() // half a message spoils it
	<-s.down
	if !req.NoReply {
		<-c.answered // the end of the WebSocket, or an answer to half a message
	}
	return reply, failed(ctx, true, fmt.Errorf("the message could not be written: %w", plain(err)))
}

// write writes one message. Only while it does so do the deadline and the end of ctx
// close the WebSocket; the library, which is given neither, would close it a moment
// later too.
func (c *streamUser) write(ctx context.Context, body []byte, deadline time.Time) error {
	limited, cancel := until(ctx, deadline)
	defer cancel()
	conn := c.stream.conn
	var mu sync.Mutex
	writing := true // protected by mu
	stop := context.AfterFunc(limited, func() {
		mu.Lock()
		defer mu.Unlock()
		if writing {
			_ = conn.CloseNow() // its error is the write's
		}
	})
	defer stop()
	err := conn.Write(context.Background(), websocket.MessageText, body)
	mu.Lock()
	defer mu.Unlock()
	writing = false
	if err != nil && limited.Err() != nil {
		return limited.Err()
	}
	return err
}

// failed makes an *Error of what went wrong on a WebSocket.
func failed(ctx context.Context, sent bool, err error) error {
	failure := classify(ctx, err, Reset)
	var l *lost
	if errors.As(err, &l) && failure != Cancelled {
		failure = l.failure
	}
	return &Error{Failure: failure, Sent: sent, Err: err}
}

// Close ends this use of the WebSocket, which stays.
func (c *streamUser) Close() error {
	c.closed = true
	return nil
}
