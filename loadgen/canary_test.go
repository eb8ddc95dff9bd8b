package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

// errorFor answers a method with an error.
func errorFor(method string, code int, message string) func(string, json.RawMessage) []byte {
	return func(m string, id json.RawMessage) []byte {
		if m != method {
			return nil
		}
		text, _ := json.Marshal(message)
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","error":{"code":%d,"message":%s},"id":%s}`, code, text, id)
	}
}

func TestCanary(t *testing.T) {
	constant := func(s string) func(string, json.RawMessage) []byte {
		return func(string, json.RawMessage) []byte { return []byte(s) }
	}
	for _, tt := range []struct {
		why    string
		node   *fakeNode
		passes string // the error's text; "" for none
	}{
		{"a result", &fakeNode{}, ""},
		{"an error of an entry's own", &fakeNode{reply: errorFor("echo", -32000, "no such account")}, ""},
		{"an unknown method", &fakeNode{reply: errorFor("echo", -32601, "Method not found")},
			"the node does not know the method of the first call: -32601 Method not found"},
		{"the same in RCP", &fakeNode{reply: errorFor("echo", -32004, "unknown\x1b[2J")},
			`the node does not know the method of the first call: -32004 unknown\x1b[2J`},
		{"params that it cannot parse", &fakeNode{reply: errorFor("echo", -32700, "Parse error")},
			"the node could not read the first call: -32700 Parse error"},
		{"no batches", &fakeNode{reply: errorFor("echo", -32005, "batch requests are not supported by this server")},
			"the node does not take the first batch: -32005 batch requests are not supported by this server"},
		{"another id", &fakeNode{reply: constant(`{"jsonrpc":"2.0","result":1,"id":77}`)},
			"the first call did not get its answer (unknown id): an answer that was not asked for, with the id 77: a result"},
		{"what is no JSON-RPC", &fakeNode{reply: constant(`7`)},
			"the first call did not get its answer (malformed response): HTTP 200: [7]"},
		{"no connection", &fakeNode{shut: errors.New("connection refused")},
			"no connection to the node: connection refused"},
		{"no answer", &fakeNode{latency: time.Minute},
			"the node does not answer: context deadline exceeded"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := runner{wait: timerWaiter{}, Config: Config{Plan: plan(20, steady(1, scenario.Calls, time.Second)), Endpoint: tt.node}}
			account, err := r.run(t.Context())
			if tt.passes == "" {
				if err != nil || account.Generator.Sent != 1 {
					t.Errorf("%s: %v", tt.why, err)
				}
				return
			}
			var canary *CanaryError
			if !errors.As(err, &canary) || err.Error() != tt.passes {
				t.Errorf("%s:\n got %v\nwant %s", tt.why, err, tt.passes)
			}
			if len(tt.node.bodies) > 1 {
				t.Errorf("%s: %d calls were sent", tt.why, len(tt.node.bodies))
			}
			if tt.node.opened != tt.node.closed {
				t.Errorf("%s: %d connections opened, %d closed", tt.why, tt.node.opened, tt.node.closed)
			}
		})
	}
}

// The canary is a valid request however much of the load is not.
func TestCanaryIsAlwaysARequest(t *testing.T) {
	p := plan(5)
	p.Malformed = 1
	var m message
	newEncoder(mustCompile(t, p)).canary(&m, 9)
	if got, want := string(m.body), `[{"jsonrpc":"2.0","id":9,"method":"echo","params":[1]}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRCPIsInitialisedFirst(t *testing.T) {
	for _, tt := range []struct {
		code int
		want string
	}{
		{0, ""},
		{-32600, ""}, // it was initialised before
		{-32002, "initialize was not accepted: -32002 x"},
	} {
		synctest.Test(t, func(t *testing.T) {
			node := &fakeNode{latency: time.Millisecond}
			if tt.code != 0 {
				node.reply = errorFor("initialize", tt.code, "x")
			}
			p := rcpPlan(scenario.Single)
			p.Phases, p.Timeout, p.InFlight = []scenario.Phase{steady(2, scenario.Items, time.Second)}, time.Second, 8
			_, err := (&runner{wait: timerWaiter{}, Config: Config{Plan: p, Endpoint: node}}).run(t.Context())
			if got := fmt.Sprint(err); tt.want != "" && got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if tt.want == "" {
				if err != nil || len(node.paths) != 4 || node.paths[0] != "/initialize" {
					t.Fatalf("%v; paths %q", err, node.paths)
				}
				for i, path := range node.paths {
					var r struct{ Method string }
					if json.Unmarshal(node.bodies[i], &r) != nil || path != "/"+r.Method {
						t.Errorf("%s was posted to %s", node.bodies[i], path)
					}
				}
			}
		})
	}
}

func TestPinnedBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond, reply: func(method string, id json.RawMessage) []byte {
			if method != "block" {
				return nil
			}
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","result":{"header":{"height":7,"hash":"7vHash"}},"id":%s}`, id)
		}}
		p := nearPlan()
		p.Mix = p.Mix[:1]
		p.Phases, p.Timeout, p.InFlight = []scenario.Phase{steady(2, scenario.Calls, time.Second)}, time.Second, 8
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		if w.Pinned["final"] != "7vHash" {
			t.Errorf("pinned %v", w.Pinned)
		}
		for i, body := range node.bodies {
			switch {
			case i == 0 && string(body) != `{"jsonrpc":"2.0","id":1,"method":"block","params":{"finality":"final"}}`:
				t.Errorf("first %s", body)
			case i > 0 && !strings.Contains(string(body), `"block_id":"7vHash"`):
				t.Errorf("not pinned: %s", body)
			}
		}
		if total := w.total(); total.ByClass[results.OK] != 8 {
			t.Errorf("%d entries ok", total.ByClass[results.OK])
		}
	})
}

func TestPinnedBlockThatCannotBeRead(t *testing.T) {
	for _, tt := range []struct {
		reply func(string, json.RawMessage) []byte
		want  string
	}{
		{errorFor("block", -32000, "syncing"), "the final block, which the plan pins its reads to, could not be read: -32000 syncing"},
		{nil, `the answer to block has no result.header.hash to pin reads to: {"jsonrpc":"2.0","result":{},"id":1}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := nearPlan()
			p.Timeout = time.Second
			_, err := (&runner{wait: timerWaiter{}, Config: Config{Plan: p, Endpoint: &fakeNode{reply: tt.reply}}}).run(t.Context())
			var canary *CanaryError
			if !errors.As(err, &canary) || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// Open fails after the canary: the load's calls are refused, and counted so.
func TestConnectionsThatCannotBeOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond}
		node.freeze = func(time.Duration) time.Duration {
			node.mu.Lock()
			defer node.mu.Unlock()
			node.shut = &transport.Error{Failure: transport.Reset, Err: errors.New("the node has ended")}
			return 0
		}
		w := execute(t, t.Context(), Config{Plan: plan(2, steady(5, scenario.Calls, time.Second)), Endpoint: node})
		if total := w.total(); total.ByClass[results.Refused] != 10 {
			t.Errorf("%d entries refused, want 10", total.ByClass[results.Refused])
		}
		if s := strings.Join(w.Warnings, "\n"); s != "calls with refused: 5; one of them: the node has ended" {
			t.Errorf("warnings: %s", s)
		}
	})
}
