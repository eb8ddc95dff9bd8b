package rcp

import (
	"math"
	"math/bits"
	"slices"
)

// vocabulary is the number of ids that sparse terms have: BERT's, and so
// SPLADE's.
const vocabulary = 30522

// term is one component of a sparse vector.
type term struct {
	id     uint32
	weight float32
}

// lexicon weighs terms by how rare they are. It is learned once, from the
// built-in corpus, as a model is: index/add does not change it, so sparse
// vectors of one identity can be compared whenever they were made. It never
// changes and is safe for concurrent use.
type lexicon struct {
	rarity []float32 // by id
}

// newLexicon counts in how many texts each term occurs and weighs it by
// log(1 + (N-n+0.5)/(n+0.5)), BM25's inverse document frequency.
func newLexicon(texts []string) *lexicon {
	frequency := make([]int, vocabulary)
	var e encoder
	var terms []term
	for _, s := range texts {
		terms = e.counts(s, terms)
		for _, t := range terms {
			frequency[t.id]++
		}
	}
	weight := func(n int) float32 {
		return float32(math.Log1p((float64(len(texts)-n) + 0.5) / (float64(n) + 0.5)))
	}
	l := &lexicon{rarity: make([]float32, vocabulary)}
	for id, n := range frequency {
		l.rarity[id] = weight(n)
	}
	return l
}

// terms appends the text's sparse vector to dst[:0], ids ascending: the words
// hashed to ids, log(1+count), SPLADE's saturation, times the term's rarity as
// weight.
func (l *lexicon) terms(e *encoder, s string, dst []term) []term {
	dst = e.counts(s, dst)
	for i, t := range dst {
		rarity := l.rarity[t.id]
		dst[i].weight = float32(math.Log1p(float64(t.weight))) * rarity
	}
	return dst
}

// counts appends the text's terms to dst[:0], ids ascending, with how often
// each occurs.
func (e *encoder) counts(s string, dst []term) []term {
	dst = dst[:0]
	e.words(s, func(word []byte) bool {
		id, _ := bits.Mul64(mix(hash(word)), vocabulary)
		dst = append(dst, term{uint32(id), 1})
		return true
	})
	slices.SortFunc(dst, func(a, b term) int { return int(a.id) - int(b.id) })
	n := 0
	for _, t := range dst[1:] {
		if t.id == dst[n].id {
			dst[n].weight++
			continue
		}
		n++
		dst[n] = t
	}
	return dst[:n+1]
}

// overlap is the dot product of two sparse vectors.
func overlap(a, b []term) float32 {
	var sum float32
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].id < b[0].id:
			a = a[1:]
		case a[0].id > b[0].id:
			b = b[1:]
		default:
			sum += float32(a[0].weight * b[0].weight)
			a, b = a[1:], b[1:]
		}
	}
	return sum
}
