package rcp

import (
	"encoding/base64"
	"encoding/binary"
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

type vectors struct {
	Vectors   [][]float32
	Dimension int
	Encoding  string
}

func cosine(a, b []float32) (sum float64) {
	var aa, bb float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return sum / math.Sqrt(aa*bb)
}

// Every text has a vector of length one, whatever is in it and however many
// layers there are.
func TestVectorsAreNormalized(t *testing.T) {
	awkward := []string{"", " ", "!!!", "a", "ab", "été", "日本語のテキスト", "\x00", "e\u0301", "🙂🙂",
		"A b C", strings.Repeat("word ", 3000), strings.Repeat("x", 5000)}
	for _, sizes := range [][3]int{{1, 1, 1}, {2, 3, 4}, {7, 16, 2}, {256, 512, 1}, {256, 512, 0}, {1100, 8, 1}} {
		err := newModel(sizes[0], sizes[1], sizes[2]).embed(t.Context(), awkward, func(i int, vector []float32) {
			var length float64
			for _, v := range vector {
				length += float64(v) * float64(v)
			}
			if math.Abs(length-1) > 1e-5 {
				t.Errorf("sizes %v, %.20q: squared length %v", sizes, awkward[i], length)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestSimilarTextsScoreHigher(t *testing.T) {
	for _, layers := range []int{0, 1, 3} {
		m := newModel(256, 512, layers)
		vector := func(s string) []float32 {
			v, err := m.one(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		for _, row := range []struct{ text, near, far string }{
			{"the cat sat on the mat", "a cat sat on a mat", "quarterly revenue grew by nine percent"},
			{"batch size limit", "limits of batch sizes", "green apples and pears"},
			{"embedding", "embeddings", "rerank"},
			{"Zürich Hauptbahnhof", "zürich hbf hauptbahnhof", "Genève aéroport"},
			{"検索エンジン", "検索エンジンの評価", "天気予報"},
		} {
			text := vector(row.text)
			near, far := cosine(text, vector(row.near)), cosine(text, vector(row.far))
			if near <= far+0.2 {
				t.Errorf("%d layers: %q: %.3f to %q, %.3f to %q", layers, row.text, near, row.near, far, row.far)
			}
		}
		if got := cosine(vector("Hello, World"), vector("hello world")); got < 0.9999 {
			t.Errorf("%d layers: case and punctuation tell: %v", layers, got)
		}
	}
}

// A vector is a function of the text alone: not of its place in the call, of
// what came before, of kind, content block or field name, nor of the process.
func TestEqualTextsGiveEqualVectors(t *testing.T) {
	const text = "one text, many ways"
	want := result[vectors](t, newDialect(t, `{"seed":1}`), `{"id":1,"method":"embed","params":{"inputs":["`+text+`"]}}`).Vectors[0]
	d := newDialect(t, `{"seed":2,"slots":1}`)
	for _, params := range []string{
		`{"inputs":["other","` + text + `"]}`,
		`{"inputs":["other",{"type":"text","text":"` + text + `"}]}`,
		`{"inputs":["other",{"text":"` + text + `","more":[1]}]}`,
		`{"texts":["x","` + text + `"],"kind":"query"}`,
		`{"texts":["x","` + text + `"],"kind":"document","encoding":"json"}`,
		`{"texts":["loses"],"inputs":["wins","one te\u0078t, many ways"]}`,
	} {
		got := result[vectors](t, d, `{"id":1,"method":"embed","params":`+params+`}`)
		if len(got.Vectors) != 2 || !reflect.DeepEqual(got.Vectors[1], want) {
			t.Errorf("%s: the second of %d vectors differs", params, len(got.Vectors))
		}
	}
}

// The model's identity is advertised: another result for the same text needs
// another identity.
func TestTheEmbeddingSpaceIsPinned(t *testing.T) {
	m := newModel(8, 4, 2)
	vector, err := m.one(t.Context(), "pinned")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(vector), "[0.05871857 -0.21465838 -0.20740068 0.08223385 0.2206204 0.49389806 0.65180266 0.4280666]"; got != want {
		t.Errorf("%s encodes otherwise than before: %s, was %s", m.identity(), got, want)
	}
	if got, want := fmt.Sprint(newEncoder(8).token([]byte("<pinned>"))), "[0.25 0 0 0 0.6123724 0 0.75 0]"; got != want {
		t.Errorf("%s encodes otherwise than before: %s, was %s", tokenIdentity, got, want)
	}
	var e encoder
	terms := newLexicon([]string{"a rare word", "a word"}).terms(&e, "a rare thing", nil)
	if got, want := fmt.Sprint(terms), "[{7120 0.480453} {22407 0.12637568} {27513 1.241953}]"; got != want {
		t.Errorf("%s encodes otherwise than before: %s, was %s", sparseIdentity, got, want)
	}
}

// The product's result for a text does not depend on what else is in it: alone,
// in whole products and in what is left over, the bits are the same. The widths
// are over and under one exact sum.
func TestVectorsDoNotDependOnTheArray(t *testing.T) {
	texts := make([]string, 2*productRows+3)
	for i := range texts {
		texts[i] = sentence(i)
	}
	for _, sizes := range [][3]int{{256, 512, 1}, {33, 65, 2}, {exactTerms + 5, 3, 1}, {16, exactTerms*2 + 1, 1}} {
		m := newModel(sizes[0], sizes[1], sizes[2])
		err := m.embed(t.Context(), texts, func(i int, vector []float32) {
			if alone, err := m.one(t.Context(), texts[i]); err != nil || !slices.Equal(alone, vector) {
				t.Errorf("sizes %v: text %d differs alone, %v", sizes, i, err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The layers do what their comment says: against integers, row by row.
func TestLayerAgainstIntegers(t *testing.T) {
	for _, sizes := range [][2]int{{5, 3}, {256, 70}, {exactTerms, 64}, {1, 1}} {
		width, columns := sizes[0], sizes[1]
		m := newModel(width, columns, 1)
		p := &product{model: m}
		p.makeRoom(2)
		in := make([]float32, 2*width)
		for i := range in {
			in[i] = float32(i%17) - 8 + 0.25
		}
		out, codes := make([]float32, 2*columns), make([]float32, width)
		if err := p.layer(t.Context(), m.blocks[0].up, in, width, out, columns); err != nil {
			t.Fatal(err)
		}
		for row := range 2 {
			quantize(codes, in[row*width:(row+1)*width])
			for j := range columns {
				sum := 0
				for k, c := range codes {
					sum += int(c) * int(m.blocks[0].up[j*width+k])
				}
				if got := out[row*columns+j]; got != float32(sum) {
					t.Errorf("%v: row %d column %d is %v, not %d", sizes, row, j, got, sum)
				}
			}
		}
	}
}

func TestQuantize(t *testing.T) {
	for _, row := range []struct{ in, want []float32 }{
		{[]float32{0, 0}, []float32{0, 0}},
		{[]float32{1}, []float32{127}},
		{[]float32{-2, 1, 0.5}, []float32{-127, 64, 32}},           // 63.5 and 31.75
		{[]float32{127, 0.5, 1.5, -2.5}, []float32{127, 0, 2, -2}}, // halves to even
	} {
		got := make([]float32, len(row.in))
		if quantize(got, row.in); !slices.Equal(got, row.want) {
			t.Errorf("%v gives %v, want %v", row.in, got, row.want)
		}
	}
}

func TestBase64CarriesTheSameVectors(t *testing.T) {
	d := newDialect(t, `{"dimension":33}`)
	plain := result[vectors](t, d, `{"id":1,"method":"embed","params":{"inputs":["a b","","see the sea"]}}`)
	if plain.Encoding != "" || plain.Dimension != 33 {
		t.Errorf("without encoding: encoding %q, dimension %d", plain.Encoding, plain.Dimension)
	}
	asked := result[vectors](t, d, `{"id":1,"method":"embed","params":{"inputs":["a b","","see the sea"],"encoding":"json"}}`)
	if asked.Encoding != "json" || !reflect.DeepEqual(asked.Vectors, plain.Vectors) {
		t.Errorf("encoding json: %+v", asked)
	}
	packed := result[struct {
		Vectors   []string
		Dimension int
		Encoding  string
	}](t, d, `{"id":1,"method":"embed","params":{"inputs":["a b","","see the sea"],"encoding":"f32-base64"}}`)
	if packed.Encoding != "f32-base64" || packed.Dimension != 33 || len(packed.Vectors) != 3 {
		t.Fatalf("encoding f32-base64: %+v", packed)
	}
	for i, s := range packed.Vectors {
		if got := unpack(t, s); !reflect.DeepEqual(got, plain.Vectors[i]) {
			t.Errorf("vector %d: %v, as JSON %v", i, got, plain.Vectors[i])
		}
	}
}

func unpack(t *testing.T, s string) []float32 {
	t.Helper()
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || len(b)%4 != 0 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

func TestMultiGivesOneVectorAToken(t *testing.T) {
	d := newDialect(t, `{}`)
	plain := result[struct {
		Matrices  [][][]float32
		Dimension int
	}](t, d, `{"id":1,"method":"embed/multi","params":{"inputs":["one two one","","three"]}}`)
	var rows []int
	for _, m := range plain.Matrices {
		rows = append(rows, len(m))
		for _, v := range m {
			if len(v) != plain.Dimension {
				t.Errorf("a vector of %d components, dimension %d", len(v), plain.Dimension)
			}
		}
	}
	if !slices.Equal(rows, []int{3, 1, 1}) {
		t.Fatalf("vectors by input: %v", rows)
	}
	if m := plain.Matrices[0]; !reflect.DeepEqual(m[0], m[2]) || reflect.DeepEqual(m[0], m[1]) {
		t.Error("equal tokens differ, or different ones do not")
	}
	packed := result[struct{ Matrices [][]string }](t, d,
		`{"id":1,"method":"embed/multi","params":{"inputs":["one two one"],"encoding":"f32-base64"}}`)
	if got := unpack(t, packed.Matrices[0][1]); !reflect.DeepEqual(got, plain.Matrices[0][1]) {
		t.Error("the packed vector differs from the plain one")
	}
	long := result[struct{ Matrices [][]string }](t, newDialect(t, `{"dimension":1}`),
		`{"id":1,"method":"embed/multi","params":{"encoding":"f32-base64","inputs":["`+strings.Repeat("w ", maxTokens+1)+`"]}}`)
	if n := len(long.Matrices[0]); n != maxTokens {
		t.Errorf("a long text has %d vectors, not %d", n, maxTokens)
	}
}

func TestMultiResultIsBounded(t *testing.T) {
	d := newDialect(t, `{"batch_response_size_limit":1000}`)
	_, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"embed/multi","params":{"inputs":["`+strings.Repeat("word ", 400)+`"]}}`)
	if code(e) != payloadTooLarge {
		t.Errorf("code %d, want %d", code(e), payloadTooLarge)
	}
}

func TestSparse(t *testing.T) {
	d := newDialect(t, `{}`)
	got := result[struct {
		Sparse []struct {
			Indices []int
			Values  []float32
		}
	}](t, d, `{"id":1,"method":"embed/sparse","params":{"texts":["the cat and the dog","Cat",""]}}`).Sparse
	if len(got) != 3 {
		t.Fatalf("%d vectors for 3 texts", len(got))
	}
	for i, v := range got {
		if len(v.Indices) != len(v.Values) || !slices.IsSorted(v.Indices) || len(slices.Compact(slices.Clone(v.Indices))) != len(v.Indices) {
			t.Errorf("text %d: indices %v, values %v", i, v.Indices, v.Values)
		}
	}
	if len(got[0].Indices) != 4 {
		t.Errorf("four words have indices %v", got[0].Indices)
	}
	cat := got[0].Values[slices.Index(got[0].Indices, got[1].Indices[0])]
	if cat != got[1].Values[0] {
		t.Errorf("a word once weighs %v and %v", cat, got[1].Values[0])
	}
	twice := got[0].Values[slices.Index(got[0].Indices, int(oneTerm(t, "the")))]
	if once := d.lexicon.rarity[oneTerm(t, "the")]; math.Abs(float64(twice)-math.Log(3)*float64(once)) > 1e-6 {
		t.Errorf("a word twice weighs %v, not log(3) times %v", twice, once)
	}
	if !slices.Contains(got[0].Indices, got[1].Indices[0]) {
		t.Errorf("cat is not among %v", got[0].Indices)
	}
}

func oneTerm(t *testing.T, word string) uint32 {
	t.Helper()
	var e encoder
	terms := e.counts(word, nil)
	if len(terms) != 1 {
		t.Fatalf("%q has %d terms", word, len(terms))
	}
	return terms[0].id
}

// A term weighs the more the fewer texts have it, and most when none has.
func TestRarity(t *testing.T) {
	l := newLexicon([]string{"the cat", "the dog", "the the cat"})
	weight := func(word string) float32 { return l.rarity[oneTerm(t, word)] }
	for _, pair := range [][2]string{{"the", "cat"}, {"cat", "dog"}, {"dog", "unicorn"}} {
		if common, rare := weight(pair[0]), weight(pair[1]); common <= 0 || common >= rare {
			t.Errorf("%s weighs %v, %s %v", pair[0], common, pair[1], rare)
		}
	}
	if got, want := weight("the"), float32(math.Log(1+0.5/3.5)); math.Abs(float64(got-want)) > 1e-7 {
		t.Errorf("a word of all three texts weighs %v, want %v", got, want)
	}
}

func TestEmbedParams(t *testing.T) {
	d := newDialect(t, `{"embed_batch_limit":2,"rerank_max_candidates":3}`)
	for _, row := range []struct {
		method, params string
		code           jsonrpc.Code
		data           string
	}{
		{"embed", `{}`, jsonrpc.InvalidParams, `{"field":"inputs"}`},
		{"embed", `{"inputs":[]}`, jsonrpc.InvalidParams, `{"field":"inputs"}`},
		{"embed", `{"texts":[ ]}`, jsonrpc.InvalidParams, `{"field":"texts"}`},
		{"embed", `{"inputs":"a"}`, jsonrpc.InvalidParams, `{"field":"inputs"}`},
		{"embed", `{"inputs":null}`, jsonrpc.InvalidParams, `{"field":"inputs"}`},
		{"embed", `{"inputs":["a",1]}`, jsonrpc.InvalidParams, `{"field":"inputs[1]"}`},
		{"embed", `{"inputs":[["a"]]}`, jsonrpc.InvalidParams, `{"field":"inputs[0]"}`},
		{"embed", `{"inputs":[{}]}`, jsonrpc.InvalidParams, `{"field":"inputs[0]"}`},
		{"embed", `{"inputs":[{"type":"text","text":1}]}`, jsonrpc.InvalidParams, `{"field":"inputs[0]"}`},
		{"embed", `{"inputs":[{"type":1,"text":"a"}]}`, jsonrpc.InvalidParams, `{"field":"inputs[0].type"}`},
		{"embed", `{"inputs":[{"type":"image","mimeType":"image/png","data":""}]}`, optionUnsupported, `{"option":"inputs[0].type"}`},
		{"embed", `{"inputs":["a","b","c"]}`, jsonrpc.InvalidParams, `{"limit":2,"size":3}`},
		{"embed", `{"inputs":["a"],"kind":"passage"}`, jsonrpc.InvalidParams, `{"field":"kind"}`},
		{"embed", `{"inputs":["a"],"kind":7}`, jsonrpc.InvalidParams, `{"field":"kind"}`},
		{"embed", `{"inputs":["a"],"encoding":"f16"}`, optionUnsupported, `{"option":"encoding"}`},
		{"embed", `{"inputs":["a"],"encoding":""}`, optionUnsupported, `{"option":"encoding"}`},
		{"embed", `{"inputs":["a"],"encoding":1}`, jsonrpc.InvalidParams, `{"field":"encoding"}`},
		{"embed", `null`, jsonrpc.InvalidParams, `{"field":"params"}`},
		{"embed/sparse", `{}`, jsonrpc.InvalidParams, `{"field":"texts"}`},
		{"embed/sparse", `{"texts":["a","b","c"]}`, jsonrpc.InvalidParams, `{"limit":2,"size":3}`},
		{"embed/multi", `{"inputs":[2]}`, jsonrpc.InvalidParams, `{"field":"inputs[0]"}`},
		{"embed/multi", `{"inputs":["a","b","c"]}`, jsonrpc.InvalidParams, `{"limit":2,"size":3}`},
		{"rerank", `{"passages":["a"]}`, jsonrpc.InvalidParams, `{"field":"query"}`},
		{"rerank", `{"query":"","passages":["a"]}`, jsonrpc.InvalidParams, `{"field":"query"}`},
		{"rerank", `{"query":7,"passages":["a"]}`, jsonrpc.InvalidParams, `{"field":"query"}`},
		{"rerank", `{"query":"q"}`, jsonrpc.InvalidParams, `{"field":"passages"}`},
		{"rerank", `{"query":"q","passages":[]}`, jsonrpc.InvalidParams, `{"field":"passages"}`},
		{"rerank", `{"query":"q","documents":[null]}`, jsonrpc.InvalidParams, `{"field":"documents[0]"}`},
		{"rerank", `{"query":"q","passages":["a","b","c","d"]}`, jsonrpc.InvalidParams, `{"limit":3,"size":4}`},
		{"rerank", `{"query":"q","passages":["a"],"topN":0}`, jsonrpc.InvalidParams, `{"field":"topN"}`},
		{"rerank", `{"query":"q","passages":["a"],"topN":-1}`, jsonrpc.InvalidParams, `{"field":"topN"}`},
		{"rerank", `{"query":"q","passages":["a"],"topN":1.5}`, jsonrpc.InvalidParams, `{"field":"topN"}`},
		{"rerank", `{"query":"q","passages":["a"],"topN":"1"}`, jsonrpc.InvalidParams, `{"field":"topN"}`},
		{"rerank", `{"query":"q","passages":["a"],"method":"llm"}`, optionUnsupported, `{"option":"method"}`},
		{"rerank", `{"query":"q","passages":["a"],"method":[]}`, jsonrpc.InvalidParams, `{"field":"method"}`},
	} {
		_, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"`+row.method+`","params":`+row.params+`}`)
		switch {
		case code(e) != row.code:
			t.Errorf("%s %s: code %d, want %d", row.method, row.params, code(e), row.code)
		case string(e.Data) != row.data:
			t.Errorf("%s %s: data %s, want %s", row.method, row.params, e.Data, row.data)
		case e.Message == "":
			t.Errorf("%s %s: no message", row.method, row.params)
		}
	}
}

func TestRerank(t *testing.T) {
	type ranking struct {
		Scores  []float64
		Order   []int
		Results []struct {
			Index int
			Score float64
		}
	}
	d := newDialect(t, `{}`)
	const call = `{"id":1,"method":"rerank","params":{"query":"how large may a batch be",` +
		`"passages":["the weather in spring","batches may be at most this large","how large may a batch be","","the weather in spring"]`
	got := result[ranking](t, d, call+`}}`)
	if len(got.Scores) != 5 || !slices.Equal(got.Order[:2], []int{2, 1}) {
		t.Fatalf("scores %v, order %v", got.Scores, got.Order)
	}
	if math.Abs(got.Scores[2]-6) > 1e-4 {
		t.Errorf("the query itself scores %v: each of its 6 tokens has cosine 1 with its own", got.Scores[2])
	}
	if got.Scores[0] != got.Scores[4] || slices.Index(got.Order, 0) > slices.Index(got.Order, 4) {
		t.Errorf("equal passages: scores %v, order %v", got.Scores, got.Order)
	}
	for i, at := range got.Order {
		if got.Results[i].Index != at || got.Results[i].Score != got.Scores[at] {
			t.Errorf("results[%d] is %+v, order says %d", i, got.Results[i], at)
		}
		if i > 0 && got.Scores[at] > got.Scores[got.Order[i-1]] {
			t.Errorf("order %v is not by score %v", got.Order, got.Scores)
		}
	}
	top := result[ranking](t, d, call+`,"topN":2,"method":"colbert"}}`)
	if len(top.Scores) != 5 || !slices.Equal(top.Order, got.Order[:2]) || len(top.Results) != 2 {
		t.Errorf("topN 2: %+v", top)
	}
	if all := result[ranking](t, d, call+`,"topN":99}}`); !reflect.DeepEqual(all, got) {
		t.Errorf("topN beyond the passages: %+v", all)
	}
	documents := result[ranking](t, d, strings.Replace(call, "passages", "documents", 1)+`}}`)
	if !reflect.DeepEqual(documents, got) {
		t.Errorf("documents instead of passages: %+v", documents)
	}
}

// Whatever params hold, an answer is a valid result with a vector an input, or
// an error; never a panic.
func FuzzEmbed(f *testing.F) {
	for _, seed := range []string{
		`{"inputs":["a","b c"]}`, `{"texts":["é","\ud83d\ude42","\ud83d"],"encoding":"f32-base64"}`,
		`{"inputs":[{"type":"text","text":"a"},{"type":"image"}],"kind":"query"}`, `{"inputs":[ ]}`, `{}`, `[]`, `7`,
		`{"inputs":"a","texts":[[[{}]]],"x":{"inputs":["\\\"]}"]}}`,
	} {
		f.Add(seed)
	}
	d := newDialect(f, `{"dimension":4,"embed_batch_limit":8}`)
	f.Fuzz(func(t *testing.T, params string) {
		text, ok := fuzzed("embed", params)
		if !ok {
			t.Skip()
		}
		out, e := do(t, d, d.Connect(target.HTTP), text)
		if e != nil {
			return
		}
		var got struct{ Vectors []json.RawMessage }
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		var sent map[string]json.RawMessage
		if err := json.Unmarshal([]byte(params), &sent); err != nil {
			t.Fatalf("%v, but it was answered", err)
		}
		inputs, ok := sent["inputs"]
		if !ok {
			inputs = sent["texts"]
		}
		var elements []json.RawMessage
		if err := json.Unmarshal(inputs, &elements); err != nil || len(elements) != len(got.Vectors) {
			t.Fatalf("%d vectors for %d inputs, %v", len(got.Vectors), len(elements), err)
		}
	})
}

func FuzzRerank(f *testing.F) {
	for _, seed := range []string{
		`{"query":"a","passages":["a","b c"]}`, `{"query":{"text":"!"},"documents":["é"],"topN":1}`,
		`{"query":"a","passages":[],"topN":1e400}`, `{"query":"a","passages":["x"],"topN":1e0,"method":"colbert"}`,
	} {
		f.Add(seed)
	}
	d := newDialect(f, `{"dimension":4,"rerank_max_candidates":8}`)
	f.Fuzz(func(t *testing.T, params string) {
		text, ok := fuzzed("rerank", params)
		if !ok {
			t.Skip()
		}
		out, e := do(t, d, d.Connect(target.HTTP), text)
		if e != nil {
			return
		}
		var got struct {
			Scores []float64
			Order  []int
		}
		if err := json.Unmarshal(out, &got); err != nil || len(got.Scores) == 0 || len(got.Order) > len(got.Scores) {
			t.Fatalf("%v: %s", err, out)
		}
	})
}

// fuzzed gives a request around params that the engine would let through.
func fuzzed(method, params string) (string, bool) {
	text := `{"id":1,"method":"` + method + `","params":` + params + `}`
	members, batch, err := jsonrpc.Split([]byte(text), nil)
	if err != nil || batch {
		return "", false
	}
	r := jsonrpc.ParseRequest(members[0])
	return text, !r.Duplicate && !r.Unknown && (r.ParamsKind == jsonrpc.Object || r.ParamsKind == jsonrpc.Null)
}
