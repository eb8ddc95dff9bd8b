package jsonrpc

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest, as in encoding/json.
const MaxDepth = 10000

// The scanner is a set of functions over a text and an index. Those that can
// meet a bad text return where they stopped and what is wrong there; a fault
// other than none makes the index that of the offending byte.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// lead tells the kind of a value from its first byte; Absent where no value
// starts so.
var lead = [256]Kind{
	'n': Null, 't': Bool, 'f': Bool, '"': String, '[': Array, '{': Object, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number,
	'5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

func kindOf(token []byte) Kind {
	if len(token) == 0 {
		return Absent
	}
	return lead[token[0]]
}

// skipSpace passes over the white space of RFC 8259 section 2. It is small enough
// to be inlined, as there is mostly none.
func skipSpace(b []byte, i int) int {
	if i < len(b) && b[i] <= ' ' {
		return skipSpaces(b, i)
	}
	return i
}

func skipSpaces(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipValue passes over the value that starts at i, which has depth containers
// around it. Its own are kept as bits, so that nesting costs neither stack nor,
// up to 64 levels, memory. Tokens that follow on one another without white space
// are passed over without a call each.
func skipValue(b []byte, i, depth int) (int, fault) {
	var (
		open   int      // containers open within this value
		kinds  uint64   // the innermost 64 of them, one bit each: 1 for an object
		deeper []uint64 // the others, 64 to a word
		more   bool     // the innermost has another part, which starts at i
		f      fault
	)
	for {
		if i >= len(b) {
			return i, endOfText
		}
		if c := b[i]; c != '{' && c != '[' {
			if c == '"' {
				i, _, f = skipString(b, i)
			} else {
				i, f = skipScalar(b, i)
			}
			if f != none || open == 0 {
				return i, f
			}
			if i+1 < len(b) && b[i] == ',' && b[i+1] > ' ' {
				i, more = i+1, true
			} else {
				i, more, f = next(b, i, kinds&1 != 0)
			}
		} else {
			if depth+open >= MaxDepth {
				return i, tooDeep
			}
			if open&63 == 0 && open > 0 {
				deeper = append(deeper, kinds)
			}
			open++
			kinds <<= 1
			if c == '{' {
				kinds |= 1
			}
			i, more = first(b, i)
		}
	parts:
		for {
			for ; !more; i, more, f = next(b, i, kinds&1 != 0) {
				if f != none {
					return i, f
				}
				open--
				kinds >>= 1
				if open == 0 {
					return i, none
				}
				if open&63 == 0 {
					kinds, deeper = deeper[len(deeper)-1], deeper[:len(deeper)-1]
				}
			}
			if kinds&1 == 0 {
				break
			}
			var stop place
			switch i, stop = skipPlainMembers(b, i); stop {
			case atName:
				if i, f = skipName(b, i); f != none {
					return i, f
				}
				break parts
			case atValue:
				break parts
			case behindValue:
				i, more, f = next(b, i, true)
			}
		}
	}
}

// place is where in an object a walk stopped.
type place uint8

const (
	atName place = iota // where a name must start
	atValue
	behindValue
)

// skipPlainMembers passes over what is plain of an object's members, the first
// of which starts at i: names and strings of nothing but ASCII without escapes,
// and no white space between them. Params of an RPC are mostly nothing else.
func skipPlainMembers(b []byte, i int) (at int, stop place) {
	at = i
	for i+1 < len(b) && b[i] == '"' {
		end := i + 1
		for {
			if end+8 > len(b) {
				return at, stop
			}
			if hit := notPlain(binary.LittleEndian.Uint64(b[end:])); hit != 0 {
				end += bits.TrailingZeros64(hit) >> 3
				break
			}
			end += 8
		}
		if b[end] != '"' || end+2 >= len(b) {
			return at, stop
		}
		i = end + 2
		switch {
		case stop == atName && b[end+1] == ':' && b[i] > ' ':
			at, stop = i, atValue
		case stop == atValue && b[end+1] == ',' && b[i] > ' ':
			at, stop = i, atName
		case stop == atValue:
			return end + 1, behindValue
		default:
			return at, atName
		}
	}
	return at, stop
}

// skipScalar passes over a value that is neither an array nor an object.
func skipScalar(b []byte, i int) (int, fault) {
	switch lead[b[i]] {
	case String:
		end, _, f := skipString(b, i)
		return end, f
	case Number:
		return skipNumber(b, i)
	case Null, Bool:
		return skipLiteral(b, i)
	}
	return i, noValue
}

// skipName passes over a member's name and its colon, to where its value must
// start.
func skipName(b []byte, i int) (int, fault) {
	if i >= len(b) {
		return i, endOfText
	}
	if b[i] != '"' {
		return i, noName
	}
	i, _, f := skipString(b, i)
	if f != none {
		return i, f
	}
	if i+1 < len(b) && b[i] == ':' && b[i+1] > ' ' {
		return i + 1, none
	}
	return skipColon(b, i)
}

// skipColon passes over a colon and the white space around it.
func skipColon(b []byte, i int) (int, fault) {
	i = skipSpace(b, i)
	if i >= len(b) {
		return i, endOfText
	}
	if b[i] != ':' {
		return i, noColon
	}
	return skipSpace(b, i+1), none
}

// skipString passes over the string whose opening quote stands at i and tells
// whether it holds escapes. It looks at eight bytes at a time for one that is a
// quote, a backslash, a control character or not ASCII; most strings have but
// the quote.
func skipString(b []byte, i int) (end int, escaped bool, f fault) {
	for at := i + 1; at+8 <= len(b); at += 8 {
		if hit := notPlain(binary.LittleEndian.Uint64(b[at:])); hit != 0 {
			if at += bits.TrailingZeros64(hit) >> 3; b[at] == '"' {
				return at + 1, false, none
			}
			break
		}
	}
	return skipAnyString(b, i)
}

// notPlain marks, in their high bits, the bytes of x that are a quote, a
// backslash, a control character or not ASCII; a false mark can stand only above
// a true one.
func notPlain(x uint64) uint64 {
	// The first term marks what is under '!' once '"' has changed places with ' ',
	// the second '\\'.
	return ((x ^ ones*2 - ones*'!') | (x ^ ones*'\\' - ones) | x) & highs
}

// skipAnyString is skipString for whatever a string may hold, and for where the
// text ends within the next eight bytes.
func skipAnyString(b []byte, i int) (end int, escaped bool, f fault) {
	i++
	start := i
	var seen byte // the bits of all bytes passed over: the high one tells that some were not ASCII
	for {
		for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
			seen |= b[i]
			i++
		}
		if i >= len(b) {
			return i, escaped, endOfText
		}
		switch b[i] {
		case '"':
			if seen >= utf8.RuneSelf && !utf8.Valid(b[start:i]) {
				return start + firstInvalid(b[start:i]), escaped, badUTF8
			}
			return i + 1, escaped, none
		case '\\':
			escaped = true
			if i, f = skipEscape(b, i); f != none {
				return i, escaped, f
			}
		default:
			return i, escaped, controlCharacter
		}
	}
}

func skipEscape(b []byte, i int) (int, fault) {
	if i+1 >= len(b) {
		return len(b), endOfText
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, none
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if k >= len(b) {
				return k, endOfText
			}
			if hexValue(b[k]) < 0 {
				return k, badEscape
			}
		}
		return i + 6, none
	}
	return i + 1, badEscape
}

func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

// skipNumber passes over a number (RFC 8259 section 6).
func skipNumber(b []byte, i int) (int, fault) {
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return i, endOfText
	case b[i] == '0':
		i++
		if i < len(b) && isDigit(b[i]) {
			return i, badNumber
		}
	case isDigit(b[i]):
		i = skipDigits(b, i+1)
	default:
		return i, badNumber
	}
	if i < len(b) && b[i] == '.' {
		i++
		if f := wantDigit(b, i); f != none {
			return i, f
		}
		i = skipDigits(b, i+1)
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if f := wantDigit(b, i); f != none {
			return i, f
		}
		i = skipDigits(b, i+1)
	}
	return i, none
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func skipDigits(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

func wantDigit(b []byte, i int) fault {
	switch {
	case i >= len(b):
		return endOfText
	case !isDigit(b[i]):
		return badNumber
	}
	return none
}

// skipLiteral passes over true, false or null, whose first letter stands at i.
func skipLiteral(b []byte, i int) (int, fault) {
	word := "null"
	switch b[i] {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	}
	for k := 0; k < len(word); k++ {
		if i+k >= len(b) {
			return len(b), endOfText
		}
		if b[i+k] != word[k] {
			return i + k, badLiteral
		}
	}
	return i + len(word), none
}
