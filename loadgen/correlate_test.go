package loadgen

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"volley/loadgen/transport"
	"volley/results"
)

// sent builds a message from a sketch of its members: r a request, n a
// notification, and malformed ones: m without an id, i with its own, t with the
// id true. A batch stands in brackets. The first id is 10.
func sent(sketch string) *message {
	m := &message{first: 10, batch: strings.HasPrefix(sketch, "[")}
	for i, c := range strings.Trim(sketch, "[]") {
		k := map[rune]member{'r': request, 'n': notification, 'm': mangled, 'i': mangledID, 't': mangledTrue}[c]
		m.members = append(m.members, k)
		if k == notification {
			m.notifications++
		}
		if k.malformed() {
			m.malformed++
			m.slots = append(m.slots, 0)
			continue
		}
		m.slots = append(m.slots, slotOf(i%3)) // rows in turn
	}
	return m
}

// r and e are answers with a result and with an error.
func r(id string) string { return `{"jsonrpc":"2.0","result":{"v":1},"id":` + id + `}` }
func e(id string, code int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":%d,"message":"no\u00e9"},"id":%s}`, code, id)
}

// tally writes what an outcome says: its class, then its entries' classes, its
// codes and its surplus where there are any.
func tally(o *results.Outcome) string {
	s := o.Class.String() + ":"
	for class, n := range o.ByClass {
		if n > 0 {
			s += fmt.Sprintf(" %d %s", n, results.Class(class))
		}
	}
	for _, c := range o.Codes {
		s += fmt.Sprintf(", code %d x%d", c.Code, c.Count)
	}
	if o.Surplus > 0 {
		s += fmt.Sprintf(", surplus %d", o.Surplus)
	}
	return s
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		why    string
		sent   string
		status int
		reply  string
		want   string
	}{
		// What JSON-RPC 2.0 asks for.
		{"a singleton", "r", 200, r("10"), "ok: 1 ok"},
		{"a singleton's error", "r", 200, e("10", -32000), "rpc error: 1 rpc error, code -32000 x1"},
		{"a batch, in any order, with space around", "[rrr]", 200, " [" + r("12") + "," + r("10") + " , " + r("11") + "]\n", "ok: 3 ok"},
		{"a batch of one", "[r]", 200, "[" + r("10") + "]", "ok: 1 ok"},
		{"each entry by itself", "[rrr]", 200, "[" + r("10") + "," + e("11", -32000) + "," + e("12", -32000) + "]", "rpc error: 1 ok 2 rpc error, code -32000 x2"},
		{"a notification between", "[rnr]", 200, "[" + r("10") + "," + r("12") + "]", "ok: 2 ok 1 notified"},
		{"only notifications", "[nn]", 204, "", "notified: 2 notified"},
		{"only notifications, answered 200 with nothing (geth)", "[nn]", 200, "", "notified: 2 notified"},
		{"only notifications, answered with a newline (btcd)", "[nn]", 200, "\n", "notified: 2 notified"},
		{"a single notification", "n", 204, "", "notified: 1 notified"},
		{"error null beside a result (btcd)", "r", 200, `{"result":1,"error":null,"id":10}`, "ok: 1 ok"},
		{"a null result", "r", 200, `{"jsonrpc":"2.0","result":null,"id":10}`, "ok: 1 ok"},
		{"NEAR's result.error", "[rr]", 200, "[" + r("10") + `,{"jsonrpc":"2.0","result":{"error":"wasm execution failed","logs":[]},"id":11}]`, "result-level error: 1 ok 1 result-level error"},

		// Malformed on purpose.
		{"rejected, id null", "[rmm]", 200, "[" + r("10") + "," + e("null", -32600) + "," + e("null", -32600) + "]", "ok: 1 ok 2 rejected as malformed, code -32600 x2"},
		{"rejected, own id (RCP's servers)", "[ri]", 200, "[" + r("10") + "," + e("11", -32600) + "]", "ok: 1 ok 1 rejected as malformed, code -32600 x1"},
		{"rejected, with the boolean id", "[rt]", 200, "[" + r("10") + "," + e("true", -32600) + "]", "ok: 1 ok 1 rejected as malformed, code -32600 x1"},
		{"rejected without an id member (ganache)", "[mr]", 200, `[{"error":{"code":-32600,"message":"m"}},` + r("11") + "]", "ok: 1 ok 1 rejected as malformed, code -32600 x1"},
		{"rejected with -32700 (jrpc2)", "[m]", 200, "[" + e("null", -32700) + "]", "rejected as malformed: 1 rejected as malformed, code -32700 x1"},
		{"a batch of one, rejected by a bare object (anvil)", "[m]", 200, e("null", -32600), "rejected as malformed: 1 rejected as malformed, code -32600 x1"},
		{"a singleton, rejected", "m", 200, e("null", -32600), "rejected as malformed: 1 rejected as malformed, code -32600 x1"},
		{"a singleton, rejected by NEAR", "m", 400, e("null", -32700), "rejected as malformed: 1 rejected as malformed, code -32700 x1"},
		{"a singleton, rejected with its id", "i", 200, e("10", -32600), "rejected as malformed: 1 rejected as malformed, code -32600 x1"},
		{"passed over in silence (btcd)", "[mr]", 200, "[" + r("11") + "]", "missing entry: 1 ok 1 missing entry"},
		{"served, which is no rejection", "[ri]", 200, "[" + r("10") + "," + r("11") + "]", "malformed response: 1 ok 1 malformed response"},
		{"served with the boolean id", "t", 200, r("true"), "malformed response: 1 malformed response"},
		{"refused with another code", "i", 200, e("10", -32601), "rpc error: 1 rpc error, code -32601 x1"},
		{"more rejections than were asked for", "[rm]", 200, "[" + r("10") + "," + e("null", -32600) + "," + e("null", -32600) + "]", "unknown id: 1 ok 1 rejected as malformed, code -32600 x1, surplus 1"},

		// Notifications that are answered all the same.
		{"a notification rejected (hardhat)", "[rnr]", 200, "[" + r("10") + "," + e("null", -32600) + "," + r("12") + "]", "unknown id: 2 ok 1 notified, surplus 1"},
		{"a notification answered without id (ganache)", "[rnr]", 200, "[" + r("10") + `,{"jsonrpc":"2.0","result":1},` + r("12") + "]", "unknown id: 2 ok 1 notified, surplus 1"},
		{"a notification answered with the id it did not send", "[rn]", 200, "[" + r("10") + "," + r("11") + "]", "unknown id: 1 ok 1 notified, surplus 1"},
		{"a single notification refused (NEAR)", "n", 400, e("null", -32700), "rpc error: 1 rpc error, code -32700 x1"},
		{"only notifications, answered []", "[nn]", 200, "[]", "notified: 2 notified"},

		// Ids.
		{"1.0 for 1", "[rr]", 200, "[" + r("10.0") + "," + r("1.1e1") + "]", "ok: 2 ok"},
		{"a string is another id", "[r]", 200, "[" + r(`"10"`) + "]", "unknown id: 1 unknown id"},
		{"an id that was not sent", "[rr]", 200, "[" + r("10") + "," + r("11") + "," + r("12") + "]", "unknown id: 2 ok, surplus 1"},
		{"the id of an earlier call", "r", 200, r("9"), "unknown id: 1 unknown id"},
		{"one answer of two without its id", "[rr]", 200, "[" + r("10") + `,{"jsonrpc":"2.0","result":1}]`, "unknown id: 1 ok 1 unknown id"},
		{"more strange answers than missing ones", "[rr]", 200, "[" + r("10") + "," + r("98") + "," + r("99") + "]", "unknown id: 1 ok 1 unknown id, surplus 1"},
		{"fewer", "[rrr]", 200, "[" + r("10") + "," + r("98") + "]", "missing entry: 1 ok 1 missing entry 1 unknown id"},
		{"ids no integer can hold", "[r]", 200, "[" + r("1e400") + "," + r("-10") + "," + r("10.5") + "," + r("18446744073709551626") + "," + r("10") + "]", "unknown id: 1 ok, surplus 4"},
		{"ids of other kinds", "[r]", 200, "[" + r("[10]") + "," + r(`{"a":1}`) + "," + r("true") + "," + r("10") + "]", "unknown id: 1 ok, surplus 3"},
		{"an entry answered twice", "[rr]", 200, "[" + r("10") + "," + r("10") + "," + r("11") + "]", "duplicate entry: 1 ok 1 duplicate entry, surplus 1"},
		{"an entry answered three times", "[rr]", 200, "[" + e("10", -32000) + "," + r("10") + "," + r("10") + "," + r("11") + "]", "duplicate entry: 1 ok 1 duplicate entry, surplus 2"},
		{"an entry left out", "[rrr]", 200, "[" + r("10") + "," + r("12") + "]", "missing entry: 2 ok 1 missing entry"},
		{"an error without an id in a batch", "[rr]", 200, "[" + r("10") + "," + e("null", -32000) + "]", "unknown id: 1 ok 1 unknown id"},
		{"an error without an id for a singleton", "r", 200, e("null", -32603), "rpc error: 1 rpc error, code -32603 x1"},

		// The wrong outer form.
		{"the one due answer, unwrapped (cometbft)", "[r]", 200, r("10"), "ok: 1 ok"},
		{"the one due answer beside a notification, unwrapped", "[nr]", 200, r("11"), "ok: 1 ok 1 notified"},
		{"the one due answer is an error, unwrapped", "[nr]", 200, e("11", -32000), "rpc error: 1 rpc error 1 notified, code -32000 x1"},
		{"one answer of two, unwrapped", "[rr]", 200, r("10"), "missing entry: 1 ok 1 missing entry"},
		{"a singleton's answer in an array", "r", 200, "[" + r("10") + "]", "ok: 1 ok"},
		{"an empty array", "[rr]", 200, "[]", "missing entry: 2 missing entry"},

		// The batch refused as a whole.
		{"one object for a batch", "[rrn]", 200, e("null", -32010), "batch-level error: 3 batch-level error, code -32010 x1"},
		{"and for a batch of one", "[r]", 200, e("null", -32005), "batch-level error: 1 batch-level error, code -32005 x1"},
		{"without an id member (cometbft)", "[rr]", 500, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"exceeds maximum (10)"}}`, "batch-level error: 2 batch-level error, code -32600 x1"},
		{"with an entry's id", "[rr]", 200, e("10", -32600), "batch-level error: 2 batch-level error, code -32600 x1"},
		{"by status 400 (NEAR)", "[rm]", 400, e("null", -32700), "batch-level error: 2 batch-level error, code -32700 x1"},
		{"only notifications", "[nn]", 200, e("null", -32005), "batch-level error: 2 batch-level error, code -32005 x1"},
		{"an array of one with the first id (geth)", "[nrrr]", 200, "[" + e("11", -32600) + "]", "batch-level error: 4 batch-level error, code -32600 x1"},
		{"an array of one without an id", "[rr]", 200, "[" + e("null", -32600) + "]", "batch-level error: 2 batch-level error, code -32600 x1"},
		{"an array of one that is an entry's own error", "[rr]", 200, "[" + e("10", -32000) + "]", "missing entry: 1 rpc error 1 missing entry, code -32000 x1"},
		{"an array of one that is a malformed member's", "[rm]", 200, "[" + e("null", -32600) + "]", "missing entry: 1 missing entry 1 rejected as malformed, code -32600 x1"},

		// Statuses.
		{"an answer under 408 (NEAR)", "r", 408, e("10", -32000), "rpc error: 1 rpc error, code -32000 x1"},
		{"an answer under 500", "[rr]", 500, "[" + r("10") + "," + r("11") + "]", "ok: 2 ok"},
		{"415 in plain text", "[rn]", 415, "content type not supported", "HTTP error: 2 HTTP error"},
		{"502 with JSON that is no answer", "r", 502, `{"message":"bad gateway"}`, "HTTP error: 1 HTTP error"},
		{"503 without a body", "[n]", 503, "", "HTTP error: 1 HTTP error"},
		{"404 with an empty array", "[r]", 404, "[]", "HTTP error: 1 HTTP error"},
		{"a redirect", "r", 302, "", "HTTP error: 1 HTTP error"},

		// What is no answer.
		{"an empty body where answers were due", "[rmn]", 200, "", "missing entry: 2 missing entry 1 notified"},
		{"a page of HTML", "[rn]", 200, "<html>", "malformed response: 2 malformed response"},
		{"JSON cut short after good answers", "[rr]", 200, "[" + r("10") + "," + r("11"), "malformed response: 2 malformed response"},
		{"data after the answer", "r", 200, r("10") + "x", "malformed response: 1 malformed response"},
		{"two answers one after the other", "r", 200, r("10") + r("10"), "malformed response: 1 malformed response"},
		{"JSON that is no answer", "r", 200, `{"ok":true}`, "malformed response: 1 malformed response"},
		{"an array of such", "[rr]", 200, `[1,"a"]`, "malformed response: 2 malformed response"},
		{"an element that is no answer beside good ones", "[rr]", 200, "[" + r("10") + ",7," + r("11") + "]", "malformed response: 2 ok, surplus 1"},
		{"result and error at once", "[r]", 200, `[{"result":1,"error":{"code":1,"message":""},"id":10}]`, "malformed response: 1 malformed response"},
	} {
		c := newCorrelator()
		var o results.Outcome
		c.judge(sent(tt.sent), transport.Reply{Status: tt.status, Body: []byte(tt.reply)}, nil, &o)
		if got := tally(&o); got != tt.want {
			t.Errorf("%s: sent %s, answered %d %s\n got %s\nwant %s", tt.why, tt.sent, tt.status, tt.reply, got, tt.want)
		}
		if (o.Detail != "") != o.Class.Failed() {
			t.Errorf("%s: class %s with words %q", tt.why, o.Class, o.Detail)
		}
	}
}

func TestJudgeFailedExchanges(t *testing.T) {
	for failure, want := range map[transport.Failure]results.Class{
		transport.Timeout:   results.Timeout,
		transport.Refused:   results.Refused,
		transport.Forbidden: results.Refused,
		transport.Reset:     results.Reset,
		transport.Malformed: results.MalformedResponse,
		transport.Cancelled: results.CutOff,
		transport.Exhausted: results.Refused,
	} {
		var o results.Outcome
		err := fmt.Errorf("wrapped: %w", &transport.Error{Failure: failure, Err: errors.New("its words")})
		newCorrelator().judge(sent("[rnm]"), transport.Reply{}, err, &o)
		if o.Class != want || o.ByClass[want] != 3 || o.HTTPStatus != 0 {
			t.Errorf("failure %d: %s", failure, tally(&o))
		}
		words := "wrapped: its words"
		if want == results.CutOff {
			words = "" // the end of the run says nothing of the node
		}
		if o.Detail != words {
			t.Errorf("failure %d: words %q", failure, o.Detail)
		}
	}
}

func TestJudgeKeepsTheNodesWords(t *testing.T) {
	for _, tt := range []struct {
		sent, reply string
		status      int
		want        string
	}{
		{"r", e("10", -32000), 200, "-32000 noé"},
		{"r", `{"error":{"code":-32000,"message":"Server error","data":"account x does not exist"},"id":10}`, 200, "-32000 Server error: account x does not exist"},
		{"r", `{"error":{"code":-32602,"message":"no","data":{"field":"k"}},"id":10}`, 200, `-32602 no: {"field":"k"}`},
		{"[rr]", "[" + e("10", -32003) + "]", 200, "1 of 2 entries was not answered; the node says: -32003 noé"},
		{"[rr]", e("null", -32010), 200, "batch refused: noé (2 entries), code -32010"},
		{"[rr]", "[" + r("10") + "]", 200, "1 of 2 entries was not answered"},
		{"[rr]", "", 200, "the reply is empty: 2 of 2 entries were not answered"},
		{"[rr]", "\n", 200, "the reply is nothing but white space: 2 of 2 entries were not answered"},
		{"[rr]", "[]", 200, "the reply is an empty array: 2 of 2 entries were not answered"},
		{"[rr]", "[" + r("10") + "," + r("99") + "]", 200, "an answer that was not asked for, with the id 99: a result"},
		{"[rr]", "[" + r("10") + "," + e("null", -32000) + "]", 200, "an answer that was not asked for, without an id: -32000 noé"},
		{"[mrr]", "[" + e("null", -32600) + "," + r("11") + "]", 200, "1 of 3 entries was not answered"}, // what was owed explains nothing
		// What has no answer, by its kind.
		{"[rmmr]", "[" + r("10") + "," + r("13") + "]", 200, "2 of 4 entries were not answered, all of them sent malformed (without an id)"},
		{"[rmtr]", "[" + r("10") + "," + r("13") + "]", 200, "2 of 4 entries were not answered, all of them sent malformed"},
		{"[rt]", "[" + r("10") + "]", 200, "1 of 2 entries was not answered, one that was sent malformed (with the id true)"},
		{"[rir]", "[" + r("10") + "]", 200, "2 of 3 entries were not answered, 1 of them sent malformed (with their own id)"},
		{"[rm]", "[" + r("10") + "," + e("11", -1) + "]", 200, "an answer that was not asked for, with the id 11: -1 noé"},
		{"[rr]", "[" + r("10") + "," + e("11", -1) + ",{}]", 200, "HTTP 200: [" + r("10") + "," + e("11", -1) + ",{}]"},
		{"[rr]", "[" + r("10") + "," + r("10") + "," + r("11") + "]", 200, "1 of 2 entries was answered more than once"},
		// What was refused as a whole, with its size.
		{"[" + strings.Repeat("r", 1200) + "]", `[{"jsonrpc":"2.0","id":10,"error":{"code":-32600,"message":"batch too large"}}]`, 200, "batch refused: batch too large (1,200 entries), code -32600"},
		{"[rr]", `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"too many","data":{"limit":1,"size":2}}}`, 200, `batch refused: too many: {"limit":1,"size":2} (2 entries), code -32602`},
		{"[r]", `{"jsonrpc":"2.0","id":null,"error":{"code":-32005}}`, 200, "batch refused: the node says nothing more (1 entry), code -32005"},
		{"[rm]", e("null", -32700), 400, "batch refused: noé (2 entries, 1 of them sent malformed), code -32700"},
		// What nobody asked for.
		{"[rn]", "[" + r("10") + `,{"result":1}]`, 200, "an answer that was not asked for, without an id: a result; perhaps to a notification, which is owed none (expect.answers_to_notifications puts up with those)"},
		{"[rr]", "[" + r("10") + "," + r(`"`+strings.Repeat("x", 80)+`"`) + "," + r("12") + "]", 200, `an answer that was not asked for, with the id "` + strings.Repeat("x", 39) + ": a result"},
		{"r", "bad gateway", 502, "HTTP 502: bad gateway"},
		{"r", `{"result":{"error":{"kind":1}},"id":10}`, 200, `{"kind":1}`},
		{"r", strings.Repeat("é", 400), 502, "HTTP 502: " + strings.Repeat("é", 145)},
	} {
		var o results.Outcome
		newCorrelator().judge(sent(tt.sent), transport.Reply{Status: tt.status, Body: []byte(tt.reply)}, nil, &o)
		if o.Detail != tt.want {
			t.Errorf("%s: %q, want %q", tt.reply, o.Detail, tt.want)
		}
	}
}

// A correlator carries nothing over from one call to the next.
func TestJudgeStartsAfresh(t *testing.T) {
	c := newCorrelator()
	var o results.Outcome
	c.judge(sent("[rrm]"), transport.Reply{Status: 200, Body: []byte("[" + r("10") + "," + r("99") + "," + e("11", -1) + "," + e("null", -32600) + ",3]")}, nil, &o)
	c.judge(sent("[rr]"), transport.Reply{Status: 200, Body: []byte("[" + r("10") + "," + r("11") + "]")}, nil, &o)
	if got := tally(&o); got != "ok: 2 ok" {
		t.Error(got)
	}
}

// Whatever a server answers, every entry is counted exactly once, codes are those
// of the entries that carry them, and no text is left out where a call failed.
func FuzzJudgeCountsEveryEntryOnce(f *testing.F) {
	for _, reply := range []string{
		"", "[]", "{}", "[" + r("10") + "," + r("11") + "]", e("null", -32600), "[" + e("10", -32600) + "]",
		"[" + e("null", -32600) + "," + r("10.0") + "," + r("12") + "," + r("12") + ",7]", r("true"), "[" + r("10"), r("-0"),
	} {
		for _, sketch := range []string{"r", "n", "i", "[r]", "[nn]", "[rrr]", "[rnmit]"} {
			f.Add(sketch, 200, []byte(reply))
			f.Add(sketch, 500, []byte(reply))
		}
	}
	c := newCorrelator() // reused, so that what it carries over is found
	f.Fuzz(func(t *testing.T, sketch string, status int, reply []byte) {
		single := !strings.HasPrefix(sketch, "[")
		sketch = strings.Map(func(c rune) rune {
			if strings.ContainsRune("rnmit", c) {
				return c
			}
			return -1
		}, sketch)
		switch {
		case sketch == "":
			return
		case single:
			sketch = sketch[:1]
		default:
			sketch = "[" + sketch + "]"
		}
		m := sent(sketch)
		var o results.Outcome
		c.judge(m, transport.Reply{Status: status, Body: reply}, nil, &o)
		sum, codes := 0, 0
		for _, n := range o.ByClass {
			sum += n
		}
		for _, n := range o.Codes {
			codes += n.Count
		}
		if sum != len(m.members) {
			t.Errorf("%s answered %q: classes add up to %d: %s", sketch, reply, sum, tally(&o))
		}
		checkParts(t, m, &o)
		if want := o.ByClass[results.RPCError] + o.ByClass[results.Rejected] + min(o.ByClass[results.BatchError], 1); codes != want {
			t.Errorf("%s answered %q: %d codes, want %d: %s", sketch, reply, codes, want, tally(&o))
		}
		if o.Class != results.UnknownID && o.Class != results.MalformedResponse && o.ByClass[o.Class] == 0 {
			t.Errorf("%s answered %q: %s", sketch, reply, tally(&o))
		}
		if o.Class.Failed() != (o.Detail != "") && !(o.Class == results.ResultError || o.Class == results.RPCError) {
			t.Errorf("%s answered %q: class %s with words %q", sketch, reply, o.Class, o.Detail)
		}
		if !slices.ContainsFunc(gravity[:], func(k results.Class) bool { return k == o.Class }) &&
			o.Class != results.BatchError && o.Class != results.HTTPError {
			t.Errorf("%s answered %q: class %s without a failed exchange", sketch, reply, o.Class)
		}
	})
}

func BenchmarkJudgeBatchOf100(b *testing.B) {
	var body strings.Builder
	body.WriteByte('[')
	m := &message{first: 1, batch: true}
	for i := range 100 {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"jsonrpc":"2.0","result":{"amount":"1000000000000000000000000","block_height":%d},"id":%d}`, 1000+i, 1+i)
		m.members = append(m.members, request)
	}
	body.WriteByte(']')
	reply := transport.Reply{Status: 200, Body: []byte(body.String())}
	c := newCorrelator()
	var o results.Outcome
	b.ReportAllocs()
	b.SetBytes(int64(body.Len()))
	for b.Loop() {
		c.judge(m, reply, nil, &o)
	}
	if o.ByClass[results.OK] != 100 {
		b.Fatal(tally(&o))
	}
}
