package transport

import (
	"bytes"
	"errors"
	"io"
)

// appendLine appends body as one line. Between JSON tokens a line end is as good
// as a space; within a string it may not stand, and there is no way to send it.
func appendLine(dst, body []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, body...)
	if bytes.IndexByte(body, '\n') >= 0 {
		inString, escaped := false, false
		for i, b := range dst[start:] {
			switch {
			case b == '\n' && inString:
				return dst[:start], errors.New("the body has a line end within a string, which no line can carry")
			case b == '\n':
				dst[start+i] = ' '
			case escaped:
				escaped = false
			case b == '\\' && inString:
				escaped = true
			case b == '"':
				inString = !inString
			}
		}
	}
	return append(dst, '\n'), nil
}

// lineReader reads lines of up to limit bytes.
type lineReader struct {
	src        io.Reader
	limit      int64
	buf        []byte
	start, end int
}

// next gives the next line, without its end and without the white space around
// it, valid until the following call. A line over the limit is read to its end,
// thrown away, and reported as a *protocolError; reading goes on after it. What
// comes before the end of the input without a line end is no line: its writer
// was cut short.
func (r *lineReader) next() ([]byte, error) {
	seen, over := 0, false
	for {
		unused := r.buf[r.start:r.end]
		i := bytes.IndexByte(unused[seen:], '\n')
		if i >= 0 {
			line := unused[:seen+i]
			r.start += seen + i + 1
			if over || int64(len(line)) > r.limit {
				return nil, protocolErrorf("a line is over the bound of %d bytes", r.limit)
			}
			return bytes.TrimSpace(line), nil
		}
		if over || int64(len(unused)) > r.limit {
			over, r.start, r.end = true, 0, 0
		}
		seen = r.end - r.start
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

func (r *lineReader) fill() error {
	if r.start > 0 {
		unused := r.buf[r.start:r.end]
		if len(r.buf) > largeReply && len(unused) <= largeReply/2 {
			r.buf = make([]byte, largeReply)
		}
		r.end = copy(r.buf, unused)
		r.start = 0
	}
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, max(firstBuffer, len(r.buf)))...)
		r.buf = r.buf[:cap(r.buf)]
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	if n > 0 {
		return nil
	}
	return err
}
