package jsonrpc

import "bytes"

// ParseRequest takes a member that [Split] yielded apart. Names count exactly
// as JSON-RPC 2.0 writes them, in lower case, whether escaped or not; of a name
// that comes twice the last counts, as in encoding/json. A member that is not a
// JSON object, or not valid JSON because it did not come from Split, is
// NotAnObject. Only a name or a method that holds escapes allocates.
func ParseRequest(member []byte) Request {
	var r Request
	if kindOf(member) != Object {
		return Request{NotAnObject: true}
	}
	if _, _, f := r.scan(member, 0, 0); f != none {
		return Request{NotAnObject: true}
	}
	return r
}

// scan takes the value that starts at i, with depth containers around it, apart
// as a request and passes over it.
func (r *Request) scan(b []byte, i, depth int) (at places, end int, f fault) {
	if i >= len(b) || b[i] != '{' {
		r.NotAnObject = true
		end, f = skipValue(b, i, depth)
		return at, end, f
	}
	i, more := first(b, i)
	for more {
		name, value, f := readName(b, i)
		if f != none {
			return at, value, f
		}
		end, f := skipValue(b, value, depth+1)
		if f != none {
			return at, end, f
		}
		r.set(name, b[value:end:end])
		at.params = 0
		switch string(name) {
		case "id":
			at.id = value
		case "params":
			at.params = value
		}
		if i, more, f = next(b, end, true); f != none {
			return at, i, f
		}
	}
	return at, i, none
}

// places are where the values of a request's id and of its params start; 0 where
// there are none, and where the params are not the last member.
type places struct{ id, params int }

func (r *Request) set(name, value []byte) {
	switch string(name) {
	case "jsonrpc":
		r.Duplicate = r.Duplicate || r.Version != nil
		r.Version = value
	case "id":
		r.Duplicate = r.Duplicate || r.ID != nil
		r.ID, r.IDKind = value, kindOf(value)
	case "method":
		r.Duplicate = r.Duplicate || r.MethodKind != Absent
		r.Method, r.MethodKind = nil, kindOf(value)
		if r.MethodKind == String {
			r.Method = value[1 : len(value)-1]
			if bytes.IndexByte(r.Method, '\\') >= 0 {
				r.Method = appendText(nil, r.Method)
			}
		}
	case "params":
		r.Duplicate = r.Duplicate || r.Params != nil
		r.Params, r.ParamsKind = value, kindOf(value)
	case "result", "error":
		r.HasResult = true
	default:
		r.Unknown = true
	}
}
