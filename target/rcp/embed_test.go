package rcp

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
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
