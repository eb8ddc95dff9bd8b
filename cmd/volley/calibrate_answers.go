package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"volley/loadgen/nullnode"
	"volley/scenario"
)

// readyAnswers are what a null server says to a plan's calls: results of the form and
// the length that a node of the dialect gives, the same every time. What volley does
// not know a result of is answered as briefly as the dialect allows.
func readyAnswers(plan *scenario.Plan) *nullnode.Answers {
	a := &nullnode.Answers{Result: json.RawMessage(`{}`)}
	switch plan.Target.Dialect {
	case "near":
		for _, kind := range slices.Sorted(maps.Keys(nearQueries)) {
			a.Rules = append(a.Rules, nullnode.Rule{
				Has:    []string{`"request_type":"` + kind + `"`, `"method":"query"`}, // what tells most comes first,
				Result: json.RawMessage(fmt.Sprintf(nearQueries[kind], nearBlock)),
			})
		}
		a.Rules = append(a.Rules, nullnode.Rule{
			Has:    []string{`"method":"block"`},
			Result: json.RawMessage(`{"author":"test.near","chunks":[],"header":{"hash":"` + nearHash + `","height":1299998}}`),
		})
	case "rcp":
		n := itemsPerEntry(plan)
		a.Rules = []nullnode.Rule{
			{Has: []string{`"method":"embed"`}, Result: embeddings(n)},
			{Has: []string{`"method":"rerank"`}, Result: scores(n)},
		}
	case "jsonrpc":
		a.Result = json.RawMessage(`19`)
	}
	// Those that the plan does not use only cost the null server time.
	used := a.Rules[:0]
	for _, r := range a.Rules {
		if mentions(plan, r.Has) {
			used = append(used, r)
		}
	}
	a.Rules = used
	return a
}

const (
	nearHash  = "DtnwL8taxqhito4WmXqhmbJt8FwrhTn49FfTKoKkV1WG"
	nearBlock = `"block_hash":"` + nearHash + `","block_height":1299998`
)

// nearQueries are results of the query method by request type, each with a place for
// the block: an account, a fungible token's balance, a short state, a full access key,
// a small contract.
var nearQueries = map[string]string{
	"view_account":         `{"amount":"4452121338255911233637932926",%s,"code_hash":"11111111111111111111111111111111","locked":"0","storage_paid_at":0,"storage_usage":334}`,
	"call_function":        `{%s,"logs":[],"result":[34,56,53,52,51,53,54,51,48,54,54,54,51,48,57,50,55,49,55,48,51,52,49,51,56,57,49,56,49,34]}`,
	"view_state":           `{%s,"values":[{"key":"U1RBVEU=","value":"EAAAAG5laXRoZXIgbW9yZSBub3IgbGVzcw=="}]}`,
	"view_access_key":      `{%s,"nonce":1000000300540,"permission":"FullAccess"}`,
	"view_access_key_list": `{%s,"keys":[{"access_key":{"nonce":1000000300540,"permission":"FullAccess"},"public_key":"ed25519:3ddQ3MJWEFNDp72h36fZcrVBdH7dFHCw8SAi1SyLjGme"}]}`,
	"view_code":            `{%s,"code_base64":"` + strings.Repeat("AGFzbQEAAAAB", 300) + `","hash":"` + nearHash + `"}`,
}

// rcpDimension is that of the embeddings, as the bundled node has it.
const rcpDimension = 256

func embeddings(n int) json.RawMessage {
	numbers := strings.TrimSuffix(strings.Repeat("-0.032101844,", rcpDimension), ",")
	return json.RawMessage(`{"vectors":[` + strings.TrimSuffix(strings.Repeat("["+numbers+"],", n), ",") + `]}`)
}

func scores(n int) json.RawMessage {
	var scores, order, results bytes.Buffer
	for i := range n {
		if i > 0 {
			for _, b := range []*bytes.Buffer{&scores, &order, &results} {
				b.WriteByte(',')
			}
		}
		scores.WriteString("0.8125")
		fmt.Fprintf(&order, "%d", i)
		fmt.Fprintf(&results, `{"index":%d,"score":0.8125}`, i)
	}
	return json.RawMessage(`{"scores":[` + scores.String() + `],"order":[` + order.String() + `],"results":[` + results.String() + `]}`)
}

// itemsPerEntry is how many items an entry of the plan has, on the average.
func itemsPerEntry(plan *scenario.Plan) int {
	n := 1.0
	switch plan.Form {
	case scenario.Batch:
		n = plan.Items.Mean()
	case scenario.Array:
		n = plan.Size.Mean()
	}
	return int(math.Max(1, math.Round(n)))
}

// mentions tells whether a rule can fit an entry of the plan: one of its methods is
// called so and, where the rule wants more, has that among its params. Blocks are
// asked for to pin reads to, whatever the mix holds.
func mentions(plan *scenario.Plan, has []string) bool {
	method := has[len(has)-1]
	if method == `"method":"block"` {
		return true
	}
	for _, m := range plan.Mix {
		if method == `"method":"`+m.Method+`"` && (len(has) == 1 || holds(m.Params, has[0])) {
			return true
		}
	}
	return false
}

// holds tells whether `"name":"value"` stands in params that have no hole there.
func holds(v *scenario.Value, text string) bool {
	if v == nil {
		return false
	}
	if bytes.Contains(v.JSON, []byte(text)) {
		return true
	}
	for i, key := range v.Keys {
		if value := v.Values[i]; value.JSON != nil && `"`+key+`":`+string(value.JSON) == text {
			return true
		}
	}
	return false
}
