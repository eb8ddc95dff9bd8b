package rcp

import (
	"context"
	"strconv"

	"volley/internal/jsonrpc"
)

// retrieve runs the stages over one snapshot of the index: recall, fusion, late
// interaction, mmr, one page (section 3.1). It looks at ctx within each.
func (p retrieval) retrieve(ctx context.Context, dst []byte) ([]byte, *jsonrpc.Error) {
	s := p.dialect.index.current.Load()
	if p.indexVersion != "" && p.indexVersion != s.name() {
		return dst, &jsonrpc.Error{
			Code:    backendUnavailable,
			Message: "the index has changed since the version that is asked for, and no other version is kept",
			Data:    named("field", "indexVersion"),
		}
	}
	if p.paged && p.cursor.version != s.version {
		return dst, expired()
	}
	ranked, err := p.recall(ctx, s)
	if err != nil {
		return dst, stopped(ctx)
	}
	recalled := len(ranked)
	if ranked, err = p.rescore(ctx, ranked); err != nil {
		return dst, stopped(ctx)
	}
	rescored := 0
	if p.rerank {
		rescored = len(ranked)
	}
	ranked = p.aboveMinimum(ranked)
	first := min(int(p.cursor.offset), len(ranked))
	last := min(first+p.k, len(ranked))
	more := last < len(ranked)
	if p.mmr {
		ranked = diversify(ranked, p.lambda, last, func() bool { return ctx.Err() != nil })
	}
	if ctx.Err() != nil {
		return dst, stopped(ctx)
	}
	out, fault := p.appendHits(dst, ranked[first:last])
	if fault != nil {
		return dst, fault
	}
	if more && p.dialect.offers[capPagination] {
		out = append(out, `,"nextCursor":"`...)
		out = append(out, cursor{uint32(last), s.version, p.signature}.String()...)
		out = append(out, '"')
	}
	out = append(out, `,"indexVersion":"`...)
	out = append(out, s.name()...)
	out = append(out, '"')
	return p.appendUsage(out, recalled, rescored), nil
}

// lookEvery is how many documents are compared between looks at the context.
const lookEvery = 64

// recall ranks the documents that the filter lets through, the best candidateK.
// A list of the sparse kind has those alone that share a term with the query.
func (p *retrieval) recall(ctx context.Context, s *snapshot) ([]*candidate, error) {
	var vector []float32
	var terms []term
	var err error
	byVector, byTerms := p.mode != "sparse", p.mode != "dense"
	if byVector {
		if vector, err = p.dialect.model.one(ctx, p.query); err != nil {
			return nil, err
		}
	}
	if byTerms {
		var e encoder
		terms = p.dialect.lexicon.terms(&e, p.query, nil)
	}
	dense, sparse := best{limit: p.candidateK}, best{limit: p.candidateK}
	for i, doc := range s.docs {
		if i%lookEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if p.filter != nil && !p.filter.matches(doc.values) {
			continue
		}
		if byVector {
			if score := dot(vector, doc.dense); dense.takes(score) {
				dense.add(&candidate{document: doc, score: score, dense: score, inDense: true})
			}
		}
		if byTerms {
			if score := overlap(terms, doc.sparse); score > 0 && sparse.takes(score) {
				sparse.add(&candidate{document: doc, score: score, sparse: score, inSparse: true})
			}
		}
	}
	switch p.mode {
	case "dense":
		return dense.cut(), nil
	case "sparse":
		return sparse.cut(), nil
	}
	return p.fusion.fuse(dense.cut(), sparse.cut(), p.candidateK), nil
}

// rescore ranks the best topN by late interaction and leaves out the others,
// whose scores are of another kind. A score is the mean over the query's tokens.
func (p *retrieval) rescore(ctx context.Context, ranked []*candidate) ([]*candidate, error) {
	if !p.rerank {
		return ranked, nil
	}
	query := newInteraction(p.dialect.config.Dimension, p.query)
	t := best{limit: p.topN, all: ranked[:min(p.topN, len(ranked))]}
	for _, c := range t.all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.late = query.maxSim(c.text) / float32(len(query.query))
		c.score, c.weight, c.reranked = c.late, 0, true
	}
	return t.cut(), nil
}

func (p *retrieval) aboveMinimum(ranked []*candidate) []*candidate {
	if !p.hasMinScore {
		return ranked
	}
	for i, c := range ranked {
		if c.score < float32(p.minScore) { // so that a score that was given is reached
			return ranked[:i]
		}
	}
	return ranked
}

func (p *retrieval) appendHits(dst []byte, hits []*candidate) ([]byte, *jsonrpc.Error) {
	limit := p.dialect.config.BatchResponseSizeLimit
	w := vectorWriter{base64: p.encoding == "f32-base64"}
	out := append(dst, `{"hits":[`...)
	for i, c := range hits {
		if i > 0 {
			out = append(out, ',')
		}
		out = p.appendHit(out, c, &w)
		if size := len(out) - len(dst); size > limit {
			return dst, overLimit(payloadTooLarge, "the result is too large: ask for fewer hits, or without their texts", limit, size)
		}
	}
	out = append(out, ']')
	if p.includeVectors && p.encoding != "" {
		out = append(out, `,"encoding":"`...)
		out = append(out, p.encoding...)
		out = append(out, `","dimension":`...)
		out = strconv.AppendInt(out, int64(p.dialect.config.Dimension), 10)
	}
	return out, nil
}

// appendHit writes one hit (section 7.7).
func (p *retrieval) appendHit(dst []byte, c *candidate, w *vectorWriter) []byte {
	dst = append(dst, `{"id":`...)
	dst = jsonrpc.AppendString(dst, c.id)
	dst = append(dst, `,"score":`...)
	dst = appendFloat(dst, c.score)
	dst = append(dst, `,"unit":"document"`...)
	if p.includeText {
		dst = append(dst, `,"text":`...)
		dst = jsonrpc.AppendString(dst, c.text)
	}
	if c.meta != nil {
		dst = append(dst, `,"meta":`...)
		dst = append(dst, c.meta...)
	}
	if p.includeVectors {
		dst = append(dst, `,"vector":`...)
		dst = w.append(dst, c.document.dense)
	}
	dst = append(dst, `,"scores":`...)
	sep := byte('{')
	part := func(name string, there bool, score float32) {
		if there {
			dst = append(append(append(dst, sep, '"'), name...), `":`...)
			dst = appendFloat(dst, score)
			sep = ','
		}
	}
	part("dense", c.inDense, c.dense)
	part("sparse", c.inSparse, c.sparse)
	part("rerank", c.reranked, c.late)
	part("relevance", c.diversifed, c.relevance)
	dst = append(dst, '}')
	if !p.dialect.offers[capCitations] {
		return append(dst, '}')
	}
	dst = append(dst, `,"citation":{"source":`...)
	dst = jsonrpc.AppendString(dst, c.id)
	level := "untrusted" // whatever a client has put there
	if c.own {
		level = "trusted"
	}
	dst = append(dst, `},"trust":{"level":"`...)
	dst = append(dst, level...)
	return append(dst, `"}}`...)
}

// appendUsage tells what was really done, and closes the result.
func (p *retrieval) appendUsage(dst []byte, recalled, rescored int) []byte {
	dst = append(dst, `,"usage":{"candidates":`...)
	dst = strconv.AppendInt(dst, int64(recalled), 10)
	dst = append(dst, `,"reranked":`...)
	dst = strconv.AppendInt(dst, int64(rescored), 10)
	if len(p.notes) > 0 {
		dst = append(dst, `,"notes":`...)
		for i, note := range p.notes {
			dst = jsonrpc.AppendString(append(dst, opening(i)), note)
		}
		dst = append(dst, ']')
	}
	return append(dst, `}}`...)
}
