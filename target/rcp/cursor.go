package rcp

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"volley/internal/jsonrpc"
)

// cursor is where a page begins (section 10): in the ranking that one request
// has over one snapshot.
type cursor struct {
	offset  uint32
	version uint64 // the snapshot's
	request uint64 // its signature
}

func (c cursor) String() string {
	b := binary.BigEndian.AppendUint32(nil, c.offset)
	b = binary.BigEndian.AppendUint64(b, c.version)
	b = binary.BigEndian.AppendUint64(b, c.request)
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseCursor(s string) (c cursor, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != 20 {
		return c, false
	}
	return cursor{binary.BigEndian.Uint32(b), binary.BigEndian.Uint64(b[4:]), binary.BigEndian.Uint64(b[12:])}, true
}

func (p *retrieval) readCursor(o *options, token string) {
	if !p.dialect.offers[capPagination] {
		o.decline("cursor", "is not advertised: pagination is not")
		return
	}
	c, ok := parseCursor(token)
	if !ok || c.request != p.signature || int64(c.offset) > int64(p.dialect.config.MaxK) {
		o.fail(invalid("cursor", "is none that this request was given: repeat the request with its nextCursor"))
		return
	}
	p.cursor, p.paged = c, true
}

// sign tells requests with different rankings apart.
func (p *retrieval) sign() uint64 {
	var f any
	if p.filter != nil {
		f = *p.filter
	}
	return mix(hash(fmt.Sprintf("%q %v %q %+v %v %v %v %+v %v %v",
		p.query, p.funnel, p.mode, p.fusion, p.rerank, p.mmr, p.lambda, f, p.hasMinScore, p.minScore)))
}

// expired is the answer to a cursor into a snapshot that is gone (section 12).
func expired() *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    notFound,
		Message: "the cursor has expired, for the index has changed: begin again without one",
		Data:    named("field", "cursor"),
	}
}
