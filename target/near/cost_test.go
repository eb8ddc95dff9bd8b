package near

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

var _ target.Executing = (*Dialect)(nil)

// TestCosts: a query spends its service time, an entry's and one item's cost in
// its slot, slowed down by the other slot that is busy; what holds no slot spends
// nothing.
func TestCosts(t *testing.T) {
	const config = `{"view_client_threads": 2, "volley": {
		"service": {"view_account": "1ms"},
		"cost": {"call": "1h", "entry": {"constant": "2ms"}, "item": "4ms"},
		"contention": {"sigma": 0.25, "kappa": 0.125}}}`
	if c := parse(t, config); len(c.Ignored) > 0 {
		t.Errorf("passed over: %v", c.Ignored)
	}
	for _, tt := range []struct {
		method, params string
		calls          int
		want           time.Duration
	}{
		{"query", `["account/near",""]`, 1, 7 * time.Millisecond},
		{"query", `["account/near",""]`, 2, 10500 * time.Microsecond}, // 1 + 0.25 + 0.125*2 = 1.5 for the second
		{"query", `["contract/near",""]`, 1, 6 * time.Millisecond},
		{"status", `[]`, 1, 0},
	} {
		t.Run(fmt.Sprint(tt.calls, tt.method, tt.params), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := New(parse(t, config))
				var calls sync.WaitGroup
				begun := time.Now()
				for range tt.calls {
					c := &target.Call{Request: jsonrpc.Request{Method: []byte(tt.method), MethodKind: jsonrpc.String,
						Params: []byte(tt.params), ParamsKind: jsonrpc.Array}}
					if err := d.Admit(t.Context(), c); err != nil {
						t.Fatal(err)
					}
					calls.Go(func() { d.Run(t.Context(), c, nil) })
					synctest.Wait()
				}
				calls.Wait()
				if took := time.Since(begun); took != tt.want {
					t.Errorf("took %v, want %v", took, tt.want)
				}
			})
		})
	}
	_, err := ParseConfig(target.ConfigFile{Name: "config.json", Data: []byte(`{"volley": {"cost": {"entry": "2 ms"}}}`)})
	if err == nil || !strings.HasPrefix(err.Error(), "config.json:1:31: volley.cost.entry: ") {
		t.Errorf("got %v", err)
	}
}
