package rcp

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"volley/target"
)

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
