package target

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// rawAnswer is a finished HTTP answer.
type rawAnswer struct {
	status int
	media  string
	body   []byte
}

// answerWrongly answers with x.fault on the raw connection and ends it; false
// when it cannot be had, or there is no body to do the fault to: nothing is
// written then.
func (n *Node) answerWrongly(w http.ResponseWriter, x *exchange) bool {
	hijacker, ok := w.(http.Hijacker)
	if !ok || len(x.out) == 0 && x.fault != Hang {
		return false
	}
	nc, _, err := hijacker.Hijack()
	if err != nil {
		return false
	}
	defer nc.Close()
	n.misbehave.counters[x.fault].Inc()
	nc.SetDeadline(time.Time{})
	if x.fault == Hang {
		hang(w, nc)
		return true
	}
	a := rawAnswer{x.status, x.mediaType(), x.out}
	a.write(patient{nc}, x.fault, n.misbehave) // a client that is gone is no fault of the node's
	if tcp, ok := nc.(*net.TCPConn); ok && x.fault == Reset {
		tcp.SetLinger(0)
	}
	return true
}

// hang waits until the client is gone or the node stops. What the client sends
// meanwhile is thrown away.
func hang(w http.ResponseWriter, nc net.Conn) {
	if own, ok := w.(*response); ok {
		own.conn.idle.Store(true) // a node that stops closes it
		if own.conn.server.stopping.Load() {
			return
		}
	}
	io.Copy(io.Discard, nc)
}

// write writes the answer as the fault has it; what ends the connection is left
// to the caller.
func (a rawAnswer) write(w io.Writer, f Fault, b *misbehaviour) error {
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nConnection: close\r\n", a.status, http.StatusText(a.status), a.media)
	length := func(n int64) string { return fmt.Sprintf("%sContent-Length: %d\r\n\r\n", head, n) }
	var err error
	switch f {
	case CloseDelimited:
		_, err = io.WriteString(w, head+"\r\n"+string(a.body))
	case Chunked:
		_, err = io.WriteString(w, head+"Transfer-Encoding: chunked\r\n\r\n")
		for rest := a.body; err == nil && len(rest) > 0; {
			n := 1 + b.below(len(rest))
			_, err = fmt.Fprintf(w, "%x\r\n%s\r\n", n, rest[:n])
			rest = rest[n:]
		}
		if err == nil {
			_, err = io.WriteString(w, "0\r\n\r\n")
		}
	case Reset:
		_, err = io.WriteString(w, length(int64(len(a.body)))+string(a.body[:len(a.body)/2]))
	case Huge:
		last := len(a.body) - 1
		total := max(b.config.HugeBytes, int64(len(a.body)))
		if _, err = io.WriteString(w, length(total)+string(a.body[:last])); err == nil {
			err = pad(w, total-int64(len(a.body)))
		}
		if err == nil {
			_, err = w.Write(a.body[last:])
		}
	}
	return err
}

// pad writes n spaces from a small buffer.
func pad(w io.Writer, n int64) error {
	spaces := bytes.Repeat([]byte(" "), 64<<10)
	for n > 0 {
		m, err := w.Write(spaces[:min(n, int64(len(spaces)))])
		if err != nil {
			return err
		}
		n -= int64(m)
	}
	return nil
}

// patient is a connection whose every write may take answerTimeout.
type patient struct{ net.Conn }

func (p patient) Write(b []byte) (int, error) {
	p.SetWriteDeadline(time.Now().Add(answerTimeout))
	return p.Conn.Write(b)
}
