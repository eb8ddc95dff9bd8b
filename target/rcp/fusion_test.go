package rcp

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

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
