package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// order is what the nodes of the conformance suite understand, whatever carries
// it: they answer with the bytes that came, or do as they are told.
type order struct {
	ID uint64 `json:"id"`
	Do string `json:"do"` // echo, hang (never answer), die (end without an answer)
}

func orderOf(id uint64, do string, pad int) Request {
	body := fmt.Appendf(nil, `{"id":%d,"do":%q,"pad":"%s"}`, id, do, strings.Repeat("x", pad))
	return Request{Body: body, FirstID: id, LastID: id}
}

// soon is a deadline for what must come, far enough off for a busy machine.
func soon() time.Time { return time.Now().Add(30 * time.Second) }

func failureOf(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is no *Error", err)
	}
	return e
}

func opened(t *testing.T, e Endpoint) Conn {
	t.Helper()
	c, err := e.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func mustEcho(t *testing.T, c Conn, req Request) Reply {
	t.Helper()
	reply, err := c.Do(t.Context(), req, soon())
	if err != nil {
		t.Fatal(err)
	}
	if reply.Status != 200 || !bytes.Equal(reply.Body, req.Body) {
		t.Fatalf("status %d and %d bytes %.60q, want 200 and the %d bytes sent", reply.Status, len(reply.Body), reply.Body, len(req.Body))
	}
	return reply
}

// orders takes orders over HTTP, of any version, for as long as the test runs. serve
// starts the server.
func orders(t *testing.T, serve func(*httptest.Server)) *httptest.Server {
	t.Helper()
	over := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var o order
		if err == nil {
			err = json.Unmarshal(body, &o)
		}
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
		case o.Do == "hang":
			<-over
		case o.Do == "die":
			panic(http.ErrAbortHandler)
		default:
			w.Header().Set("Content-Type", "application/json")
			w.Write(body)
		}
	}))
	serve(server)
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	return server
}

func TestHTTPConforms(t *testing.T) {
	conformance(t, func(t *testing.T) Endpoint {
		return httpEndpoint(t, HTTPConfig{URL: orders(t, (*httptest.Server).Start).URL})
	})
}

func TestHTTPSConforms(t *testing.T) {
	conformance(t, func(t *testing.T) Endpoint {
		server := orders(t, (*httptest.Server).StartTLS)
		return httpEndpoint(t, HTTPConfig{URL: server.URL, TLS: &TLS{CA: authority(server)}})
	})
}

func TestHTTPOverAUnixSocketConforms(t *testing.T) {
	conformance(t, func(t *testing.T) Endpoint {
		path := filepath.Join(t.TempDir(), "node.sock")
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		orders(t, func(s *httptest.Server) { s.Listener.Close(); s.Listener = l; s.Start() })
		return httpEndpoint(t, HTTPConfig{URL: "unix:" + path})
	})
}

func TestHTTP2Conforms(t *testing.T) {
	t.Run("over TLS", func(t *testing.T) {
		conformance(t, func(t *testing.T) Endpoint {
			server := orders(t, func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() })
			return h2Endpoint(t, HTTPConfig{URL: server.URL, TLS: &TLS{CA: authority(server)}})
		})
	})
	t.Run("by prior knowledge", func(t *testing.T) {
		conformance(t, func(t *testing.T) Endpoint {
			return h2Endpoint(t, HTTPConfig{URL: orders(t, startH2C).URL})
		})
	})
}

func TestWebSocketConforms(t *testing.T) {
	conformance(t, func(t *testing.T) Endpoint {
		return wsEndpoint(t, WebSocketConfig{HTTPConfig: HTTPConfig{URL: wsOrders(t)}})
	})
}

func TestStdioConforms(t *testing.T) {
	conformance(t, func(t *testing.T) Endpoint { return stdioEndpoint(t, "orders", StdioConfig{}) })
}

// conformance is what holds for every transport.
func conformance(t *testing.T, endpoint func(*testing.T) Endpoint) {
	t.Run("the answer is the node's, byte for byte", func(t *testing.T) {
		c := opened(t, endpoint(t))
		for i, pad := range []int{0, 1, 4095, onePiece, concurrentWrite, 1 << 20, 5 << 20, 0} {
			mustEcho(t, c, orderOf(uint64(i+1), "echo", pad))
		}
	})
	t.Run("many calls one after another", func(t *testing.T) {
		c := opened(t, endpoint(t))
		for i := range 2000 {
			reply := mustEcho(t, c, orderOf(uint64(i+1), "echo", i%300))
			if reply.Connected && i > 0 {
				t.Fatalf("call %d needed a new connection", i)
			}
		}
	})
	t.Run("many connections at once", func(t *testing.T) {
		e := endpoint(t)
		var group sync.WaitGroup
		for w := range uint64(16) {
			c := opened(t, e)
			group.Go(func() {
				for i := range uint64(100) {
					req := orderOf(1+w*1000+i, "echo", int(i*w))
					reply, err := c.Do(t.Context(), req, soon())
					if err != nil || !bytes.Equal(reply.Body, req.Body) {
						t.Errorf("connection %d: %v, %.60q", w, err, reply.Body)
						return
					}
				}
			})
		}
		group.Wait()
	})
	t.Run("a deadline that passes is a timeout, and the next call has its own answer", func(t *testing.T) {
		c := opened(t, endpoint(t))
		mustEcho(t, c, orderOf(1, "echo", 0))
		_, err := c.Do(t.Context(), orderOf(2, "hang", 0), time.Now().Add(300*time.Millisecond))
		if e := failureOf(t, err); e.Failure != Timeout || !e.Sent {
			t.Errorf("%v (sent %v): %v, want a timeout of a sent request", e.Failure, e.Sent, e)
		}
		mustEcho(t, c, orderOf(3, "echo", 0))
	})
	t.Run("a deadline in the past sends nothing", func(t *testing.T) {
		c := opened(t, endpoint(t))
		mustEcho(t, c, orderOf(1, "echo", 0))
		_, err := c.Do(t.Context(), orderOf(2, "echo", 0), time.Now().Add(-time.Second))
		if e := failureOf(t, err); e.Failure != Timeout || e.Sent {
			t.Errorf("%v (sent %v): %v, want a timeout of an unsent request", e.Failure, e.Sent, e)
		}
		mustEcho(t, c, orderOf(3, "echo", 0))
	})
	t.Run("no deadline", func(t *testing.T) {
		c := opened(t, endpoint(t))
		req := orderOf(1, "echo", 0)
		if reply, err := c.Do(context.Background(), req, time.Time{}); err != nil || !bytes.Equal(reply.Body, req.Body) {
			t.Errorf("%v, %q", err, reply.Body)
		}
	})
	t.Run("a context that has ended sends nothing", func(t *testing.T) {
		c := opened(t, endpoint(t))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := c.Do(ctx, orderOf(1, "echo", 0), soon())
		if e := failureOf(t, err); e.Failure != Cancelled || e.Sent || !errors.Is(err, context.Canceled) {
			t.Errorf("%v (sent %v): %v, want cancelled and unsent", e.Failure, e.Sent, e)
		}
		mustEcho(t, c, orderOf(2, "echo", 0))
	})
	t.Run("a context that ends cuts the call off", func(t *testing.T) {
		c := opened(t, endpoint(t))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if _, err := c.Do(ctx, orderOf(1, "echo", 0), soon()); err != nil {
			t.Fatal(err)
		}
		go cancel()
		_, err := c.Do(ctx, orderOf(2, "hang", 0), soon())
		if e := failureOf(t, err); e.Failure != Cancelled {
			t.Errorf("%v: %v, want cancelled", e.Failure, e)
		}
		mustEcho(t, c, orderOf(3, "echo", 0))
	})
	t.Run("a node that goes away is a reset", func(t *testing.T) {
		c := opened(t, endpoint(t))
		_, err := c.Do(t.Context(), orderOf(1, "die", 0), soon())
		if e := failureOf(t, err); e.Failure != Reset || !e.Sent {
			t.Errorf("%v (sent %v): %v, want a reset of a sent request", e.Failure, e.Sent, e)
		}
	})
	t.Run("a closed connection is refused", func(t *testing.T) {
		c := opened(t, endpoint(t))
		mustEcho(t, c, orderOf(1, "echo", 0))
		c.Close()
		_, err := c.Do(t.Context(), orderOf(2, "echo", 0), soon())
		if e := failureOf(t, err); e.Failure != Refused || e.Sent {
			t.Errorf("%v (sent %v): %v, want refused and unsent", e.Failure, e.Sent, e)
		}
	})
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}
