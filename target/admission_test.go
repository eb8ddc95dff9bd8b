package target_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// sent posts a body from an address and tells what came back in one text.
func sent(n *target.Node, remote, body string) string {
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.RemoteAddr = remote
	w := httptest.NewRecorder()
	n.Handler().ServeHTTP(w, r)
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", w.Code, w.Header().Get("Retry-After"), w.Body))
}

func admitting(t *testing.T, config string) *target.Node {
	return generic(t, `{"admission": `+config+`}`)
}

// TestAdmissionCharges empties a bucket that fills by 1 a second: what a body
// pays is how long it takes until there is room again.
func TestAdmissionCharges(t *testing.T) {
	call, note := request("echo", "[]", "1"), notification("echo", "[]")
	sleep := request("sleep", "[0]", "1")
	for _, tt := range []struct {
		config, body string
		pays         int
	}{
		{`{"rate": 1, "burst": 100}`, call, 1},
		{`{"rate": 1, "burst": 100}`, note, 1},
		{`{"rate": 1, "burst": 100}`, "[" + call + "," + note + ",5]", 1},
		{`{"rate": 1, "burst": 100}`, "[]", 1},
		{`{"rate": 1, "burst": 100}`, "nope", 1},
		{`{"rate": 1, "burst": 100, "charge": "entry"}`, call, 1},
		{`{"rate": 1, "burst": 100, "charge": "entry"}`, "[" + call + "," + note + ",5]", 3},
		{`{"rate": 1, "burst": 100, "charge": "entry"}`, "[]", 1},
		{`{"rate": 1, "burst": 100, "charge": "entry"}`, "nope", 1},
		{`{"rate": 1, "burst": 100, "charge": "cost", "cost": {"sleep": 7, "echo": 0}}`, sleep, 7},
		{`{"rate": 1, "burst": 100, "charge": "cost", "cost": {"sleep": 7, "echo": 0}}`, call, 0},
		{`{"rate": 1, "burst": 100, "charge": "cost", "cost": {"sleep": 7, "echo": 0}}`, "[" + sleep + "," + sleep + "," + call + "," + note + ",5]", 15},
		{`{"rate": 1, "burst": 100, "charge": "cost", "cost": {"sleep": 7}}`, "[" + request("sum", "[]", "1") + "]", 1},
		{`{"rate": 1, "burst": 100, "charge": "cost"}`, "nope", 1},
		{`{"rate": 1, "burst": 100, "charge": "cost", "cost": {"kind one": 9}}`, request("echo", `{"kind":"kind\u0020one"}`, "1"), 9},
		{`{"rate": 1, "burst": 100, "charge": "cost", "cost": {"kind one": 9, "echo": 3}}`, request("echo", `{"kind":"kind two"}`, "1"), 3},
		{`{"rate": 1, "burst": 100, "charge": "cost", "cost": {"echo": 3}}`, request("echo", `[{"kind":"kind one"}]`, "1"), 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := altered{Dialect: dialect(t, `{"admission": `+tt.config+`}`), policy: func(p *target.Policy) { p.CostMember = "kind" }}
			n := target.New(d, target.Options{})
			if got := sent(n, "192.0.2.1:1", tt.body); strings.HasPrefix(got, "429") {
				t.Fatalf("%s %s: %s", tt.config, tt.body, got)
			}
			full := "[" + strings.TrimSuffix(strings.Repeat("1,", 100), ",") + "]"
			if strings.Contains(tt.config, "charge") { // the rest of the bucket at once, or not yet
				time.Sleep(time.Duration(max(tt.pays-1, 0)) * time.Second)
				refused := strings.HasPrefix(sent(n, "192.0.2.1:1", full), "429")
				if refused != (tt.pays > 0) {
					t.Errorf("%s %.80s: refused a second before: %v", tt.config, tt.body, refused)
				}
				time.Sleep(time.Second)
				if got := sent(n, "192.0.2.1:1", full); tt.pays > 0 && strings.HasPrefix(got, "429") {
					t.Errorf("%s %.80s: pays more than %d: %s", tt.config, tt.body, tt.pays, got)
				}
				return
			}
			for range 99 {
				if got := sent(n, "192.0.2.1:1", tt.body); strings.HasPrefix(got, "429") {
					t.Fatalf("%s %s: pays more than %d: %s", tt.config, tt.body, tt.pays, got)
				}
			}
			if got := sent(n, "192.0.2.1:1", tt.body); !strings.HasPrefix(got, "429") {
				t.Errorf("%s %s: pays less than %d: %s", tt.config, tt.body, tt.pays, got)
			}
		})
	}
}

// TestAdmissionAnswers: what is held up is told when to come again, and then it
// is let in; what can never be let in is told so.
func TestAdmissionAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := admitting(t, `{"rate": 2, "burst": 4, "charge": "entry"}`)
		call, note := request("echo", "[]", "7"), notification("echo", "[]")
		five := "[" + strings.Repeat(call+",", 4) + call + "]"
		never := `429  {"jsonrpc":"2.0","error":{"code":-32029,"message":"Too many requests at once: this body is charged 5, and no more than 4 is ever let in; split it"},"id":null}`
		if got := sent(n, "192.0.2.1:1", five); got != never {
			t.Errorf("over the burst: %s", got)
		}
		if got := sent(n, "192.0.2.1:1", "["+strings.Repeat(call+",", 3)+call+"]"); !strings.HasPrefix(got, "200") {
			t.Errorf("a refused body has paid: %s", got)
		}
		limited := func(after, id string) string {
			return "429 " + after + ` {"jsonrpc":"2.0","error":{"code":-32029,"message":"Too many requests"},"id":` + id + `}`
		}
		for _, tt := range []struct{ body, want string }{
			{call, limited("1", "7")},
			{"[" + call + "]", limited("1", "null")},
			{"[" + call + "," + call + "," + call + "]", limited("2", "null")},
			{"[" + note + "," + note + "]", "429 1"},
			{note, "429 1"},
			{"5", limited("1", "null")},
			{"nope", limited("1", "null")},
			{"[]", limited("1", "null")},
			{five, never},
		} {
			if got := sent(n, "192.0.2.1:1", tt.body); got != tt.want {
				t.Errorf("%s\ngot  %s\nwant %s", tt.body, got, tt.want)
			}
		}
		time.Sleep(1500 * time.Millisecond)
		if got := sent(n, "192.0.2.1:1", "["+call+","+call+","+call+"]"); !strings.HasPrefix(got, "200") {
			t.Errorf("three, in time: %s", got)
		}
		page := get(n, "/metrics")
		for _, series := range []string{`{outcome="admitted"} 2`, `{outcome="limited"} 8`, `{outcome="over_burst"} 2`} {
			if !strings.Contains(page, "volley_admission_total"+series) {
				t.Errorf("no %s", series)
			}
		}
		if !strings.Contains(page, `volley_http_requests_total{shape="batch",status="429"} 6`) {
			t.Error("what is not let in is no exchange")
		}
		if strings.Contains(page, `volley_rpc_batch_requests_total{outcome="empty"} 1`) {
			t.Error("what is not let in reaches the engine")
		}
	})
}

// TestAdmissionPerClient: a client's bucket is its address's, whatever the port.
func TestAdmissionPerClient(t *testing.T) {
	call := request("echo", "[]", "7")
	for per, others := range map[string]string{"client": "200", "node": "429"} {
		synctest.Test(t, func(t *testing.T) {
			n := admitting(t, `{"rate": 1, "per": "`+per+`"}`)
			for _, tt := range []struct{ remote, want string }{
				{"192.0.2.1:1", "200"}, {"192.0.2.1:1", "429"}, {"192.0.2.1:2", "429"}, {"192.0.2.2:1", others}, {"[2001:db8::1]:9", others},
			} {
				if got := sent(n, tt.remote, call)[:3]; got != tt.want {
					t.Errorf("per %s: %s gets %s, want %s", per, tt.remote, got, tt.want)
				}
			}
		})
	}
}

// TestAdmissionRunsNothing: neither the calls nor what they would change.
func TestAdmissionRunsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := admitting(t, `{"rate": 1}`)
		for range 3 {
			sent(n, "192.0.2.1:1", "["+request("echo", "[]", "1")+","+notification("sum", "[1]")+"]")
		}
		page := get(n, "/metrics")
		if !strings.Contains(page, `volley_rpc_total_count{method="echo"} 1`) || !strings.Contains(page, `volley_rpc_total_count{method="sum"} 1`) {
			t.Error("not one batch has run")
		}
	})
}

// TestAdmissionOnStreams: a stream is one client, and a notification is not
// answered there either.
func TestAdmissionOnStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := strings.Join([]string{request("echo", "[]", "1"), notification("echo", "[]"), "[" + notification("echo", "[]") + "]", request("echo", "[]", "2")}, "\n")
		var out bytes.Buffer
		if err := admitting(t, `{"rate": 1}`).ServeStream(t.Context(), strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		limited := failure(-32029, "Too many requests", "2")
		if len(lines) != 2 || lines[0] != limited && lines[1] != limited {
			t.Errorf("got %q", lines)
		}
	})
}

// TestAdmissionWords: a dialect that answers errors with HTTP 200 tells the time
// in the error's data.
func TestAdmissionWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := altered{Dialect: dialect(t, `{"admission": {"rate": 4, "burst": 1, "charge": "entry"}}`), policy: func(p *target.Policy) {
			p.Limited = target.Refusal{Status: 200, Error: jsonrpc.Error{Code: -32011, Message: "rate limited"}, Data: target.RetryAfter}
			p.NeverAdmitted = target.Refusal{Status: 200, Error: jsonrpc.Error{Code: -32013, Message: "split"}, Data: target.LimitSize}
		}}
		n := target.New(d, target.Options{})
		call, note := request("echo", "[]", "7"), notification("echo", "[]")
		for _, tt := range []struct{ body, want string }{
			{call, "200  " + result("[]", "7")},
			{call, `200  {"jsonrpc":"2.0","error":{"code":-32011,"message":"rate limited","data":{"retryable":true,"retryAfterMs":250}},"id":7}`},
			{"[" + call + "," + note + "]", `200  {"jsonrpc":"2.0","error":{"code":-32013,"message":"split","data":{"limit":1,"size":2}},"id":null}`},
			{note, "429 1"},
		} {
			if got := sent(n, "192.0.2.1:1", tt.body); got != tt.want {
				t.Errorf("%s\ngot  %s\nwant %s", tt.body, got, tt.want)
			}
		}
	})
}

// TestAdmissionOff: without it there is no series and no ceiling.
func TestAdmissionOff(t *testing.T) {
	n := generic(t, "")
	for range 100 {
		if got := sent(n, "192.0.2.1:1", request("echo", "[]", "1")); !strings.HasPrefix(got, "200") {
			t.Fatal(got)
		}
	}
	if page := get(n, "/metrics"); strings.Contains(page, "volley_admission") || strings.Contains(page, "volley_misbehaved") {
		t.Error("series of what is off")
	}
}
