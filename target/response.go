package target

import (
	"bufio"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// response is the http.ResponseWriter of one request on a conn. A body of a
// declared length goes out as it is written; any other is held until the handler
// has returned, and its length declared then. It can be hijacked.
type response struct {
	conn    *conn
	request *http.Request
	header  http.Header
	status  int    // 0 until WriteHeader
	held    []byte // body of a length that was not declared
	sent    bool   // the header
	left    int64  // bytes that were declared and not yet written

	last     bool // the connection ends after it
	failed   bool // it could not be written whole
	hijacked bool

	head  []byte      // scratch
	parts [2][]byte   // scratch
	bufs  net.Buffers // of parts
}

func (w *response) begin(c *conn, r *http.Request) {
	if w.header == nil {
		w.header = http.Header{}
	}
	clear(w.header)
	*w = response{conn: c, request: r, header: w.header, held: reusable(w.held), head: w.head[:0]}
}

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *response) Write(p []byte) (int, error) {
	if w.hijacked {
		return 0, http.ErrHijacked
	}
	w.WriteHeader(http.StatusOK)
	if !w.sent {
		length, declared := w.declared()
		if !declared {
			w.held = append(w.held, p...)
			return len(p), nil
		}
		return w.start(length, p)
	}
	if int64(len(p)) > w.left {
		return 0, http.ErrContentLength
	}
	w.left -= int64(len(p))
	if w.bodiless() {
		return len(p), nil
	}
	return len(p), w.put(p)
}

func (w *response) declared() (int64, bool) {
	value := w.header["Content-Length"]
	if len(value) == 0 {
		return 0, false
	}
	length, err := strconv.ParseInt(value[0], 10, 64)
	return length, err == nil && length >= 0
}

// start writes the header and the first of a body of the given length.
func (w *response) start(length int64, p []byte) (int, error) {
	if int64(len(p)) > length {
		return 0, http.ErrContentLength
	}
	w.sent, w.left = true, length-int64(len(p))
	w.appendHead(length)
	if w.bodiless() {
		return len(p), w.put(nil)
	}
	return len(p), w.put(p)
}

// finish sends what is held.
func (w *response) finish() {
	switch {
	case w.hijacked:
	case !w.sent:
		w.WriteHeader(http.StatusOK)
		length := int64(len(w.held))
		if declared, ok := w.declared(); ok && w.bodiless() {
			length = declared
		}
		w.start(length, w.held) // of a failure w.failed tells
	case w.left > 0 && !w.bodiless():
		w.failed = true
	}
}

func (w *response) bodiless() bool {
	return w.request.Method == http.MethodHead || !mayHaveBody(w.status)
}

func mayHaveBody(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// smallBody is copied behind the header rather than sent as a second part.
const smallBody = 2 << 10

// put writes w.head, if there is any yet, and p.
func (w *response) put(p []byte) error {
	w.conn.nc.SetWriteDeadline(time.Now().Add(answerTimeout)) // of its error the write tells
	var err error
	if len(p) <= smallBody {
		_, err = w.conn.nc.Write(append(w.head, p...))
	} else {
		w.parts = [2][]byte{w.head, p}
		w.bufs = w.parts[:]
		_, err = w.bufs.WriteTo(w.conn.nc)
		w.parts = [2][]byte{}
	}
	w.head = w.head[:0]
	w.failed = w.failed || err != nil
	return err
}

func (w *response) appendHead(length int64) {
	b := append(w.head[:0], "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(w.status), 10)
	b = append(append(b, ' '), http.StatusText(w.status)...)
	b = append(b, "\r\nDate: "...)
	b = time.Now().UTC().AppendFormat(b, http.TimeFormat)
	for name, values := range w.header {
		if name == "Content-Length" || name == "Connection" {
			continue
		}
		for _, value := range values {
			b = append(append(b, "\r\n"...), name...)
			b = append(append(b, ": "...), oneLine.Replace(value)...)
		}
	}
	if mayHaveBody(w.status) {
		b = strconv.AppendInt(append(b, "\r\nContent-Length: "...), length, 10)
	}
	switch r := w.request; {
	case r.Close || w.conn.server.stopping.Load() || !w.conn.body.skippable() || w.header.Get("Connection") == "close":
		w.last = true
		b = append(b, "\r\nConnection: close"...)
	case !r.ProtoAtLeast(1, 1):
		b = append(b, "\r\nConnection: keep-alive"...)
	}
	w.head = append(b, "\r\n\r\n"...)
}

var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// Hijack gives the connection to the handler, who ends it.
func (w *response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.hijacked = true
	c := w.conn
	c.nc.SetDeadline(time.Time{})
	return c.nc, bufio.NewReadWriter(c.in, bufio.NewWriter(c.nc)), nil
}
