package rcp

import (
	"iter"
	"math"
	"strconv"

	"volley/internal/jsonrpc"
)

// The functions here walk a JSON text that the engine has already validated, as
// params are; none of them checks it anew.

// members yields an object's members in order: the name's text and the value's
// token. A name may come twice; the last is to count, as in encoding/json.
func members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for i := blank(object, 1); i < len(object) && object[i] == '"'; {
			end := pass(object, i)
			name, _ := jsonrpc.Unquote(object[i:end])
			i = blank(object, blank(object, end)+1) // over the colon
			end = pass(object, i)
			if !yield(name, object[i:end]) {
				return
			}
			i = blank(object, blank(object, end)+1) // over the comma or the brace
		}
	}
}

// member gives the value of an object's member; nil when it has none, or when
// what should be the object is something else.
func member(object []byte, name string) []byte {
	var last []byte
	if isObject(object) {
		for n, value := range members(object) {
			if n == name {
				last = value
			}
		}
	}
	return last
}

// elements yields the tokens of an array's elements.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := blank(array, 1); i < len(array) && array[i] != ']'; {
			end := pass(array, i)
			if !yield(array[i:end]) {
				return
			}
			i = blank(array, end)
			if i >= len(array) || array[i] == ']' {
				return
			}
			i = blank(array, i+1)
		}
	}
}

func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// pass gives the end of the value that starts at i.
func pass(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			i = passString(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of a number or literal before it
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(b)
}

// passString gives the end of the string whose opening quote stands at i.
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

func isString(token []byte) bool { return len(token) > 0 && token[0] == '"' }
func isObject(token []byte) bool { return len(token) > 0 && token[0] == '{' }
func isArray(token []byte) bool  { return len(token) > 0 && token[0] == '[' }
func isNumber(token []byte) bool {
	return len(token) > 0 && (token[0] == '-' || '0' <= token[0] && token[0] <= '9')
}

// integer reads a number with an integral value within 53 bits (section 4.6);
// 1.0 and 1e0 are the integer 1, as in JSON Schema.
func integer(token []byte) (int64, bool) {
	if !isNumber(token) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}
