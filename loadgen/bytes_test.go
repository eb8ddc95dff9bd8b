package loadgen

import (
	"testing"

	"volley/scenario"
)

// TestMeanBytes: of calls that are all alike it is their length, save that ids grow.
func TestMeanBytes(t *testing.T) {
	p := &scenario.Plan{
		Form: scenario.Batch,
		Size: scenario.Dist{Kind: "fixed", Value: 5}, Items: scenario.Dist{Kind: "fixed", Value: 1},
		Mix: []scenario.Method{{Weight: 1, Method: "echo", Params: &scenario.Value{Pinned: "final"}}},
	}
	got, err := MeanBytes(p)
	if err != nil {
		t.Fatal(err)
	}
	entry := len(`{"jsonrpc":"2.0","id":1,"method":"echo","params":""}`) + 44
	if least := float64(5*entry + 6); got < least || got > least+15 {
		t.Errorf("%.1f bytes a call, want %.0f and up to 2 more an entry", got, least)
	}
	if again, _ := MeanBytes(p); again != got {
		t.Errorf("the same plan has %v bytes a call, then %v", got, again)
	}
	p.Mix[0].Params = &scenario.Value{Pick: "nothing"}
	if _, err := MeanBytes(p); err == nil {
		t.Error("a plan that picks from a feed that it does not have can be sent")
	}
}
