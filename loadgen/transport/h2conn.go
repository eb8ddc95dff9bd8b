package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// h2Conn carries one stream at a time.
type h2Conn struct {
	endpoint *HTTP2
	urls     map[string]*url.URL // by path
	answer   []byte
	field    string      // the last of a request's own
	header   http.Header // with it
	closed   bool
}

func newH2Conn(h *HTTP2) *h2Conn {
	return &h2Conn{endpoint: h, urls: make(map[string]*url.URL)}
}

// Do posts one body. A Reply comes back for every status.
func (c *h2Conn) Do(ctx context.Context, req Request, deadline time.Time) (Reply, error) {
	if c.closed {
		return Reply{}, &Error{Failure: Refused, Err: net.ErrClosed}
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, &Error{Failure: Cancelled, Err: err}
	}
	if !deadline.IsZero() && time.Until(deadline) <= 0 {
		return Reply{}, &Error{Failure: Timeout, Err: os.ErrDeadlineExceeded}
	}
	for {
		cc, opened, took, err := c.endpoint.stream(ctx, deadline)
		if err != nil {
			return Reply{}, err
		}
		reply, sent, err := c.exchange(ctx, cc, &req, deadline)
		reply.Connected, reply.Connecting = opened, took
		if err == nil {
			return reply, nil
		}
		failure := classify(ctx, err, Reset)
		if failure == Reset && !sent && !opened {
			continue // closed since its last exchange: nothing was taken
		}
		return Reply{Connected: opened, Connecting: took}, &Error{Failure: failure, Sent: sent, Err: explain(ctx, failure, err, 0, 0)}
	}
}

// exchange posts req over the stream reserved on cc and reads the answer. sent tells
// whether its head was written.
func (c *h2Conn) exchange(ctx context.Context, cc *http.ClientConn, req *Request, deadline time.Time) (reply Reply, sent bool, err error) {
	to, err := c.url(req.Path)
	if err != nil {
		cc.Release()
		return reply, false, err
	}
	var head atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { head.Store(true) }}
	limited, cancel := until(httptrace.WithClientTrace(ctx, trace), deadline)
	defer cancel()
	body := &lent{rest: req.Body}
	defer body.takeBack()
	res, err := cc.RoundTrip((&http.Request{
		Method: "POST", URL: to, Host: c.endpoint.host,
		Header: c.headerFor(req.Field), Body: body, ContentLength: int64(len(req.Body)),
	}).WithContext(limited))
	if err != nil {
		return reply, head.Load(), h2Error(err)
	}
	defer res.Body.Close()
	if err := c.read(res); err != nil {
		return reply, true, h2Error(err)
	}
	reply = Reply{
		Status: res.StatusCode, Body: c.answer,
		ContentType: res.Header.Get("Content-Type"), Encoding: res.Header.Get("Content-Encoding"),
	}
	if res.StatusCode/100 == 3 {
		reply.Location = res.Header.Get("Location")
	}
	return reply, true, nil
}

// headerFor gives the header of a request with a field of its own.
func (c *h2Conn) headerFor(field string) http.Header {
	if field == "" {
		return c.endpoint.header
	}
	if field != c.field {
		name, value, _ := strings.Cut(field, ": ")
		c.field, c.header = field, c.endpoint.header.Clone()
		c.header.Set(name, value)
	}
	return c.header
}

// read reads the body of an answer. Memory grows with what arrives.
func (c *h2Conn) read(res *http.Response) error {
	most := c.endpoint.maxReply
	if res.ContentLength > most {
		return protocolErrorf("a body of %d bytes is over the bound of %d", res.ContentLength, most)
	}
	c.Release()
	c.answer = c.answer[:0]
	share := share{of: &c.endpoint.budget}
	defer share.end()
	for {
		if len(c.answer) == cap(c.answer) {
			c.answer = append(c.answer, make([]byte, max(firstBuffer, cap(c.answer)))...)[:len(c.answer)]
		}
		n, err := res.Body.Read(c.answer[len(c.answer):cap(c.answer)])
		c.answer = c.answer[:len(c.answer)+n]
		if err := share.grow(len(c.answer)); err != nil {
			return err
		}
		switch {
		case int64(len(c.answer)) > most:
			return protocolErrorf("the body is over the bound of %d bytes", most)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// url gives what a request for path is sent to.
func (c *h2Conn) url(path string) (*url.URL, error) {
	if to, ok := c.urls[path]; ok {
		return to, nil
	}
	to := &c.endpoint.to
	u, err := url.ParseRequestURI(to.target(path))
	if err != nil {
		return nil, err
	}
	u.Scheme, u.Host = to.url.Scheme, hostField(to.url)
	if len(c.urls) == maxHeads {
		clear(c.urls)
	}
	c.urls[path] = u
	return u, nil
}

// Release gives back the memory of a large answer.
func (c *h2Conn) Release() {
	if cap(c.answer) > largeReply {
		c.answer = nil
	}
}

// Close ends this use of the shared connections, which stay.
func (c *h2Conn) Close() error {
	c.closed = true
	return nil
}

// lent is a request's body while net/http may read it. It may still want to when the
// exchange is over, so what was lent is taken back.
type lent struct {
	mu   sync.Mutex
	rest []byte
	over bool
}

func (l *lent) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
		return 0, os.ErrClosed
	case len(l.rest) == 0:
		return 0, io.EOF
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Close does nothing: the body is taken back when the exchange is over.
func (l *lent) Close() error { return nil }

func (l *lent) takeBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest, l.over = nil, true
}

// streamError has the shape of net/http's own error of that name, which lets
// errors.As fill anything of its shape.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string {
	name := fmt.Sprintf("code %d", e.Code)
	if int(e.Code) < len(h2Codes) {
		name = h2Codes[e.Code]
	}
	return name
}

// h2Codes are the error codes of RFC 9113 section 7.
var h2Codes = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
	"STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
	"CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

// h2Error says in plain words what net/http says of a stream, and tells a node that
// resets a stream from one that breaks the protocol.
func h2Error(err error) error {
	var stream streamError
	text := err.Error()
	switch {
	case strings.Contains(text, "header list larger"):
		return protocolErrorf("the answer's head is larger than %d bytes", maxHead)
	case errors.As(err, &stream) && stream.Cause != nil && strings.Contains(stream.Cause.Error(), "from peer"):
		return fmt.Errorf("the node reset the stream: %w", stream)
	case errors.As(err, &stream):
		return protocolErrorf("the answer breaks HTTP/2: %v: %v", stream, stream.Cause)
	case strings.Contains(text, "looked like an HTTP/1.1 header"):
		return protocolErrorf("the node answers in HTTP/1.1, not in HTTP/2")
	case strings.Contains(text, "could not be established"):
		return errNotHTTP2
	case strings.Contains(text, "malformed response"), strings.HasPrefix(text, "connection error:"), strings.Contains(text, "invalid header"):
		return protocolErrorf("the answer breaks HTTP/2: %v", err)
	}
	return err
}
