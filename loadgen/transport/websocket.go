package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/coder/websocket"
)

// WebSocketConfig is how a WebSocket endpoint (RFC 6455) is reached.
type WebSocketConfig struct {
	// HTTPConfig is of the request that asks for the upgrade. Its URL is ws, wss,
	// http, https or a Unix socket; a header Sec-WebSocket-Protocol names
	// subprotocols. MaxReply bounds a message. MaxAge and MaxRequests are of no use.
	HTTPConfig
	// Route tells which call a message from the node answers; see StdioConfig.
	Route func(message []byte) (id uint64, ok bool)
	// Streams is how many WebSockets the endpoint's connections share, by turns;
	// 0 is one.
	Streams int
}

// WebSocket is an endpoint on one WebSocket, or a few: each body is a text message,
// each answer is a message, and answers may come in any order. All its connections
// share them. One that is lost is opened again by the next call; the calls that were
// under way on it are Reset.
type WebSocket struct {
	dialer
	url          string
	host         string
	header       http.Header
	subprotocols []string
	maxReply     int64
	streams      []*stream

	mu      sync.Mutex
	opened  int            // connections given; protected by mu
	closed  bool           // protected by mu
	reading sync.WaitGroup // begun under mu, before closed
}

// NewWebSocket checks c; it connects to nothing. Its errors show neither user
// information nor header values.
func NewWebSocket(c WebSocketConfig) (*WebSocket, error) {
	if c.Route == nil {
		return nil, errors.New("no Route: answers on a shared stream have to be told apart")
	}
	raw, scheme := c.URL, [2]string{"http", "https"}
	if strings.HasPrefix(raw, "ws:") || strings.HasPrefix(raw, "wss:") {
		scheme = [2]string{"ws", "wss"}
	}
	to, err := parseURL(raw, scheme[0], scheme[1])
	if err != nil {
		return nil, err
	}
	if c.MaxAge > 0 || c.MaxRequests > 0 {
		return nil, errors.New("a WebSocket is shared: it is not given up by age or requests")
	}
	e := &WebSocket{maxReply: c.MaxReply}
	if err := e.aim(to, &c.HTTPConfig, "http/1.1"); err != nil {
		return nil, err
	}
	if e.maxReply <= 0 {
		e.maxReply = DefaultMaxReply
	}
	if e.header, err = headerFields(to.url, c.Header); err != nil {
		return nil, err
	}
	e.url, e.host = e.upgradeURL(&to), e.header.Get("Host")
	e.subprotocols = e.header.Values("Sec-WebSocket-Protocol")
	for _, ours := range []string{"Host", "Connection", "Content-Type", "Accept", "Sec-WebSocket-Protocol"} {
		e.header.Del(ours)
	}
	for range max(c.Streams, 1) {
		e.streams = append(e.streams, newStream(e, c.Route))
	}
	return e, nil
}

// upgradeURL is what the upgrade is asked of. The dialer knows where it goes.
func (e *WebSocket) upgradeURL(to *aim) string {
	scheme := "http://"
	if to.secure {
		scheme = "https://"
	}
	return scheme + hostField(to.url) + to.target("")
}

// Open gives a connection that shares a WebSocket with others.
func (e *WebSocket) Open() (Conn, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errors.New("the endpoint is closed")
	}
	e.opened++
	return &streamUser{stream: e.streams[(e.opened-1)%len(e.streams)], waiter: newWaiter()}, nil
}

// Close closes the WebSockets in order, each within seconds, and waits for their
// readers. Calls under way are Reset.
func (e *WebSocket) Close() error {
	e.mu.Lock()
	e.closed = true
	var open []*websocket.Conn
	for _, s := range e.streams {
		if s.conn != nil {
			open = append(open, s.conn)
		}
	}
	e.mu.Unlock()
	var closing sync.WaitGroup
	for _, conn := range open {
		// It says how the other side took it, which is no matter any more.
		closing.Go(func() { _ = conn.Close(websocket.StatusNormalClosure, "") })
	}
	closing.Wait()
	e.reading.Wait()
	return nil
}

// adopt makes conn the WebSocket of s, and reads it from now on.
func (e *WebSocket) adopt(s *stream, conn *websocket.Conn) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		_ = conn.CloseNow() // nobody has used it
		return net.ErrClosed
	}
	down := make(chan struct{})
	s.conn, s.down = conn, down
	s.begin()
	e.reading.Go(func() { defer close(down); s.end(s.read(conn)) })
	return nil
}

// open connects and asks for the upgrade.
func (e *WebSocket) open(ctx context.Context) (*websocket.Conn, error) {
	_, raw, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	dialled := func(context.Context, string, string) (net.Conn, error) { return raw, nil }
	conn, res, err := websocket.Dial(ctx, e.url, &websocket.DialOptions{
		HTTPClient: &http.Client{
			Transport: &http.Transport{
				DialContext: dialled, DialTLSContext: dialled,
				DisableCompression: true, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHead,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		HTTPHeader: e.header, Host: e.host, Subprotocols: e.subprotocols,
	})
	if err != nil {
		raw.Close()
		return nil, upgradeError(ctx, res, err)
	}
	conn.SetReadLimit(-1) // read bounds a message, and passes over the rest of one that is larger
	return conn, nil
}

// upgradeError says in plain words why the node did not switch.
func upgradeError(ctx context.Context, res *http.Response, err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // without the URL, which may hold secrets
	}
	switch {
	case ctx.Err() != nil || res == nil:
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the node closed the connection when it was asked for a WebSocket")
		}
		return fmt.Errorf("the node does not switch to WebSocket: %w", plain(err))
	case res.StatusCode == http.StatusSwitchingProtocols:
		return protocolErrorf("the node breaks WebSocket in its handshake: %v", err)
	case res.StatusCode/100 == 3:
		return fmt.Errorf("the node does not switch to WebSocket: HTTP %d, a redirect to %.200q, which is not followed", res.StatusCode, res.Header.Get("Location"))
	}
	said, _ := io.ReadAll(res.Body) // of what came, as much as the library kept
	return fmt.Errorf("the node does not switch to WebSocket: HTTP %d %.200q", res.StatusCode, said)
}
