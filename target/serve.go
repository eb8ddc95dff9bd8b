package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of the fronts, so that no client can hold a connection for nothing.
const (
	headerTimeout = 10 * time.Second  // for a request's header to come
	bodyTimeout   = 60 * time.Second  // for its body, whole, from where it begins
	answerTimeout = 60 * time.Second  // for the client to take the answer
	idleTimeout   = 120 * time.Second // between requests
	drainTimeout  = 10 * time.Second  // for calls under way when the node stops
)

// Serve answers HTTP/1.1 on l until ctx ends; then it accepts no more, lets
// the calls under way finish and returns nil. Calls that are not finished 10
// seconds later have their contexts ended, and those that ignore even that for
// another 10 are left behind with an error. Serve closes l.
//
// A client has 10 seconds for a request's header, from the connection's start
// or the header's first byte on, 60 for its body (then the answer is 408), 60
// to take an answer, and 120 between requests; a connection that is late is
// closed. How long an answer takes to make has no bound.
func (n *Node) Serve(ctx context.Context, l net.Listener) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s := &server{node: n, life: life, conns: map[*conn]struct{}{}}
	accepted := make(chan error, 1)
	go func() { accepted <- s.accept(l) }()
	var failed error
	select {
	case failed = <-accepted:
		l.Close()
	case <-ctx.Done():
		s.stopping.Store(true) // before the listener says that it is closed
		l.Close()
		<-accepted
	}
	s.closeIdle()
	return errors.Join(failed, s.drain(end))
}

// server is what the connections of one Serve share.
type server struct {
	node     *Node
	life     context.Context
	stopping atomic.Bool

	mu    sync.Mutex // guards conns
	conns map[*conn]struct{}
	live  sync.WaitGroup // the connections' goroutines
}

// accept serves each connection on a goroutine of its own until the listener
// fails. A failure that passes, such as too many open files, is waited out.
func (s *server) accept(l net.Listener) error {
	const first, most = 5 * time.Millisecond, time.Second
	for pause := first; ; {
		nc, err := l.Accept()
		var passing interface{ Temporary() bool }
		switch {
		case err == nil:
			pause = first
			c := newConn(s, nc)
			s.track(c)
			s.live.Go(func() {
				defer s.forget(c)
				c.serve()
			})
		case !s.stopping.Load() && errors.As(err, &passing) && passing.Temporary():
			s.node.log.Warn("a connection could not be accepted", "error", err, "again_in", pause)
			if Wait(s.life, pause) != nil {
				return err
			}
			pause = min(2*pause, most)
		default:
			return err
		}
	}
}

func (s *server) track(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
}

func (s *server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// closeIdle lets no connection go on to another request.
func (s *server) closeIdle() {
	s.stopping.Store(true)
	s.each(func(c *conn) {
		if c.idle.CompareAndSwap(true, false) {
			c.nc.Close()
		}
	})
}

func (s *server) each(do func(*conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		do(c)
	}
}

// drain waits for the connections, first as they are, then with their calls'
// contexts ended, and closes what is left.
func (s *server) drain(end context.CancelFunc) error {
	gone := make(chan struct{})
	go func() { // ends with the last connection
		s.live.Wait()
		close(gone)
	}()
	for range 2 {
		patience := time.NewTimer(drainTimeout)
		select {
		case <-gone:
			patience.Stop()
			return nil
		case <-patience.C:
			end()
		}
	}
	left := 0
	s.each(func(c *conn) {
		left++
		c.nc.Close()
	})
	return fmt.Errorf("calls of %d connections would not end", left)
}
