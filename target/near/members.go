package near

import (
	"bytes"
	"iter"

	"volley/internal/jsonrpc"
)

// members yields an object's members in order: the name, decoded, and the raw
// value. The text must be valid JSON, as params of a request and a decoded
// config file are; what it yields for an invalid text means nothing, and what
// is no object has no members.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		i := passSpace(object, 0)
		if i >= len(object) || object[i] != '{' {
			return
		}
		for i = passSpace(object, i+1); i < len(object) && object[i] == '"'; {
			end := passString(object, i)
			name, _ := textOf(object[i:end])
			i = passSpace(object, end) // to the colon
			i = passSpace(object, i+1) // to the value
			end = passValue(object, i) // past it
			if i >= end || !yield(name, object[i:end:end]) {
				return
			}
			i = passSpace(object, end) // to the comma or the brace
			i = passSpace(object, i+1)
		}
	}
}

func passSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

func passString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(b)
}

func passValue(b []byte, i int) int {
	for open := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = passString(b, i)
		case '{', '[':
			open++
			i++
			continue
		case '}', ']':
			if open == 0 {
				return i
			}
			open--
			i++
		case ',':
			if open == 0 {
				return i
			}
			i++
			continue
		case ':', ' ', '\n', '\r', '\t':
			i++
			continue
		default:
			for i < len(b) && !delimits(b[i]) {
				i++
			}
		}
		if open == 0 {
			return i
		}
	}
	return len(b)
}

func delimits(c byte) bool {
	switch c {
	case ',', ':', '{', '}', '[', ']', '"', ' ', '\n', '\r', '\t':
		return true
	}
	return false
}

// textOf is the text of a JSON string token; ok is false for any other token.
// It allocates only where the string holds escapes.
func textOf(token []byte) (text []byte, ok bool) {
	if len(token) < 2 || token[0] != '"' {
		return nil, false
	}
	if bytes.IndexByte(token, '\\') < 0 {
		return token[1 : len(token)-1], true
	}
	s, ok := jsonrpc.Unquote(token)
	return []byte(s), ok
}
