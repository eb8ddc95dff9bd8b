package transport

import "bytes"

// statusLine takes "HTTP/1.1 200 OK" apart, RFC 9112 section 4. A missing
// reason is forgiven.
func statusLine(line []byte) (status int, minor byte, err error) {
	const proto = "HTTP/1."
	valid := len(line) >= len(proto)+5 && string(line[:len(proto)]) == proto &&
		isDigit(line[7]) && line[8] == ' ' &&
		isDigit(line[9]) && line[9] != '0' && isDigit(line[10]) && isDigit(line[11]) &&
		(len(line) == 12 || line[12] == ' ')
	if !valid {
		return 0, 0, protocolErrorf("the answer does not begin with an HTTP status line: %.40q", line)
	}
	return int(line[9]-'0')*100 + int(line[10]-'0')*10 + int(line[11]-'0'), line[7] - '0', nil
}

// field takes one header field into h. framing says that the field is one that
// decides where the body ends.
func (r *responseReader) field(h *head, line []byte) (framing bool, err error) {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || !isToken(line[:colon]) {
		return false, protocolErrorf("a header line that is no field: %.40q", line)
	}
	name, value := line[:colon], bytes.Trim(line[colon+1:], " \t")
	switch {
	case foldEqual(name, "content-length"):
		return true, h.setLength(value)
	case foldEqual(name, "transfer-encoding"):
		if h.minor == 0 {
			return true, protocolErrorf("a transfer encoding in an HTTP/1.0 answer")
		}
		if h.chunked || !foldEqual(value, "chunked") {
			return true, protocolErrorf("the transfer encoding %.40q is not supported, only chunked", value)
		}
		h.chunked = true
		return true, nil
	case foldEqual(name, "connection"):
		for option := range bytes.SplitSeq(value, []byte{','}) {
			option = bytes.Trim(option, " \t")
			h.close = h.close || foldEqual(option, "close")
			h.keepAlive = h.keepAlive || foldEqual(option, "keep-alive")
		}
		return true, nil
	case foldEqual(name, "content-type") && h.contentType == "":
		h.contentType = same(&r.contentType, value)
	case foldEqual(name, "content-encoding") && h.encoding == "":
		h.encoding = same(&r.encoding, value)
	case h.status/100 == 3 && h.location == "" && foldEqual(name, "location"):
		h.location = same(&r.location, value)
	}
	return false, nil
}

// setLength reads a Content-Length. The same again is forgiven, RFC 9110
// section 8.6.
func (h *head) setLength(value []byte) error {
	n := int64(0)
	for _, b := range value {
		if !isDigit(b) || n > (1<<62)/10 {
			return protocolErrorf("the content length %.40q is not a length", value)
		}
		n = n*10 + int64(b-'0')
	}
	if len(value) == 0 {
		return protocolErrorf("an empty content length")
	}
	if h.length >= 0 && h.length != n {
		return protocolErrorf("two content lengths, %d and %d", h.length, n)
	}
	h.length = n
	return nil
}

// chunkSize reads the line before a chunk, RFC 9112 section 7.1: hexadecimal
// digits, then extensions, which are passed over.
func chunkSize(line []byte) (int64, error) {
	if !bytes.HasSuffix(line, []byte("\r\n")) {
		return 0, protocolErrorf("a chunk size %.40q that does not end in CR LF", line)
	}
	digits := line[:len(line)-2]
	if i := bytes.IndexByte(digits, ';'); i >= 0 {
		digits = digits[:i]
	}
	digits = bytes.TrimRight(digits, " \t")
	n := int64(0)
	for _, b := range digits {
		var v byte
		switch low := b | 0x20; {
		case isDigit(b):
			v = b - '0'
		case low >= 'a' && low <= 'f':
			v = low - 'a' + 10
		default:
			return 0, protocolErrorf("the chunk size %.40q is not a size", line)
		}
		if n >= 1<<58 {
			return 0, protocolErrorf("the chunk size %.40q is not a size", line)
		}
		n = n<<4 | int64(v)
	}
	if len(digits) == 0 {
		return 0, protocolErrorf("an empty chunk size in %.40q", line)
	}
	return n, nil
}

// same gives value as a string, the last one over again where it is equal.
func same(last *string, value []byte) string {
	if string(value) != *last {
		*last = string(value)
	}
	return *last
}

func trimLineEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}

// hasControl finds what may stand in no field, RFC 9110 section 5.5: a carriage
// return above all, which some readers take for a line end.
func hasControl(line []byte) bool {
	for _, b := range line {
		if b < ' ' && b != '\t' || b == 0x7f {
			return true
		}
	}
	return false
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// isToken tells whether every byte of s may stand in a field's name, RFC 9110
// section 5.6.2.
func isToken[T string | []byte](s T) bool {
	for i := range len(s) {
		b := s[i]
		if isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'z' {
			continue
		}
		switch b {
		case '!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~':
		default:
			return false
		}
	}
	return len(s) > 0
}

// foldEqual tells whether s is lower, a word in lower case, in any case.
func foldEqual(s []byte, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i, b := range s {
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		if b != lower[i] {
			return false
		}
	}
	return true
}
