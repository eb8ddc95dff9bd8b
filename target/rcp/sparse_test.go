package rcp

import (
	"math"
	"slices"
	"testing"
)

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
