package loadgen

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
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

// fakeNode is an Endpoint in memory. It answers every request of a body with a
// result after a latency, and remembers what came when.
type fakeNode struct {
	latency time.Duration
	// freeze tells how long a call that comes at some offset from the first one is
	// held up before its latency begins.
	freeze func(at time.Duration) time.Duration
	// reply answers in place of the node when it is set and gives one.
	reply func(method string, id json.RawMessage) []byte
	fail  error // of every exchange
	shut  error // of Open

	mu     sync.Mutex
	first  time.Time
	times  []time.Duration // of each body, from the first one's
	paths  []string
	bodies [][]byte
	ids    map[string]int
	opened int
	closed int
}

func (f *fakeNode) Open() (transport.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shut != nil {
		return nil, f.shut
	}
	f.opened++
	return &fakeConn{node: f}, nil
}

func (f *fakeNode) Close() error { return nil }

type fakeConn struct {
	node *fakeNode
	used bool
}

func (c *fakeConn) Close() error {
	c.node.mu.Lock()
	defer c.node.mu.Unlock()
	c.node.closed++
	return nil
}

func (c *fakeConn) Do(ctx context.Context, req transport.Request, deadline time.Time) (transport.Reply, error) {
	f := c.node
	now := time.Now()
	f.mu.Lock()
	if f.first.IsZero() {
		f.first = now
	}
	at := now.Sub(f.first)
	f.times = append(f.times, at)
	f.paths = append(f.paths, req.Path)
	f.bodies = append(f.bodies, bytes.Clone(req.Body))
	f.mu.Unlock()
	wait := f.latency
	if f.freeze != nil {
		wait += f.freeze(at)
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		failure := transport.Cancelled
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			failure = transport.Timeout
		}
		return transport.Reply{}, &transport.Error{Failure: failure, Sent: true, Err: ctx.Err()}
	}
	if f.fail != nil {
		return transport.Reply{}, f.fail
	}
	reply := f.answer(req.Body)
	reply.Connected, c.used = !c.used, true
	return reply, nil
}

func (f *fakeNode) answer(body []byte) transport.Reply {
	type entry struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	var batch []entry
	array := body[0] == '['
	if !array {
		body = []byte("[" + string(body) + "]")
	}
	if err := json.Unmarshal(body, &batch); err != nil {
		return transport.Reply{Status: 400, Body: []byte(err.Error())}
	}
	var answers [][]byte
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ids == nil {
		f.ids = map[string]int{}
	}
	for _, r := range batch {
		if r.ID == nil {
			continue
		}
		f.ids[string(r.ID)]++
		answer := fmt.Appendf(nil, `{"jsonrpc":"2.0","result":{},"id":%s}`, r.ID)
		if f.reply != nil {
			if own := f.reply(r.Method, r.ID); own != nil {
				answer = own
			}
		}
		answers = append(answers, answer)
	}
	switch {
	case len(answers) == 0:
		return transport.Reply{Status: 204}
	case array:
		return transport.Reply{Status: 200, Body: []byte("[" + string(bytes.Join(answers, []byte(","))) + "]")}
	default:
		return transport.Reply{Status: 200, Body: answers[0]}
	}
}

// plan gives a plan of batches with the bounds that scenario fills in.
func plan(size int, phases ...scenario.Phase) *scenario.Plan {
	return &scenario.Plan{
		Seed: 1, Form: scenario.Batch, Size: fixed(size), Items: fixed(1),
		Target:  scenario.Target{Dialect: "jsonrpc"},
		Mix:     []scenario.Method{{Weight: 1, Method: "echo", Params: literalValue("[1]")}},
		Phases:  phases,
		Timeout: 10 * time.Second, Drain: 10 * time.Second, InFlight: 256,
	}
}

func steady(rate float64, unit scenario.Unit, d time.Duration) scenario.Phase {
	return scenario.Phase{Name: "steady", Rate: scenario.Rate{Value: rate, Unit: unit}, To: rate, Arrivals: "constant", For: d, Measured: true}
}

// watched is a run's account with the sum of its snapshots.
type watched struct {
	*Account
	results.Aggregate
	snaps []*results.Snapshot
}

func (w *watched) total() results.PhaseSlice { return w.Total(nil) }

// execute runs a plan in the bubble's time.
func execute(t *testing.T, ctx context.Context, c Config) *watched {
	t.Helper()
	w := &watched{}
	hook := c.Snapshot
	c.Snapshot = func(s *results.Snapshot) error {
		w.snaps = append(w.snaps, s)
		w.Add(s)
		if hook != nil {
			return hook(s)
		}
		return nil
	}
	r := runner{Config: c, wait: timerWaiter{}}
	account, err := r.run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w.Account = account
	checkAccount(t, w)
	return w
}

// checkAccount checks what holds in every run: nothing is missing from the account.
func checkAccount(t *testing.T, w *watched) {
	t.Helper()
	total := w.total()
	sum := func(by [results.NumClasses]uint64) (n uint64) {
		for _, k := range by {
			n += k
		}
		return n
	}
	if sum(total.ByClass) != total.Entries || sum(total.CallsByClass) != total.Calls {
		t.Errorf("classes of %d entries add up to %d, of %d calls to %d",
			total.Entries, sum(total.ByClass), total.Calls, sum(total.CallsByClass))
	}
	if w.Planned != total.Calls+total.Unsent {
		t.Errorf("%d calls became due, %d were sent and %d were not", w.Planned, total.Calls, total.Unsent)
	}
	end := time.Duration(0)
	for i, s := range w.snaps {
		if s.Start != end || s.End < s.Start {
			t.Errorf("snapshot %d covers %v..%v after one to %v", i, s.Start, s.End, end)
		}
		if i < len(w.snaps)-1 && s.End%time.Second != 0 {
			t.Errorf("snapshot %d ends at %v, not at a whole second", i, s.End)
		}
		end = s.End
	}
	if last := w.snaps[len(w.snaps)-1]; last.InFlight != 0 {
		t.Errorf("%d calls are under way after the run", last.InFlight)
	}
	if n := total.Lateness.Min(); n < 0 {
		t.Errorf("a call was sent %d us before it was due", -n)
	}
}

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
		// The canary came first; then a batch of 20 every 20/600 s.
		loadStart = node.times[1]
		for k, at := range node.times[1:] {
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
		if want := 1800 + 1; len(node.ids) != want {
			t.Errorf("%d ids, want %d", len(node.ids), want)
		}
		if w.Elapsed != 3*time.Second || time.Since(begin) != 3*time.Second+node.latency || w.Interrupted {
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
		if w.Generator.MaxInFlight != 64 || w.Generator.Verdict != results.GeneratorOK {
			t.Errorf("generator: %+v", w.Generator)
		}
	})
}

func TestDrainCutsOffWhatIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond, freeze: func(at time.Duration) time.Duration {
			if at > time.Second {
				return time.Hour
			}
			return 0
		}}
		p := plan(10, steady(10, scenario.Calls, 2*time.Second))
		p.InFlight, p.Drain, p.Timeout = 5, 3*time.Second, time.Hour
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		total := w.total()
		if total.ByClass[results.CutOff] != 50 || total.CallsByClass[results.CutOff] != 5 {
			t.Errorf("%d entries and %d calls cut off, want 50 and 5", total.ByClass[results.CutOff], total.CallsByClass[results.CutOff])
		}
		if total.Calls != 15 || total.Unsent != 5 {
			t.Errorf("%d calls, %d unsent, want 15 and 5", total.Calls, total.Unsent)
		}
		if w.Elapsed != 5*time.Second || w.Interrupted {
			t.Errorf("elapsed %v, interrupted %v", w.Elapsed, w.Interrupted)
		}
		if last := w.snaps[len(w.snaps)-1]; last.Current != 1 {
			t.Errorf("the last snapshot is of phase %d, want the drain", last.Current)
		}
	})
}

func TestTimeoutsAreOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{freeze: func(at time.Duration) time.Duration { return min(at, time.Nanosecond) * time.Duration(time.Hour) }}
		p := plan(3, steady(1, scenario.Calls, 3*time.Second))
		p.Timeout = 250 * time.Millisecond
		// The canary takes no time, and so does the first call of the load.
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		total := w.total()
		if total.ByClass[results.Timeout] != 6 || total.ByClass[results.OK] != 3 || total.Service.Max() < 250_000 || total.Service.Max() > 250_500 {
			t.Errorf("%d entries timed out, %d ok, service up to %d us", total.ByClass[results.Timeout], total.ByClass[results.OK], total.Service.Max())
		}
	})
}

func TestStopDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: 700 * time.Millisecond}
		stop := make(chan struct{})
		p := plan(1, steady(10, scenario.Calls, time.Hour), steady(10, scenario.Calls, time.Hour))
		time.AfterFunc(node.latency+2050*time.Millisecond, func() { close(stop) })
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node, Stop: stop})
		total := w.total()
		if !w.Interrupted || total.Calls != 21 || total.ByClass[results.OK] != 21 || total.Unsent != 0 {
			t.Errorf("interrupted %v, %d calls, %d ok, %d unsent", w.Interrupted, total.Calls, total.ByClass[results.OK], total.Unsent)
		}
		if w.Elapsed != 2700*time.Millisecond {
			t.Errorf("elapsed %v, want the last call's end", w.Elapsed)
		}
	})
}

// What was due when the run was stopped, and could not be sent, is counted.
func TestStopCountsWhatWasOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{freeze: func(at time.Duration) time.Duration { return min(at, 1) * time.Duration(3*time.Second) }}
		stop := make(chan struct{})
		p := plan(1, steady(10, scenario.Calls, time.Hour))
		p.InFlight = 2
		time.AfterFunc(1050*time.Millisecond, func() { close(stop) })
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node, Stop: stop})
		// Due at 0, 0.1, ... 1.0; the first took no time, two are under way.
		if total := w.total(); total.Calls != 3 || total.Unsent != 8 {
			t.Errorf("%d calls, %d unsent, want 3 and 8", total.Calls, total.Unsent)
		}
	})
}

// Where a stop is noticed late, what became due since was not owed.
func TestStopThatIsNoticedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond}
		stop := make(chan struct{})
		time.AfterFunc(node.latency+1001*time.Millisecond, func() { close(stop) })
		var all results.Aggregate
		r := runner{wait: deafWaiter{}, Config: Config{
			Plan: plan(1, steady(10, scenario.Calls, time.Hour)), Endpoint: node, Stop: stop,
			Snapshot: func(s *results.Snapshot) error { all.Add(s); return nil },
		}}
		if _, err := r.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if total := all.Total(nil); total.Calls != 11 || total.Unsent != 0 {
			t.Errorf("%d calls, %d unsent, want 11 and none", total.Calls, total.Unsent)
		}
	})
}

// deafWaiter hears of the end only when it wakes.
type deafWaiter struct{ timerWaiter }

func (deafWaiter) until(t time.Time, quit <-chan struct{}) bool {
	time.Sleep(time.Until(t))
	return !closed(quit)
}

func TestEndOfContextLeavesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: 700 * time.Millisecond}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(node.latency+2050*time.Millisecond, cancel)
		w := execute(t, ctx, Config{Plan: plan(1, steady(10, scenario.Calls, time.Hour)), Endpoint: node})
		total := w.total()
		if !w.Interrupted || w.Elapsed != 2050*time.Millisecond {
			t.Errorf("interrupted %v after %v", w.Interrupted, w.Elapsed)
		}
		if total.Calls != 21 || total.ByClass[results.CutOff] != 7 {
			t.Errorf("%d calls, %d entries cut off, want 21 and 7", total.Calls, total.ByClass[results.CutOff])
		}
	})
}

func TestClosedLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: 10 * time.Millisecond}
		p := plan(2,
			scenario.Phase{Name: "closed", Callers: 4, For: time.Second},
			steady(10, scenario.Calls, time.Second))
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		phases := w.Phases()
		if c := phases[0]; c.Calls != 400 || c.Entries != 800 || c.Lateness.Max() != 0 || c.Overrun != 0 {
			t.Errorf("closed loop: %d calls, %d entries, lateness %d us, %d overrun", c.Calls, c.Entries, c.Lateness.Max(), c.Overrun)
		}
		if c := phases[1]; c.Calls != 10 {
			t.Errorf("open loop after it: %d calls", c.Calls)
		}
		if w.Generator.MaxInFlight != 4 && w.Generator.MaxInFlight != 5 {
			t.Errorf("%d calls under way at once", w.Generator.MaxInFlight)
		}
		if w.Generator.Connections > 5 {
			t.Errorf("%d connections", w.Generator.Connections)
		}
	})
}

// A closed loop against a node that is gone does not spin.
func TestClosedLoopAgainstNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond}
		p := plan(1, scenario.Phase{Name: "closed", Callers: 1, For: time.Second})
		node.freeze = func(at time.Duration) time.Duration {
			if at > 0 {
				node.fail = &transport.Error{Failure: transport.Refused, Err: errors.New("connection refused")}
			}
			return 0
		}
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		if total := w.total(); total.Calls < 90 || total.Calls > 91 || total.ByClass[results.Refused] != total.Entries {
			t.Errorf("%d calls, %d refused", total.Calls, total.ByClass[results.Refused])
		}
	})
}

func TestPhasesFollowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond}
		warm := steady(5, scenario.Calls, 1500*time.Millisecond)
		warm.Measured = false
		ramp := steady(10, scenario.Calls, 2*time.Second)
		ramp.To = 30
		w := execute(t, t.Context(), Config{Plan: plan(1, warm, ramp, steady(4, scenario.Calls, time.Second)), Endpoint: node})
		var got []uint64
		for _, p := range w.Phases() {
			got = append(got, p.Calls)
		}
		// The warm-up owes 7.5 calls, the ramp (10+30)/2*2.
		if fmt.Sprint(got) != "[8 40 4]" {
			t.Errorf("calls by phase %v, want [8 40 4]", got)
		}
		var current []int
		for _, s := range w.snaps {
			current = append(current, s.Current)
		}
		if fmt.Sprint(current) != "[0 1 1 2 3]" {
			t.Errorf("phases of the snapshots %v", current)
		}
	})
}

func TestLateCallsBelongToThePhaseTheyWereDueIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{freeze: func(at time.Duration) time.Duration {
			if at > 0 && at < 2*time.Second {
				return 2*time.Second - at
			}
			return 0
		}}
		p := plan(1, steady(10, scenario.Calls, time.Second), steady(10, scenario.Calls, 2*time.Second))
		p.InFlight = 1
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		first, second := w.Phases()[0], w.Phases()[1]
		if first.Calls != 10 || second.Calls != 20 {
			t.Errorf("%d and %d calls, want 10 and 20", first.Calls, second.Calls)
		}
		// Due at 0.2 .. 0.9 in the first phase, sent at 2.
		if first.Overrun != 8 || first.LastSent != 2*time.Second || second.Overrun != 0 {
			t.Errorf("overrun %d, last sent %v; second phase %d", first.Overrun, first.LastSent, second.Overrun)
		}
	})
}

// The ceiling holds for every entry, notifications included, in open and closed
// loops; what it holds back is sent late.
func TestCeiling(t *testing.T) {
	for _, tt := range []struct {
		name  string
		phase scenario.Phase
	}{
		{"open", steady(20, scenario.Calls, 5*time.Second)},
		{"closed", scenario.Phase{Name: "closed", Callers: 8, For: 5 * time.Second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				node := &fakeNode{latency: time.Millisecond}
				p := plan(10, tt.phase)
				p.Notifications = 0.5
				p.Drain = 30 * time.Second
				p.Target.Authorised = &scenario.Authorised{By: "me", MaxRate: scenario.Rate{Value: 100, Unit: scenario.Entries}}
				w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
				total := w.total()
				start := node.times[1]
				for k, at := range node.times[1:] {
					if allowed := 10 + int((at-start+time.Microsecond).Seconds()*100); (k+1)*10 > allowed {
						t.Fatalf("%d entries were sent by %v, over the ceiling of 100/s and one batch", (k+1)*10, at-start)
					}
				}
				if total.Lateness.Max() == 0 {
					t.Error("nothing was sent late")
				}
				if tt.name == "open" && total.Calls != 100 {
					t.Errorf("%d calls, want all 100", total.Calls)
				}
			})
		})
	}
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
		var mid []results.NodeSample
		p := plan(1, steady(10, scenario.Calls, 3*time.Second))
		p.Target.Metrics.Every = time.Second
		scrapes := 0
		r := runner{wait: timerWaiter{}, Config: Config{
			Plan: p, Endpoint: &fakeNode{latency: 100 * time.Millisecond},
			Node: func(s results.NodeSample) error { mid = append(mid, s); return nil },
		}}
		r.fetch = func(ctx context.Context) (results.NodeSample, error) {
			scrapes++
			if scrapes == 3 {
				return results.NodeSample{}, errors.New("not\x1b[2J there")
			}
			(timerWaiter{}).until(time.Now().Add(200*time.Millisecond), ctx.Done())
			return results.NodeSample{Series: map[string]float64{"calls_total": float64(scrapes)}}, nil
		}
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
		if len(mid) != 2 || mid[0].At != 1100*time.Millisecond || mid[1].Err != `not\x1b[2J there` || mid[1].At != 2*time.Second {
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
	account, err := Run(t.Context(), Config{
		Plan: p, Endpoint: endpoint, MetricsURL: server.URL + "/metrics",
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
