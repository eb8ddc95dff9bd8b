package loadgen

import (
	"encoding/json"
	"fmt"

	"volley/results"
	"volley/scenario"
)

// Rows names the rows of the plan's mix as results have them: by the method, and by
// the request type that NEAR's query has in its params. Rows of one name are numbered.
func Rows(p *scenario.Plan) []string {
	names := make([]string, 0, len(p.Mix))
	seen := map[string]int{}
	for i := range p.Mix {
		if i == results.MaxRows && len(p.Mix) > i {
			return append(names, "(other rows)")
		}
		name := p.Mix[i].Method
		if kind := requestType(p.Mix[i].Params); kind != "" {
			name += " " + kind
		}
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		names = append(names, name)
	}
	return names
}

func requestType(params *scenario.Value) (kind string) {
	const member = "request_type"
	if params == nil {
		return ""
	}
	if params.JSON != nil {
		var all map[string]json.RawMessage
		if json.Unmarshal(params.JSON, &all) == nil {
			_ = json.Unmarshal(all[member], &kind) // another type names nothing
		}
		return kind
	}
	for i, key := range params.Keys {
		if key == member && params.Values[i].JSON != nil {
			_ = json.Unmarshal(params.Values[i].JSON, &kind)
		}
	}
	return kind
}
