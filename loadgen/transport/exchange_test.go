package transport

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// peer is one connection as a node of these tests sees it: it writes exact bytes.
type peer struct {
	*net.TCPConn
	in *bufio.Reader
}

// request reads one request with its body.
func (p *peer) request() (head *http.Request, body []byte, err error) {
	head, err = http.ReadRequest(p.in)
	if err == nil {
		body, err = io.ReadAll(head.Body)
	}
	return head, body, err
}

// answers reads a request and writes text for it, for each text.
func answers(texts ...string) func(*peer) {
	return func(p *peer) {
		for _, text := range texts {
			if _, _, err := p.request(); err != nil {
				return
			}
			io.WriteString(p, text)
		}
	}
}

// node listens and plays one script per connection, in order, the last one over
// and over; a connection is closed after its script.
func node(t *testing.T, scripts ...func(*peer)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for i := 0; ; i++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			script := scripts[min(i, len(scripts)-1)]
			script(&peer{conn.(*net.TCPConn), bufio.NewReader(conn)})
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-over })
	return "http://" + l.Addr().String()
}

// stay keeps a connection open until the client closes it.
func stay(p *peer) { io.Copy(io.Discard, p) }

func then(scripts ...func(*peer)) func(*peer) {
	return func(p *peer) {
		for _, script := range scripts {
			script(p)
		}
	}
}

func TestAnswers(t *testing.T) {
	long := strings.Repeat("z", 100_000)
	tests := []struct {
		name   string
		answer string
		ends   bool // the node closes after it
		want   Reply
		reused bool // the next call goes over the same connection
	}{
		{"a length", "HTTP/1.1 200 OK\r\nContent-Type: application/json-rpc\r\nContent-Length: 2\r\n\r\n{}", false,
			Reply{Status: 200, ContentType: "application/json-rpc", Body: []byte("{}")}, true},
		{"a body larger than any buffer", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + long, false,
			Reply{Status: 200, Body: []byte(long)}, true},
		{"names in any case, white space around values, bare line feeds", "HTTP/1.1 200\ncontent-LENGTH:\t 2 \nCONTENT-type:a/b\n\n{}", false,
			Reply{Status: 200, ContentType: "a/b", Body: []byte("{}")}, true},
		{"chunks with extensions and trailers",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n4;a=b;c=\"d\"\r\n{\"a\"\r\n00000a \r\n:1,\"b\":22}\r\n0;x\r\nDigest: y\r\n\r\n", false,
			Reply{Status: 200, Body: []byte(`{"a":1,"b":22}`)}, true},
		{"chunks without a byte", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false, Reply{Status: 200}, true},
		{"chunks and a length: the length is nothing, and the connection is done with",
			"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", false,
			Reply{Status: 200, Body: []byte("{}")}, false},
		{"up to the end of the connection", "HTTP/1.1 200 OK\r\n\r\n" + long, true, Reply{Status: 200, Body: []byte(long)}, false},
		{"up to the end of the connection, without a byte", "HTTP/1.1 200 OK\r\n\r\n", true, Reply{Status: 200}, false},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", false, Reply{Status: 200, Body: []byte("{}")}, false},
		{"HTTP/1.0 that stays", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\n{}", false, Reply{Status: 200, Body: []byte("{}")}, true},
		{"Connection: close among others", "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\n{}", false, Reply{Status: 200, Body: []byte("{}")}, false},
		{"interim answers are passed over", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nContent-Type: no\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false,
			Reply{Status: 200}, true},
		{"204 has no body, whatever its length says", "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", false, Reply{Status: 204}, true},
		{"304 neither", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", false, Reply{Status: 304}, true},
		{"a redirect is an answer", "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://203.0.113.5/\r\nContent-Length: 0\r\n\r\n", false,
			Reply{Status: 307, Location: "http://203.0.113.5/"}, true},
		{"a place without a redirect is none", "HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", false, Reply{Status: 201}, true},
		{"so is an error", "HTTP/1.1 503 \r\nContent-Length: 4\r\n\r\nbusy", false, Reply{Status: 503, Body: []byte("busy")}, true},
		{"an encoding is handed through", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b", false,
			Reply{Status: 200, Encoding: "gzip", Body: []byte("\x1f\x8b")}, true},
		{"the same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", false, Reply{Status: 200, Body: []byte("{}")}, true},
		{"a folded field that frames nothing", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\n{}", false, Reply{Status: 200, Body: []byte("{}")}, true},
		{"more bytes than were due spoil the connection", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}\n", false, Reply{Status: 200, Body: []byte("{}")}, false},
		{"a head that is just not too large", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: " + strings.Repeat("x", 60_000) + "\r\n\r\n{}", false,
			Reply{Status: 200, Body: []byte("{}")}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			end := stay
			if tt.ends {
				end = func(*peer) {}
			}
			probe := "HTTP/1.1 200 OK\r\nContent-Type: probe\r\nContent-Length: 5\r\n\r\nprobe"
			first := then(answers(tt.answer), func(p *peer) {
				if !tt.ends {
					answers(probe)(p)
				}
			}, end)
			c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, first, then(answers(probe), stay))}))
			got, err := c.Do(t.Context(), Request{Body: []byte("[]")}, soon())
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != tt.want.Status || got.ContentType != tt.want.ContentType || got.Encoding != tt.want.Encoding || got.Location != tt.want.Location || string(got.Body) != string(tt.want.Body) || !got.Connected {
				t.Errorf("got %d %q %q %.60q connected %v, want %d %q %q %.60q connected", got.Status, got.ContentType, got.Encoding, got.Body, got.Connected,
					tt.want.Status, tt.want.ContentType, tt.want.Encoding, tt.want.Body)
			}
			got, err = c.Do(t.Context(), Request{Body: []byte("[]")}, soon())
			if err != nil || string(got.Body) != "probe" || got.Connected == tt.reused {
				t.Errorf("the next call: %v, %q, connected %v, want the probe and connected %v", err, got.Body, got.Connected, !tt.reused)
			}
			c.Close()
		})
	}
}

func TestBytesInAnyPieces(t *testing.T) {
	answer := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: a/b\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n"
	c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, func(p *peer) {
		for {
			if _, _, err := p.request(); err != nil {
				return
			}
			for i := range answer {
				io.WriteString(p, answer[i:i+1])
			}
		}
	})}))
	for range 3 {
		reply, err := c.Do(t.Context(), Request{}, soon())
		if err != nil || reply.ContentType != "a/b" || string(reply.Body) != "abcde" {
			t.Errorf("%v, %q, %q", err, reply.ContentType, reply.Body)
		}
	}
	c.Close()
}

func TestBrokenAnswers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	tests := []struct {
		name    string
		answer  string
		failure Failure
		want    string
	}{
		{"no HTTP", "SSH-2.0-x\x1b[31m\r\n", Malformed, `"SSH-2.0-x\x1b[31m"`},
		{"no HTTP and no line", strings.Repeat("x", maxHead+1), Malformed, "does not begin with an HTTP status line"},
		{"HTTP/2", "HTTP/2.0 200 OK\r\n\r\n", Malformed, "status line"},
		{"a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", Malformed, "status line"},
		{"a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", Malformed, "status line"},
		{"a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n", Malformed, "101"},
		{"interim answers without end", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", maxInformational+1), Malformed, "interim"},
		{"a field without a colon", ok + "nonsense\r\n\r\n", Malformed, `"nonsense"`},
		{"a space before the colon", ok + "Content-Length : 2\r\n\r\n{}", Malformed, "no field"},
		{"a bare carriage return in a field", ok + "X: y\rContent-Length: 2\r\n\r\n{}", Malformed, "control character"},
		{"a folded length", ok + "Content-Length: 1\r\n 2\r\n\r\n", Malformed, "folded"},
		{"a negative length", ok + "Content-Length: -1\r\n\r\n", Malformed, `"-1"`},
		{"a length with a sign", ok + "Content-Length: +1\r\n\r\nx", Malformed, `"+1"`},
		{"an empty length", ok + "Content-Length:\r\n\r\n", Malformed, "empty content length"},
		{"a length beyond all numbers", ok + "Content-Length: 99999999999999999999\r\n\r\n", Malformed, "not a length"},
		{"two lengths", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx", Malformed, "1 and 2"},
		{"a length over the bound", ok + "Content-Length: 5001\r\n\r\n", Malformed, "bound of 5000"},
		{"chunks over the bound", ok + "Transfer-Encoding: chunked\r\n\r\n1388\r\n" + strings.Repeat("x", 5000) + "\r\n1\r\n", Malformed, "bound of 5000"},
		{"a chunk over all bounds", ok + "Transfer-Encoding: chunked\r\n\r\n3ffffffffffffff\r\n", Malformed, "bound of 5000"},
		{"an open end over the bound", ok + "\r\n" + strings.Repeat("x", 100_000), Malformed, "bound of 5000"},
		{"fields without end", ok + strings.Repeat("X: y\r\n", maxFields+1), Malformed, "header fields"},
		{"a head without end", ok + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 66), Malformed, "larger than 65536 bytes"},
		{"a field without end", ok + "X: " + strings.Repeat("y", maxHead), Malformed, "larger than 65536 bytes"},
		{"trailers without end", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X: y\r\n", maxFields+1), Malformed, "trailer fields"},
		{"a chunk size that is none", ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", Malformed, `"xyz`},
		{"a negative chunk size", ok + "Transfer-Encoding: chunked\r\n\r\n-1\r\n", Malformed, "not a size"},
		{"a chunk size with a prefix", ok + "Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n", Malformed, "not a size"},
		{"a chunk size beyond all numbers", ok + "Transfer-Encoding: chunked\r\n\r\n10000000000000002\r\n", Malformed, "not a size"},
		{"an empty chunk size", ok + "Transfer-Encoding: chunked\r\n\r\n;x\r\n", Malformed, "empty chunk size"},
		{"a chunk extension without end", ok + "Transfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("x", maxChunkLine), Malformed, "longer than 4096"},
		{"a bare line feed after a chunk size", ok + "Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n", Malformed, "CR LF"},
		{"a chunk longer than its size", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}}\r\n", Malformed, "CR LF"},
		{"another transfer encoding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n", Malformed, `"gzip, chunked"`},
		{"a transfer encoding in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Malformed, "HTTP/1.0"},
		{"nothing", "", Reset, "without an answer"},
		{"half a status line", "HTTP/1.1 2", Reset, "after 10 bytes"},
		{"half a head", ok + "Content-Len", Reset, "after 28 bytes"},
		{"half a body", ok + "Content-Length: 2\r\n\r\n{", Reset, "after 39 bytes"},
		{"half a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\n{", Reset, "bytes of its answer"},
		{"chunks without the last", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", Reset, "bytes of its answer"},
		{"half a trailer", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n", Reset, "bytes of its answer"},
		{"an interim answer only", "HTTP/1.1 100 Continue\r\n\r\n", Reset, "after 25 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fine := then(answers(ok+"Content-Length: 2\r\n\r\n{}"), stay)
			c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, answers(tt.answer), fine), MaxReply: 5000}))
			_, err := c.Do(t.Context(), Request{Body: []byte("[]")}, soon())
			e := failureOf(t, err)
			if e.Failure != tt.failure || !e.Sent || !strings.Contains(e.Error(), tt.want) {
				t.Errorf("%v (sent %v): %v, want %v with %q in it", e.Failure, e.Sent, e, tt.failure, tt.want)
			}
			reply, err := c.Do(t.Context(), Request{Body: []byte("[]")}, soon())
			if err != nil || string(reply.Body) != "{}" || !reply.Connected {
				t.Errorf("the next call: %v, %q, connected %v, want a new connection", err, reply.Body, reply.Connected)
			}
			c.Close()
		})
	}
}

func TestRequestOnTheWire(t *testing.T) {
	type seen struct {
		head *http.Request
		body string
	}
	got := make(chan seen, 1)
	url := node(t, func(p *peer) {
		for {
			head, body, err := p.request()
			if err != nil {
				return
			}
			got <- seen{head, string(body)}
			io.WriteString(p, "HTTP/1.1 204 No Content\r\n\r\n")
		}
	})
	c := opened(t, httpEndpoint(t, HTTPConfig{URL: url + "/rcp", Header: http.Header{"X-Key": {"k"}}}))
	for i, size := range []int{0, 1, onePiece, onePiece + 1, concurrentWrite, concurrentWrite + 1, 3 << 20} {
		body := strings.Repeat("b", size)
		if _, err := c.Do(t.Context(), Request{Path: "/embed", Body: []byte(body)}, soon()); err != nil {
			t.Fatal(err)
		}
		s := <-got
		if s.head.Method != "POST" || s.head.RequestURI != "/rcp/embed" || s.head.Header.Get("X-Key") != "k" || s.head.ContentLength != int64(size) || s.body != body {
			t.Errorf("request %d: %s %s, length %d, body of %d bytes, want %d", i, s.head.Method, s.head.RequestURI, s.head.ContentLength, len(s.body), size)
		}
	}
	c.Close()
}

func TestEarlyAnswerIsReadWhileTheBodyIsStillSent(t *testing.T) {
	const refusal = "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 9\r\n\r\ntoo large"
	readHead := func(p *peer) { http.ReadRequest(p.in) }
	refuse := func(p *peer) { io.WriteString(p, refusal) }
	for name, script := range map[string]func(*peer){
		// Closing with bytes unread makes the kernel send a reset behind the answer.
		"a node that closes at once":                      then(readHead, refuse),
		"a node that stops reading and keeps its side up": then(readHead, refuse, func(p *peer) { p.CloseWrite() }, stay),
		"a node that says nothing more":                   then(readHead, refuse, stay),
	} {
		for size, body := range map[string][]byte{"small": make([]byte, 1000), "in two pieces": make([]byte, 60_000), "huge": make([]byte, 64<<20)} {
			t.Run(name+", "+size, func(t *testing.T) {
				c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, script)}))
				reply, err := c.Do(t.Context(), Request{Body: body}, soon())
				if err != nil || reply.Status != 413 || string(reply.Body) != "too large" {
					t.Errorf("%v, %d, %q, want the refusal", err, reply.Status, reply.Body)
				}
				c.Close()
			})
		}
	}
}

func TestNodeThatReadsNothing(t *testing.T) {
	c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, func(p *peer) { p.in.Peek(1); <-t.Context().Done() })}))
	_, err := c.Do(t.Context(), Request{Body: make([]byte, 64<<20)}, time.Now().Add(300*time.Millisecond))
	if e := failureOf(t, err); e.Failure != Timeout || !e.Sent {
		t.Errorf("%v (sent %v): %v, want a timeout of a sent request", e.Failure, e.Sent, e)
	}
	c.Close()
}

func TestResetMidBody(t *testing.T) {
	reset := func(p *peer) {
		p.request()
		io.WriteString(p, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
		p.SetLinger(0)
	}
	c := opened(t, httpEndpoint(t, HTTPConfig{URL: node(t, reset)}))
	_, err := c.Do(t.Context(), Request{Body: []byte("[]")}, soon())
	if e := failureOf(t, err); e.Failure != Reset || !e.Sent {
		t.Errorf("%v (sent %v): %v, want a reset of a sent request", e.Failure, e.Sent, e)
	}
	c.Close()
}
