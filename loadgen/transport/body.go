package transport

import "bytes"

// readBody goes on with the bytes of a body or a chunk. Memory grows with what
// arrives, not with what is announced.
func (r *responseReader) readBody() error {
	if err := r.share.grow(len(r.body)); err != nil {
		return err
	}
	ready := int64(r.end - r.start)
	switch r.stage {
	case inPlaceStage:
		if ready < r.rest {
			return errMore
		}
		r.answer = r.buf[r.start : r.start+int(r.rest)]
		r.start += int(r.rest)
		r.stage = wholeStage
		return nil
	case closedStage:
		r.take(ready)
		if int64(len(r.body)) > r.maxBody {
			return protocolErrorf("the body is over the bound of %d bytes", r.maxBody)
		}
		return errMore
	}
	ready = min(ready, r.rest)
	r.take(ready)
	if r.rest -= ready; r.rest > 0 {
		return errMore
	}
	if r.stage == chunkStage {
		r.stage = chunkEndStage
	} else {
		r.answer, r.stage = r.body, wholeStage
	}
	return nil
}

// take moves n bytes from buf to the body.
func (r *responseReader) take(n int64) {
	r.body = append(r.body, r.buf[r.start:r.start+int(n)]...)
	r.start += int(n)
}

func (r *responseReader) readChunkSize() error {
	line, err := r.line(maxChunkLine)
	if err != nil {
		return err
	}
	n, err := chunkSize(line)
	switch {
	case err != nil:
		return err
	case n == 0:
		r.left, r.fields, r.stage = maxHead, 0, trailerStage
	case n > r.maxBody-int64(len(r.body)):
		return protocolErrorf("the body is over the bound of %d bytes", r.maxBody)
	default:
		r.rest, r.stage = n, chunkStage
	}
	return nil
}

func (r *responseReader) readChunkEnd() error {
	if r.end-r.start < 2 {
		return errMore
	}
	if end := r.buf[r.start : r.start+2]; string(end) != "\r\n" {
		return protocolErrorf("a chunk ends in %q, not in CR LF", end)
	}
	r.start += 2
	r.stage = chunkSizeStage
	return nil
}

// readTrailer passes over one field behind the last chunk.
func (r *responseReader) readTrailer() error {
	line, err := r.line(r.left)
	if err != nil {
		return err
	}
	r.left -= len(line)
	if !bytes.HasSuffix(line, []byte("\r\n")) {
		return protocolErrorf("a trailer line %.40q that does not end in CR LF", line)
	}
	if line = trimLineEnd(line); len(line) == 0 {
		r.answer, r.stage = r.body, wholeStage
		return nil
	}
	if colon := bytes.IndexByte(line, ':'); colon <= 0 || !isToken(line[:colon]) || hasControl(line) {
		return protocolErrorf("a trailer line that is no field: %.40q", line)
	}
	if r.fields == maxFields {
		return protocolErrorf("the answer has more than %d trailer fields", maxFields)
	}
	r.fields++
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
