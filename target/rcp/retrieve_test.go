package rcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

type hit struct {
	ID       string
	Score    float64
	Unit     string
	Text     *string
	Meta     map[string]any
	Vector   any
	Scores   map[string]float64
	Citation map[string]any
	Trust    map[string]any
}

type hits struct {
	Hits         []hit
	NextCursor   string
	IndexVersion string
	Encoding     string
	Dimension    int
	Usage        struct {
		Candidates, Reranked int
		Notes                []string
	}
}

func retrieved(t testing.TB, d *Dialect, params string) hits {
	t.Helper()
	return result[hits](t, d, `{"id":1,"method":"retrieve","params":`+params+`}`)
}

func (h hits) ids() (ids []string) {
	for _, hit := range h.Hits {
		ids = append(ids, hit.ID)
	}
	return ids
}

// What a dense retrieve ranks by is the cosine of what embed gives, over all
// documents; a sparse one's the dot product of what embed/sparse gives.
func TestRetrieveAgainstBruteForce(t *testing.T) {
	d := newDialect(t, `{"documents":300,"max_k":300}`)
	type scored struct {
		id    string
		score float64
	}
	for _, query := range []string{"how to test caching", "memory", "zzz", "the cost of a queue that grows"} {
		want := map[string][]scored{}
		texts, names := []string{query}, []string{""}
		for _, doc := range d.index.current.Load().docs {
			texts, names = append(texts, doc.text), append(names, doc.id)
		}
		for first := 1; first < len(texts); first += 250 {
			part := append([]string{query}, texts[first:min(first+250, len(texts))]...)
			quoted, _ := json.Marshal(part)
			dense := result[vectors](t, d, `{"id":1,"method":"embed","params":{"inputs":`+string(quoted)+`}}`).Vectors
			sparse := result[struct {
				Sparse []struct {
					Indices []int
					Values  []float64
				}
			}](t, d, `{"id":1,"method":"embed/sparse","params":{"texts":`+string(quoted)+`}}`).Sparse
			for i := 1; i < len(part); i++ {
				id := names[first+i-1]
				want["dense"] = append(want["dense"], scored{id, cosine(dense[0], dense[i])})
				var sum float64
				for j, index := range sparse[0].Indices {
					if at := slices.Index(sparse[i].Indices, index); at >= 0 {
						sum += sparse[0].Values[j] * sparse[i].Values[at]
					}
				}
				if sum > 0 {
					want["sparse"] = append(want["sparse"], scored{id, sum})
				}
			}
		}
		for mode, all := range want {
			slices.SortFunc(all, func(a, b scored) int {
				return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
			})
			got := retrieved(t, d, fmt.Sprintf(`{"query":%q,"k":300,"mode":%q}`, query, mode)).Hits
			if len(got) != len(all) {
				t.Errorf("%s %q: %d hits, want %d", mode, query, len(got), len(all))
				continue
			}
			known := map[string]float64{}
			for _, s := range all {
				known[s.id] = s.score
			}
			for i, h := range got {
				if math.Abs(h.Score-all[i].score) > 1e-5 || math.Abs(h.Score-known[h.ID]) > 1e-5 {
					t.Errorf("%s %q: hit %d is %s with %v; brute force has %v there, and %v for it", mode, query, i, h.ID, h.Score, all[i].score, known[h.ID])
				}
			}
		}
		if got := retrieved(t, d, fmt.Sprintf(`{"query":%q,"k":5,"mode":"dense"}`, query)); len(got.Hits) != 5 || got.Usage.Candidates != defaultCandidates {
			t.Errorf("%q: %d hits of %d candidates", query, len(got.Hits), got.Usage.Candidates)
		}
	}
}

func TestFusion(t *testing.T) {
	doc := func(id string) *document { return &document{id: id} }
	a, b, c, e := doc("a"), doc("b"), doc("c"), doc("e")
	list := func(pairs ...any) (all []*candidate) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, &candidate{document: pairs[i].(*document), score: float32(pairs[i+1].(float64))})
		}
		return all
	}
	for _, row := range []struct {
		name          string
		fusion        fusion
		dense, sparse []*candidate
		want          string
	}{
		{"rrf", fusion{method: "rrf", dense: 0.5, sparse: 0.5, rank: 60}, list(a, 0.9, b, 0.5), list(b, 7.0, c, 1.0),
			fmt.Sprintf("b:%.5f a:%.5f c:%.5f", 0.5/62+0.5/61, 0.5/61, 0.5/62)},
		{"rrf by weight", fusion{method: "rrf", dense: 1, sparse: 0, rank: 1}, list(a, 0.9, b, 0.5), list(c, 7.0), "a:0.50000 b:0.33333 c:0.00000"},
		{"weighted", fusion{method: "weighted", dense: 0.75, sparse: 0.25}, list(a, 0.9, b, 0.5, c, 0.1), list(c, 7.0, b, 1.0), "a:0.75000 b:0.37500 c:0.25000"},
		{"weighted, all alike", fusion{method: "weighted", dense: 0.5, sparse: 0.5}, list(a, 0.5, b, 0.5), nil, "a:0.50000 b:0.50000"},
		{"convex", fusion{method: "convex", alpha: 0.5}, list(a, 1.0, b, 0.0), list(b, 4.0, c, 1.0), "b:0.75000 a:0.50000 c:0.12500"},
		{"convex, dense alone", fusion{method: "convex", alpha: 1}, list(a, 0.5), list(b, 4.0), "a:1.00000 b:0.00000"},
		{"ties: the higher weight, then the smaller id", fusion{method: "weighted", dense: 0, sparse: 0.5}, list(e, 0.5, a, 0.4), list(c, 2.0, b, 2.0), "b:0.50000 c:0.50000 a:0.00000 e:0.00000"},
		{"nothing", fusion{method: "rrf", rank: 60}, nil, nil, ""},
	} {
		var got []string
		for _, c := range row.fusion.fuse(row.dense, row.sparse, 9) {
			got = append(got, fmt.Sprintf("%s:%.5f", c.id, c.score))
		}
		if s := strings.Join(got, " "); s != row.want {
			t.Errorf("%s: %s, want %s", row.name, s, row.want)
		}
	}
}

// The most relevant comes first; then what repeats it falls behind what is new.
func TestDiversify(t *testing.T) {
	unit := func(angle float64) []float32 { return []float32{float32(math.Cos(angle)), float32(math.Sin(angle))} }
	all := func() []*candidate {
		return []*candidate{
			{document: &document{id: "first", dense: unit(0)}, score: 10},
			{document: &document{id: "again", dense: unit(0.01)}, score: 9},
			{document: &document{id: "other", dense: unit(1.5)}, score: 6},
			{document: &document{id: "opposite", dense: unit(3.1)}, score: 0},
		}
	}
	never := func() bool { return false }
	for _, row := range []struct {
		lambda float64
		count  int
		want   []string
	}{
		{1, 4, []string{"first", "again", "other", "opposite"}},
		{0.5, 4, []string{"first", "other", "opposite", "again"}},
		{0.5, 2, []string{"first", "other"}},
		{0, 3, []string{"first", "opposite", "other"}},
		{0.5, 0, nil},
	} {
		var got []string
		last := float32(math.Inf(1))
		for _, c := range diversify(all(), row.lambda, row.count, never) {
			got = append(got, c.id)
			if c.score > last {
				t.Errorf("lambda %v: the score rises to %v at %s", row.lambda, c.score, c.id)
			}
			last = c.score
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("lambda %v, %d of them: %v, want %v", row.lambda, row.count, got, row.want)
		}
	}
}

func TestHits(t *testing.T) {
	d := newDialect(t, `{"documents":5}`)
	ids(t, d, `{"documents":[{"id":"mine","text":"a heron by the lake","meta":{ "n": 1 }},{"id":"bare","text":"bare"}]}`)
	got := retrieved(t, d, `{"query":"a heron by the lake","k":10,"includeVectors":true,"rerank":{},"mmr":{"lambda":1}}`)
	if len(got.Hits) != 7 || got.Usage.Candidates != 7 || got.Usage.Reranked != 7 || got.NextCursor != "" || got.IndexVersion == "" {
		t.Fatalf("%+v", got)
	}
	h := got.Hits[0]
	switch {
	case h.ID != "mine", h.Unit != "document", h.Text == nil, *h.Text != "a heron by the lake", h.Meta["n"] != 1.0:
		t.Errorf("%+v", h)
	case h.Citation["source"] != "mine", h.Trust["level"] != "untrusted":
		t.Errorf("citation %v, trust %v", h.Citation, h.Trust)
	case math.Abs(h.Scores["dense"]-1) > 1e-5, math.Abs(h.Scores["rerank"]-1) > 1e-5, h.Scores["sparse"] <= 0, h.Score != 1:
		t.Errorf("scores %v of %v", h.Scores, h.Score)
	case len(h.Vector.([]any)) != 256 || got.Encoding != "":
		t.Errorf("a vector of %d, encoding %q", len(h.Vector.([]any)), got.Encoding)
	}
	for _, h := range got.Hits[1:] {
		if level := h.Trust["level"]; (level == "trusted") != strings.HasPrefix(h.ID, "note-") {
			t.Errorf("%s is %v", h.ID, level)
		}
		if h.ID == "bare" && h.Meta != nil {
			t.Errorf("%s has meta %v", h.ID, h.Meta)
		}
	}
	packed := retrieved(t, d, `{"query":"heron","k":2,"includeVectors":true,"includeText":false,"encoding":"f32-base64"}`)
	for _, h := range packed.Hits {
		want := result[vectors](t, d, fmt.Sprintf(`{"id":1,"method":"embed","params":{"inputs":[%q]}}`, textOf(d, h.ID))).Vectors[0]
		if h.Text != nil || !reflect.DeepEqual(unpack(t, h.Vector.(string)), want) {
			t.Errorf("%s: text %v, or its vector is not embed's", h.ID, h.Text)
		}
	}
	if packed.Encoding != "f32-base64" || packed.Dimension != 256 {
		t.Errorf("encoding %q, dimension %d", packed.Encoding, packed.Dimension)
	}
	for _, query := range []string{`{"type":"text","text":"a heron by the lake"}`, `["a heron",{"text":"by the lake"}]`} {
		if got := retrieved(t, d, `{"query":`+query+`,"k":1}`); got.Hits[0].ID != "mine" {
			t.Errorf("%s finds %s", query, got.Hits[0].ID)
		}
	}
}

func textOf(d *Dialect, id string) string {
	s := d.index.current.Load()
	at, _ := find(s.docs, id)
	return s.docs[at].text
}

func TestMinScore(t *testing.T) {
	d := newDialect(t, `{}`)
	for _, row := range []string{`"mode":"dense"`, `"mode":"sparse"`, `"rerank":{"topN":50}`, `"fusion":{"method":"convex"}`} {
		all := retrieved(t, d, `{"query":"tuning replication","k":40,`+row+`}`).Hits
		limit := all[10].Score
		some := retrieved(t, d, fmt.Sprintf(`{"query":"tuning replication","k":40,"minScore":%v,%s}`, limit, row)).Hits
		want := slices.DeleteFunc(slices.Clone(all), func(h hit) bool { return h.Score < limit })
		if !reflect.DeepEqual(some, want) || len(some) < 11 {
			t.Errorf("%s: %d hits of at least %v, want %d", row, len(some), limit, len(want))
		}
	}
}

// Pages put together are the ranking; a cursor is good for its request and
// snapshot alone.
func TestPages(t *testing.T) {
	d := newDialect(t, `{}`)
	for _, more := range []string{``, `,"mode":"sparse"`, `,"rerank":{"topN":20}`, `,"mmr":{"lambda":0.3}`, `,"filter":{"field":"lang","op":"eq","value":"en"}`} {
		request := `{"query":"measuring backup","k":7,"candidateK":30` + more
		whole := retrieved(t, d, `{"query":"measuring backup","k":20,"candidateK":30`+more+`}`).ids()
		var paged []string
		cursor := ""
		for page := 0; ; page++ {
			got := retrieved(t, d, request+`,"cursor":"`+cursor+`"}`)
			paged = append(paged, got.ids()...)
			if cursor = got.NextCursor; cursor == "" || page > 9 {
				break
			}
			if len(got.Hits) != 7 {
				t.Errorf("%s: a page of %d that is not the last", more, len(got.Hits))
			}
		}
		if len(paged) < len(whole) || !slices.Equal(paged[:len(whole)], whole) {
			t.Errorf("%s: pages\n%v\nwhole\n%v", more, paged, whole)
		}
		if n := len(slices.Compact(slices.Sorted(slices.Values(paged)))); n != len(paged) {
			t.Errorf("%s: %d ids on the pages, %d of them different", more, len(paged), n)
		}
	}
	next := retrieved(t, d, `{"query":"q","k":3}`).NextCursor
	for _, row := range []struct {
		params string
		code   jsonrpc.Code
	}{
		{`{"query":"q","k":3,"cursor":"` + next + `","seed":1,"includeText":false}`, 0},
		{`{"query":"r","k":3,"cursor":"` + next + `"}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":4,"cursor":"` + next + `"}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":3,"mode":"dense","cursor":"` + next + `"}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":3,"cursor":"` + next + `A"}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":3,"cursor":"!"}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":3,"cursor":7}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":3,"cursor":null}`, 0},
	} {
		if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":`+row.params+`}`); code(e) != row.code {
			t.Errorf("%s: code %d, want %d", row.params, code(e), row.code)
		}
	}
	ids(t, d, `{"documents":[{"id":"new","text":"new"}]}`)
	if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":{"query":"q","k":3,"cursor":"`+next+`"}}`); code(e) != notFound {
		t.Errorf("a cursor into an index that has changed: code %d", code(e))
	}
}

func TestIndexVersion(t *testing.T) {
	d := newDialect(t, `{"documents":3}`)
	version := retrieved(t, d, `{"query":"q","k":1}`).IndexVersion
	if again := retrieved(t, d, `{"query":"q","k":1,"indexVersion":"`+version+`"}`).IndexVersion; again != version {
		t.Errorf("version %q is served as %q", version, again)
	}
	if other := newDialect(t, `{"documents":3,"seed":9}`); retrieved(t, other, `{"query":"q","k":1}`).IndexVersion != version {
		t.Error("another process with the same documents has another version")
	}
	ids(t, d, `{"documents":[{"id":"new","text":"new"}]}`)
	_, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":{"query":"q","k":1,"indexVersion":"`+version+`"}}`)
	if code(e) != backendUnavailable {
		t.Errorf("a version that is gone: code %d", code(e))
	}
	changed := retrieved(t, d, `{"query":"q","k":1}`).IndexVersion
	ids(t, d, `{"documents":[{"id":"new","text":"new"}]}`)
	deleted(t, d, `{"ids":["nobody"]}`)
	if again := retrieved(t, d, `{"query":"q","k":1}`).IndexVersion; changed == version || again != changed {
		t.Errorf("versions %q, then %q, then %q", version, changed, again)
	}
}

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

func TestRetrieveResultIsBounded(t *testing.T) {
	d := newDialect(t, `{"batch_response_size_limit":2000}`)
	if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":{"query":"a","k":20}}`); code(e) != payloadTooLarge {
		t.Errorf("code %d, want %d", code(e), payloadTooLarge)
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
