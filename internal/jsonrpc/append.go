package jsonrpc

import (
	"strconv"
	"unicode/utf8"
)

// AppendResultStart appends the start of a response that carries a result; the
// result's JSON comes next, then [AppendResultEnd].
func AppendResultStart(dst []byte) []byte {
	return append(dst, `{"jsonrpc":"2.0","result":`...)
}

// AppendResultEnd ends what [AppendResultStart] began, with the request's id as
// it was sent; a nil id is null.
func AppendResultEnd(dst, id []byte) []byte { return appendID(dst, id) }

func appendID(dst, id []byte) []byte {
	dst = append(dst, `,"id":`...)
	if id == nil {
		dst = append(dst, "null"...)
	}
	return append(append(dst, id...), '}')
}

// AppendError appends a whole response that carries an error; a nil id is null.
// Name and cause come first in the error object, as NEAR has them.
func AppendError(dst []byte, e *Error, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","error":{`...)
	if e.Name != "" {
		dst = append(dst, `"name":`...)
		dst = append(AppendString(dst, e.Name), ',')
	}
	if e.Cause != nil {
		dst = append(dst, `"cause":`...)
		dst = append(append(dst, e.Cause...), ',')
	}
	dst = append(dst, `"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, e.Message)
	if e.Data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, e.Data...)
	}
	return appendID(append(dst, '}'), id)
}

// AppendString appends s as a JSON string token. It escapes what RFC 8259
// section 7 demands and no more; bytes that are no UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		n := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, n = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, s[done:i]...)
		i += n
		done = i
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			if c < ' ' {
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			} else {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			}
		}
	}
	return append(append(dst, s[done:]...), '"')
}
