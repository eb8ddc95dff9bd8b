package transport

import (
	"bytes"
	"errors"
	"io"
)

// The bounds of an answer's head, and of its trailers.
const (
	maxHead          = 64 << 10
	maxFields        = 256
	maxInformational = 16
	maxChunkLine     = 4 << 10 // a chunk's size and its extensions
	firstBuffer      = 8 << 10
	largeBody        = 4 << 20 // a body buffer above it is given back when it is mostly unused
)

// responseReader reads the answers of one connection, RFC 9112, one at a time.
// Its memory is bounded by maxHead and maxBody, and is used again for the next
// answer.
type responseReader struct {
	src     io.Reader
	maxBody int64

	buf        []byte // buf[start:end] is read and not yet used
	start, end int
	body       []byte // a body that is not wholly within buf
	got        int64  // bytes of the present answer, interim ones included

	contentType, encoding string // the last ones seen, kept so that the same again costs nothing
}

// response is one final answer. Its body is valid until the next read.
type response struct {
	status      int
	contentType string
	encoding    string
	body        []byte
	keep        bool // the connection may carry another exchange
}

// head is what of a message's head decides how it goes on.
type head struct {
	status      int
	minor       byte // of HTTP/1.x
	length      int64
	chunked     bool
	close       bool
	keepAlive   bool
	contentType string
	encoding    string
}

// reset makes r read from the start of a new connection.
func (r *responseReader) reset(src io.Reader) {
	r.src, r.start, r.end = src, 0, 0
	if r.buf == nil {
		r.buf = make([]byte, firstBuffer)
	}
}

// idle tells whether nothing is left over of the bytes read.
func (r *responseReader) idle() bool { return r.start == r.end }

// read reads one answer; interim ones (1xx) are passed over. A *protocolError
// is an answer out of order or out of bounds, any other error is the
// connection's: io.EOF where it ended before a first byte,
// io.ErrUnexpectedEOF where it ended within the answer.
func (r *responseReader) read() (response, error) {
	r.got = int64(r.end - r.start)
	var h head
	for interim := 0; ; interim++ {
		var err error
		if h, err = r.readHead(); err != nil {
			return response{}, r.inAnswer(err)
		}
		if h.status >= 200 {
			break
		}
		if h.status == 101 {
			return response{}, protocolErrorf("the node switched protocols (status 101) unasked")
		}
		if interim == maxInformational {
			return response{}, protocolErrorf("more than %d interim answers (1xx)", maxInformational)
		}
	}
	res := response{status: h.status, contentType: h.contentType, encoding: h.encoding}
	res.keep = !h.close && (h.minor >= 1 || h.keepAlive)
	var err error
	switch {
	case h.status == 204 || h.status == 304:
	case h.chunked:
		res.keep = res.keep && h.length < 0
		res.body, err = r.chunkedBody()
	case h.length >= 0:
		res.body, err = r.sizedBody(h.length)
	default:
		res.keep = false
		res.body, err = r.closedBody()
	}
	if err != nil {
		return response{}, r.inAnswer(err)
	}
	return res, nil
}

func (r *responseReader) inAnswer(err error) error {
	if errors.Is(err, io.EOF) && r.got > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// fill reads more behind what is in buf. It makes room by moving what is
// unused to the front, and grows buf up to maxHead.
func (r *responseReader) fill() error {
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.start, r.end = 0, r.end-r.start
	}
	if r.end == len(r.buf) {
		r.buf = append(make([]byte, 0, 2*len(r.buf)), r.buf...)
		r.buf = r.buf[:cap(r.buf)]
	}
	n, err := r.readSome(r.buf[r.end:])
	r.end += n
	return err
}

// readSome reads at least one byte or says why not.
func (r *responseReader) readSome(p []byte) (int, error) {
	for range 100 {
		n, err := r.src.Read(p)
		r.got += int64(n)
		if n > 0 {
			return n, nil // an error that lasts comes back with the next read
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, io.ErrNoProgress
}

// line gives the next line with its line feed, of at most limit bytes. It is
// valid until the next fill.
func (r *responseReader) line(limit int) ([]byte, error) {
	seen := 0
	for {
		unused := r.buf[r.start:r.end]
		if i := bytes.IndexByte(unused[seen:], '\n'); i >= 0 && seen+i < limit {
			r.start += seen + i + 1
			return unused[:seen+i+1], nil
		} else if i >= 0 || len(unused) >= limit {
			return nil, protocolErrorf("a line of the answer is longer than %d bytes", limit)
		}
		seen = len(unused)
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// readHead reads a status line and the fields after it.
func (r *responseReader) readHead() (head, error) {
	h := head{length: -1}
	line, err := r.line(maxHead)
	if err != nil {
		if errors.As(err, new(*protocolError)) {
			err = protocolErrorf("the answer does not begin with an HTTP status line: %.40q", r.buf[r.start:r.end])
		}
		return h, err
	}
	left := maxHead - len(line)
	if h.status, h.minor, err = statusLine(trimLineEnd(line)); err != nil {
		return h, err
	}
	framing := false // whether the last field decides where the body ends
	for fields := 0; ; fields++ {
		line, err := r.line(left)
		if err != nil {
			if errors.As(err, new(*protocolError)) {
				err = protocolErrorf("the answer's head is larger than %d bytes", maxHead)
			}
			return h, err
		}
		left -= len(line)
		line = trimLineEnd(line)
		if len(line) == 0 {
			return h, nil
		}
		if hasControl(line) {
			return h, protocolErrorf("a control character in the header line %.40q", line)
		}
		if fields == maxFields {
			return h, protocolErrorf("the answer has more than %d header fields", maxFields)
		}
		if line[0] == ' ' || line[0] == '\t' { // a folded value, RFC 9112 section 5.2
			if fields == 0 || framing {
				return h, protocolErrorf("a folded header line %.40q where none may be", line)
			}
			continue
		}
		if framing, err = r.field(&h, line); err != nil {
			return h, err
		}
	}
}
