package transport

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// memory is what a connection keeps for answers, in bytes.
func memory(t *testing.T, c Conn) int {
	t.Helper()
	reader := func(r *responseReader) int { return cap(r.buf) + cap(r.body) }
	switch c := c.(type) {
	case *streamConn:
		return reader(&c.reader)
	case *h2Conn:
		return cap(c.answer)
	case *streamUser:
		return cap(c.answer)
	case *stdioConn:
		return cap(c.answer)
	}
	if r := polledReader(c); r != nil {
		return reader(r)
	}
	t.Fatalf("%T is a connection of no known kind", c)
	return 0
}

// forEver says part again and again until the client has enough of it.
func forEver(begin, part string) func(*peer) {
	return func(p *peer) {
		p.request()
		if _, err := io.WriteString(p, begin); err != nil {
			return
		}
		for part := []byte(strings.Repeat(part, 1+4096/len(part))); ; {
			if _, err := p.Write(part); err != nil {
				return
			}
		}
	}
}

// TestAnswersWithoutEnd: each is given up in bounded memory, with a class and a
// sentence, and the next call is served.
func TestAnswersWithoutEnd(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, tt := range map[string]struct {
		script func(*peer)
		want   string
	}{
		"status lines":            {forEver("", "x"), "does not begin with an HTTP status line"},
		"header fields":           {forEver(ok, "X: y\r\n"), "more than 256 header fields"},
		"a header field":          {forEver(ok+"X: ", "y"), "head is larger than 65536 bytes"},
		"folded lines of one":     {forEver(ok+"X: y\r\n", " y\r\n"), "more than 256 header fields"},
		"interim answers":         {forEver("", "HTTP/1.1 103 Early Hints\r\n\r\n"), "more than 16 interim answers"},
		"a body by its length":    {forEver(ok+"Content-Length: 1073741824\r\n\r\n", "x"), "a body of 1073741824 bytes is over the bound of 2097152"},
		"a body without length":   {forEver(ok+"\r\n", "x"), "the body is over the bound of 2097152 bytes"},
		"chunks":                  {forEver(ok+"Transfer-Encoding: chunked\r\n\r\n", "4\r\nabcd\r\n"), "the body is over the bound of 2097152 bytes"},
		"a chunk":                 {forEver(ok+"Transfer-Encoding: chunked\r\n\r\n40000000\r\n", "x"), "the body is over the bound of 2097152 bytes"},
		"an extension of one":     {forEver(ok+"Transfer-Encoding: chunked\r\n\r\n4;", "x"), "longer than 4096 bytes"},
		"trailers":                {forEver(ok+"Transfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n"), "more than 256 trailer fields"},
		"zeros of a chunk's size": {forEver(ok+"Transfer-Encoding: chunked\r\n\r\n", "0"), "longer than 4096 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			fine := then(answers(ok+"Content-Length: 2\r\n\r\n{}"), stay)
			c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, tt.script, fine), MaxReply: 2 << 20}))
			_, err := c.Do(t.Context(), Request{Body: []byte("[]")}, soon())
			if e := failureOf(t, err); e.Failure != Malformed || !e.Sent || !strings.Contains(e.Error(), tt.want) {
				t.Errorf("%v (sent %v): %v, want malformed with %q in it", e.Failure, e.Sent, e, tt.want)
			}
			if n := memory(t, c); n > 3*(2<<20) {
				t.Errorf("%d bytes were needed", n)
			}
			if reply, err := c.Do(t.Context(), Request{Body: []byte("[]")}, soon()); err != nil || string(reply.Body) != "{}" {
				t.Errorf("the next call: %v, %q", err, reply.Body)
			}
			c.Close()
		})
	}
}

// TestAnswersThatTrickle: an answer that goes on too slowly is a timeout, however
// regular its bytes.
func TestAnswersThatTrickle(t *testing.T) {
	for name, part := range map[string]string{"header fields": "X: y\r\n", "a body": "\r\nContent"} {
		t.Run(name, func(t *testing.T) {
			url := node(t, func(p *peer) {
				p.request()
				io.WriteString(p, "HTTP/1.1 200 OK\r\n")
				tick := time.NewTicker(10 * time.Millisecond)
				defer tick.Stop()
				for range tick.C {
					if _, err := io.WriteString(p, part); err != nil {
						return
					}
				}
			})
			c := opened(t, httpEndpoint(t, HTTPConfig{URL: url}))
			_, err := c.Do(t.Context(), Request{}, time.Now().Add(200*time.Millisecond))
			if e := failureOf(t, err); e.Failure != Timeout || !e.Sent || !strings.Contains(e.Error(), "no whole answer in time") {
				t.Errorf("%v (sent %v): %v, want a timeout that says how far it came", e.Failure, e.Sent, e)
			}
			c.Close()
		})
	}
}

func TestMemoryOfALargeReplyIsGivenBack(t *testing.T) {
	for name, endpoint := range map[string]func(*testing.T) Endpoint{
		"HTTP": func(t *testing.T) Endpoint {
			return httpEndpoint(t, HTTPConfig{URL: orders(t, (*httptest.Server).Start).URL})
		},
		"HTTPS": func(t *testing.T) Endpoint {
			return httpEndpoint(t, HTTPConfig{URL: orders(t, quiet).URL, TLS: &TLS{Insecure: true}})
		},
		"HTTP/2": func(t *testing.T) Endpoint { return h2Endpoint(t, HTTPConfig{URL: orders(t, startH2C).URL}) },
		"WebSocket": func(t *testing.T) Endpoint {
			return wsEndpoint(t, WebSocketConfig{HTTPConfig: HTTPConfig{URL: wsOrders(t)}})
		},
		"stdio": func(t *testing.T) Endpoint { return stdioEndpoint(t, "orders", StdioConfig{}) },
	} {
		t.Run(name, func(t *testing.T) {
			c := opened(t, endpoint(t))
			reply := mustEcho(t, c, orderOf(1, "echo", 3*largeReply))
			if n := memory(t, c); n < 3*largeReply {
				t.Fatalf("%d bytes are kept for a reply of more", n)
			}
			Release(c, &reply)
			if n := memory(t, c); n > largeReply || reply.Body != nil {
				t.Errorf("%d bytes are kept", n)
			}
			reply = mustEcho(t, c, orderOf(2, "echo", 1000))
			Release(c, &reply)
			if len(reply.Body) < 1000 {
				t.Error("a small reply was taken away")
			}
		})
	}
}
