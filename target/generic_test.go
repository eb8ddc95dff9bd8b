package target_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/target"
)

func TestGenericMethods(t *testing.T) {
	bad := func(why string) string {
		return `{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params","data":"` + strings.ReplaceAll(why, `"`, `\"`) + `"},"id":1}`
	}
	const (
		wantNumbers = "want numbers, each within the range of a float64"
		wantTwo     = `want [a, b] or {"minuend": a, "subtrahend": b}`
		wantMS      = `want {"ms": n} or [n], from 0 to an hour`
		wantUS      = `want {"us": n} or [n], from 0 to a minute`
		wantFault   = `want {"code": a whole number, "message": a string}, and data if there is any`
	)
	for _, tt := range []struct{ method, params, want string }{
		{"sum", "[1,2,4]", result("7", "1")},
		{"sum", "[]", result("0", "1")},
		{"sum", "[-1, 1]", result("0", "1")},
		{"sum", "[9007199254740993, 9223372036854775807, 1]", result("9232379236109516801", "1")},
		{"sum", "[0.5,0.25]", result("0.75", "1")},
		{"sum", "[1.0,2]", result("3", "1")},
		{"sum", "[1e22,1]", result("1e+22", "1")},
		{"sum", "[1e999]", bad(wantNumbers)},
		{"sum", "[1e308,1e308]", bad("the result is out of a float64's range")},
		{"sum", `["1"]`, bad(wantNumbers)},
		{"sum", `[null]`, bad(wantNumbers)},
		{"sum", `[[1]]`, bad(wantNumbers)},
		{"sum", `{"a":1}`, bad("want an array of numbers")},
		{"sum", `null`, bad("want an array of numbers")},
		{"subtract", "[42,23]", result("19", "1")},
		{"subtract", "[23,42]", result("-19", "1")},
		{"subtract", `{"subtrahend": 23, "minuend": 42}`, result("19", "1")},
		{"subtract", "[1.5,1]", result("0.5", "1")},
		{"subtract", "[1]", bad(wantTwo)},
		{"subtract", "[1,2,3]", bad(wantTwo)},
		{"subtract", `{"minuend": 42}`, bad(wantTwo)},
		{"echo", `{"a": [1, 2.50]}`, result(`{"a": [1, 2.50]}`, "1")},
		{"sleep", `[5]`, result("null", "1")},
		{"sleep", `{"ms":0.5}`, result("null", "1")},
		{"sleep", `{"us":5}`, bad(wantMS)},
		{"sleep", `[-1]`, bad(wantMS)},
		{"sleep", `[3600001]`, bad(wantMS)},
		{"sleep", `["5"]`, bad(wantMS)},
		{"sleep", `[1,2]`, bad(wantMS)},
		{"burn", `[0]`, result("null", "1")},
		{"burn", `{"us":50}`, result("null", "1")},
		{"burn", `{"us":60000001}`, bad(wantUS)},
		{"fail", `{"code":-5,"message":"a\"b"}`, `{"jsonrpc":"2.0","error":{"code":-5,"message":"a\"b"},"id":1}`},
		{"fail", `{"code":-5,"message":"x","data":{"k":1}}`, `{"jsonrpc":"2.0","error":{"code":-5,"message":"x","data":{"k":1}},"id":1}`},
		{"fail", `{"code":1.5,"message":"x"}`, bad(wantFault)},
		{"fail", `{"code":1}`, bad(wantFault)},
		{"fail", `[1]`, bad(wantFault)},
		{"Sum", `[1]`, failure(-32601, "Method not found", "1")},
	} {
		if got := post(generic(t, ""), "/", request(tt.method, tt.params, "1")); got != "200 "+tt.want {
			t.Errorf("%s %s\ngot  %s\nwant 200 %s", tt.method, tt.params, got, tt.want)
		}
	}
}

// TestServiceTime: a method's service time holds a slot before the method runs,
// and the same seed gives the same times.
func TestServiceTime(t *testing.T) {
	took := func(config string) (total time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			n := generic(t, config)
			begun := time.Now()
			if got := post(n, "/", "["+request("echo", "[]", "1")+","+request("echo", "[]", "2")+","+request("sum", "[]", "3")+"]"); !strings.HasPrefix(got, "200 [{") {
				t.Error(got)
			}
			total = time.Since(begun)
		})
		return total
	}
	if got := took(`{"slots": 1, "service": {"echo": "2ms"}}`); got != 4*time.Millisecond {
		t.Errorf("two calls on one slot took %v", got)
	}
	if got := took(`{"slots": 2, "service": {"echo": "2ms"}}`); got != 2*time.Millisecond {
		t.Errorf("two calls on two slots took %v", got)
	}
	random := `{"slots": 1, "service": {"echo": {"exponential": "2ms"}}, "seed": `
	if a, b := took(random+"1}"), took(random+"1}"); a != b {
		t.Errorf("one seed, %v and %v", a, b)
	}
	if a, b := took(random+"1}"), took(random+"2}"); a == b {
		t.Errorf("two seeds, both %v", a)
	}
}

var _ target.Dialect = altered{}
