package rcp

import (
	"context"
	"slices"
	"strconv"

	"volley/internal/jsonrpc"
)

// ranking is one checked call of rerank (section 7.6).
type ranking struct {
	query     string
	passages  []string
	best      int // how many order and results name
	dimension int
}

func (d *Dialect) rerankParams(params []byte) (p ranking, fault *jsonrpc.Error) {
	p.dimension = d.config.Dimension
	query := jsonrpc.Member(params, "query")
	if query == nil {
		return p, invalid("query", "is missing")
	}
	if p.query, fault = text(query, func() string { return "query" }); fault != nil {
		return p, fault
	}
	if p.query == "" {
		return p, invalid("query", "is empty")
	}
	field, array := either(params, "passages", "documents")
	if array == nil {
		return p, invalid(field, "is missing")
	}
	method, asked, fault := optional(params, "method")
	if fault != nil {
		return p, fault
	}
	if asked && method != "colbert" {
		return p, unsupported("method", "is not one that this server advertises: colbert")
	}
	if p.passages, fault = texts(field, array, d.config.RerankMaxCandidates); fault != nil {
		return p, fault
	}
	p.best = len(p.passages)
	if token := jsonrpc.Member(params, "topN"); token != nil {
		n, ok := integer(token)
		if !ok || n < 1 {
			return p, invalid("topN", "is not a positive integer")
		}
		p.best = int(min(n, int64(p.best)))
	}
	return p, nil
}

// maxQueryTokens is where a query is cut, as ColBERT does it.
const maxQueryTokens = 32

// rank scores every passage by late interaction over token vectors: MaxSim, the
// sum over the query's tokens of the highest cosine with any of the passage's
// (section 7.5). Passages with equal scores keep their order. Beside the
// specification's scores and order stands results, which its conformance suite
// reads.
func (p ranking) rank(ctx context.Context, dst []byte) ([]byte, *jsonrpc.Error) {
	query := newInteraction(p.dimension, p.query)
	scores := make([]float32, len(p.passages))
	for i, passage := range p.passages {
		if ctx.Err() != nil {
			return dst, stopped(ctx)
		}
		scores[i] = query.maxSim(passage)
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return appendRanking(dst, scores, order[:p.best]), nil
}

// interaction is one query's side of late interaction. It is not safe for
// concurrent use.
type interaction struct {
	encoder *encoder
	query   [][]float32 // by token
	closest []float32   // room for one number a token
}

func newInteraction(dimension int, query string) *interaction {
	q := &interaction{encoder: newEncoder(dimension)}
	q.encoder.words(query, func(word []byte) bool {
		q.query = append(q.query, slices.Clone(q.encoder.token(word)))
		return len(q.query) < maxQueryTokens
	})
	q.closest = make([]float32, len(q.query))
	return q
}

// maxSim scores one passage.
func (q *interaction) maxSim(passage string) float32 {
	for i := range q.closest {
		q.closest[i] = -1
	}
	tokens := 0
	q.encoder.words(passage, func(word []byte) bool {
		vector := q.encoder.token(word)
		for i, token := range q.query {
			q.closest[i] = max(q.closest[i], dot(token, vector))
		}
		tokens++
		return tokens < maxTokens
	})
	var sum float32
	for _, c := range q.closest {
		sum += c
	}
	return sum
}

func dot(a, b []float32) float32 {
	var sum float32
	for i, v := range a[:len(b)] {
		sum += float32(v * b[i]) // not fused, as in normalize
	}
	return sum
}

func appendRanking(dst []byte, scores []float32, order []int) []byte {
	dst = append(dst, `{"scores":`...)
	for i, s := range scores {
		dst = appendFloat(append(dst, opening(i)), s)
	}
	dst = append(dst, `],"order":`...)
	for i, at := range order {
		dst = strconv.AppendInt(append(dst, opening(i)), int64(at), 10)
	}
	dst = append(dst, `],"results":`...)
	for i, at := range order {
		dst = append(dst, opening(i))
		dst = append(dst, `{"index":`...)
		dst = strconv.AppendInt(dst, int64(at), 10)
		dst = append(dst, `,"score":`...)
		dst = appendFloat(dst, scores[at])
		dst = append(dst, '}')
	}
	return append(dst, `]}`...)
}
