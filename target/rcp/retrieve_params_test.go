package rcp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

func TestRetrieveParams(t *testing.T) {
	d := newDialect(t, `{"documents":40,"max_k":20,"rerank_max_candidates":15}`)
	for _, row := range []struct {
		params string // beside query and k
		code   jsonrpc.Code
		data   string
		hits   int
	}{
		{`"k":3`, 0, ``, 3},
		{`"k":3.0,"x-acme":1,"_meta":{"progressToken":1},"sessionId":"s","seed":7,"modality":"text","unit":"document"`, 0, ``, 3},
		{`"k":1000`, 0, ``, 20},
		{`"k":1000,"candidateK":900,"rerank":{"topN":900}`, 0, ``, 15},
		{`"k":3,"candidateK":3,"rerank":{"topN":3}`, 0, ``, 3},
		{`"k":3,"mode":null,"fusion":null,"rerank":false,"mmr":null,"filter":null,"minScore":null,"strict":null,"rewrite":false`, 0, ``, 3},
		{`"k":3,"mode":"hybrid","fusion":{"method":"weighted","weights":{"dense":1}}`, 0, ``, 3},
		{`"k":3,"fusion":{"method":"convex","alpha":0.2}`, 0, ``, 3},
		{`"x":0`, jsonrpc.InvalidParams, `{"field":"k"}`, 0},
		{`"k":0`, jsonrpc.InvalidParams, `{"field":"k"}`, 0},
		{`"k":-5`, jsonrpc.InvalidParams, `{"field":"k"}`, 0},
		{`"k":1.5`, jsonrpc.InvalidParams, `{"field":"k"}`, 0},
		{`"k":"3"`, jsonrpc.InvalidParams, `{"field":"k"}`, 0},
		{`"k":10,"candidateK":2`, jsonrpc.InvalidParams, `{"field":"candidateK"}`, 0},
		{`"k":10,"candidateK":0`, jsonrpc.InvalidParams, `{"field":"candidateK"}`, 0},
		{`"k":10,"rerank":{"topN":9}`, jsonrpc.InvalidParams, `{"field":"rerank.topN"}`, 0},
		{`"k":10,"rerank":{"topN":-1}`, jsonrpc.InvalidParams, `{"field":"rerank.topN"}`, 0},
		{`"k":10,"candidateK":11,"rerank":{"topN":12}`, jsonrpc.InvalidParams, `{"field":"candidateK"}`, 0},
		{`"k":3,"mode":7`, jsonrpc.InvalidParams, `{"field":"mode"}`, 0},
		{`"k":3,"mode":"graph"`, optionUnsupported, `{"option":"mode"}`, 0},
		{`"k":3,"fusion":7`, jsonrpc.InvalidParams, `{"field":"fusion"}`, 0},
		{`"k":3,"fusion":{"method":"borda"}`, optionUnsupported, `{"option":"fusion.method"}`, 0},
		{`"k":3,"fusion":{"rrfK":0}`, jsonrpc.InvalidParams, `{"field":"fusion.rrfK"}`, 0},
		{`"k":3,"fusion":{"alpha":1.1}`, jsonrpc.InvalidParams, `{"field":"fusion.alpha"}`, 0},
		{`"k":3,"fusion":{"weights":{"dense":-1}}`, jsonrpc.InvalidParams, `{"field":"fusion.weights.dense"}`, 0},
		{`"k":3,"fusion":{"weights":[1]}`, jsonrpc.InvalidParams, `{"field":"fusion.weights"}`, 0},
		{`"k":3,"rerank":true`, jsonrpc.InvalidParams, `{"field":"rerank"}`, 0},
		{`"k":3,"rerank":{"method":"llm"}`, optionUnsupported, `{"option":"rerank.method"}`, 0},
		{`"k":3,"rerank":{"model":"m"}`, optionUnsupported, `{"option":"rerank.model"}`, 0},
		{`"k":3,"mmr":{"lambda":1.5}`, jsonrpc.InvalidParams, `{"field":"mmr.lambda"}`, 0},
		{`"k":3,"mmr":{"lambda":"x"}`, jsonrpc.InvalidParams, `{"field":"mmr.lambda"}`, 0},
		{`"k":3,"mmr":0.5`, jsonrpc.InvalidParams, `{"field":"mmr"}`, 0},
		{`"k":3,"minScore":"high"`, jsonrpc.InvalidParams, `{"field":"minScore"}`, 0},
		{`"k":3,"minScore":1e400`, jsonrpc.InvalidParams, `{"field":"minScore"}`, 0},
		{`"k":3,"strict":1`, jsonrpc.InvalidParams, `{"field":"strict"}`, 0},
		{`"k":3,"includeText":"yes"`, jsonrpc.InvalidParams, `{"field":"includeText"}`, 0},
		{`"k":3,"seed":1.5`, jsonrpc.InvalidParams, `{"field":"seed"}`, 0},
		{`"k":3,"sessionId":7`, jsonrpc.InvalidParams, `{"field":"sessionId"}`, 0},
		{`"k":3,"indexVersion":7`, jsonrpc.InvalidParams, `{"field":"indexVersion"}`, 0},
		{`"k":3,"encoding":"f16"`, optionUnsupported, `{"option":"encoding"}`, 0},
		{`"k":3,"modality":"image"`, optionUnsupported, `{"option":"modality"}`, 0},
		{`"k":3,"unit":"chunk"`, optionUnsupported, `{"option":"unit"}`, 0},
		{`"k":3,"level":0`, optionUnsupported, `{"option":"level"}`, 0},
		{`"k":3,"tokenBudget":100`, optionUnsupported, `{"option":"tokenBudget"}`, 0},
		{`"k":3,"recency":{}`, optionUnsupported, `{"option":"recency"}`, 0},
		{`"k":3,"rewrite":"hyde"`, optionUnsupported, `{"option":"rewrite"}`, 0},
	} {
		got, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":{"query":"caching",`+row.params+`}}`)
		if e != nil {
			if e.Code != row.code || string(e.Data) != row.data {
				t.Errorf("%s: code %d, data %s; want %d, %s", row.params, e.Code, e.Data, row.code, row.data)
			}
			continue
		}
		var h hits
		if err := json.Unmarshal(got, &h); err != nil {
			t.Fatal(err)
		}
		if row.code != 0 || len(h.Hits) != row.hits || len(h.Usage.Notes) > 0 {
			t.Errorf("%s: %d hits, notes %q; want code %d, %d hits", row.params, len(h.Hits), h.Usage.Notes, row.code, row.hits)
		}
	}
	for _, query := range []string{`""`, `[]`, `7`, `[7]`, `null`, `{}`} {
		if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":{"k":1,"query":`+query+`}}`); code(e) != jsonrpc.InvalidParams {
			t.Errorf("query %s: code %d", query, code(e))
		}
	}
}

// Without strict the same options pass, each with a note; what is malformed does not.
func TestNotStrict(t *testing.T) {
	d := newDialect(t, `{"documents":40,"capabilities":["retrieve"]}`)
	for _, option := range []string{
		`"mode":"graph"`, `"fusion":{"method":"borda"}`, `"rerank":{"topN":5}`, `"filter":{"field":"lang","op":"eq","value":"en"}`,
		`"encoding":"f16"`, `"modality":"image"`, `"unit":"chunk"`, `"level":1`, `"tokenBudget":9`, `"recency":{}`, `"rewrite":"hyde"`, `"cursor":"x"`,
	} {
		params := `{"query":"caching","k":2,` + option
		if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":`+params+`}}`); code(e) != optionUnsupported {
			t.Errorf("%s, strict: code %d", option, code(e))
		}
		got := retrieved(t, d, params+`,"strict":false}`)
		name, _, _ := strings.Cut(option[1:], `"`)
		if len(got.Hits) != 2 || len(got.Usage.Notes) != 1 || !strings.HasPrefix(got.Usage.Notes[0], name) {
			t.Errorf("%s, not strict: %d hits, notes %q", option, len(got.Hits), got.Usage.Notes)
		}
		if h := got.Hits[0]; h.Citation != nil || h.Trust != nil || got.NextCursor != "" {
			t.Errorf("what is not advertised is given: %+v", got)
		}
	}
	if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":{"query":"a","k":1,"mode":7,"strict":false}}`); code(e) != jsonrpc.InvalidParams {
		t.Errorf("a mode that is no string: code %d", code(e))
	}
}

func FuzzRetrieve(f *testing.F) {
	for _, seed := range []string{
		`{"query":"a","k":3}`, `{"query":["a",{"text":"b"}],"k":1e0,"mode":"sparse","candidateK":9,"rerank":{"topN":4},"mmr":{"lambda":0.5}}`,
		`{"query":"caching","k":5,"fusion":{"method":"convex","alpha":0.1,"weights":{"dense":1}},"filter":{"and":[{"field":"year","op":"gte","value":2018},{"not":{"field":"lang","op":"in","value":["de"]}}]}}`,
		`{"query":"a","k":2,"includeVectors":true,"encoding":"f32-base64","strict":false,"level":7,"cursor":""}`, `{"query":"a","k":-1}`, `{"query":"a","k":1,"minScore":1e308}`,
		`{"query":"a","k":1,"filter":{"or":[]}}`, `{"query":"a","k":1,"filter":{"field":"tags","op":"contains","value":null}}`,
	} {
		f.Add(seed)
	}
	d := newDialect(f, `{"documents":30,"dimension":8,"hidden":4,"max_k":10}`)
	f.Fuzz(func(t *testing.T, params string) {
		text, ok := fuzzed("retrieve", params)
		if !ok {
			t.Skip()
		}
		out, e := do(t, d, d.Connect(target.HTTP), text)
		if e != nil {
			if e.Message == "" {
				t.Fatalf("code %d without a message", e.Code)
			}
			return
		}
		var got hits
		if err := json.Unmarshal(out, &got); err != nil || len(got.Hits) > 10 {
			t.Fatalf("%v, %d hits: %s", err, len(got.Hits), out)
		}
		if !slices.IsSortedFunc(got.Hits, func(a, b hit) int { return cmp.Compare(b.Score, a.Score) }) {
			t.Fatalf("scores rise: %s", out)
		}
	})
}
