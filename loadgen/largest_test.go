package loadgen

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

// A node that refuses the plan's largest batch is told of before the load, and loaded
// all the same.
func TestLargestBatch(t *testing.T) {
	over := func(most int, status int, body string) func(int) (transport.Reply, error) {
		return func(n int) (transport.Reply, error) {
			if n <= most {
				return transport.Reply{}, nil
			}
			return transport.Reply{Status: status, Body: []byte(body)}, nil
		}
	}
	object := func(code int, words, data string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q,"data":%s}}`, code, words, data)
	}
	for _, tt := range []struct {
		why    string
		refuse func(int) (transport.Reply, error)
		want   string // the first warning
	}{
		{"it takes it", over(2000, 0, ""), ""},
		{"a limit in the data", over(10, 200, object(-32602, "too many members", `{"limit":10,"size":2000}`)),
			`the plan's largest batch is one that the node does not take: batch refused: too many members: {"limit":10,"size":2000} (2,000 entries), code -32602; its limit seems to be 10`},
		{"a limit in the words", over(1000, 500, object(-32600, "batch request exceeds maximum (1,000)", "null")),
			"the plan's largest batch is one that the node does not take: batch refused: batch request exceeds maximum (1,000) (2,000 entries), code -32600; its limit seems to be 1,000"},
		{"no limit", over(1000, 200, object(-32600, "batch too large", "null")),
			"the plan's largest batch is one that the node does not take: batch refused: batch too large (2,000 entries), code -32600"},
		{"a number that is no limit for it", over(10, 200, object(-32010, "limit reached: 2000 entries", "null")),
			"the plan's largest batch is one that the node does not take: batch refused: limit reached: 2000 entries (2,000 entries), code -32010"},
		{"by its bytes", over(10, 413, "too\x1b large"),
			`the plan's largest batch (2,000 entries) is one that the node does not take: HTTP 413: too\x1b large`},
		{"without an answer", func(n int) (transport.Reply, error) {
			if n < 2000 {
				return transport.Reply{}, nil
			}
			return transport.Reply{}, &transport.Error{Failure: transport.Reset, Err: errors.New("the node closed the connection")}
		}, "the plan's largest batch (2,000 entries) had no answer before the load: the node closed the connection"},
		{"as over a rate, which is not its size", over(1, 429, ""), ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := plan(1, steady(2, scenario.Calls, time.Second))
			p.Size = scenario.Dist{Kind: "choice", Choices: []scenario.Choice{{Value: 1, Share: 1 - 1e-12}, {Value: 2000, Share: 1e-12}}}
			node := &fakeNode{latency: time.Millisecond, refuse: tt.refuse}
			w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			if !reflect.DeepEqual(w.Warnings, want) {
				t.Errorf("%s: warnings\n     %q\nwant %q", tt.why, w.Warnings, want)
			}
			// Of what goes before the load nothing is in the account.
			if total := w.total(); total.Calls != 2 || total.ByClass[results.OK] != 2 || len(node.bodies) != 4 {
				t.Errorf("%s: %d calls, %d ok, the node saw %d", tt.why, total.Calls, total.ByClass[results.OK], len(node.bodies))
			}
		})
	}
}

// It is all valid requests, as many as any batch of the plan and with as many items.
func TestLargestBatchIsOfRequests(t *testing.T) {
	p := nearPlan()
	p.Size, p.Notifications, p.Malformed = scenario.Dist{Kind: "uniform", Min: 1, Max: 50}, 0.5, 0.5
	var m message
	newEncoder(mustCompile(t, p)).largest(&m, 9)
	if len(m.members) != 50 || m.notifications != 0 || m.malformed != 0 || m.first != 9 || !m.batch {
		t.Errorf("%d members, %d notifications, %d malformed, from %d", len(m.members), m.notifications, m.malformed, m.first)
	}
}

// What was authorised is kept to.
func TestLargestBatchKeepsToTheCeiling(t *testing.T) {
	for most, want := range map[float64]struct {
		calls int
		rest  time.Duration
	}{100: {3, 200 * time.Millisecond}, 10: {2, 0}} {
		synctest.Test(t, func(t *testing.T) {
			p := plan(20, steady(1, scenario.Calls, time.Second))
			p.Target.Authorised = &scenario.Authorised{By: "me", MaxRate: scenario.Rate{Value: most, Unit: scenario.Entries}}
			node := &fakeNode{latency: time.Millisecond}
			execute(t, t.Context(), Config{Plan: p, Endpoint: node})
			last := len(node.times) - 1
			if rest := node.times[last] - node.times[last-1] - node.latency; len(node.times) != want.calls || rest != want.rest {
				t.Errorf("at most %v/s: %d calls, %v before the load, want %d and %v", most, len(node.times), rest, want.calls, want.rest)
			}
		})
	}
}
