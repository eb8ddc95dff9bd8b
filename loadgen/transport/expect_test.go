package transport

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// asked reads a head that asks for a 100, and fails the test if the body comes unbidden.
func asked(t *testing.T) func(*peer) {
	return func(p *peer) {
		head, err := http.ReadRequest(p.in)
		if err != nil {
			return
		}
		if got := head.Header.Values("Expect"); len(got) != 1 || got[0] != "100-continue" {
			t.Errorf("Expect: %q", got)
		}
		if n := p.in.Buffered(); n > 0 {
			t.Errorf("%d bytes came with the head", n)
		}
	}
}

func says(text string) func(*peer) { return func(p *peer) { io.WriteString(p, text) } }

// takes reads a body of n bytes.
func takes(t *testing.T, n int) func(*peer) {
	return func(p *peer) {
		if _, err := io.CopyN(io.Discard, p.in, int64(n)); err != nil {
			t.Errorf("no body: %v", err)
		}
	}
}

// takesNothing reads up to the end of the connection.
func takesNothing(t *testing.T) func(*peer) {
	return func(p *peer) {
		if n, _ := io.Copy(io.Discard, p.in); n > 0 {
			t.Errorf("%d bytes of a body that nobody wants", n)
		}
	}
}

func TestExpect(t *testing.T) {
	const (
		invites = "HTTP/1.1 100 Continue\r\n\r\n"
		ok      = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
		refusal = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo large"
	)
	forEver, soonOver := time.Hour, 30*time.Millisecond
	for _, size := range []int{1000, onePiece + 1, 3 << 20} {
		for _, tt := range []struct {
			why       string
			wait      time.Duration
			script    []func(*peer)
			status    int
			uninvited bool
			reused    bool // the next call goes over the same connection
		}{
			{"the body follows the 100", forEver, []func(*peer){says(invites), takes(t, size), says(ok)}, 200, false, true},
			{"other interim answers are no invitation", forEver, []func(*peer){says("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"), says(invites), takes(t, size), says(ok)}, 200, false, true},
			{"a second 100 is passed over", forEver, []func(*peer){says(invites), takes(t, size), says(invites + ok)}, 200, false, true},
			{"a node that says nothing gets it all the same", soonOver, []func(*peer){takes(t, size), says(ok)}, 200, true, true},
			{"a 100 that comes later does no harm", soonOver, []func(*peer){takes(t, size), says(invites + ok)}, 200, true, true},
			{"half a 100 neither", soonOver, []func(*peer){says(invites[:12]), takes(t, size), says(invites[12:] + ok)}, 200, true, true},
			{"a final answer in its place is the answer", forEver, []func(*peer){says(refusal), takesNothing(t)}, 413, false, false},
			{"417 too", forEver, []func(*peer){says("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"), takesNothing(t)}, 417, false, false},
			{"and a good one", forEver, []func(*peer){says(ok), takesNothing(t)}, 200, false, false},
			{"an answer that ends with the connection", forEver, []func(*peer){says("HTTP/1.1 403 Forbidden\r\n\r\nno"), func(p *peer) { p.CloseWrite() }, takesNothing(t)}, 403, false, false},
			{"a refusal after the 100 ends the sending", forEver, []func(*peer){says(invites), says("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), stay}, 413, false, false},
		} {
			t.Run(tt.why, func(t *testing.T) {
				first := func(p *peer) {
					asked(t)(p)
					then(tt.script...)(p)
					if tt.reused {
						then(asked(t), says(invites), takes(t, size), says(ok), stay)(p)
					}
				}
				next := then(asked(t), says(invites), takes(t, size), says(ok), stay)
				c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, first, next), Expect: tt.wait}))
				reply, err := c.Do(t.Context(), Request{Body: make([]byte, size)}, soon())
				if err != nil || reply.Status != tt.status || reply.Uninvited != tt.uninvited {
					t.Fatalf("%v, status %d, uninvited %v, want %d, %v", err, reply.Status, reply.Uninvited, tt.status, tt.uninvited)
				}
				reply, err = c.Do(t.Context(), Request{Body: make([]byte, size)}, soon())
				if err != nil || reply.Status != 200 || reply.Connected == tt.reused || tt.wait == forEver && reply.Uninvited {
					t.Errorf("the next call: %v, status %d, connected %v", err, reply.Status, reply.Connected)
				}
				c.Close()
			})
		}
	}
}

// An answer that has begun when the wait is over is an answer in place of the 100.
func TestExpectedAnswerThatTakesItsTime(t *testing.T) {
	for name, parts := range map[string][2]string{
		"within its head": {"HTTP/1.1 413 Content Too Large\r\n", "Content-Length: 9\r\n\r\ntoo large"},
		"within its body": {"HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo", " large"},
	} {
		t.Run(name, func(t *testing.T) {
			script := then(asked(t), says(parts[0]), func(p *peer) {
				// The wait is over when the client's patience is, which nobody tells: so this
				// waits for a body that must not come.
				p.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
				if _, err := p.in.ReadByte(); err == nil {
					t.Error("the body came")
				}
				p.SetReadDeadline(time.Time{})
			}, says(parts[1]), takesNothing(t))
			c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, script), Expect: 10 * time.Millisecond}))
			reply, err := c.Do(t.Context(), Request{Body: []byte("[]")}, soon())
			if err != nil || reply.Status != 413 || string(reply.Body) != "too large" || reply.Uninvited {
				t.Errorf("%v, %d %q, uninvited %v", err, reply.Status, reply.Body, reply.Uninvited)
			}
			c.Close()
		})
	}
}

func TestExpectEndsWithTheCall(t *testing.T) {
	silent := then(asked(t), takesNothing(t))
	c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, silent), Expect: time.Hour}))
	_, err := c.Do(t.Context(), Request{Body: []byte("[]")}, time.Now().Add(50*time.Millisecond))
	if e := failureOf(t, err); e.Failure != Timeout || !e.Sent {
		t.Errorf("%v (sent %v): %v, want a timeout of a sent request", e.Failure, e.Sent, e)
	}
	gone := then(asked(t))
	c2 := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, gone), Expect: time.Hour}))
	_, err = c2.Do(t.Context(), Request{Body: []byte("[]")}, soon())
	if e := failureOf(t, err); e.Failure != Reset || !e.Sent || !strings.Contains(e.Error(), "while the request was still being sent, 2 bytes before its end") {
		t.Errorf("%v (sent %v): %v, want a reset before the body", e.Failure, e.Sent, e)
	}
	c.Close()
	c2.Close()
}

// A node's own HTTP library does what it is asked to, over TLS too.
func TestExpectOfALibrary(t *testing.T) {
	for name, serve := range map[string]func(*httptest.Server){"plain": (*httptest.Server).Start, "TLS": quiet} {
		t.Run(name, func(t *testing.T) {
			server := orders(t, serve)
			c := HTTPConfig{URL: server.URL, Expect: time.Hour}
			if name == "TLS" {
				c.TLS = &TLS{Insecure: true}
			}
			conn := opened(t, httpEndpoint(t, c))
			for i, pad := range []int{0, 1000, 100_000, 3 << 20} {
				if reply := mustEcho(t, conn, orderOf(uint64(i+1), "echo", pad)); reply.Connected != (i == 0) || reply.Uninvited {
					t.Errorf("body of %d: connected %v, uninvited %v", pad, reply.Connected, reply.Uninvited)
				}
			}
		})
	}
}

func TestExpectAsAHeader(t *testing.T) {
	h := httpEndpoint(t, HTTPConfig{URL: "http://127.0.0.1:1/", Header: http.Header{"Expect": {"100-Continue"}}})
	if h.expect != DefaultExpect {
		t.Errorf("waits for %v", h.expect)
	}
	h = httpEndpoint(t, HTTPConfig{URL: "http://127.0.0.1:1/", Header: http.Header{"expect": {"100-continue"}}, Expect: time.Minute})
	if h.expect != time.Minute {
		t.Errorf("waits for %v", h.expect)
	}
	if _, err := NewHTTP(HTTPConfig{URL: "http://127.0.0.1:1/", Header: http.Header{"Expect": {"miracles"}}}); err == nil || !strings.Contains(err.Error(), "100-continue") {
		t.Errorf("an unknown expectation: %v", err)
	}
	if _, err := NewHTTP2(HTTPConfig{URL: "http://127.0.0.1:1/", Expect: time.Second}); err == nil {
		t.Error("HTTP/2 takes it")
	}
}

// A body of nothing is not asked about (RFC 9110 section 10.1.1).
func TestNoExpectWithoutABody(t *testing.T) {
	url := node(t, func(p *peer) {
		head, err := http.ReadRequest(p.in)
		if err != nil || head.Header.Get("Expect") != "" {
			t.Errorf("%v, Expect %q", err, head.Header.Get("Expect"))
		}
		io.WriteString(p, "HTTP/1.1 204 No Content\r\n\r\n")
	})
	c := opened(t, httpEndpoint(t, HTTPConfig{URL: url, Expect: time.Hour}))
	if _, err := c.Do(t.Context(), Request{}, soon()); err != nil {
		t.Error(err)
	}
	c.Close()
}

func TestFieldOfARequestsOwn(t *testing.T) {
	got := make(chan string, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got <- r.Header.Get("RCP-Session") })
	for name, endpoint := range map[string]func(*testing.T) Endpoint{
		"HTTP": func(t *testing.T) Endpoint {
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			return httpEndpoint(t, HTTPConfig{URL: server.URL})
		},
		"HTTP that asks first": func(t *testing.T) Endpoint {
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			return httpEndpoint(t, HTTPConfig{URL: server.URL, Expect: 10 * time.Millisecond})
		},
		"HTTP/2": func(t *testing.T) Endpoint {
			server := httptest.NewUnstartedServer(handler)
			startH2C(server)
			t.Cleanup(server.Close)
			return h2Endpoint(t, HTTPConfig{URL: server.URL})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := opened(t, endpoint(t))
			for _, token := range []string{"", "abc", "abc", "d: e", ""} {
				field, err := "", error(nil)
				if token != "" {
					field, err = FieldOf("RCP-Session", token)
				}
				if err != nil {
					t.Fatal(err)
				}
				if _, err := c.Do(t.Context(), Request{Body: []byte("[]"), Field: field}, soon()); err != nil {
					t.Fatal(err)
				}
				if sent := <-got; sent != token {
					t.Errorf("the node sees %q, want %q", sent, token)
				}
			}
		})
	}
	for _, bad := range [][2]string{{"RCP-Session", "a\r\nX: y"}, {"RCP-Session", "a\x00"}, {"a b", "c"}, {"Content-Length", "1"}, {"connection", "close"}} {
		if f, err := FieldOf(bad[0], bad[1]); err == nil || strings.Contains(err.Error(), "X: y") {
			t.Errorf("%q: %q, %v", bad, f, err)
		}
	}
}
