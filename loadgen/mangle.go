package loadgen

import "strconv"

// malformations are the members that are sent malformed on purpose. Each is what
// a real client gets wrong; JSON-RPC 2.0 sections 4 and 6 make each of them
// an invalid request, answered with -32600 and the id null, or, where a server
// could read one, with the member's own id.
var malformations = [...]struct {
	before string
	id     bool // the entry's id stands between before and after
	after  string
	kind   member
	// bare: may stand alone, as a singleton; an array would be a batch.
	bare bool
}{
	{before: `1`, kind: mangled, bare: true},                                                                // a number in place of a request
	{before: `"a"`, kind: mangled, bare: true},                                                              // a string
	{before: `null`, kind: mangled, bare: true},                                                             // null
	{before: `{"foo":"bar"}`, kind: mangled, bare: true},                                                    // an object that is no request
	{before: `[]`, kind: mangled},                                                                           // a batch within a batch
	{before: `{"jsonrpc":"2.0","result":0,"id":`, id: true, after: `}`, kind: mangledID, bare: true},        // a response, sent by a client
	{before: `{"jsonrpc":"2.0","id":`, id: true, after: `,"method":7}`, kind: mangledID, bare: true},        // a method that is no string
	{before: `{"jsonrpc":"2.0","id":true,"method":"` + mangledMethod + `"}`, kind: mangledTrue, bare: true}, // an id that is neither string, number nor null
}

// mangledMethod runs nowhere, should a server take the member for a request.
const mangledMethod = "volley/malformed"

// mangle writes a malformed member in the place of entry id, the kinds in turn.
func (e *encoder) mangle(m *message, turn, id uint64) {
	f := &malformations[turn%uint64(len(malformations))]
	if !m.batch && !f.bare {
		f = &malformations[(turn+1)%uint64(len(malformations))]
	}
	m.malformed++
	m.members = append(m.members, f.kind)
	m.slots = append(m.slots, 0)
	m.body = append(m.body, f.before...)
	if f.id {
		m.body = strconv.AppendUint(m.body, id, 10)
	}
	m.body = append(m.body, f.after...)
}
