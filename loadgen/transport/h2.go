package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// HTTP2 is an endpoint that speaks HTTP/2 by net/http: over TLS, or by prior
// knowledge (RFC 9113 section 3.3) where the URL is not encrypted. Its connections
// are streams, one exchange at a time each, that share as few connections of the
// system's as the node lets them: another is opened only when those that are open
// carry as many streams as the node allows. Redirects and authentication
// challenges are answers like any other, never followed.
//
// HTTPConfig's MaxAge and MaxRequests, and a header Connection, are of no use here.
type HTTP2 struct {
	dialer
	to       aim
	host     string // as requests name it
	header   http.Header
	maxReply int64
	budget   budget
	turn     chan struct{} // held by who opens a connection

	mu     sync.Mutex
	shared []*http.ClientConn // protected by mu
	closed bool               // protected by mu
}

// NewHTTP2 checks c; it connects to nothing. Its errors show neither user
// information nor header values.
func NewHTTP2(c HTTPConfig) (*HTTP2, error) {
	to, err := parseURL(c.URL, "http", "https")
	if err != nil {
		return nil, err
	}
	if c.MaxAge > 0 || c.MaxRequests > 0 {
		return nil, errors.New("connections of HTTP/2 are shared: they are not given up by age or requests")
	}
	if c.Expect > 0 {
		return nil, errors.New("no stream of HTTP/2 waits for 100 (Continue): that is for HTTP/1.1")
	}
	h := &HTTP2{to: to, maxReply: c.MaxReply, budget: newBudget(c.MaxReplies), turn: make(chan struct{}, 1)}
	if err := h.aim(to, &c, "h2"); err != nil {
		return nil, err
	}
	if h.maxReply <= 0 {
		h.maxReply = DefaultMaxReply
	}
	if h.header, err = headerFields(to.url, c.Header); err != nil {
		return nil, err
	}
	h.host = h.header.Get("Host")
	h.header.Del("Host")
	h.header.Del("Connection")
	return h, nil
}

// Open gives a stream at a time of the shared connections.
func (h *HTTP2) Open() (Conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errors.New("the endpoint is closed")
	}
	return newH2Conn(h), nil
}

// Close closes the shared connections. Calls under way are Reset.
func (h *HTTP2) Close() error {
	h.mu.Lock()
	h.closed = true
	shared := h.shared
	h.shared = nil
	h.mu.Unlock()
	var errs []error
	for _, cc := range shared {
		errs = append(errs, cc.Close())
	}
	return errors.Join(errs...)
}

// reserve gives a connection with room for one stream more, which is the caller's
// then; nil where there is none.
func (h *HTTP2) reserve() *http.ClientConn {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shared = slices.DeleteFunc(h.shared, func(cc *http.ClientConn) bool {
		if cc.Err() == nil {
			return false
		}
		_ = cc.Close() // it is dead already
		return true
	})
	for _, cc := range h.shared {
		if cc.Reserve() == nil {
			return cc
		}
	}
	return nil
}

// stream gives a connection with a stream reserved on it. took is how long it took
// to open it, where that was needed. The error is an *Error.
func (h *HTTP2) stream(ctx context.Context, deadline time.Time) (cc *http.ClientConn, opened bool, took time.Duration, err error) {
	if cc = h.reserve(); cc != nil {
		return cc, false, 0, nil
	}
	limited, cancel := until(ctx, deadline)
	defer cancel()
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-limited.Done():
		return nil, false, 0, &Error{Failure: classify(ctx, limited.Err(), Timeout), Err: errors.New("another call was still opening the connection")}
	}
	if cc = h.reserve(); cc != nil {
		return cc, false, 0, nil // opened while this waited
	}
	began := time.Now()
	cc, err = h.open(limited)
	took = time.Since(began)
	if e := new(Error); errors.As(err, &e) {
		return nil, false, took, e
	}
	if err != nil {
		return nil, false, took, &Error{Failure: classify(ctx, err, Refused), Err: err}
	}
	return cc, true, took, nil
}

// open opens a connection with a stream reserved on it.
func (h *HTTP2) open(ctx context.Context) (*http.ClientConn, error) {
	_, conn, err := h.connect(ctx)
	if err != nil {
		return nil, err
	}
	scheme := "http"
	if secure, ok := conn.(*tls.Conn); ok {
		scheme = "https"
		if p := secure.ConnectionState().NegotiatedProtocol; p != "h2" {
			conn.Close()
			return nil, fmt.Errorf("the node does not speak HTTP/2: the TLS handshake agreed on %q, not on h2", p)
		}
	}
	cc, err := clientConn(ctx, conn, scheme)
	if err != nil {
		conn.Close()
		return nil, err
	}
	if err := cc.Reserve(); err != nil {
		return nil, errors.Join(errNotHTTP2, cc.Close())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		cc.Close()
		return nil, net.ErrClosed
	}
	h.shared = append(h.shared, cc)
	return cc, nil
}

// errNotHTTP2 is what is known of a connection that net/http gave up before its first
// stream.
var errNotHTTP2 = errors.New("the connection ended before the node spoke HTTP/2: perhaps it speaks HTTP/1.1 only")

// clientConn makes net/http speak HTTP/2 over conn.
func clientConn(ctx context.Context, conn net.Conn, scheme string) (*http.ClientConn, error) {
	dialled := func(context.Context, string, string) (net.Conn, error) { return conn, nil }
	t := &http.Transport{
		DialContext:            dialled,
		DialTLSContext:         dialled,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHead,
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP2(scheme == "https")
	t.Protocols.SetUnencryptedHTTP2(scheme == "http")
	return t.NewClientConn(ctx, scheme, "node:0") // the address names nothing: conn is there
}

// until is context.WithDeadline, where zero is no deadline.
func until(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	if deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline)
}
