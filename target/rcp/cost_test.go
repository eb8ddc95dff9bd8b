package rcp

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/target"
)

var _ target.Executing = (*Dialect)(nil)

// TestCosts: three singletons pay three envelopes, a batch of three entries one,
// and one entry of three items one of each but the items.
func TestCosts(t *testing.T) {
	const config = `{"batch_concurrency_limit": 1, "documents": 0, "service": {"embed": "1s"}, "cost": {"call": "100s", "entry": "10s", "item": "1000s"}}`
	entry := func(method, params string) string {
		return `{"method":"` + method + `","params":{` + params + `},"id":1}`
	}
	embed1 := entry("embed", `"inputs":["a"]`)
	for _, tt := range []struct {
		name   string
		bodies []string // one after another
		want   int      // seconds
	}{
		{"singletons", []string{embed1, embed1, embed1}, 3333},
		{"a batch", []string{"[" + embed1 + "," + embed1 + "," + embed1 + "]"}, 3133},
		{"an array", []string{entry("embed", `"inputs":["a","b","c"]`)}, 3111},
		{"passages", []string{entry("rerank", `"query":"q","passages":["a","b"]`)}, 2110},
		{"documents", []string{entry("index/add", `"documents":[{"text":"a"},{"text":"b"}]`)}, 2110},
		{"a query has no array", []string{entry("retrieve", `"query":"q","k":3`)}, 1110},
		{"what does not compute is an envelope", []string{entry("ping", ""), "[]"}, 200},
		{"nor do params that are refused", []string{entry("embed", `"inputs":5`)}, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := target.New(newDialect(t, config), target.Options{})
				begun := time.Now()
				for _, body := range tt.bodies {
					r := httptest.NewRequest("POST", "/rcp", strings.NewReader(body))
					r.Header.Set("Content-Type", "application/json")
					n.Handler().ServeHTTP(httptest.NewRecorder(), r)
				}
				if took := time.Since(begun); took != time.Duration(tt.want)*time.Second {
					t.Errorf("took %v, want %d s", took, tt.want)
				}
			})
		})
	}
}

// What an entry takes is drawn by its turn, which the node gives it: no two take the same.
func TestEntriesDrawTheirOwnTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := target.New(newDialect(t, `{"documents": 0, "service": {"embed": {"exponential": "2ms"}}}`), target.Options{})
		times := map[time.Duration]bool{}
		for range 5 {
			r := httptest.NewRequest("POST", "/rcp", strings.NewReader(`{"method":"embed","params":{"inputs":["a"]},"id":1}`))
			r.Header.Set("Content-Type", "application/json")
			begun := time.Now()
			n.Handler().ServeHTTP(httptest.NewRecorder(), r)
			times[time.Since(begun)] = true
		}
		if len(times) != 5 {
			t.Errorf("5 calls take %v", times)
		}
	})
}
