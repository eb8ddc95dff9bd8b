package scenario

import (
	"encoding/json"
	"strings"
)

// limit is a bound of the bundled node, and the setting that moves it.
type limit struct {
	setting string
	most    int
}

// limitAt gives a bound that the bundled node's config file sets at path, else
// its default. A setting that the node will refuse anyway is passed over.
func (t *Target) limitAt(def int, path ...string) limit {
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

// entryLimit bounds the entries of a batch; zero is no bound.
func (t *Target) entryLimit() limit {
	switch t.Dialect {
	case "near":
		return t.limitAt(100, "rpc", "limits_config", "batch_size_limit")
	case "rcp":
		return t.limitAt(256, "batch_size_limit")
	case "jsonrpc":
		return t.limitAt(1000, "batch_size_limit")
	}
	return limit{}
}

// itemLimit bounds the items of one call of a method; zero is no bound.
func (t *Target) itemLimit(method string) limit {
	switch {
	case t.Dialect != "rcp":
		return limit{}
	case method == "rerank":
		return t.limitAt(1000, "rerank_max_candidates")
	case method == "embed" || strings.HasPrefix(method, "embed/"):
		return t.limitAt(256, "embed_batch_limit")
	}
	return limit{}
}

// withinLimits refuses sizes that the bundled node is known to refuse.
func (d *decoder) withinLimits(p *Plan, size, items *node) {
	if !p.Target.bundled() {
		return
	}
	if l := p.Target.entryLimit(); p.Form == Batch && size != nil && l.most > 0 && p.Size.Largest() > l.most {
		d.report(size, "ask for less, or raise "+l.setting, "a batch of %d entries: the bundled node takes at most %d", p.Size.Largest(), l.most)
	}
	at, of := items, p.Items
	if p.Form == Array {
		at, of = size, p.Size
	}
	for _, m := range p.Mix {
		if l := p.Target.itemLimit(m.Method); at != nil && l.most > 0 && m.Params.takesItems() && of.Largest() > l.most {
			d.report(at, "ask for less, or raise "+l.setting, "%s with %d items: the bundled node takes at most %d", m.Method, of.Largest(), l.most)
		}
	}
}
