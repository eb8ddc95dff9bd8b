package rcp

import (
	"context"
	"math"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// encoder turns text into features. It is the classic hashing of features: each
// word counts as itself and as its character trigrams, between boundary marks
// as fastText has them (<wh, whe, her, ere, re>); a feature's hash picks a
// component and a sign, so that collisions cancel on average. A word's trigrams
// weigh together as much as the word does. The result depends on nothing but
// the text and the dimension.
//
// An encoder keeps its buffers between texts; it is not safe for concurrent use.
type encoder struct {
	vector []float32
	word   []byte
}

func newEncoder(dimension int) *encoder {
	return &encoder{vector: make([]float32, dimension)}
}

// text gives the text's features, a vector of length one, valid until the next
// call. It looks at ctx now and then: a text may be as long as a body.
func (e *encoder) text(ctx context.Context, s string) ([]float32, error) {
	clear(e.vector)
	n := 0
	e.words(s, func(word []byte) bool {
		e.add(word)
		n++
		return n%1024 != 0 || ctx.Err() == nil
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !normalize(e.vector) {
		e.single(hash(s))
	}
	return e.vector, nil
}

// token gives one word's features, as the text of that word alone would have them.
func (e *encoder) token(word []byte) []float32 {
	clear(e.vector)
	e.add(word)
	if !normalize(e.vector) {
		e.single(hash(word))
	}
	return e.vector
}

// words calls each with every word of s, a run of letters, marks and digits, in
// lower case between boundary marks, until it returns false. A text without a
// word is one word as a whole, so that every text has at least one.
func (e *encoder) words(s string, each func(word []byte) bool) {
	const open, shut = '<', '>'
	some := false
	w := append(e.word[:0], open)
	for _, r := range s {
		if inWord(r) {
			w = utf8.AppendRune(w, unicode.ToLower(r))
			continue
		}
		if len(w) == 1 {
			continue
		}
		some = true
		w = append(w, shut)
		if !each(w) {
			e.word = w
			return
		}
		w = w[:1]
	}
	switch {
	case len(w) > 1:
		w = append(w, shut)
		each(w)
	case !some:
		w = append(append(w, s...), shut)
		each(w)
	}
	e.word = w
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}

// add adds a word's features to the vector.
func (e *encoder) add(word []byte) {
	e.feature(hash(word), 1)
	trigrams := utf8.RuneCount(word) - 2
	if trigrams < 1 {
		return
	}
	weight := float32(1 / math.Sqrt(float64(trigrams)))
	_, n := utf8.DecodeRune(word)
	_, m := utf8.DecodeRune(word[n:])
	first, second := 0, n
	for third := n + m; third < len(word); {
		_, size := utf8.DecodeRune(word[third:])
		// Salted: the trigram <a> is not the word a.
		e.feature(hash(word[first:third+size])^trigramSalt, weight)
		first, second, third = second, third, third+size
	}
}

const trigramSalt = 0x9e3779b97f4a7c15

func (e *encoder) feature(h uint64, weight float32) {
	h = mix(h)
	if h&1 != 0 {
		weight = -weight
	}
	component, _ := bits.Mul64(h, uint64(len(e.vector))) // by the high bits, so free of the sign
	e.vector[component] += weight
}

// normalize makes a vector's length one; it cannot when there is nothing of it,
// as when features cancelled each other.
func normalize(vector []float32) bool {
	var sum float64
	for _, v := range vector {
		sum += float64(float64(v) * float64(v)) // the conversion forbids fusing: one result on every machine
	}
	if sum == 0 {
		return false
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range vector {
		vector[i] *= scale
	}
	return true
}

// single makes the vector one component of length one.
func (e *encoder) single(h uint64) {
	component, _ := bits.Mul64(mix(h), uint64(len(e.vector)))
	e.vector[component] = 1
}

// hash is FNV-1a, 64 bits.
func hash[T string | []byte](b T) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(b); i++ {
		h = (h ^ uint64(b[i])) * 1099511628211
	}
	return h
}

// mix spreads a hash over all its bits, as FNV does not do for short texts
// (MurmurHash3's finalizer).
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
