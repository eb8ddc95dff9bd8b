package transport

import (
	"context"
	"io"
	"runtime"
	"testing"
	"time"
)

// starter gives a connected Starter to a node that plays scripts.
func starter(t *testing.T, scripts ...func(*peer)) Starter {
	t.Helper()
	c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, scripts...)}))
	s, ok := c.(Starter)
	if !ok {
		t.Fatalf("a %T cannot be started", c)
	}
	if s.Ready() {
		t.Error("ready before it was connected")
	}
	if s.Start(t.Context(), Request{}, soon(), nil) {
		t.Error("started without a connection")
	}
	if err := s.Connect(t.Context(), soon()); err != nil {
		t.Fatal(err)
	}
	if !s.Ready() {
		t.Error("not ready when connected")
	}
	return s
}

const two = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

func TestAnExchangeIsStartedWhereTheLastOneIsDone(t *testing.T) {
	s := starter(t, func(p *peer) {
		for {
			if _, _, err := p.request(); err != nil {
				return
			}
			io.WriteString(p, two)
		}
	})
	const exchanges = 500
	over, n := make(chan error, 1), 0
	var done func(Reply, error)
	done = func(r Reply, err error) {
		switch n++; {
		case err != nil || string(r.Body) != "{}" || r.Connected:
			t.Errorf("exchange %d: %q, connected %v, %v", n, r.Body, r.Connected, err)
			over <- err
		case n == exchanges:
			over <- nil
		case !s.Start(t.Context(), Request{Body: []byte("[]")}, soon(), done):
			t.Errorf("exchange %d could not be started", n)
			over <- nil
		}
	}
	if !s.Start(t.Context(), Request{Body: []byte("[]")}, soon(), done) {
		t.Fatal("not started")
	}
	<-over
	if n != exchanges {
		t.Errorf("%d exchanges, want %d", n, exchanges)
	}
}

func TestAConnectionThatTheNodeClosesIsNotReady(t *testing.T) {
	s := starter(t, answers(two), then(answers(two), stay))
	answer := make(chan error, 1)
	s.Start(t.Context(), Request{}, soon(), func(_ Reply, err error) { answer <- err })
	if err := <-answer; err != nil {
		t.Fatal(err)
	}
	for s.Ready() { // the node closes it now
		runtime.Gosched()
	}
	if err := s.Connect(t.Context(), soon()); err != nil {
		t.Fatal(err)
	}
	if !s.Start(t.Context(), Request{}, soon(), func(_ Reply, err error) { answer <- err }) {
		t.Fatal("not started over the new connection")
	}
	if err := <-answer; err != nil {
		t.Error(err)
	}
}

// A node that reads nothing holds up nobody: what the socket does not take is left
// to the poller, until the time is up or the context ends.
func TestStartDoesNotWaitForTheSocket(t *testing.T) {
	body := make([]byte, 64<<20)
	for name, end := range map[string]Failure{"timeout": Timeout, "cancel": Cancelled} {
		t.Run(name, func(t *testing.T) {
			s := starter(t, func(p *peer) { p.in.Peek(1); <-t.Context().Done() })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			deadline := soon()
			if end == Timeout {
				deadline = time.Now().Add(50 * time.Millisecond)
			}
			answer := make(chan error, 1)
			if !s.Start(ctx, Request{Body: body}, deadline, func(_ Reply, err error) { answer <- err }) {
				t.Fatal("not started")
			}
			if end == Cancelled {
				cancel()
			}
			if e := failureOf(t, <-answer); e.Failure != end || !e.Sent || s.Ready() {
				t.Errorf("%v (sent %v): %v, ready %v, want %v of a sent request", e.Failure, e.Sent, e, s.Ready(), end)
			}
		})
	}
}

// An exchange that has less time than those under way is ended first.
func TestTheEarliestDeadlineIsSeen(t *testing.T) {
	silent := func(p *peer) { p.in.Peek(1); stay(p) }
	h := httpEndpoint(t, HTTPConfig{URL: node(t, silent)})
	ctx, cancel := context.WithCancel(t.Context())
	type end struct {
		which int
		err   error
	}
	ends := make(chan end, 20)
	for i := range cap(ends) {
		s := opened(t, h).(Starter)
		if err := s.Connect(ctx, soon()); err != nil {
			t.Fatal(err)
		}
		by := time.Now().Add(time.Hour)
		if i == cap(ends)/2 {
			by = time.Now().Add(20 * time.Millisecond)
		}
		s.Start(ctx, Request{}, by, func(_ Reply, err error) { ends <- end{i, err} })
	}
	if e := <-ends; e.which != cap(ends)/2 || failureOf(t, e.err).Failure != Timeout {
		t.Errorf("exchange %d ended first: %v", e.which, e.err)
	}
	cancel()
	for range cap(ends) - 1 {
		if e := <-ends; failureOf(t, e.err).Failure != Cancelled {
			t.Errorf("exchange %d: %v", e.which, e.err)
		}
	}
}

func TestPollersEndWithTheirConnections(t *testing.T) {
	h := httpEndpoint(t, HTTPConfig{URL: node(t, then(answers(two), stay))})
	for range 2 {
		var conns []Conn
		for range 5 {
			c := opened(t, h)
			conns = append(conns, c)
		}
		if _, err := conns[0].Do(t.Context(), Request{}, soon()); err != nil {
			t.Fatal(err)
		}
		running, members := 0, 0
		for _, p := range h.pollers.all {
			if p != nil {
				running++
				members += p.members
			}
		}
		if members != 5 || running != min(len(h.pollers.all), 5) {
			t.Errorf("%d connections at %d pollers", members, running)
		}
		for _, c := range conns {
			c.Close()
		}
		for _, p := range h.pollers.all {
			if p != nil {
				t.Errorf("a poller runs without connections: %d", p.members)
			}
		}
	}
}
