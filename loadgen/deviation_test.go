package loadgen

import (
	"fmt"
	"strings"
	"testing"

	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

// TestDeviations: what departs from what is expected is counted, and fails nothing.
func TestDeviations(t *testing.T) {
	list := func(answers ...string) string {
		s := "["
		for i, a := range answers {
			if i > 0 {
				s += ","
			}
			s += a
		}
		return s + "]"
	}
	idless := `{"jsonrpc":"2.0","result":{"v":1}}`
	inOrder := scenario.Expect{InOrder: true}
	one := scenario.Expect{UnwrappedOne: true}
	patient := scenario.Expect{NotificationAnswers: true}
	for _, tt := range []struct {
		why    string
		expect scenario.Expect
		sent   string
		status int
		reply  string
		want   string // tally, then the deviations
	}{
		{"any order will do", scenario.Expect{}, "[rr]", 200, list(r("11"), r("10")), "ok: 2 ok [answers in another order, as is allowed]"},
		{"an order is expected and kept", inOrder, "[rnr]", 200, list(r("10"), r("12")), "ok: 2 ok 1 notified []"},
		{"and not kept", inOrder, "[rrr]", 200, list(r("10"), r("12"), r("11")), "ok: 3 ok [answers out of order]"},
		{"not even by an error", inOrder, "[rr]", 200, list(e("11", -32000), r("10")), "rpc error: 1 ok 1 rpc error, code -32000 x1 [answers out of order]"},
		{"of a text that cannot be trusted nothing is said", inOrder, "[rr]", 200, "[" + r("11") + "," + r("10"), "malformed response: 2 malformed response []"},

		{"one object for a batch of one", scenario.Expect{}, "[r]", 200, r("10"), "ok: 1 ok [one object for a batch of one]"},
		{"where that is expected", one, "[r]", 200, r("10"), "ok: 1 ok []"},
		{"an array is as good there", one, "[r]", 200, list(r("10")), "ok: 1 ok []"},
		{"an array of one is none", scenario.Expect{}, "[r]", 200, list(r("10")), "ok: 1 ok []"},
		{"a refused batch of one is none", scenario.Expect{}, "[r]", 200, e("null", -32005), "batch-level error: 1 batch-level error, code -32005 x1 []"},
		{"one object for more stays a failure", one, "[rr]", 200, r("10"), "missing entry: 1 ok 1 missing entry []"},

		{"an array for a bare request", scenario.Expect{}, "r", 200, list(r("10")), "ok: 1 ok [an array for a bare request]"},

		{"any fine status where nothing is due", scenario.Expect{}, "[nn]", 202, "", "notified: 2 notified []"},
		{"the expected one", scenario.Expect{EmptyStatus: 204}, "[nn]", 204, "", "notified: 2 notified []"},
		{"another", scenario.Expect{EmptyStatus: 204}, "n", 200, "", "notified: 1 notified [another status where nothing was due]"},
		{"white space (btcd)", scenario.Expect{}, "[nn]", 200, "\n", "notified: 2 notified [white space where nothing was due]"},
		{"which is none where something was due", scenario.Expect{}, "[rn]", 200, "\n", "missing entry: 1 missing entry 1 notified []"},

		{"error null beside a result (btcd)", scenario.Expect{}, "[rr]", 200, list(r("10"), `{"result":1,"error":null,"id":11}`), "ok: 2 ok [error null beside results]"},
		{"1.0 for 1", scenario.Expect{}, "[rr]", 200, list(r("10.0"), r("11")), "ok: 2 ok [ids written as other numbers]"},
		{"which is no id of ours", scenario.Expect{}, "r", 200, r("11.0"), "unknown id: 1 unknown id []"},
		{"one that is not fine is a failure", scenario.Expect{EmptyStatus: 204}, "n", 500, "", "HTTP error: 1 HTTP error []"},
		{"an empty reply where something is due is a failure", scenario.Expect{EmptyStatus: 204}, "[rn]", 200, "", "missing entry: 1 missing entry 1 notified []"},

		{"an answer to a notification (aria2)", scenario.Expect{}, "[rn]", 200, list(r("10"), e("null", -32600)), "unknown id: 1 ok 1 notified, surplus 1 []"},
		{"put up with", patient, "[rn]", 200, list(r("10"), e("null", -32600)), "ok: 1 ok 1 notified [notifications answered]"},
		{"a result without an id (ganache)", patient, "[rnr]", 200, list(r("10"), idless, r("12")), "ok: 2 ok 1 notified [notifications answered]"},
		{"to notifications alone", patient, "[nn]", 200, list(e("null", -32600), e("null", -32600)), "notified: 2 notified [notifications answered]"},
		{"more of them than notifications", patient, "[rn]", 200, list(r("10"), idless, idless), "unknown id: 1 ok 1 notified, surplus 1 [notifications answered]"},
		{"a malformed member's comes first", patient, "[rnm]", 200, list(r("10"), e("null", -32600)), "ok: 1 ok 1 notified 1 rejected as malformed, code -32600 x1 []"},
		{"a bare one (hardhat)", patient, "n", 200, e("null", -32600), "notified: 1 notified [notifications answered]"},
		{"which is an error else", scenario.Expect{}, "n", 200, e("null", -32600), "rpc error: 1 rpc error, code -32600 x1 []"},
		{"an error without an id still answers a singleton", patient, "r", 200, e("null", -32600), "rpc error: 1 rpc error, code -32600 x1 []"},
	} {
		c := newCorrelator()
		c.expect = tt.expect
		var o results.Outcome
		for range 2 { // the second time with what the first left behind
			c.judge(sent(tt.sent), transport.Reply{Status: tt.status, Body: []byte(tt.reply)}, nil, &o)
			var names []string
			for d := range results.NumDeviations {
				if o.Deviations.Has(results.Deviation(d)) {
					names = append(names, results.Deviation(d).String())
				}
			}
			if got := fmt.Sprint(tally(&o), " ", names); got != tt.want {
				t.Errorf("%s: sent %s, answered %d %s\n got %s\nwant %s", tt.why, tt.sent, tt.status, tt.reply, got, tt.want)
			}
		}
	}
}

// What a body comes as fails nothing, and goes by the type that it was.
func TestLooksOfAReply(t *testing.T) {
	c := newCorrelator()
	for _, tt := range []struct{ contentType, oddity string }{
		{"", ""}, {"application/json", ""}, {"application/json; charset=utf-8", ""}, {"application/json-rpc", ""},
		{"Application/JSON", ""}, {"application/vnd.node+json", ""},
		{"text/html; charset=utf-8", "text/html; charset=utf-8"}, {"text/plain", "text/plain"}, {"application/json", ""},
	} {
		var o results.Outcome
		c.judge(sent("r"), transport.Reply{Status: 200, ContentType: tt.contentType, Body: []byte(r("10"))}, nil, &o)
		if o.Class != results.OK || o.Deviations.Has(results.ContentType) != (tt.oddity != "") || o.Oddity != tt.oddity {
			t.Errorf("%q: %s, %v, %q", tt.contentType, o.Class, o.Deviations, o.Oddity)
		}
	}
	for _, tt := range []struct {
		reply transport.Reply
		is    results.Deviation
	}{
		{transport.Reply{ContentType: "application/json-rpc"}, results.OtherJSON},
		{transport.Reply{ContentType: "application/vnd.node+json"}, results.OtherJSON},
		{transport.Reply{ContentType: "application/json; charset=utf-8", Chunked: true}, results.Chunked},
		{transport.Reply{UntilClosed: true}, results.UntilClosed},
	} {
		var o results.Outcome
		tt.reply.Status, tt.reply.Body = 200, []byte(r("10"))
		c.judge(sent("r"), tt.reply, nil, &o)
		var want results.Deviations
		if want.Add(tt.is); o.Class != results.OK || o.Deviations != want || !tt.is.Allowed() {
			t.Errorf("%+v: %s, %b, want %s", tt.reply, o.Class, o.Deviations, tt.is)
		}
	}
	var o results.Outcome
	large := r("10") + strings.Repeat(" ", results.HugeBody)
	c.judge(sent("r"), transport.Reply{Status: 200, Body: []byte(large)}, nil, &o)
	if o.Class != results.OK || !o.Deviations.Has(results.Huge) || o.Oddity != "10,485,802 bytes" {
		t.Errorf("%s, %v, %q", o.Class, o.Deviations, o.Oddity)
	}
	c.judge(sent("r"), transport.Reply{Status: 502, ContentType: "text/html", Body: []byte("<html>")}, nil, &o)
	if o.Class != results.HTTPError || o.Deviations != 0 || o.Oddity != "" {
		t.Errorf("a failure's looks are not told: %s, %v, %q", o.Class, o.Deviations, o.Oddity)
	}
}
