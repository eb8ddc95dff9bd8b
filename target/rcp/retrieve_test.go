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

func TestRetrieveResultIsBounded(t *testing.T) {
	d := newDialect(t, `{"batch_response_size_limit":2000}`)
	if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":{"query":"a","k":20}}`); code(e) != payloadTooLarge {
		t.Errorf("code %d, want %d", code(e), payloadTooLarge)
	}
}
