package jsonrpc

// Split takes a body apart into the members of a batch. It checks that the body
// is exactly one JSON text: strict RFC 8259, valid UTF-8, nested no deeper than
// [MaxDepth]; what is not gives a *[SyntaxError] and no members.
//
// The elements of an array are appended to members[:0], raw, without the white
// space around them; an empty array gives none. A body that is no array gives
// itself as the one member and batch is false. The members alias body.
func Split(body []byte, members [][]byte) (out [][]byte, batch bool, err error) {
	out = members[:0]
	i := skipSpace(body, 0)
	batch = i < len(body) && body[i] == '['
	var f fault
	if batch {
		out, i, f = splitArray(body, i, out)
	} else {
		start := i
		if i, f = skipValue(body, start, 0); f == none {
			out = append(out, body[start:i])
		}
	}
	if f == none {
		i, f = wantEnd(body, i)
	}
	if f != none {
		return out[:0], false, f.at(body, i)
	}
	return out, batch, nil
}

// SplitRequests is [Split] and, for each member, [ParseRequest] in one pass, into
// the space that room gives for each, in order. Of the members of a batch only
// the first most have their request read: a body may hold a member in two bytes,
// and a request takes fifty times as many. Members beyond are checked and
// counted all the same; a most under zero is no bound. Requests that were read
// when a body turns out to be no JSON text mean nothing.
func SplitRequests(body []byte, most int, room func() *Request) (members int, batch bool, err error) {
	i := skipSpace(body, 0)
	batch = i < len(body) && body[i] == '['
	more, f := true, none
	var m mold
	if batch {
		i, more = first(body, i)
	}
	for more && f == none {
		if members++; most >= 0 && members > most {
			i, f = skipValue(body, i, 1)
		} else {
			i, f = m.scan(room(), body, i, depthOf(batch))
		}
		if more = batch; batch && f == none {
			i, more, f = next(body, i, false)
		}
	}
	if f == none {
		i, f = wantEnd(body, i)
	}
	if f != none {
		return 0, false, f.at(body, i)
	}
	return members, batch, nil
}

// depthOf is how many containers are around a member.
func depthOf(batch bool) int {
	if batch {
		return 1
	}
	return 0
}

func splitArray(b []byte, i int, out [][]byte) ([][]byte, int, fault) {
	i, more := first(b, i)
	for more {
		end, f := skipValue(b, i, 1)
		if f != none {
			return out, end, f
		}
		out = append(out, b[i:end:end])
		if i, more, f = next(b, end, false); f != none {
			return out, i, f
		}
	}
	return out, i, none
}

func wantEnd(b []byte, i int) (int, fault) {
	if i = skipSpace(b, i); i < len(b) {
		return i, trailingData
	}
	return i, none
}
