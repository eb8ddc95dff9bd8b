package jsonrpc

import "bytes"

// mold is how a request was written, all but its id and its params: the requests
// of a batch mostly are written alike. It is of a request whose last member are
// its params, with the id somewhere before them; any other leaves the mold as it
// was. Its zero value is of none.
type mold struct {
	head    []byte // from the opening brace to the id
	middle  []byte // from behind the id to the params
	request Request

	// The string among the params' members that differed in a request after it,
	// from quote to quote; from is 0 while none is known.
	from, to int
	looked   int // how often one was looked for
}

// scan is [Request.scan] for a member of the text that the mold was made of, whose
// request r becomes. What was read once, with the same depth around it, is not
// read again: a scan of the same bytes comes to the same end.
func (m *mold) scan(r *Request, b []byte, i, depth int) (end int, f fault) {
	if end, ok := m.fill(r, b, i, depth); ok {
		return end, none
	}
	*r = Request{}
	at, end, f := r.scan(b, i, depth)
	if f == none && at.id > 0 && at.params > 0 {
		m.head, m.middle, m.request = b[i:at.id], b[at.id+len(r.ID):at.params], *r
		m.from = 0
	}
	return end, f
}

func (m *mold) fill(r *Request, b []byte, i, depth int) (end int, ok bool) {
	if m.head == nil || !bytes.HasPrefix(b[i:], m.head) {
		return i, false
	}
	id := i + len(m.head)
	idEnd, f := skipValue(b, id, depth+1)
	if f != none || !bytes.HasPrefix(b[idEnd:], m.middle) {
		return i, false
	}
	params := idEnd + len(m.middle)
	end, f = m.skipParams(b, params, depth+1)
	if f != none || end >= len(b) || b[end] != '}' {
		return i, false
	}
	*r = m.request
	r.ID, r.IDKind = b[id:idEnd:idEnd], kindOf(b[id:])
	r.Params, r.ParamsKind = b[params:end:end], kindOf(b[params:])
	return end + 1, true
}

// skipParams is skipValue, for params.
func (m *mold) skipParams(b []byte, i, depth int) (end int, f fault) {
	old := m.request.Params
	if m.from > 0 && bytes.HasPrefix(b[i:], old[:m.from]) {
		end, _, f = skipString(b, i+m.from)
		if f == none && bytes.HasPrefix(b[end:], old[m.to:]) {
			return end + len(old) - m.to, none
		}
	}
	if end, f = skipValue(b, i, depth); f == none && m.looked < mostLooks {
		m.looked++
		m.lookFor(b[i:end])
	}
	return end, f
}

// mostLooks bounds what is spent on a batch whose params have nothing in common.
const mostLooks = 8

// lookFor finds the first of the params' members that is a string and not the
// same in other params.
func (m *mold) lookFor(other []byte) {
	old := m.request.Params
	same := 0
	for same < min(len(old), len(other)) && old[same] == other[same] {
		same++
	}
	m.from = 0
	for w := Over(old); w.Next() && w.ValueAt < same; {
		if end := w.ValueAt + len(w.Value); kindOf(w.Value) == String && same < end {
			m.from, m.to = w.ValueAt, end
		}
	}
}
