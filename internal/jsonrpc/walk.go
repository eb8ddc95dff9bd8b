package jsonrpc

// Arrays and objects whose parts matter are walked one part at a time:
//
//	for i, more := firstElement(b, i); more; { ...; i, more, f = nextElement(b, end) }
//	for i, more := firstMember(b, i); more; { name, at, f := readName(b, i); ...; i, more, f = nextMember(b, end) }

// firstElement passes over the opening bracket at i, to the first element or,
// when there is none, past the closing bracket.
func firstElement(b []byte, i int) (at int, more bool) { return first(b, i, ']') }

// firstMember is firstElement for an object.
func firstMember(b []byte, i int) (at int, more bool) { return first(b, i, '}') }

func first(b []byte, i int, end byte) (at int, more bool) {
	i++
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	if i < len(b) && b[i] == end {
		return i + 1, false
	}
	return i, true
}

// nextElement passes from an element's end to the next element or, after the
// last, past the closing bracket.
func nextElement(b []byte, i int) (at int, more bool, f fault) {
	return next(b, i, ']', noCommaInArray)
}

// nextMember is nextElement for an object.
func nextMember(b []byte, i int) (at int, more bool, f fault) {
	return next(b, i, '}', noCommaInObject)
}

func next(b []byte, i int, end byte, neither fault) (at int, more bool, f fault) {
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	switch {
	case i >= len(b):
		return i, false, endOfText
	case b[i] == end:
		return i + 1, false, none
	case b[i] != ',':
		return i, false, neither
	}
	i++
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	return i, true, none
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
	end, escaped, f := skipString(b, i)
	if f != none {
		return nil, end, f
	}
	name = b[i+1 : end-1]
	if escaped {
		name = appendText(nil, name)
	}
	at, f = skipColon(b, end)
	return name, at, f
}
