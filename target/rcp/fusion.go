package rcp

import (
	"cmp"
	"slices"
)

// candidate is a document on its way through the stages, with what each gave it.
type candidate struct {
	*document
	score                float32 // of the last stage, what it is ranked by
	weight               float64 // of the lists that it is in, for ties
	dense, sparse, late  float32
	inDense, inSparse    bool
	reranked, diversifed bool
	relevance            float32 // before mmr
}

// before is the order of every stage: the higher score, then the higher summed
// weight, then the smaller id (section 16.3), which is total.
func before(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id))
}

// best keeps the candidates of the highest scores.
type best struct {
	limit int
	all   []*candidate
	full  bool
	floor float32 // when full: what is lower does not come in
}

// takes says whether a score may still be among the best.
func (t *best) takes(score float32) bool { return !t.full || score >= t.floor }

func (t *best) add(c *candidate) {
	if t.all = append(t.all, c); len(t.all) >= 2*t.limit+16 {
		t.cut()
	}
}

// cut leaves the best, in order.
func (t *best) cut() []*candidate {
	slices.SortFunc(t.all, before)
	if len(t.all) >= t.limit {
		t.all = t.all[:t.limit]
		t.full, t.floor = true, t.all[t.limit-1].score
	}
	return t.all
}

var fusionMethods = []string{"rrf", "weighted", "convex"}

// fusion is how a dense and a sparse list become one (section 16.3).
type fusion struct {
	method        string
	dense, sparse float64 // weights
	rank          int     // rrfK
	alpha         float64 // the dense list's share in convex
}

// Floors of the two lists' scores, for convex: of a cosine, and of a dot product
// of weights that are not negative.
const (
	denseFloor  = -1
	sparseFloor = 0
)

// fuse sets the scores of the candidates of two ordered lists, and orders them.
func (f fusion) fuse(dense, sparse []*candidate, limit int) []*candidate {
	byDocument := make(map[*document]*candidate, len(dense)+len(sparse))
	scores := make(map[*document]float64, len(dense)+len(sparse))
	var all []*candidate
	take := func(list []*candidate, share func(rank int, score float64) float64, weight float64, mark func(to, from *candidate)) {
		for i, c := range list {
			to := byDocument[c.document]
			if to == nil {
				to = &candidate{document: c.document}
				byDocument[c.document] = to
				all = append(all, to)
			}
			mark(to, c)
			to.weight += weight
			scores[c.document] += share(i+1, float64(c.score))
		}
	}
	denseWeight, sparseWeight := f.dense, f.sparse
	if f.method == "convex" {
		denseWeight, sparseWeight = f.alpha, 1-f.alpha
	}
	take(dense, f.share(dense, denseWeight, denseFloor), denseWeight, func(to, from *candidate) { to.dense, to.inDense = from.dense, true })
	take(sparse, f.share(sparse, sparseWeight, sparseFloor), sparseWeight, func(to, from *candidate) { to.sparse, to.inSparse = from.sparse, true })
	for _, c := range all {
		c.score = float32(scores[c.document])
	}
	t := best{limit: limit, all: all}
	return t.cut()
}

// share gives what a place and a score in a list are worth.
func (f fusion) share(list []*candidate, weight, floor float64) func(rank int, score float64) float64 {
	if f.method == "rrf" {
		return func(rank int, _ float64) float64 { return weight / float64(f.rank+rank) }
	}
	if len(list) == 0 {
		return nil
	}
	low, high := floor, float64(list[0].score)
	if f.method == "weighted" {
		low = float64(list[len(list)-1].score)
	}
	return func(_ int, score float64) float64 {
		if high <= low {
			return weight // all are alike
		}
		return weight * (score - low) / (high - low)
	}
}

// diversify picks count candidates greedily by maximal marginal relevance
// (Carbonell and Goldstein, 1998): lambda times relevance less (1-lambda) times
// the highest cosine with what is picked already, not under 0. Relevance is the
// score scaled to 0..1 over the candidates, so that it compares with a cosine.
// The marginal relevance becomes the score; it never rises from pick to pick.
func diversify(all []*candidate, lambda float64, count int, stop func() bool) []*candidate {
	if len(all) == 0 {
		return all
	}
	high, low := all[0].score, all[len(all)-1].score
	rest := slices.Clone(all)
	closest := make([]float32, len(rest))
	for _, c := range rest {
		c.relevance, c.diversifed = c.score, true
		if c.score = 1; high > low {
			c.score = (c.relevance - low) / (high - low)
		}
	}
	var picked []*candidate
	for len(picked) < count && len(rest) > 0 && !stop() {
		at, value := -1, float32(0)
		for i, c := range rest {
			v := float32(lambda)*c.score - float32(float32(1-lambda)*closest[i])
			if at < 0 || v > value {
				at, value = i, v
			}
		}
		c := rest[at]
		c.score = value
		picked = append(picked, c)
		rest = slices.Delete(rest, at, at+1)
		closest = slices.Delete(closest, at, at+1)
		for i, other := range rest {
			closest[i] = max(closest[i], dot(c.document.dense, other.document.dense))
		}
	}
	return picked
}
