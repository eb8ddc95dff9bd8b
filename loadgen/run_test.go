package loadgen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"volley/loadgen/scrape"
	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

func TestConstantRateIsSentWhenDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: 3 * time.Millisecond}
		begin := time.Now()
		var loadStart time.Duration
		w := execute(t, t.Context(), Config{Plan: plan(20, steady(600, scenario.Entries, 3*time.Second)), Endpoint: node})
		total := w.total()
		if total.Calls != 90 || total.Entries != 1800 || total.ByClass[results.OK] != 1800 || total.Batches != 90 {
			t.Errorf("calls %d, entries %d, ok %d, batches %d", total.Calls, total.Entries, total.ByClass[results.OK], total.Batches)
		}
		// The canary came first, and a batch of the largest size; then one of 20 every 20/600 s.
		loadStart = node.times[2]
		for k, at := range node.times[2:] {
			due := time.Duration(float64(k) * 20 / 600 * 1e9)
			if off := at - loadStart - due; off < -1 || off > 1 {
				t.Fatalf("call %d was sent at %v, due at %v", k, at-loadStart, due)
			}
		}
		if total.Lateness.Max() != 0 || total.Service.Min() != 3000 || total.Response.Max() > 3001 {
			t.Errorf("lateness up to %d us, service from %d us, response up to %d us", total.Lateness.Max(), total.Service.Min(), total.Response.Max())
		}
		for id, n := range node.ids {
			if n != 1 {
				t.Errorf("id %s was sent %d times", id, n)
			}
		}
		if want := 1800 + 1 + 20; len(node.ids) != want {
			t.Errorf("%d ids, want %d", len(node.ids), want)
		}
		if w.Elapsed != 3*time.Second || time.Since(begin) != 3*time.Second+2*node.latency || w.Interrupted {
			t.Errorf("elapsed %v of %v, interrupted %v", w.Elapsed, time.Since(begin), w.Interrupted)
		}
		if g := w.Generator; g.Planned != 90 || g.Sent != 90 || g.Overrun != 0 || g.OverBound != 0 || g.MaxInFlight != 1 || g.Connections != 1 {
			t.Errorf("generator: %+v", g)
		}
		if node.opened != node.closed || node.opened != 2 {
			t.Errorf("%d connections opened, %d closed, want 2", node.opened, node.closed)
		}
		// A call is due at the very end of the first second.
		if n := w.snaps[0].Planned; len(w.snaps) != 3 || n != 30 && n != 31 || w.snaps[1].Current != 0 {
			t.Errorf("%d snapshots, first with %d planned", len(w.snaps), w.snaps[0].Planned)
		}
	})
}

// A stall of the node shows in what its users feel, from the time each call was
// due, and not in the service time of the calls that came after it; nothing is
// dropped although far more calls become due than may be under way.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stallAt, stall = 4 * time.Second, 2 * time.Second
		node := &fakeNode{latency: time.Millisecond, freeze: func(at time.Duration) time.Duration {
			if at >= stallAt && at < stallAt+stall {
				return stallAt + stall - at
			}
			return 0
		}}
		p := plan(1, steady(200, scenario.Calls, 10*time.Second))
		p.InFlight = 64
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		total := w.total()
		if total.Calls != 2000 || total.ByClass[results.OK] != 2000 || total.Unsent != 0 {
			t.Errorf("%d calls, %d ok, %d unsent", total.Calls, total.ByClass[results.OK], total.Unsent)
		}
		near := func(what string, got int64, want time.Duration) {
			t.Helper()
			if d := time.Duration(got)*time.Microsecond - want; d < -20*time.Millisecond || d > 20*time.Millisecond {
				t.Errorf("%s is %d us, want about %v", what, got, want)
			}
		}
		near("the longest response", total.Response.Max(), stall)
		// 400 of 2000 calls were due during the stall, so 1% waited for all but a
		// twentieth of it.
		near("the 99th percentile of the response", total.Response.ValueAtQuantile(99), stall*19/20)
		near("the median of the service time", total.Service.ValueAtQuantile(50), time.Millisecond)
		// The 64 that may be under way wait at the node; the others at the generator.
		if got := total.Service.ValueAtQuantile(90); got > 2000 {
			t.Errorf("the 90th percentile of the service time is %d us", got)
		}
		near("the longest lateness", total.Lateness.Max(), stall-64*5*time.Millisecond)
		if total.OverBound < 300 || total.OverBound > 400 {
			t.Errorf("%d calls found no free caller, want most of the 400 due in the stall", total.OverBound)
		}
		if w.Generator.MaxInFlight != 64 {
			t.Errorf("generator: %+v", w.Generator)
		}
	})
}

func TestACallbacksErrorEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("disk full")
		r := runner{wait: timerWaiter{}, Config: Config{
			Plan: plan(1, steady(10, scenario.Calls, time.Hour)), Endpoint: &fakeNode{latency: time.Millisecond},
			Snapshot: func(*results.Snapshot) error { return full },
		}}
		begin := time.Now()
		if _, err := r.run(t.Context()); !errors.Is(err, full) {
			t.Errorf("got %v", err)
		}
		if d := time.Since(begin); d > 2*time.Second {
			t.Errorf("ended after %v", d)
		}
	})
}

func TestSamplesOfTheNodesMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mid []results.NodeSample // those handed on
		p := plan(1, steady(10, scenario.Calls, 3*time.Second))
		p.Target.Metrics.Every = time.Second
		scrapes := 0
		r := runner{wait: timerWaiter{}, Config: Config{
			Plan: p, Endpoint: &fakeNode{latency: 100 * time.Millisecond},
			Node: func(s results.NodeSample) error { mid = append(mid, s); return nil },
			Metrics: &fakeMetrics{read: func(ctx context.Context) (map[string]float64, string) {
				scrapes++
				if scrapes == 3 {
					return nil, "not\x1b[2J there"
				}
				(timerWaiter{}).until(time.Now().Add(200*time.Millisecond), ctx.Done())
				return map[string]float64{"calls_total": float64(scrapes)}, ""
			}},
		}}
		account, err := r.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if account.Before.At != -100*time.Millisecond || account.Before.Series["calls_total"] != 1 {
			t.Errorf("before: %+v", account.Before)
		}
		if account.After.At != account.Elapsed+100*time.Millisecond || account.After.Series == nil {
			t.Errorf("after: %+v, elapsed %v", account.After, account.Elapsed)
		}
		if len(mid) != 4 || mid[0].At != account.Before.At || mid[3].At != account.After.At {
			t.Fatalf("handed on, with the first and the last: %+v", mid)
		}
		if mid[1].At != 1100*time.Millisecond || mid[2].Err != `not\x1b[2J there` || mid[2].At != 2*time.Second {
			t.Errorf("in between: %+v", mid)
		}
	})
}

// Run over a real socket, with the node's metrics.
func TestRunOverHTTP(t *testing.T) {
	node := &fakeNode{}
	var served, sockets atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "# TYPE calls_total counter\ncalls_total %d\n", served.Load())
	})
	mux.HandleFunc("POST /{$}", func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		served.Add(1)
		reply := node.answer(body)
		w.WriteHeader(reply.Status)
		w.Write(reply.Body)
	})
	server := httptest.NewUnstartedServer(mux)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			sockets.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	endpoint, err := transport.NewHTTP(transport.HTTPConfig{URL: server.URL + "/", Guard: transport.LocalOnly})
	if err != nil {
		t.Fatal(err)
	}
	defer endpoint.Close()
	p := plan(4, steady(400, scenario.Entries, 100*time.Millisecond), scenario.Phase{Name: "closed", Callers: 2, For: 50 * time.Millisecond})
	p.Notifications = 0.2
	var all results.Aggregate
	page, err := scrape.NewPage(scrape.Address{URL: server.URL + "/metrics", Guard: transport.LocalOnly}, scrape.Keep{})
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	account, err := Run(t.Context(), Config{
		Plan: p, Endpoint: endpoint, Metrics: page,
		Snapshot: func(s *results.Snapshot) error { all.Add(s); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	total := all.Total(nil)
	if got := all.Phases()[0].Calls; got != 10 {
		t.Errorf("%d calls in the open phase, want 10", got)
	}
	if total.ByClass[results.OK]+total.ByClass[results.Notified] != total.Entries || total.Lateness.Min() < 0 {
		t.Errorf("%+v", total.Counts)
	}
	if before, after := account.Before.Series["calls_total"], account.After.Series["calls_total"]; uint64(after-before) != total.Calls {
		t.Errorf("the node counts %v calls, the client %d", after-before, total.Calls)
	}
	if account.Before.At > 0 || account.After.At < account.Elapsed {
		t.Errorf("sampled at %v and %v of %v", account.Before.At, account.After.At, account.Elapsed)
	}
	// The canary's, the scraper's, and those of the load.
	if g := account.Generator; int64(g.Connections)+2 != sockets.Load() || g.CPUFraction < 0 || g.CPUs < 1 {
		t.Errorf("%d sockets, generator %+v", sockets.Load(), g)
	}
}
