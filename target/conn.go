package target

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"
)

const (
	headLimit = 64 << 10 // bytes of a request's header, over which the answer is 431
	readAhead = 4 << 10  // bytes that a connection holds of what has come

	// How long, and for how many bytes, a client may go on sending what the
	// answer did not wait for. One that reads nothing before it has sent all would
	// never see the answer if the connection ended earlier.
	lingerTimeout = 5 * time.Second
	lingerBytes   = 64 << 20
)

// conn is one HTTP/1.1 connection. The node has a loop of its own around the
// standard library's parser, instead of http.Server, so that what limits a
// comparison is the node's work and not its front: http.Server reads ahead on a
// second goroutine during each request, which costs as much as a singleton.
type conn struct {
	connection
	server *server
	nc     net.Conn
	remote string
	idle   atomic.Bool // between requests: whoever swaps it to false goes on

	in    *bufio.Reader // of this conn's Read
	room  int64         // bytes that Read may still give: bounds a header
	ahead []byte        // what a watch has read, of at most one byte

	failed error // of Read

	body     requestBody
	response response
}

func newConn(s *server, nc net.Conn) *conn {
	c := &conn{server: s, nc: nc, remote: nc.RemoteAddr().String(), connection: connection{state: s.node.dialect.Connect(HTTP), life: s.life}}
	c.client = clientOf(c.remote)
	c.in = bufio.NewReaderSize(c, readAhead)
	c.idle.Store(true)
	return c
}

var errHeadTooLarge = errors.New("the header is too large")

// Read is for c.in.
func (c *conn) Read(p []byte) (int, error) {
	if c.room <= 0 {
		c.failed = errHeadTooLarge
		return 0, c.failed
	}
	if int64(len(p)) > c.room {
		p = p[:c.room]
	}
	n := copy(p, c.ahead)
	c.ahead = c.ahead[n:]
	var err error
	if n == 0 {
		n, err = c.nc.Read(p)
	}
	c.room -= int64(n)
	c.failed = err
	return n, err
}

// serve answers one request after another until either side has enough.
func (c *conn) serve() {
	defer func() {
		if !c.response.hijacked {
			c.nc.Close()
		}
		if v := recover(); v != nil {
			c.server.node.log.Error("a connection's handler panicked", "panic", v, "stack", string(debug.Stack()))
		}
	}()
	patience := headerTimeout
	for {
		r, err := c.next(patience)
		if err != nil {
			c.refuse(err)
			return
		}
		if r == nil || !c.exchange(r) {
			return
		}
		patience = idleTimeout
	}
}

// next waits for a request and reads its header. Nil without an error: there
// is none to come.
func (c *conn) next(patience time.Duration) (*http.Request, error) {
	c.room = headLimit
	c.nc.SetReadDeadline(time.Now().Add(patience)) // of its error the Read tells
	c.idle.Store(true)
	if c.server.stopping.Load() && c.idle.CompareAndSwap(true, false) {
		return nil, nil
	}
	if _, err := c.in.Peek(1); err != nil || !c.idle.CompareAndSwap(true, false) {
		return nil, nil
	}
	if patience != headerTimeout && !c.wholeHeader() {
		c.nc.SetReadDeadline(time.Now().Add(headerTimeout))
	}
	c.passLineEnds()
	r, err := http.ReadRequest(c.in)
	switch {
	case err == nil:
		return r, unsupported(r)
	case c.failed == errHeadTooLarge:
		return nil, &headError{http.StatusRequestHeaderFieldsTooLarge, "the request's header is too large"}
	case c.failed != nil: // the parser has its own word for half a header
		return nil, nil
	}
	return nil, &headError{http.StatusBadRequest, "this is no HTTP/1.1 request: " + err.Error()}
}

// passLineEnds passes over those before a request line, which some clients send
// after a body (RFC 9112 section 2.2).
func (c *conn) passLineEnds() {
	for {
		b, err := c.in.Peek(1)
		if err != nil || b[0] != '\r' && b[0] != '\n' {
			return
		}
		c.in.Discard(1)
	}
}

func (c *conn) wholeHeader() bool {
	here, _ := c.in.Peek(c.in.Buffered()) // what is buffered can be peeked at
	return bytes.Contains(here, []byte("\r\n\r\n"))
}

// headError refuses a request by its header.
type headError struct {
	status int
	why    string
}

func (e *headError) Error() string { return e.why }

// unsupported refuses what http.ReadRequest lets through and a server must not.
func unsupported(r *http.Request) error {
	switch {
	case r.ProtoMajor != 1:
		return &headError{http.StatusHTTPVersionNotSupported, "the node speaks HTTP/1.1"}
	case r.Host == "" && r.ProtoAtLeast(1, 1) && r.Header["Host"] == nil:
		return &headError{http.StatusBadRequest, "a request needs a Host header"}
	}
	return nil
}

// refuse answers a header that is no request's. A silent client gets nothing.
func (c *conn) refuse(err error) {
	var head *headError
	if !errors.As(err, &head) {
		return
	}
	c.body = requestBody{conn: c, declared: -1}
	c.response.begin(c, &http.Request{Method: http.MethodGet, ProtoMajor: 1, ProtoMinor: 1, Close: true})
	http.Error(&c.response, head.why, head.status)
	c.response.finish()
	c.linger()
}

// exchange answers one request; false: the connection ends.
func (c *conn) exchange(r *http.Request) (goOn bool) {
	c.room = math.MaxInt64
	r.RemoteAddr = c.remote
	c.body.begin(c, r)
	c.response.begin(c, r)
	c.server.node.serveHTTP(&c.response, r)
	c.response.finish()
	switch {
	case c.response.hijacked, c.response.failed:
		return false
	case c.response.last:
		c.linger()
		return false
	}
	return c.body.skip()
}

// linger ends a connection whose client may still be sending, so that what it
// sends does not destroy the answer that it has not read yet: the rest of the
// body is thrown away, to its declared end at most.
func (c *conn) linger() {
	tcp, ok := c.nc.(*net.TCPConn)
	if !ok || c.body.whole {
		return
	}
	tcp.CloseWrite()
	tcp.SetReadDeadline(time.Now().Add(lingerTimeout))
	c.idle.Store(true) // a node that stops closes it
	c.room = math.MaxInt64
	rest := io.Reader(c) // of half a header nothing tells where its request ends
	if c.body.from != nil {
		rest = c.body.from
	}
	io.Copy(io.Discard, io.LimitReader(rest, lingerBytes))
}
