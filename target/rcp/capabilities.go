package rcp

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"volley/internal/jsonrpc"
)

// capability is one of section 6 that this node can offer.
type capability uint8

const (
	capEmbed capability = iota
	capSparse
	capMulti
	capRerank
	capRetrieve
	capIndex
	capFilter
	capPagination
	capCitations
	capabilities
)

// capabilityNames are their keys on the wire and in the config file.
var capabilityNames = [capabilities]string{
	"embed", "sparseEmbed", "multiVector", "rerank", "retrieve", "index", "filter", "pagination", "citations",
}

// offers is what a node has of them.
type offers [capabilities]bool

func offered(names []string) (o offers) {
	for i, name := range capabilityNames {
		o[i] = slices.Contains(names, name)
	}
	return o
}

// level is what section 14 lets the node say of itself. L1 is retrieve with what
// belongs to it; L2 adds at least one of the further methods, or pages.
func (o offers) level() string {
	switch {
	case !o[capRetrieve] || !o[capFilter] || !o[capCitations]:
		return "L0"
	case !o[capRerank] && !o[capMulti] && !o[capSparse] && !o[capPagination]:
		return "L1"
	}
	return "L2"
}

// hello is the result of initialize and info (section 7.1), up to where a
// session's token may follow: capabilities are fixed for a node's life (section
// 13.2), so it is written once. x-volley tells the batch cap, for which the
// specification has no field.
func hello(c Config, o offers, m *model) []byte {
	b := []byte(`{"protocolVersion":` + strconv.Itoa(protocolVersion) + `,"server":{"name":"volley","version":`)
	b = jsonrpc.AppendString(b, cmp.Or(c.Version, buildVersion()))
	b = append(b, `},"capabilities":{`...)
	for i, there := range o {
		if there {
			b = jsonrpc.AppendString(b, capabilityNames[i])
			b = append(append(append(b, ':'), describe(capability(i), c, o, m)...), ',')
		}
	}
	b = append(b, `"x-volley":{"maxBatch":`...)
	b = strconv.AppendInt(b, int64(c.BatchSizeLimit), 10)
	return append(b, `}},"_meta":{"conformance":"`+o.level()+`"`...)
}

// describe is one capability's value, JSON.
func describe(k capability, c Config, o offers, m *model) string {
	number := strconv.Itoa
	switch k {
	case capEmbed:
		return `{"dimension":` + number(c.Dimension) + `,"identity":"` + m.identity() + `","batchLimit":` + number(c.EmbedBatchLimit) +
			`,"normalized":true,"modalities":["text"],"encodings":["json","f32-base64"]}`
	case capSparse:
		return `{"identity":"` + sparseIdentity + `","vocabulary":` + number(vocabulary) + `}`
	case capMulti:
		return `{"dimension":` + number(c.Dimension) + `,"identity":"` + tokenIdentity + `","similarity":"cosine"}`
	case capRerank:
		return `{"methods":["colbert"],"maxCandidates":` + number(c.RerankMaxCandidates) + `}`
	case capRetrieve:
		return `{"maxK":` + number(c.MaxK) + `,"modes":` + list(retrieveModes) + `,"defaultMode":"` + defaultMode + `","fusion":` + list(fusionMethods) +
			`,"mmr":true,"rerankBuiltin":` + strconv.FormatBool(o[capRerank]) +
			`,"units":["document"],"scoreScale":"unbounded","deterministic":true,"snapshots":true}`
	case capIndex:
		return `{"writable":true,"chunking":false,"contextual":false}`
	case capFilter:
		fields := "{"
		for i, name := range slices.Sorted(maps.Keys(c.FilterFields)) {
			if i > 0 {
				fields += ","
			}
			fields += string(jsonrpc.AppendString(nil, name)) + `:"` + c.FilterFields[name] + `"`
		}
		return `{"fields":` + fields + `},"operators":` + list(filterOperators) + `}`
	}
	return `{}`
}

// Identities of the spaces that do not depend on the model (see
// [model.identity]): of sparse vectors and of token vectors.
const (
	sparseIdentity = "volley/hashed-words-idf-1"
	tokenIdentity  = "volley/hashed-ngrams-1"
)

func list(names []string) string { return `["` + strings.Join(names, `","`) + `"]` }
