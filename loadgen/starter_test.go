package loadgen

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

// starterNode is a fakeNode whose connections are Starters.
type starterNode struct {
	fakeNode
	connecting time.Duration // how long that takes
	each       int           // exchanges that a connection carries; 0: any number

	mu       sync.Mutex
	connects int
	started  int // exchanges that needed no goroutine of the caller's
}

func (n *starterNode) Open() (transport.Conn, error) {
	c, err := n.fakeNode.Open()
	if err != nil {
		return nil, err
	}
	return &fakeStarter{fakeConn: c.(*fakeConn), node: n}, nil
}

type fakeStarter struct {
	*fakeConn
	node *starterNode

	mu    sync.Mutex
	left  int  // exchanges that the connection still carries
	ready bool // there, and nothing is under way
}

func (s *fakeStarter) Ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

func (s *fakeStarter) Connect(ctx context.Context, _ time.Time) error {
	if s.Ready() {
		return nil
	}
	if !(timerWaiter{}).until(time.Now().Add(s.node.connecting), ctx.Done()) {
		return &transport.Error{Failure: transport.Cancelled, Err: ctx.Err()}
	}
	s.node.mu.Lock()
	s.node.connects++
	s.node.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.ready = s.node.each, true
	return nil
}

func (s *fakeStarter) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.ready
	s.ready = false
	return was
}

func (s *fakeStarter) free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
	s.ready = s.left != 0
}

func (s *fakeStarter) Start(ctx context.Context, req transport.Request, by time.Time, done func(transport.Reply, error)) bool {
	if !s.take() {
		return false
	}
	s.node.mu.Lock()
	s.node.started++
	s.node.mu.Unlock()
	go func() {
		reply, err := s.fakeConn.Do(ctx, req, by)
		s.free()
		reply.Connected = false
		done(reply, err)
	}()
	return true
}

func (s *fakeStarter) Do(ctx context.Context, req transport.Request, by time.Time) (transport.Reply, error) {
	connected := !s.Ready()
	if err := s.Connect(ctx, by); err != nil {
		return transport.Reply{}, err
	}
	s.take()
	reply, err := s.fakeConn.Do(ctx, req, by)
	s.free()
	reply.Connected = connected
	return reply, err
}

func TestCallsAreStartedByWhoeverWaitsForTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &starterNode{fakeNode: fakeNode{latency: 3 * time.Millisecond}}
		w := execute(t, t.Context(), Config{Plan: plan(20, steady(600, scenario.Entries, 3*time.Second)), Endpoint: node})
		total := w.total()
		if total.Calls != 90 || total.ByClass[results.OK] != 1800 || total.Lateness.Max() != 0 || total.Response.Max() > 3001 {
			t.Errorf("%d calls, %d entries ok, lateness up to %d us, response up to %d us",
				total.Calls, total.ByClass[results.OK], total.Lateness.Max(), total.Response.Max())
		}
		// The first call may come before its connection.
		if node.started < 89 {
			t.Errorf("%d of 90 calls were started", node.started)
		}
		// One in use and the spares, and the canary's.
		if g := w.Generator; g.Connections > 1+spares || node.connects != int(g.Connections)+1 || node.opened != node.closed {
			t.Errorf("%d connections made, %d told of; %d opened, %d closed", node.connects, g.Connections, node.opened, node.closed)
		}
	})
}

// Where a connection carries one exchange only, the next one is there before it is
// wanted.
func TestConnectionsAreMadeAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &starterNode{fakeNode: fakeNode{latency: time.Millisecond}, connecting: 40 * time.Millisecond, each: 1}
		w := execute(t, t.Context(), Config{Plan: plan(1, steady(10, scenario.Calls, 3*time.Second)), Endpoint: node})
		if total := w.total(); total.Calls != 30 || total.Service.ValueAtQuantile(90) > 1001 {
			t.Errorf("%d calls, 90%% of them in %d us: they waited for connections", total.Calls, total.Service.ValueAtQuantile(90))
		}
		if node.started < 28 {
			t.Errorf("%d of 30 calls were started", node.started)
		}
	})
}

func TestStallOfStartedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &starterNode{fakeNode: fakeNode{latency: time.Millisecond, freeze: func(at time.Duration) time.Duration {
			if at >= time.Second && at < 2*time.Second {
				return 2*time.Second - at
			}
			return 0
		}}}
		p := plan(1, steady(200, scenario.Calls, 4*time.Second))
		p.InFlight = 32
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		total := w.total()
		if total.Calls != 800 || total.ByClass[results.OK] != 800 || w.Generator.MaxInFlight != 32 {
			t.Errorf("%d calls, %d ok, %d at once", total.Calls, total.ByClass[results.OK], w.Generator.MaxInFlight)
		}
		if most := total.Response.Max(); most < 995_000 || most > 1_005_000 {
			t.Errorf("the longest response is %d us, want that of the stall", most)
		}
		if total.OverBound < 160 || total.OverBound > 170 {
			t.Errorf("%d calls found no free caller, want all of the stall's 200 but 32", total.OverBound)
		}
	})
}

func TestClosedLoopOfStartedCalls(t *testing.T) {
	for name, each := range map[string]int{"connections that stay": 0, "connections of three exchanges": 3} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				node := &starterNode{fakeNode: fakeNode{latency: 10 * time.Millisecond}, each: each}
				p := plan(2, scenario.Phase{Name: "closed", Callers: 4, For: time.Second}, steady(10, scenario.Calls, time.Second))
				w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
				phases := w.Phases()
				if c := phases[0]; c.Calls != 400 || c.Entries != 800 || c.Lateness.Max() != 0 {
					t.Errorf("closed loop: %d calls, %d entries, lateness %d us", c.Calls, c.Entries, c.Lateness.Max())
				}
				if phases[1].Calls != 10 {
					t.Errorf("open loop after it: %d calls", phases[1].Calls)
				}
				// Each closed loop's goroutine makes the call that needs a connection.
				if least := 400 * 2 / 3; node.started < least {
					t.Errorf("%d of 410 calls were started, want %d or more", node.started, least)
				}
			})
		})
	}
}

func TestCeilingOverStartedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &starterNode{fakeNode: fakeNode{latency: time.Millisecond}}
		p := plan(10, scenario.Phase{Name: "closed", Callers: 8, For: 5 * time.Second})
		p.Drain = 30 * time.Second
		p.Target.Authorised = &scenario.Authorised{By: "me", MaxRate: scenario.Rate{Value: 100, Unit: scenario.Entries}}
		execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		start := node.times[1]
		for k, at := range node.times[1:] {
			if allowed := 10 + int((at-start+time.Microsecond).Seconds()*100); (k+1)*10 > allowed {
				t.Fatalf("%d entries were sent by %v, over the ceiling of 100/s and one batch", (k+1)*10, at-start)
			}
		}
	})
}

func TestEndOfContextCutsOffStartedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &starterNode{fakeNode: fakeNode{latency: 700 * time.Millisecond}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(node.latency+2050*time.Millisecond, cancel)
		p := plan(1, steady(10, scenario.Calls, time.Second), scenario.Phase{Name: "closed", Callers: 3, For: time.Hour})
		w := execute(t, ctx, Config{Plan: p, Endpoint: node})
		if total := w.total(); !w.Interrupted || w.Elapsed != 2050*time.Millisecond || total.ByClass[results.CutOff] != 3 {
			t.Errorf("interrupted %v after %v, %d cut off", w.Interrupted, w.Elapsed, total.ByClass[results.CutOff])
		}
	})
}

// Over real sockets, whatever a node does with its connections, every call is in the
// account; execute's checks are the test.
func TestNodesThatHangUp(t *testing.T) {
	for name, serve := range map[string]http.HandlerFunc{
		"after every answer": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") },
		"in place of an answer": func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			node := &fakeNode{}
			calls := 0
			var mu sync.Mutex
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				calls++
				hang := calls%3 == 0
				mu.Unlock()
				if hang {
					serve(w, r)
				}
				reply := node.answer(body)
				w.WriteHeader(reply.Status)
				w.Write(reply.Body)
			}))
			defer server.Close()
			endpoint, err := transport.NewHTTP(transport.HTTPConfig{URL: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			defer endpoint.Close()
			p := plan(2, steady(500, scenario.Calls, 100*time.Millisecond), scenario.Phase{Name: "closed", Callers: 3, For: 100 * time.Millisecond})
			w := &watched{}
			account, err := Run(t.Context(), Config{Plan: p, Endpoint: endpoint, Snapshot: func(s *results.Snapshot) error {
				w.snaps = append(w.snaps, s)
				w.Add(s)
				return nil
			}})
			var canary *CanaryError
			if errors.As(err, &canary) || err != nil {
				t.Fatal(err)
			}
			w.Account = account
			checkAccount(t, w)
			total := w.total()
			if n := total.ByClass[results.OK] + total.ByClass[results.Reset]; n != total.Entries || w.Phases()[0].Calls != 50 {
				t.Errorf("%d of %d entries ok or reset, %d calls in the open phase", n, total.Entries, w.Phases()[0].Calls)
			}
			mu.Lock()
			defer mu.Unlock()
			// The canaries' are two more.
			if total.Calls+2 != uint64(calls) {
				t.Errorf("%d calls sent, the node saw %d", total.Calls, calls-2)
			}
		})
	}
}
