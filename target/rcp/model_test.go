package rcp

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

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
