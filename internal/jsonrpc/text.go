package jsonrpc

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote yields the text of a JSON string token; what is no such token gives
// false. A surrogate escape without its other half becomes U+FFFD, as in
// encoding/json.
func Unquote(token []byte) (string, bool) {
	if kindOf(token) != String {
		return "", false
	}
	end, escaped, f := skipString(token, 0)
	if f != none || end != len(token) {
		return "", false
	}
	raw := token[1 : end-1]
	if escaped {
		raw = appendText(nil, raw)
	}
	return string(raw), true
}

// appendText appends the text of a valid string token without its quotes.
func appendText(dst, raw []byte) []byte {
	for len(raw) > 0 {
		if n := bytes.IndexByte(raw, '\\'); n != 0 {
			if n < 0 {
				n = len(raw)
			}
			dst, raw = append(dst, raw[:n]...), raw[n:]
			continue
		}
		r, n := decodeRune(raw)
		dst, raw = utf8.AppendRune(dst, r), raw[n:]
	}
	return dst
}

// decodeRune reads one character, escaped or not, of a valid string token
// without its quotes. A surrogate escape without its other half stands for
// itself.
func decodeRune(raw []byte) (r rune, n int) {
	if raw[0] != '\\' {
		return utf8.DecodeRune(raw)
	}
	switch raw[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r = hex4(raw[2:6])
		if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(raw[8:12])); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return r, 6
	}
	return rune(raw[1]), 2
}

func hex4(digits []byte) (r rune) {
	for _, c := range digits {
		r = r<<4 | rune(hexValue(c))
	}
	return r
}

// hexValue gives -1 for what is no hexadecimal digit.
func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// sameText compares two valid string tokens without their quotes by the
// characters they stand for.
func sameText(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		r, n := decodeRune(a)
		s, m := decodeRune(b)
		if r != s {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return len(a) == len(b)
}
