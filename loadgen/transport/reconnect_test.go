package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestIdleConnectionThatTheNodeClosed(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
	for name, end := range map[string]func(*peer){
		"in order":            func(p *peer) {},
		"with a reset":        func(p *peer) { p.SetLinger(0) },
		"after unasked words": func(p *peer) { io.WriteString(p, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			url := node(t, then(answers(ok), end), then(answers(ok), stay))
			c := opened(t, httpEndpoint(t, HTTPConfig{URL: url}))
			if _, err := c.Do(t.Context(), Request{Body: []byte("[]")}, soon()); err != nil {
				t.Fatal(err)
			}
			// The node accepts in order: once it took this connection, it has
			// closed the first.
			other, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(other, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
			if _, err := io.ReadFull(other, make([]byte, len(ok))); err != nil {
				t.Fatal(err)
			}
			other.Close()
			reply, err := c.Do(t.Context(), Request{Body: []byte("[]")}, soon())
			if err != nil || string(reply.Body) != "{}" || !reply.Connected {
				t.Errorf("%v, %q, connected %v, want a new connection", err, reply.Body, reply.Connected)
			}
			c.Close()
		})
	}
}

func TestRequestIsNeverSentTwice(t *testing.T) {
	requests := make(chan int, 10)
	first := func(p *peer) {
		answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")(p)
		p.request()
		requests <- 1 // taken, and not answered
	}
	again := func(p *peer) {
		if _, _, err := p.request(); err == nil {
			requests <- 2
		}
	}
	c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, first, again)}))
	if _, err := c.Do(t.Context(), Request{}, soon()); err != nil {
		t.Fatal(err)
	}
	_, err := c.Do(t.Context(), Request{}, soon())
	if e := failureOf(t, err); e.Failure != Reset || !e.Sent {
		t.Errorf("%v (sent %v): %v, want a reset of a sent request", e.Failure, e.Sent, e)
	}
	c.Close()
	if n := len(requests); n != 1 {
		t.Errorf("the node saw the request %d times, want once", n)
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = opened(t, httpEndpoint(t, HTTPConfig{URL: "http://" + l.Addr().String()})).Do(t.Context(), Request{}, soon())
	if e := failureOf(t, err); e.Failure != Refused || e.Sent {
		t.Errorf("%v (sent %v): %v, want refused and unsent", e.Failure, e.Sent, e)
	}
}

func TestConnectionCloseIsAConnectionEach(t *testing.T) {
	url := node(t, then(answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), stay))
	c := opened(t, httpEndpoint(t, HTTPConfig{URL: url, Header: http.Header{"Connection": {"close"}}}))
	for range 3 {
		if reply, err := c.Do(t.Context(), Request{}, soon()); err != nil || !reply.Connected {
			t.Errorf("%v, connected %v, want a new connection", err, reply.Connected)
		}
	}
}

func TestEndOfAnEarlierContextLeavesLaterCallsAlone(t *testing.T) {
	url := node(t, then(answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"), stay))
	c := opened(t, httpEndpoint(t, HTTPConfig{URL: url}))
	early, cancel := context.WithCancel(t.Context())
	if _, err := c.Do(early, Request{}, soon()); err != nil {
		t.Fatal(err)
	}
	cancel()
	reply, err := c.Do(context.Background(), Request{}, soon())
	if err != nil || string(reply.Body) != "[]" || reply.Connected {
		t.Errorf("%v, %q, connected %v, want the second answer over the same connection", err, reply.Body, reply.Connected)
	}
	c.Close()
}

func TestErrorsCarryNoSecret(t *testing.T) {
	h := httpEndpoint(t, HTTPConfig{URL: strings.Replace(node(t, answers("")), "http://", "http://me:hush@", 1), Header: http.Header{"X-Key": {"hush"}}})
	_, err := opened(t, h).Do(t.Context(), Request{}, soon())
	if e := failureOf(t, err); strings.Contains(e.Error(), "hush") || errors.Unwrap(e) == nil {
		t.Errorf("%v", e)
	}
}
