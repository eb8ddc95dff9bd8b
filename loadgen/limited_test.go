package loadgen

import (
	"fmt"
	"testing"

	"volley/loadgen/transport"
	"volley/results"
)

// What says that a rate was passed, by dialect, status and words.
func TestRateLimited(t *testing.T) {
	said := func(id string, code int, message string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":%d,"message":%q},"id":%s}`, code, message, id)
	}
	for _, tt := range []struct {
		why, dialect, sent string
		status             int
		reply, want        string
		answered           bool
	}{
		{"the reference node's code", "near", "r", 200, e("10", -32029), "rate limited: 1 rate limited, code -32029 x1", true},
		{"for a whole batch, by one object", "near", "[rrn]", 429, e("null", -32029), "rate limited: 3 rate limited, code -32029 x1", true},
		{"without an id for a singleton", "jsonrpc", "r", 200, e("null", -32029), "rate limited: 1 rate limited, code -32029 x1", true},
		{"HTTP's status as a code", "jsonrpc", "[rr]", 200, "[" + r("10") + "," + e("11", 429) + "]", "rate limited: 1 ok 1 rate limited, code 429 x1", true},
		{"beside an rpc error", "jsonrpc", "[rr]", 200, "[" + e("10", -32000) + "," + e("11", 429) + "]", "rate limited: 1 rpc error 1 rate limited, code -32000 x1, code 429 x1", true},
		{"RCP's code", "rcp", "[rr]", 200, e("null", -32011), "rate limited: 2 rate limited, code -32011 x1", true},
		{"which is another's response over its size", "near", "[rr]", 200, e("null", -32011), "batch-level error: 2 batch-level error, code -32011 x1", true},
		{"the reference node's is no code of RCP's", "rcp", "r", 200, e("10", -32029), "rpc error: 1 rpc error, code -32029 x1", true},

		{"EIP-1474", "jsonrpc", "r", 200, said("10", -32005, "Limit exceeded"), "rate limited: 1 rate limited, code -32005 x1", true},
		{"in a provider's words", "jsonrpc", "r", 200, said("10", -32005, "project ID request rate exceeded"), "rate limited: 1 rate limited, code -32005 x1", true},
		{"another limit's words (Nethermind)", "jsonrpc", "[rr]", 200, said("null", -32005, "Batch size limit exceeded"), "batch-level error: 2 batch-level error, code -32005 x1", true},
		{"batches that are not taken (NEAR)", "near", "[rr]", 200, said("null", -32005, "batch requests are not supported by this server"), "batch-level error: 2 batch-level error, code -32005 x1", true},

		{"429 and nothing", "near", "[rn]", 429, "", "rate limited: 2 rate limited", false},
		{"429 and a gateway's page", "near", "r", 429, "<html>slow down</html>", "rate limited: 1 rate limited", false},
		{"429 and JSON that is no answer", "near", "r", 429, `{"message":"slow down"}`, "rate limited: 1 rate limited", false},
		{"429 and errors of other codes", "near", "[rr]", 429, "[" + e("10", -32000) + "," + e("11", -32000) + "]", "rate limited: 2 rate limited, code -32000 x2", true},
		{"429 and an answer all the same", "near", "r", 429, r("10"), "ok: 1 ok", true},
		{"503", "near", "r", 503, "", "HTTP error: 1 HTTP error", false},
		{"a malformed member's rejection stays one", "near", "[rm]", 200, "[" + e("10", -32029) + "," + e("null", -32600) + "]", "rate limited: 1 rate limited 1 rejected as malformed, code -32029 x1, code -32600 x1", true},
	} {
		c := newCorrelator()
		c.speak(tt.dialect)
		m := sent(tt.sent)
		var o results.Outcome
		for range 2 { // the second time with what the first left behind
			c.judge(m, transport.Reply{Status: tt.status, Body: []byte(tt.reply)}, nil, &o)
			describe(&o, m)
			if got := tally(&o); got != tt.want || o.Answered() != tt.answered {
				t.Errorf("%s: sent %s, answered %d %s\n got %s, answered %v\nwant %s, %v", tt.why, tt.sent, tt.status, tt.reply, got, o.Answered(), tt.want, tt.answered)
			}
			checkParts(t, m, &o)
		}
		if o.Class == results.RateLimited && o.Detail == "" {
			t.Errorf("%s: without words", tt.why)
		}
	}
}
