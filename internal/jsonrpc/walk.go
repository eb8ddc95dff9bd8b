package jsonrpc

// The parts of an array or an object, elements or members, are walked one at a
// time:
//
//	for i, more := first(b, i); more; {
//		...; i, more, f = next(b, end, object)
//	}

// first passes over the opening bracket or brace at i, to the first part or,
// when there is none, past the closing one.
func first(b []byte, i int) (at int, more bool) {
	end := b[i] + 2 // ']' is two after '[', as '}' is after '{'
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == end {
		return i + 1, false
	}
	return i, true
}

// next passes from the end of a part to the next one or, after the last, past
// the closing bracket or brace.
func next(b []byte, i int, object bool) (at int, more bool, f fault) {
	i = skipSpace(b, i)
	if i >= len(b) {
		return i, false, endOfText
	}
	switch c := b[i]; {
	case c == ',':
		return skipSpace(b, i+1), true, none
	case object && c == '}', !object && c == ']':
		return i + 1, false, none
	case object:
		return i, false, noCommaInObject
	}
	return i, false, noCommaInArray
}

// readName yields the name of the member that starts at i, decoded, and where
// its value must start. The name aliases b unless it held escapes.
func readName(b []byte, i int) (name []byte, at int, f fault) {
	if i >= len(b) {
		return nil, i, endOfText
	}
	if b[i] != '"' {
		return nil, i, noName
	}
	if n := commonName(b[i:]); n > 0 {
		return b[i+1 : i+n-2], skipSpace(b, i+n), none
	}
	end, escaped, f := skipString(b, i)
	if f != none {
		return nil, end, f
	}
	name = b[i+1 : end-1]
	if escaped {
		name = appendText(nil, name)
	}
	if end+1 < len(b) && b[end] == ':' && b[end+1] > ' ' {
		return name, end + 1, none
	}
	at, f = skipColon(b, end)
	return name, at, f
}

// commonName tells how long the name that b begins with is, quotes and colon
// included, if it is one that every answer has; else 0. Most names that are read
// are these, and a comparison of the whole takes less than a look at each byte.
func commonName(b []byte) int {
	switch {
	case len(b) >= len(`"id":`) && string(b[:len(`"id":`)]) == `"id":`:
		return len(`"id":`)
	case len(b) >= len(`"result":`) && string(b[:len(`"result":`)]) == `"result":`:
		return len(`"result":`)
	case len(b) >= len(`"jsonrpc":`) && string(b[:len(`"jsonrpc":`)]) == `"jsonrpc":`:
		return len(`"jsonrpc":`)
	}
	return 0
}
