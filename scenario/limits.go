package scenario

import (
	"encoding/json"
	"fmt"
)

// limit is a bound of the bundled node, and the setting that moves it.
type limit struct {
	setting string
	most    int
}

// limits gives the bundled node's bounds on a batch's entries and on one
// entry's items: its config file's, else its defaults. Zero is no bound.
// Settings that the node will refuse anyway are passed over.
func (t *Target) limits() (entries, items limit) {
	at := func(def int, path ...string) limit {
		l := limit{most: def, setting: "target.node"}
		raw := json.RawMessage(t.Node)
		for _, key := range path {
			l.setting += "." + key
			var members map[string]json.RawMessage
			if json.Unmarshal(raw, &members) != nil {
				members = nil
			}
			raw = members[key]
		}
		var v int
		if raw != nil && json.Unmarshal(raw, &v) == nil && v > 0 {
			l.most = v
		}
		return l
	}
	switch t.Dialect {
	case "near":
		return at(100, "rpc", "limits_config", "batch_size_limit"), limit{}
	case "rcp":
		return at(256, "batch_size_limit"), at(256, "embed_batch_limit")
	case "jsonrpc":
		return at(1000, "batch_size_limit"), limit{}
	}
	return limit{}, limit{}
}

// withinLimits refuses sizes that the bundled node is known to refuse.
func (d *decoder) withinLimits(p *Plan, size, items *node) {
	if !p.Target.bundled() {
		return
	}
	entries, perEntry := p.Target.limits()
	check := func(n *node, of Dist, l limit, what string) {
		if n != nil && l.most > 0 && of.Largest() > l.most {
			d.report(n, fmt.Sprintf("ask for less, or raise %s", l.setting), "%s of %d: the bundled node takes at most %d", what, of.Largest(), l.most)
		}
	}
	switch p.Form {
	case Batch:
		check(size, p.Size, entries, "batches")
		check(items, p.Items, perEntry, "arrays")
	case Array:
		check(size, p.Size, perEntry, "arrays")
	}
}
