package target

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// requestBody is a request's body as the handler reads it.
type requestBody struct {
	conn     *conn
	from     io.ReadCloser
	declared int64 // -1: chunked
	asked    bool  // the client has been told to send it, or needs no telling
	read     int64
	whole    bool
}

func (b *requestBody) begin(c *conn, r *http.Request) {
	*b = requestBody{conn: c, from: r.Body, declared: r.ContentLength, asked: true, whole: r.ContentLength == 0}
	if b.whole {
		return
	}
	b.asked = !r.ProtoAtLeast(1, 1) || !strings.EqualFold(r.Header.Get("Expect"), "100-continue")
	if !b.here() {
		c.nc.SetReadDeadline(time.Now().Add(bodyTimeout))
	}
	r.Body = b
}

// here says that the whole body has come.
func (b *requestBody) here() bool {
	return b.declared >= 0 && b.declared-b.read <= int64(b.conn.in.Buffered())
}

func (b *requestBody) Read(p []byte) (int, error) {
	if !b.asked {
		b.asked = true
		if _, err := io.WriteString(b.conn.nc, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return 0, err
		}
	}
	n, err := b.from.Read(p)
	b.read += int64(n)
	b.whole = b.whole || err == io.EOF
	return n, err
}

func (b *requestBody) Close() error { return b.from.Close() }

// skippable says that another request can follow at no cost: the body was read,
// or is here to be passed over.
func (b *requestBody) skippable() bool { return b.whole || b.here() }

func (b *requestBody) skip() bool {
	if b.whole {
		return true
	}
	_, err := io.Copy(io.Discard, b.from)
	return err == nil
}

// readAll is io.ReadAll into space that is there. declared is how much is said
// to come, under zero when nothing is said.
func readAll(r io.Reader, b []byte, declared int64) ([]byte, error) {
	for {
		if len(b) == cap(b) {
			b = roomier(b, declared)
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}

// roomier grows with what has come, not with what was declared, so that a
// client pays for the space; but to no more than what was declared, and the byte
// by which the end is told, since a body of many megabytes would leave as many
// more behind.
func roomier(b []byte, declared int64) []byte {
	const first, factor = 16 << 10, 4
	size := max(int64(factor*cap(b)), first)
	if declared >= int64(len(b)) {
		size = min(size, declared+1)
	}
	return append(make([]byte, 0, size), b...)
}
