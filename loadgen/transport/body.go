package transport

import (
	"bytes"
	"errors"
	"io"
)

// sizedBody reads a body of n bytes. One that came with its head is left where
// it is. Memory grows with what arrives, not with what is announced.
func (r *responseReader) sizedBody(n int64) ([]byte, error) {
	if n > r.maxBody {
		return nil, protocolErrorf("a body of %d bytes is over the bound of %d", n, r.maxBody)
	}
	if n <= int64(r.end-r.start) {
		body := r.buf[r.start : r.start+int(n)]
		r.start += int(n)
		return body, nil
	}
	r.clearBody()
	return r.body, r.take(n)
}

// closedBody reads a body that ends with the connection.
func (r *responseReader) closedBody() ([]byte, error) {
	r.clearBody()
	err := r.take(int64(r.end - r.start))
	for err == nil {
		if int64(len(r.body)) > r.maxBody {
			return nil, protocolErrorf("the body is over the bound of %d bytes", r.maxBody)
		}
		var n int
		n, err = r.readSome(r.room())
		r.body = r.body[:len(r.body)+n]
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return r.body, nil
}

// chunkedBody reads a chunked body and its trailers, which are passed over.
func (r *responseReader) chunkedBody() ([]byte, error) {
	r.clearBody()
	for {
		line, err := r.line(maxChunkLine)
		if err != nil {
			return nil, err
		}
		n, err := chunkSize(line)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return r.body, r.trailers()
		}
		if n > r.maxBody-int64(len(r.body)) {
			return nil, protocolErrorf("the body is over the bound of %d bytes", r.maxBody)
		}
		if err := r.take(n); err != nil {
			return nil, err
		}
		for r.end-r.start < 2 {
			if err := r.fill(); err != nil {
				return nil, err
			}
		}
		if end := r.buf[r.start : r.start+2]; string(end) != "\r\n" {
			return nil, protocolErrorf("a chunk of %d bytes ends in %q, not in CR LF", n, end)
		}
		r.start += 2
	}
}

func (r *responseReader) trailers() error {
	left := maxHead
	for fields := 0; ; fields++ {
		line, err := r.line(left)
		if err != nil {
			return err
		}
		left -= len(line)
		if !bytes.HasSuffix(line, []byte("\r\n")) {
			return protocolErrorf("a trailer line %.40q that does not end in CR LF", line)
		}
		if line = trimLineEnd(line); len(line) == 0 {
			return nil
		}
		if colon := bytes.IndexByte(line, ':'); colon <= 0 || !isToken(line[:colon]) || hasControl(line) {
			return protocolErrorf("a trailer line that is no field: %.40q", line)
		}
		if fields == maxFields {
			return protocolErrorf("the answer has more than %d trailer fields", maxFields)
		}
	}
}

// take appends n bytes to the body: first what is in buf, then straight from
// the connection.
func (r *responseReader) take(n int64) error {
	ready := min(n, int64(r.end-r.start))
	r.body = append(r.body, r.buf[r.start:r.start+int(ready)]...)
	r.start += int(ready)
	for n -= ready; n > 0; {
		room := r.room()
		got, err := r.readSome(room[:min(int64(len(room)), n)])
		r.body = r.body[:len(r.body)+got]
		n -= int64(got)
		if err != nil {
			return err
		}
	}
	return nil
}

// room gives the unused end of the body's memory, doubled when there is none.
func (r *responseReader) room() []byte {
	if len(r.body) == cap(r.body) {
		r.body = append(r.body, make([]byte, max(firstBuffer, cap(r.body)))...)[:len(r.body)]
	}
	return r.body[len(r.body):cap(r.body)]
}

// clearBody empties the body, and gives its memory back when the last one
// needed little of much.
func (r *responseReader) clearBody() {
	if cap(r.body) > largeBody && len(r.body) < cap(r.body)/4 {
		r.body = nil
	}
	r.body = r.body[:0]
}
