package rcp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"volley/internal/jsonrpc"
)

// retrieval is one checked call of retrieve (section 7.7).
type retrieval struct {
	dialect *Dialect
	query   string
	funnel
	mode           string
	fusion         fusion
	rerank         bool
	mmr            bool
	lambda         float64 // of mmr
	filter         *filter // nil: none
	minScore       float64
	hasMinScore    bool
	includeText    bool
	includeVectors bool
	encoding       string // of vectors, as asked for; "" when not
	indexVersion   string // pinned; "" when not
	cursor         cursor
	paged          bool // there is a cursor
	signature      uint64
	notes          []string // what strict: false let pass
}

// funnel is the sizes of the stages (section 3.3).
type funnel struct{ candidateK, topN, k int }

var retrieveModes = []string{"dense", "sparse", "hybrid"}

// defaultMode is what a retrieve without a mode does.
const defaultMode = "hybrid"

// defaultCandidates is how many candidates are recalled at least, within maxK.
const defaultCandidates = 100

// options reads the params of one retrieve and keeps its first fault, so that
// what reads them need not ask after each.
type options struct {
	params []byte
	strict bool
	fault  *jsonrpc.Error
	notes  []string
}

// decline refuses an option that this server does not have, or notes that it is
// passed over when the client is not strict.
func (o *options) decline(option, why string) {
	switch {
	case o.fault != nil:
	case o.strict:
		o.fault = unsupported(option, why)
	default:
		o.notes = append(o.notes, option+" "+why+": passed over")
	}
}

func (o *options) fail(e *jsonrpc.Error) {
	if o.fault == nil && e != nil {
		o.fault = e
	}
}

// among gives the value of a string option that is one of has; otherwise when
// it is missing or, without strict, another.
func (o *options) among(object []byte, name, option, otherwise string, has ...string) string {
	token := present(object, name)
	if token == nil {
		return otherwise
	}
	value, ok := jsonrpc.Unquote(token)
	switch {
	case !isString(token) || !ok:
		o.fail(invalid(option, "is not a string"))
	case slices.Contains(has, value):
		return value
	default:
		o.decline(option, "is not one that this server advertises: "+strings.Join(has, ", "))
	}
	return otherwise
}

// object gives an option that is an object; false, where it may be, is as good
// as none.
func (o *options) object(name string, orFalse bool) []byte {
	token := present(o.params, name)
	if token == nil || orFalse && string(token) == "false" {
		return nil
	}
	if !isObject(token) {
		o.fail(invalid(name, "is not an object"))
		return nil
	}
	return token
}

func (o *options) flag(name string, otherwise bool) bool {
	on, fault := flag(o.params, name, otherwise)
	o.fail(fault)
	return on
}

func (o *options) text(name string) string {
	token := present(o.params, name)
	if token == nil {
		return ""
	}
	value, ok := jsonrpc.Unquote(token)
	if !isString(token) || !ok {
		o.fail(invalid(name, "is not a string"))
	}
	return value
}

func (o *options) number(object []byte, name, option string, least, most float64) (value float64, asked bool) {
	value, asked, fault := number(object, name, option)
	o.fail(fault)
	if asked && fault == nil && (value < least || value > most) {
		o.fail(invalid(option, fmt.Sprintf("is not from %g to %g", least, most)))
	}
	return value, asked
}

func (d *Dialect) retrieveParams(params []byte) (p retrieval, fault *jsonrpc.Error) {
	p.dialect = d
	o := &options{params: params, strict: true}
	o.strict = o.flag("strict", true)
	if p.query, fault = queryText(params); fault != nil {
		return p, fault
	}
	p.mode = o.among(params, "mode", "mode", defaultMode, retrieveModes...)
	p.readFusion(o)
	rerank := p.readRerank(o)
	p.readFunnel(o, rerank)
	if mmr := o.object("mmr", true); mmr != nil {
		p.mmr, p.lambda = true, 0.5
		if lambda, asked := o.number(mmr, "lambda", "mmr.lambda", 0, 1); asked {
			p.lambda = lambda
		}
	}
	p.readFilter(o)
	p.minScore, p.hasMinScore, fault = number(params, "minScore", "minScore")
	o.fail(fault)
	p.includeText = o.flag("includeText", true)
	p.includeVectors = o.flag("includeVectors", false)
	p.encoding = o.among(params, "encoding", "encoding", "", "json", "f32-base64")
	p.indexVersion = o.text("indexVersion")
	p.readOthers(o)
	p.signature = p.sign()
	if token := o.text("cursor"); token != "" {
		p.readCursor(o, token)
	}
	p.notes = o.notes
	return p, o.fault
}

// queryText reads a string, a content block or an array of those; the texts of
// an array are one text (section 4.8).
func queryText(params []byte) (string, *jsonrpc.Error) {
	token := present(params, "query")
	if token == nil {
		return "", invalid("query", "is missing")
	}
	if !isArray(token) {
		query, fault := text(token, func() string { return "query" })
		if fault == nil && query == "" {
			fault = invalid("query", "is empty")
		}
		return query, fault
	}
	var parts []string
	for e := range jsonrpc.Elements(token) {
		part, fault := text(e, func() string { return "query[" + strconv.Itoa(len(parts)) + "]" })
		if fault != nil {
			return "", fault
		}
		parts = append(parts, part)
	}
	query := strings.Join(parts, "\n")
	if query == "" {
		return "", invalid("query", "is empty")
	}
	return query, nil
}

func (p *retrieval) readFusion(o *options) {
	p.fusion = fusion{method: "rrf", dense: 0.5, sparse: 0.5, rank: 60, alpha: 0.5}
	f := o.object("fusion", false)
	if f == nil {
		return
	}
	p.fusion.method = o.among(f, "method", "fusion.method", "rrf", fusionMethods...)
	if weights := present(f, "weights"); weights != nil {
		if !isObject(weights) {
			o.fail(invalid("fusion.weights", "is not an object"))
			return
		}
		for name, weight := range map[string]*float64{"dense": &p.fusion.dense, "sparse": &p.fusion.sparse} {
			if v, asked := o.number(weights, name, "fusion.weights."+name, 0, 1e9); asked {
				*weight = v
			}
		}
	}
	rank, fault := count(f, "rrfK", "fusion.rrfK", p.fusion.rank, 1e9)
	o.fail(fault)
	p.fusion.rank = rank
	if alpha, asked := o.number(f, "alpha", "fusion.alpha", 0, 1); asked {
		p.fusion.alpha = alpha
	}
}

// readRerank gives the rerank object, when it is to be honoured.
func (p *retrieval) readRerank(o *options) []byte {
	r := o.object("rerank", true)
	if r == nil {
		return nil
	}
	if !p.dialect.offers[capRerank] {
		o.decline("rerank", "is not advertised")
		return nil
	}
	o.among(r, "method", "rerank.method", "colbert", "colbert")
	if present(r, "model") != nil {
		o.decline("rerank.model", "is not one that this server advertises: it has no choice of models")
	}
	p.rerank = true
	return r
}

// readFunnel reads the sizes of the stages. Each is clamped to maxK, then they
// must not widen; so k over maxK is never a fault, and candidateK below k is.
func (p *retrieval) readFunnel(o *options, rerank []byte) {
	limit := p.dialect.config.MaxK
	if present(o.params, "k") == nil {
		o.fail(invalid("k", "is missing: how many hits to give"))
		return
	}
	var fault *jsonrpc.Error
	if p.k, fault = count(o.params, "k", "k", 0, limit); fault != nil {
		o.fail(fault)
		return
	}
	p.topN, fault = count(rerank, "topN", "rerank.topN", 0, limit)
	o.fail(fault)
	named := p.topN > 0
	usual := min(max(p.k, p.topN, defaultCandidates), limit)
	p.candidateK, fault = count(o.params, "candidateK", "candidateK", usual, limit)
	o.fail(fault)
	if !named {
		p.topN = p.candidateK
	}
	switch {
	case o.fault != nil:
	case p.candidateK < p.k:
		o.fail(invalid("candidateK", "is less than k: candidateK >= rerank.topN >= k must hold"))
	case named && p.topN < p.k:
		o.fail(invalid("rerank.topN", "is less than k: candidateK >= rerank.topN >= k must hold"))
	case named && p.candidateK < p.topN:
		o.fail(invalid("candidateK", "is less than rerank.topN: candidateK >= rerank.topN >= k must hold"))
	}
	p.topN = min(p.topN, p.dialect.config.RerankMaxCandidates)
}

func (p *retrieval) readFilter(o *options) {
	token := present(o.params, "filter")
	switch {
	case token == nil:
	case !p.dialect.offers[capFilter]:
		o.decline("filter", "is not advertised")
	default:
		parser := filterParser{fields: p.dialect.config.FilterFields}
		f, fault := parser.parse(token, "filter")
		o.fail(fault)
		p.filter = &f
	}
}

// readOthers looks at the options that this server has only one value of, or
// none. sessionId and seed are hints that need not be followed (sections 7.7.1
// and 7.7.3): nothing here is drawn, and no trajectory is kept.
func (p *retrieval) readOthers(o *options) {
	o.among(o.params, "modality", "modality", "text", "text")
	o.among(o.params, "unit", "unit", "document", "document")
	if rewrite := present(o.params, "rewrite"); rewrite != nil && string(rewrite) != "false" {
		o.decline("rewrite", "is not advertised")
	}
	for _, name := range []string{"recency", "level", "tokenBudget"} {
		if present(o.params, name) != nil {
			o.decline(name, "is not advertised")
		}
	}
	o.text("sessionId")
	if seed := present(o.params, "seed"); seed != nil {
		if _, ok := integer(seed); !ok {
			o.fail(invalid("seed", "is not an integer"))
		}
	}
}
