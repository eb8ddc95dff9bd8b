package loadgen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/results"
	"volley/scenario"
)

// sessionNode answers initialize with a session's token, and whatever else bears none
// with -32001.
func sessionNode(token string) *fakeNode {
	node := &fakeNode{latency: time.Millisecond}
	node.reply = func(method string, id json.RawMessage) []byte {
		quoted, _ := json.Marshal(token)
		switch {
		case method == "initialize":
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"_meta":{"conformance":"L2","session":%s}}}`, id, quoted)
		case node.fields[len(node.fields)-1] != "RCP-Session: "+token:
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"call initialize first"}}`, id)
		}
		return nil
	}
	return node
}

func sessionPlan() *scenario.Plan {
	p := rcpPlan(scenario.Batch)
	p.Size, p.Items = fixed(3), fixed(1)
	p.Phases, p.Timeout, p.Drain, p.InFlight = []scenario.Phase{steady(5, scenario.Calls, time.Second)}, time.Second, time.Second, 8
	return p
}

// The token that initialize gives goes with every later call, and shutdown ends the
// session when all else is over.
func TestSessionOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := sessionNode("tok-123456")
		w := execute(t, t.Context(), Config{Plan: sessionPlan(), Endpoint: node})
		if total := w.total(); total.ByClass[results.OK] != 15 || total.Calls != 5 {
			t.Errorf("%d of 15 entries ok in %d calls", total.ByClass[results.OK], total.Calls)
		}
		var want []string
		for range 1 + 1 + 5 + 1 { // the canaries, the load, shutdown
			want = append(want, "RCP-Session: tok-123456")
		}
		if got := node.fields[1:]; node.fields[0] != "" || !slices.Equal(got, want) {
			t.Errorf("fields %q", node.fields)
		}
		if first, last := string(node.bodies[0]), string(node.bodies[len(node.bodies)-1]); !strings.Contains(first, `"initialize"`) || !strings.Contains(last, `"shutdown"`) {
			t.Errorf("from %s to %s", first, last)
		}
		if len(w.Warnings) > 0 || node.opened != node.closed {
			t.Errorf("warnings %q, %d connections opened, %d closed", w.Warnings, node.opened, node.closed)
		}
	})
}

func TestSessionThatCannotBeClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := sessionNode("tok-123456")
		inner := node.reply
		node.reply = func(method string, id json.RawMessage) []byte {
			if method == "shutdown" {
				return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"tok-123456 stays"}}`, id)
			}
			return inner(method, id)
		}
		w := execute(t, t.Context(), Config{Plan: sessionPlan(), Endpoint: node})
		want := "the session could not be closed, and stays open until it expires: -1 [secret] stays"
		if len(w.Warnings) != 1 || w.Warnings[0] != want {
			t.Errorf("warnings %q, want %q", w.Warnings, want)
		}
	})
}

// A node without tokens is not told to shut down: more may hang on it.
func TestNoSessionIsClosedThatIsNotTheRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond}
		execute(t, t.Context(), Config{Plan: sessionPlan(), Endpoint: node})
		for i, body := range node.bodies {
			if strings.Contains(string(body), "shutdown") || node.fields[i] != "" {
				t.Errorf("%q %s", node.fields[i], body)
			}
		}
	})
}

// One that a header cannot bear ends the run before the load, and is not shown.
func TestSessionTokensThatNoHeaderBears(t *testing.T) {
	for token, want := range map[string]string{
		"tok\r\nX-Evil: y":        "the node gives a session token that cannot be sent back: the value of header Rcp-Session holds a control character",
		strings.Repeat("x", 5000): "the node gives a session token of over 4 KiB, which no header bears",
	} {
		synctest.Test(t, func(t *testing.T) {
			node := sessionNode(token)
			_, err := (&runner{wait: timerWaiter{}, Config: Config{Plan: sessionPlan(), Endpoint: node}}).run(t.Context())
			if err == nil || err.Error() != want || len(node.bodies) != 1 {
				t.Errorf("%v after %d calls, want %s", err, len(node.bodies), want)
			}
		})
	}
}

// A session is closed also when nothing comes of it.
func TestSessionIsClosedWhenTheCanaryFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := sessionNode("tok-123456")
		inner := node.reply
		node.reply = func(method string, id json.RawMessage) []byte {
			if strings.HasPrefix(method, "embed") || method == "rerank" {
				return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32004,"message":"no such method, tok-123456"}}`, id)
			}
			return inner(method, id)
		}
		_, err := (&runner{wait: timerWaiter{}, Config: Config{Plan: sessionPlan(), Endpoint: node}}).run(t.Context())
		if err == nil || !strings.HasSuffix(err.Error(), "no such method, [secret]") {
			t.Errorf("%v", err)
		}
		if last := string(node.bodies[len(node.bodies)-1]); !strings.Contains(last, `"shutdown"`) {
			t.Errorf("the last call is %s", last)
		}
	})
}
