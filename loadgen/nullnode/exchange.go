package nullnode

import (
	"bytes"
	"strconv"
)

// maxRequest bounds a request: a client that sends more is not one for this node.
const maxRequest = 256 << 20

// exchange is what one connection has sent and is to be answered.
type exchange struct {
	answers *Answers
	in      []byte
	have    int    // of in
	out     []byte // not yet written
	body    []byte // of the answer being made
	last    bool   // nothing more is answered: the client asked for the end, or made no sense
}

// room gives space for what comes next.
func (x *exchange) room() []byte {
	if x.have == len(x.in) {
		x.in = append(x.in, make([]byte, max(len(x.in), 16<<10))...)
	}
	return x.in[x.have:]
}

// received takes n bytes that were read into room, and answers every request that is
// whole.
func (x *exchange) received(n int) {
	x.have += n
	start := 0
	for !x.last {
		used := x.answer(x.in[start:x.have])
		if used == 0 {
			break
		}
		start += used
	}
	x.have = copy(x.in, x.in[start:x.have])
	x.last = x.last || x.have > maxRequest
}

// answer answers the first request in b and tells how long that was; 0: it is not
// all there yet, or makes no sense.
func (x *exchange) answer(b []byte) (used int) {
	end := bytes.Index(b, []byte("\r\n\r\n"))
	if end < 0 {
		return 0
	}
	length, ends, ok := readHead(b[:end+2])
	if !ok || length > maxRequest {
		x.last = true
		return 0
	}
	used = end + 4 + length
	if len(b) < used {
		return 0
	}
	x.last = ends
	x.body = x.answers.appendAnswers(x.body[:0], b[end+4:used])
	x.out = append(x.out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"...)
	if ends {
		x.out = append(x.out, "Connection: close\r\n"...)
	}
	x.out = append(x.out, "Content-Length: "...)
	x.out = strconv.AppendInt(x.out, int64(len(x.body)), 10)
	x.out = append(x.out, "\r\n\r\n"...)
	x.out = append(x.out, x.body...)
	return used
}

// readHead reads the lines of a head: how long the body is, and whether the
// connection ends after it. What is not a length, and a body in chunks, are not ok.
func readHead(head []byte) (length int, ends, ok bool) {
	for len(head) > 0 {
		i := bytes.IndexByte(head, '\n')
		line := head[:i+1]
		head = head[i+1:]
		switch line[0] | 0x20 { // the letters in question, in lower case
		case 'c':
		case 't':
			if _, chunked := value(line, "transfer-encoding:"); chunked {
				return 0, false, false
			}
			continue
		default:
			continue
		}
		if v, found := value(line, "content-length:"); found {
			n, err := strconv.Atoi(string(v))
			if err != nil || n < 0 {
				return 0, false, false
			}
			length = n
		} else if v, found := value(line, "connection:"); found {
			ends = bytes.EqualFold(v, []byte("close"))
		}
	}
	return length, ends, true
}

// value gives what a line of a head says under a name.
func value(line []byte, name string) ([]byte, bool) {
	if len(line) < len(name) || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return nil, false
	}
	return bytes.TrimSpace(line[len(name):]), true
}
