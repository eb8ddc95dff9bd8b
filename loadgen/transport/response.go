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
	maxLast          = 1 << 10 // up to which size a head is kept for the next answer
	firstBuffer      = 8 << 10
	inPlace          = 64 << 10 // up to which size a body is left where it was read
	largeBody        = 4 << 20  // a body buffer above it is given back when it is mostly unused
)

// responseReader reads the answers of one connection, RFC 9112, one at a time. It
// does not read itself: whoever does puts bytes into space, tells took, and asks
// next, which goes as far as the bytes do and then says errMore. So it serves a
// goroutine that waits for its connection as well as a loop that waits for many.
// Its memory is bounded by maxHead and maxBody, and is used again for the next
// answer.
type responseReader struct {
	src     io.Reader // of read
	maxBody int64

	buf        []byte // buf[start:end] is read and not yet used
	start, end int
	seen       int    // of the unused bytes, how many hold no line feed
	share      share  // of the answer, in what all of them may take
	expecting  bool   // a 100 (Continue) stops it with errContinue
	body       []byte // the memory of a body that is not wholly within buf
	answer     []byte // the body of the answer that is whole
	got        int64  // bytes of the present answer, interim ones included

	stage   stage
	head    head
	from    int   // where the head begins in buf; -1: it was moved
	left    int   // of the bound on what is being read: head or trailers
	fields  int   // read of the head or the trailers
	framing bool  // the last field decides where the body ends
	interim int   // interim answers passed over
	rest    int64 // of the body or the chunk, what is still to come

	last     []byte // the bytes of a head, kept with what they say, as most answers have the same
	lastHead head

	contentType, encoding, location string // the last ones seen, kept so that the same again costs nothing
}

// stage is the part of an answer that comes next.
type stage uint8

const (
	statusStage stage = iota
	fieldStage
	inPlaceStage // a body that will lie within buf
	sizedStage
	chunkSizeStage
	chunkStage
	chunkEndStage
	trailerStage
	closedStage // a body that ends with the connection
	wholeStage
)

// errContinue says that the node wants the body that it was asked about.
var errContinue = errors.New("the node says 100 (Continue)")

// errMore says that the answer goes on beyond the bytes read.
var errMore = errors.New("the answer goes on")

// response is one final answer. Its body is valid until bytes are read again.
type response struct {
	status      int
	contentType string
	encoding    string
	location    string // of a redirect
	body        []byte
	chunked     bool
	untilClosed bool
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
	location    string
}

// bodiless tells the statuses that have no body, whatever the fields say.
func (h *head) bodiless() bool { return h.status == 204 || h.status == 304 }

// reply is what an exchange gives for r.
func (r *response) reply() Reply {
	return Reply{
		Status: r.status, ContentType: r.contentType, Encoding: r.encoding, Location: r.location, Body: r.body,
		Chunked: r.chunked, UntilClosed: r.untilClosed,
	}
}

// reset makes r read from the start of a new connection.
func (r *responseReader) reset(src io.Reader) {
	r.src, r.start, r.end = src, 0, 0
	if r.buf == nil {
		r.buf = make([]byte, firstBuffer)
	}
}

// release gives back the memory of a large answer.
func (r *responseReader) release() {
	if cap(r.body) > largeReply {
		r.body, r.answer = nil, nil
	}
}

// idle tells whether nothing is left over of the bytes read.
func (r *responseReader) idle() bool { return r.start == r.end }

// begin makes r ready for the next answer.
func (r *responseReader) begin() {
	r.share.end()
	r.got = int64(r.end - r.start)
	r.stage, r.seen, r.interim = statusStage, 0, 0
}

// read reads one answer from the source that reset was given; interim ones (1xx)
// are passed over. A *protocolError is an answer out of order or out of bounds, any
// other error is the connection's: io.EOF where it ended before a first byte,
// io.ErrUnexpectedEOF where it ended within the answer.
func (r *responseReader) read() (response, error) {
	r.begin()
	return r.goOn()
}

// goOn reads on with an answer that begin was called for.
func (r *responseReader) goOn() (response, error) {
	for {
		res, err := r.next()
		if err != errMore {
			return res, err
		}
		n, err := readSome(r.src, r.space())
		r.took(n)
		switch {
		case errors.Is(err, io.EOF):
			return r.ended()
		case err != nil:
			return response{}, err
		}
	}
}

// answering tells whether a final answer has begun.
func (r *responseReader) answering() bool {
	return r.stage > fieldStage || r.stage == fieldStage && r.head.status >= 200
}

// readSome reads at least one byte or says why not.
func readSome(src io.Reader, p []byte) (int, error) {
	for range 100 {
		n, err := src.Read(p)
		if n > 0 {
			return n, nil // an error that lasts comes back with the next read
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, io.ErrNoProgress
}

// next goes on with the answer as far as the bytes read allow: errMore asks for
// more of them.
func (r *responseReader) next() (response, error) {
	for r.stage != wholeStage {
		if err := r.step(); err != nil {
			return response{}, err
		}
	}
	r.share.end()
	h := &r.head
	return response{
		status: h.status, contentType: h.contentType, encoding: h.encoding, location: h.location, body: r.answer,
		chunked: h.chunked, untilClosed: !h.chunked && h.length < 0 && !h.bodiless(),
		keep: !h.close && (h.minor >= 1 || h.keepAlive),
	}, nil
}

func (r *responseReader) step() error {
	switch r.stage {
	case statusStage:
		return r.readStatus()
	case fieldStage:
		return r.readField()
	case chunkSizeStage:
		return r.readChunkSize()
	case chunkEndStage:
		return r.readChunkEnd()
	case trailerStage:
		return r.readTrailer()
	default:
		return r.readBody()
	}
}

// ended says what the end of the connection makes of the answer.
func (r *responseReader) ended() (response, error) {
	switch {
	case r.stage == closedStage:
		r.answer, r.stage = r.body, wholeStage
		return r.next()
	case r.got > 0:
		return response{}, io.ErrUnexpectedEOF
	}
	return response{}, io.EOF
}

// space gives the memory that the next bytes belong into, at least one.
func (r *responseReader) space() []byte {
	if r.idle() {
		switch r.stage {
		case sizedStage, chunkStage:
			room := r.room()
			return room[:min(int64(len(room)), r.rest)]
		case closedStage:
			return r.room()
		}
	}
	if r.start > 0 {
		r.from = -1
		copy(r.buf, r.buf[r.start:r.end])
		r.start, r.end = 0, r.end-r.start
	}
	if r.end == len(r.buf) {
		r.buf = append(make([]byte, 0, 2*len(r.buf)), r.buf...)
		r.buf = r.buf[:cap(r.buf)]
	}
	return r.buf[r.end:]
}

// took says that n bytes were put into the memory that space gave.
func (r *responseReader) took(n int) {
	r.got += int64(n)
	if r.idle() {
		switch r.stage {
		case sizedStage, chunkStage:
			r.rest -= int64(n)
			r.body = r.body[:len(r.body)+n]
			return
		case closedStage:
			r.body = r.body[:len(r.body)+n]
			return
		}
	}
	r.end += n
}

// line gives the next line with its line feed, of at most limit bytes. It is
// valid until bytes are read again.
func (r *responseReader) line(limit int) ([]byte, error) {
	unused := r.buf[r.start:r.end]
	i := bytes.IndexByte(unused[r.seen:], '\n')
	switch {
	case i >= 0 && r.seen+i < limit:
		i += r.seen + 1
		r.start, r.seen = r.start+i, 0
		return unused[:i], nil
	case i >= 0 || len(unused) >= limit:
		return nil, protocolErrorf("a line of the answer is longer than %d bytes", limit)
	}
	r.seen = len(unused)
	return nil, errMore
}

func (r *responseReader) readStatus() error {
	if n := len(r.last); n > 0 && bytes.HasPrefix(r.buf[r.start:r.end], r.last) {
		r.start, r.seen, r.head = r.start+n, 0, r.lastHead
		return r.pickBody()
	}
	r.from = r.start
	line, err := r.line(maxHead)
	if err != nil {
		if err != errMore {
			err = protocolErrorf("the answer does not begin with an HTTP status line: %.40q", r.buf[r.start:r.end])
		}
		return err
	}
	r.head = head{length: -1}
	r.left, r.fields, r.framing = maxHead-len(line), 0, false
	r.stage = fieldStage
	r.head.status, r.head.minor, err = statusLine(trimLineEnd(line))
	return err
}

func (r *responseReader) readField() error {
	line, err := r.line(r.left)
	if err != nil {
		if err != errMore {
			err = protocolErrorf("the answer's head is larger than %d bytes", maxHead)
		}
		return err
	}
	r.left -= len(line)
	line = trimLineEnd(line)
	if len(line) == 0 {
		return r.endHead()
	}
	if hasControl(line) {
		return protocolErrorf("a control character in the header line %.40q", line)
	}
	if r.fields == maxFields {
		return protocolErrorf("the answer has more than %d header fields", maxFields)
	}
	r.fields++
	if line[0] == ' ' || line[0] == '\t' { // a folded value, RFC 9112 section 5.2
		if r.fields == 1 || r.framing {
			return protocolErrorf("a folded header line %.40q where none may be", line)
		}
		return nil
	}
	r.framing, err = r.field(&r.head, line)
	return err
}

// endHead goes on behind a head.
func (r *responseReader) endHead() error {
	h := &r.head
	if h.status == 101 {
		return protocolErrorf("the node switched protocols (status 101) unasked")
	}
	if h.status < 200 {
		if r.interim == maxInformational {
			return protocolErrorf("more than %d interim answers (1xx)", maxInformational)
		}
		r.interim++
		r.stage = statusStage
		if h.status == 100 && r.expecting {
			return errContinue
		}
		return nil
	}
	if n := r.start - r.from; r.from >= 0 && n <= maxLast {
		r.last, r.lastHead = append(r.last[:0], r.buf[r.from:r.start]...), *h
	}
	return r.pickBody()
}

// pickBody picks how a body is read.
func (r *responseReader) pickBody() error {
	h := &r.head
	r.clearBody()
	switch {
	case h.bodiless():
		r.answer, r.stage = nil, wholeStage
	case h.chunked:
		h.close = h.close || h.length >= 0
		r.stage = chunkSizeStage
	case h.length > r.maxBody:
		return protocolErrorf("a body of %d bytes is over the bound of %d", h.length, r.maxBody)
	case h.length >= 0 && h.length <= inPlace:
		r.rest, r.stage = h.length, inPlaceStage
	case h.length >= 0:
		r.rest, r.stage = h.length, sizedStage
	default:
		h.close = true
		r.stage = closedStage
	}
	return nil
}
