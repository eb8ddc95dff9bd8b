package loadgen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
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
	// refuse answers a whole body in place of the node when it is set and gives a reply.
	refuse func(entries int) (transport.Reply, error)
	fail   error // of every exchange
	shut   error // of Open

	mu     sync.Mutex
	first  time.Time
	times  []time.Duration // of each body, from the first one's
	paths  []string
	fields []string // of the requests' own
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
	f.fields = append(f.fields, req.Field)
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
	if f.refuse != nil && req.Body[0] == '[' {
		var all []json.RawMessage
		if json.Unmarshal(req.Body, &all) == nil {
			if reply, err := f.refuse(len(all)); err != nil || reply.Status != 0 {
				return reply, err
			}
		}
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
	w.Plan, _ = Describe(c.Plan)
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
	for _, s := range w.snaps {
		checkBreakdown(t, s)
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

// checkBreakdown checks that the cells of an interval add up to its phases.
func checkBreakdown(t *testing.T, s *results.Snapshot) {
	t.Helper()
	type sum struct {
		entries, items uint64
		byClass        [results.NumClasses]uint64
	}
	got := map[int]sum{}
	for c := range s.Breakdown.Cells() {
		of := got[c.Phase]
		of.entries, of.items = of.entries+c.Entries, of.items+c.Items
		for class, n := range c.ByClass {
			of.byClass[class] += n
		}
		got[c.Phase] = of
	}
	for i := range s.Phases {
		p := &s.Phases[i]
		if want := (sum{p.Entries, p.Items, p.ByClass}); got[p.Phase] != want {
			t.Errorf("phase %d by row and band: %+v, want %+v", p.Phase, got[p.Phase], want)
		}
		delete(got, p.Phase)
	}
	if len(got) > 0 {
		t.Errorf("cells of phases without calls: %+v", got)
	}
}
