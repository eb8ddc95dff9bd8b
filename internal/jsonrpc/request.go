package jsonrpc

import "bytes"

// ParseRequest takes a member that [Split] yielded apart. Names count exactly
// as JSON-RPC 2.0 writes them, in lower case, whether escaped or not; of a name
// that comes twice the last counts, as in encoding/json. A member that is not a
// JSON object, or not valid JSON because it did not come from Split, is
// NotAnObject. Only a name or a method that holds escapes allocates.
func ParseRequest(member []byte) Request {
	if kindOf(member) != Object {
		return Request{NotAnObject: true}
	}
	var r Request
	for i, more := first(member, 0); more; {
		name, at, f := readName(member, i)
		if f != none {
			return Request{NotAnObject: true}
		}
		end, f := skipValue(member, at, 1)
		if f != none {
			return Request{NotAnObject: true}
		}
		r.set(name, member[at:end:end])
		if i, more, f = next(member, end, true); f != none {
			return Request{NotAnObject: true}
		}
	}
	return r
}

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
