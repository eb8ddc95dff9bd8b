package target_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// TestResponseCut walks the limit over an answer: every entry runs, or none
// after the one that goes over; what is not run has no answer of its own.
func TestResponseCut(t *testing.T) {
	members := []string{request("echo", "[1]", "1"), notification("echo", "[1]"), "5", request("echo", "[2]", "2"), request("nope", "[]", "3"), request("echo", "[3]", "4")}
	answers := []string{result("[1]", "1"), invalidAnswer, result("[2]", "2"), failure(-32601, "Method not found", "3"), result("[3]", "4")}
	cutOff := []string{"", failure(-32003, "response too large", "null"), failure(-32003, "response too large", "2"), failure(-32003, "response too large", "3"), failure(-32003, "response too large", "4")}
	runs := []int{1, 2, 3, 3, 4} // of methods, when the answer at this place is the last one
	body := "[" + strings.Join(members, ",") + "]"
	whole := len("[" + strings.Join(answers, ",") + "]")
	for _, concurrency := range []string{"1", "3"} {
		for limit := 1; limit <= whole; limit++ {
			last, size := len(answers)-1, 1 // the answer that goes over, or the last one
			for i, a := range answers {
				if size += len(a) + 1; size > limit {
					last = i
					break
				}
			}
			over := size > limit
			kept := "[" + strings.Join(append(slices.Clone(answers[:last+1]), cutOff[last+1:]...), ",") + "]"
			replaced := `{"jsonrpc":"2.0","error":{"code":-32011,"message":"The batch response was too large","data":"Exceeded max limit of ` + itoa(limit) + `"},"id":null}`
			if !over {
				replaced = kept
			}
			for cut, want := range map[string]string{"keep": kept, "stop": replaced, "drain": replaced} {
				var ran atomic.Int32
				d := altered{
					Dialect: dialect(t, `{"batch_response_size_limit": `+itoa(limit)+`, "batch_concurrency_limit": `+concurrency+`, "batch_response_cut": "`+cut+`"}`),
				}
				d.run = func(ctx context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
					ran.Add(1)
					return d.Dialect.Run(ctx, c, dst)
				}
				if got := post(target.New(d, target.Options{}), "/", body); got != "200 "+want {
					t.Fatalf("%s, concurrency %s, limit %d of %d\ngot  %s\nwant 200 %s", cut, concurrency, limit, whole, got, want)
				}
				wantRuns := runs[last]
				if cut == "drain" {
					wantRuns = 4
				}
				if concurrency == "1" && int(ran.Load()) != wantRuns {
					t.Errorf("%s, limit %d: %d calls ran, want %d", cut, limit, ran.Load(), wantRuns)
				}
			}
		}
	}
}

// TestResponseMeasure: results and error objects alone are counted, to the byte.
func TestResponseMeasure(t *testing.T) {
	body := "[" + request("echo", `["aaaaaa"]`, `"an id"`) + "," + request("nope", "[]", "2") + "," + request("echo", "[]", "3") + "]"
	fault := len(`{"code":-32601,"message":"Method not found"}`)
	for limit, cut := range map[int]string{9: "2,3", 10: "3", 10 + fault - 1: "3", 10 + fault: ""} {
		got := post(generic(t, `{"batch_response_measure": "results", "batch_response_cut": "keep", "batch_response_size_limit": `+itoa(limit)+`}`), "/", body)
		var ids []string
		for _, id := range []string{`"an id"`, "2", "3"} {
			if strings.Contains(got, failure(-32003, "response too large", id)) {
				ids = append(ids, id)
			}
		}
		if strings.Join(ids, ",") != cut {
			t.Errorf("limit %d: cut %v, want %s", limit, ids, cut)
		}
	}
}

// TestBatchTimeout: what has an answer keeps it; everything else is told that
// the time is over, and nothing runs on.
func TestBatchTimeout(t *testing.T) {
	for _, concurrency := range []string{"1", "2"} {
		synctest.Test(t, func(t *testing.T) {
			n := generic(t, `{"batch_timeout": "100ms", "batch_concurrency_limit": `+concurrency+`}`)
			late := func(id string) string { return failure(-32002, "request timed out", id) }
			begun := time.Now()
			got := post(n, "/", "["+strings.Join([]string{
				request("echo", "[1]", "1"), request("sleep", "[60000]", "2"), notification("echo", "[1]"), request("sleep", "[60000]", "3"), "1", request("echo", "[1]", "4"),
			}, ",")+"]")
			want := "200 [" + result("[1]", "1") + "," + late("2") + "," + late("3") + "," + invalidAnswer + "," + late("4") + "]"
			if got != want {
				t.Errorf("concurrency %s\ngot  %s\nwant %s", concurrency, got, want)
			}
			if took := time.Since(begun); took != 100*time.Millisecond {
				t.Errorf("took %v", took)
			}
			if got := post(n, "/", request("sleep", "[1000]", "1")); got != "200 "+result("null", "1") {
				t.Errorf("a singleton has no batch's time: %s", got)
			}
		})
	}
}

// TestConcurrencyShared: all batches together run no more entries than one may.
func TestConcurrencyShared(t *testing.T) {
	for shared, most := range map[string]int32{"false": 6, "true": 2} {
		synctest.Test(t, func(t *testing.T) {
			var running, peak atomic.Int32
			d := altered{Dialect: dialect(t, `{"batch_concurrency_limit": 2, "slots": 100, "batch_concurrency_shared": `+shared+`}`)}
			d.run = func(ctx context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
				if now := running.Add(1); now > peak.Load() {
					peak.Store(now)
				}
				defer running.Add(-1)
				return append(dst, '1'), map[bool]*jsonrpc.Error{false: {Code: 1}}[target.Wait(ctx, time.Millisecond) == nil]
			}
			n := target.New(d, target.Options{})
			body := "[" + strings.Repeat(request("sleep", "[]", "1")+",", 5) + request("sleep", "[]", "1") + "]"
			var batches sync.WaitGroup
			for range 3 {
				batches.Go(func() {
					if got := post(n, "/", body); strings.Count(got, `"result":1`) != 6 {
						t.Error(got)
					}
				})
			}
			batches.Wait()
			if peak.Load() != most {
				t.Errorf("shared %s: %d entries at once, want %d", shared, peak.Load(), most)
			}
		})
	}
}

// TestAllAtOnce: no bound on concurrency but the batch's size.
func TestAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := generic(t, `{"batch_concurrency_limit": "none", "slots": 1000}`)
		begun := time.Now()
		post(n, "/", "["+strings.Repeat(request("sleep", "[10]", "1")+",", 99)+request("sleep", "[10]", "1")+"]")
		if took := time.Since(begun); took != 10*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

// TestLimitPerClient: the entries of a client's running batches count together,
// until they are answered.
func TestLimitPerClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := generic(t, `{"policy": "fulcrum", "batch_size_limit": 3, "slots": 10, "duplicate_ids": "answer"}`)
		from := func(remote string, entries int) string {
			body := "[" + strings.Repeat(request("sleep", "[10]", "1")+",", entries-1) + request("sleep", "[10]", "1") + "]"
			r := httptest.NewRequest("POST", "/", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr = remote
			w := httptest.NewRecorder()
			n.Handler().ServeHTTP(w, r)
			return w.Body.String()
		}
		refused := failure(4, "Batch limit exceeded", "null")
		var first sync.WaitGroup
		first.Go(func() {
			if got := from("192.0.2.1:1", 2); !strings.HasPrefix(got, "[") {
				t.Errorf("the first: %s", got)
			}
		})
		synctest.Wait()
		for _, tt := range []struct {
			remote  string
			entries int
			refused bool
		}{{"192.0.2.1:2", 2, true}, {"192.0.2.1:2", 4, true}, {"192.0.2.2:1", 3, false}, {"192.0.2.1:2", 1, false}} {
			if got := from(tt.remote, tt.entries); (got == refused) != tt.refused {
				t.Errorf("%+v: got %s", tt, got)
			}
		}
		first.Wait()
		if got := from("192.0.2.1:3", 3); got == refused {
			t.Error("what is answered still counts")
		}
	})
}

// TestIDRules sends each member between two good ones.
func TestIDRules(t *testing.T) {
	for _, tt := range []struct{ config, member, want string }{
		{`{"null_id": "echo"}`, request("echo", "[1]", "null"), result("[1]", "null")},
		{`{"null_id": "invalid"}`, request("echo", "[1]", "null"), invalidAnswer},
		{`{"null_id": "notification"}`, request("echo", "[1]", "null"), ""},
		{`{"duplicate_ids": "answer"}`, request("echo", "[1]", `"before"`), result("[1]", `"before"`)},
		{`{"duplicate_ids": "invalid"}`, request("echo", "[1]", `"before"`), invalidAnswer},
		{`{"duplicate_ids": "invalid"}`, notification("echo", "[1]"), ""},
		{`{"duplicate_ids": "invalid"}`, request("echo", "[1]", "null"), result("[1]", "null")},
		{`{"policy": "jsonrpsee"}`, request("echo", "[1]", "-1e1"), failure(-32600, "Invalid request", "null")},
		{`{"policy": "juno"}`, `{"jsonrpc":"2.0","method":"echo","id":1,"id":2}`, result("null", "2")},
		{`{"policy": "juno"}`, `{"id":2}`, failure(-32600, "Invalid Request", "2")},
		{`{"policy": "juno"}`, `{"id":[2]}`, failure(-32600, "Invalid Request", "null")},
	} {
		want := "200 [" + result("{}", `"before"`)
		if tt.want != "" {
			want += "," + tt.want
		}
		want += "," + result("{}", `"after"`) + "]"
		body := "[" + request("echo", "{}", `"before"`) + "," + tt.member + "," + request("echo", "{}", `"after"`) + "]"
		if got := post(generic(t, tt.config), "/", body); got != want {
			t.Errorf("%s %s\ngot  %s\nwant %s", tt.config, tt.member, got, want)
		}
	}
	if got := post(generic(t, `{"null_id": "notification"}`), "/", request("echo", "[1]", "null")); got != "204" {
		t.Errorf("a singleton whose null id makes a notification: %s", got)
	}
}

// TestRefusalForms: each form over HTTP, with the content type that goes with
// it.
func TestRefusalForms(t *testing.T) {
	for form, want := range map[string]string{
		"object":      `299 application/json {"jsonrpc":"2.0","error":{"code":7,"message":"3 > 2","data":["2"]},"id":9}`,
		"array":       `299 application/json [{"jsonrpc":"2.0","error":{"code":7,"message":"3 > 2","data":["2"]},"id":9}]`,
		"empty_array": `299 application/json []`,
		"nothing":     `299  `,
		"text":        "299 text/plain; charset=utf-8 3 > 2\n",
	} {
		n := generic(t, `{"batch_size_limit": 2, "batch_too_many": {"status": 299, "code": 7, "message": "{size} > {limit}", "data": ["{limit}"], "id": "first", "form": "`+form+`"}}`)
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/", strings.NewReader("["+notification("echo", "[]")+","+request("echo", "[]", "9")+",1]"))
		r.Header.Set("Content-Type", "application/json")
		n.Handler().ServeHTTP(w, r)
		if got := itoa(w.Code) + " " + w.Header().Get("Content-Type") + " " + w.Body.String(); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", form, got, want)
		}
	}
}

// TestRefusalParts: what the config does not name stays the policy's.
func TestRefusalParts(t *testing.T) {
	for parts, want := range map[string]string{
		``:                            `{"jsonrpc":"2.0","error":{"code":-32010,"message":"The batch request was too large","data":"Exceeded max limit of 2"},"id":null}`,
		`"code": 1`:                   `{"jsonrpc":"2.0","error":{"code":1,"message":"The batch request was too large","data":"Exceeded max limit of 2"},"id":null}`,
		`"message": "{size}"`:         `{"jsonrpc":"2.0","error":{"code":-32010,"message":"3","data":"Exceeded max limit of 2"},"id":null}`,
		`"data": null`:                `{"jsonrpc":"2.0","error":{"code":-32010,"message":"The batch request was too large"},"id":null}`,
		`"data": {"most": "{limit}"}`: `{"jsonrpc":"2.0","error":{"code":-32010,"message":"The batch request was too large","data":{"most": "2"}},"id":null}`,
		`"id": "first"`:               `{"jsonrpc":"2.0","error":{"code":-32010,"message":"The batch request was too large","data":"Exceeded max limit of 2"},"id":9}`,
	} {
		n := generic(t, `{"batch_size_limit": 2, "batch_too_many": {`+parts+`}}`)
		if got := post(n, "/", "["+notification("echo", "[]")+","+request("echo", "[]", "9")+",1]"); got != "200 "+want {
			t.Errorf("%s\ngot  %s\nwant 200 %s", parts, got, want)
		}
	}
}
