package rcp

import (
	"encoding/json"
	"slices"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

// What the config leaves out is neither advertised nor called, and the level
// does not say more than is there.
func TestCapabilitiesSwitch(t *testing.T) {
	for _, row := range []struct {
		capabilities, level string
	}{
		{`["embed"]`, "L0"},
		{`["rerank","index","sparseEmbed"]`, "L0"},
		{`["retrieve"]`, "L0"},
		{`["retrieve","filter","citations"]`, "L1"},
		{`["retrieve","filter","citations","multiVector"]`, "L2"},
		{`["embed","retrieve","filter","citations","pagination","rerank","index","sparseEmbed","multiVector"]`, "L2"},
	} {
		d := newDialect(t, `{"documents":3,"capabilities":`+row.capabilities+`}`)
		var named []string
		if err := json.Unmarshal([]byte(row.capabilities), &named); err != nil {
			t.Fatal(err)
		}
		got := result[struct {
			Capabilities map[string]map[string]any
			Meta         struct{ Conformance string } `json:"_meta"`
		}](t, d, initializing)
		var keys []string
		for key := range got.Capabilities {
			if key != "x-volley" {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		slices.Sort(named)
		if !slices.Equal(keys, named) || got.Meta.Conformance != row.level {
			t.Errorf("%s: advertised %v, level %s, want %s", row.capabilities, keys, got.Meta.Conformance, row.level)
		}
		if r := got.Capabilities["retrieve"]; r != nil && r["rerankBuiltin"] != slices.Contains(named, "rerank") {
			t.Errorf("%s: rerankBuiltin is %v", row.capabilities, r["rerankBuiltin"])
		}
		if i := got.Capabilities["index"]; i != nil && i["writable"] != true {
			t.Errorf("%s: index is %v", row.capabilities, i)
		}
		for method, needs := range map[string]string{
			"embed": "embed", "embed/sparse": "sparseEmbed", "embed/multi": "multiVector", "rerank": "rerank",
			"retrieve": "retrieve", "index/add": "index", "index/delete": "index",
		} {
			want := capabilityMissing
			if slices.Contains(named, needs) {
				want = jsonrpc.InvalidParams
			}
			if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"`+method+`","params":{}}`); code(e) != want {
				t.Errorf("%s: %s: code %d, want %d", row.capabilities, method, code(e), want)
			}
		}
	}
}
