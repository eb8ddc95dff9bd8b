package target_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// served runs a test against a node on a listener in memory, in fake time.
func served(t *testing.T, d target.Dialect, talk func(t *testing.T, l *pipes)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		l, done := listen(), make(chan error, 1)
		go func() { done <- target.New(d, target.Options{}).Serve(ctx, l) }()
		talk(t, l)
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// say writes in the background: a pipe takes nothing that is not read.
func say(t *testing.T, c net.Conn, text string) {
	go func() {
		if _, err := io.WriteString(c, text); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	}()
}

func posted(body string) string {
	return head + "Content-Length: " + itoa(len(body)) + "\r\n\r\n" + body
}

// TestHTTP: what HTTP/1.1 asks of a server, exchange by exchange. Answers are
// read until the connection ends, or until no more come.
func TestHTTP(t *testing.T) {
	echo := request("echo", "[1]", "1")
	fine := "200 " + result("[1]", "1")
	typed := func(media string) string { return strings.Replace(head, "application/json", media, 1) }
	expect := func(h, length string) string {
		return h + "Expect: 100-continue\r\nContent-Length: " + length + "\r\n\r\n"
	}
	for _, tt := range []struct {
		name, sent string
		want       []string // answers in order
		ends       bool     // the connection, after them
	}{
		{"one after another", posted(echo) + posted(echo), []string{fine, fine}, false},
		{"line ends between", posted(echo) + "\r\n\r\n" + posted(echo), []string{fine, fine}, false},
		{"chunked", head + "Transfer-Encoding: chunked\r\n\r\n" + hex(len(echo)) + "\r\n" + echo + "\r\n0\r\nX: trailer\r\n\r\n" + posted(echo), []string{fine, fine}, false},
		{"the client wants no more", strings.Replace(posted(echo), "Host", "Connection: close\r\nHost", 1), []string{fine}, true},
		{"HTTP/1.0", strings.Replace(posted(echo), "HTTP/1.1", "HTTP/1.0", 1), []string{fine}, true},
		{"HTTP/1.0 that goes on", strings.Replace(strings.Replace(posted(echo), "HTTP/1.1", "HTTP/1.0", 1), "Host", "Connection: keep-alive\r\nHost", 1), []string{fine}, false},
		{"a body that is not asked for", "GET /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]" + posted(echo), []string{"404 no such page; JSON-RPC is spoken at /", fine}, false},
		{"wrong type, body here", typed("text/plain") + "Content-Length: 2\r\n\r\n[]" + posted(echo), []string{"415 the content type must be application/json", fine}, false},
		{"wrong type, body to come", typed("text/plain") + "Content-Length: 9\r\n\r\n[]", []string{"415 the content type must be application/json"}, true},
		{"too large, body to come", head + "Content-Length: 1000\r\n\r\n[", []string{"413 the body is over 100 bytes"}, true},
		{"too large in chunks", head + "Transfer-Encoding: chunked\r\n\r\n65\r\n" + strings.Repeat(" ", 0x65) + "\r\n", []string{"413 the body is over 100 bytes"}, true},
		{"continue", expect(head, itoa(len(echo))) + echo, []string{"100", fine}, false},
		{"no continue for a wrong type", expect(typed("text/plain"), "20"), []string{"415 the content type must be application/json"}, true},
		{"no continue for too large a body", expect(head, "1000"), []string{"413 the body is over 100 bytes"}, true},
		{"a declared length that is none", head + "Content-Length: x\r\n\r\n", []string{`400 this is no HTTP/1.1 request: bad Content-Length "x"`}, true},
		{"length and chunks that disagree in kind", head + "Transfer-Encoding: gzip\r\n\r\n", []string{`400 this is no HTTP/1.1 request: unsupported transfer encoding: "gzip"`}, true},
		{"no host", "GET / HTTP/1.1\r\n\r\n", []string{"400 a request needs a Host header"}, true},
		{"no HTTP", "[1,2,3]\r\n\r\n", []string{`400 this is no HTTP/1.1 request: malformed HTTP request "[1,2,3]"`}, true},
		{"another HTTP", "GET / HTTP/3.0\r\nHost: x\r\n\r\n", []string{"505 the node speaks HTTP/1.1"}, true},
		{"a large header", "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 80<<10), []string{"431 the request's header is too large"}, true},
		{"half a header", "GET / HTTP/1.1\r\nHos", nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			served(t, dialect(t, `{"body_limit": 100}`), func(t *testing.T, l *pipes) {
				c := l.dial()
				defer c.Close()
				say(t, c, tt.sent)
				r := bufio.NewReader(c)
				for _, want := range tt.want {
					if got := answer(r); got != want {
						t.Fatalf("got %s, want %s", got, want)
					}
				}
				c.SetReadDeadline(time.Now().Add(time.Minute))
				_, err := r.ReadByte()
				if ended := errors.Is(err, io.EOF); ended != tt.ends {
					t.Errorf("after the answers: %v", err)
				}
			})
		})
	}
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[n>>4], digits[n&15]})
}

// TestDisconnect_served: where the policy asks for it the context of a call ends
// soon after its client has gone, and only then: a client that sends its next
// request meanwhile is there, and that request is answered.
func TestDisconnect_served(t *testing.T) {
	d := altered{
		Dialect: dialect(t, ""),
		policy:  func(p *target.Policy) { p.CancelOnDisconnect = true },
		admit:   func(context.Context, *target.Call) *jsonrpc.Error { return nil },
	}
	t.Run("gone", func(t *testing.T) {
		ended := make(chan struct{})
		d.run = func(ctx context.Context, _ *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
			<-ctx.Done()
			close(ended)
			return append(dst, "1"...), nil
		}
		synctest.Test(t, func(t *testing.T) {
			ended = make(chan struct{})
			ctx, stop := context.WithCancel(t.Context())
			l, done := listen(), make(chan error, 1)
			go func() { done <- target.New(d, target.Options{}).Serve(ctx, l) }()
			c := l.dial()
			write(t, c, posted(request("a", "[]", "1")))
			pass(t, time.Second)
			select {
			case <-ended:
				t.Error("the context ended with its client there")
			default:
			}
			c.Close()
			<-ended
			stop()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("more to come", func(t *testing.T) {
		d.run = func(ctx context.Context, _ *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
			if target.Wait(ctx, time.Second) != nil {
				return append(dst, `"cut off"`...), nil
			}
			return append(dst, `"whole"`...), nil
		}
		served(t, d, func(t *testing.T, l *pipes) {
			c := l.dial()
			defer c.Close()
			write(t, c, posted(request("a", "[]", "1")))
			pass(t, 100*time.Millisecond)
			say(t, c, posted(request("a", "[]", "2"))+posted(request("a", "[]", "3")))
			r := bufio.NewReader(c)
			for _, id := range []string{"1", "2", "3"} {
				if got := answer(r); got != "200 "+result(`"whole"`, id) {
					t.Errorf("got %s", got)
				}
			}
		})
	})
}

// TestAcceptGoesOn: a failure that passes, such as too many open files, does not
// end the node.
func TestAcceptGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		l, done := &failing{pipes: listen(), left: 12}, make(chan error, 1)
		go func() { done <- generic(t, "").Serve(ctx, l) }()
		begun := time.Now()
		c := l.dial()
		if waited := time.Since(begun); waited < time.Second || waited > 10*time.Second {
			t.Errorf("accepted after %v", waited)
		}
		say(t, c, posted(request("echo", "[1]", "1")))
		if got := answer(bufio.NewReader(c)); got != "200 "+result("[1]", "1") {
			t.Errorf("got %s", got)
		}
		c.Close()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

type failing struct {
	*pipes
	left int
}

func (f *failing) Accept() (net.Conn, error) {
	if f.left > 0 {
		f.left--
		return nil, passing{}
	}
	return f.pipes.Accept()
}

type passing struct{}

func (passing) Error() string   { return "too many open files" }
func (passing) Temporary() bool { return true }

// TestPages_served: a page of another's making can do what http.ResponseWriter
// lets it, and its panic ends its connection alone.
func TestPages_served(t *testing.T) {
	pages := map[string]http.HandlerFunc{
		"/parts": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Two", "a\r\nb")
			w.WriteHeader(http.StatusTeapot)
			w.WriteHeader(http.StatusOK) // too late
			io.WriteString(w, "one,")
			io.WriteString(w, "two")
		},
		"/declared": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "6")
			io.WriteString(w, "abc")
			io.WriteString(w, "def")
			if _, err := io.WriteString(w, "g"); !errors.Is(err, http.ErrContentLength) {
				t.Errorf("a byte too many: %v", err)
			}
		},
		"/short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "6")
			io.WriteString(w, "abc")
		},
		"/nothing": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/panic":   func(http.ResponseWriter, *http.Request) { panic("oops") },
		"/taken": func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
			}
			io.WriteString(c, "HTTP/1.1 299 Mine\r\nContent-Length: 0\r\n\r\n")
			c.Close()
		},
	}
	served(t, withPages{dialect(t, ""), pages}, func(t *testing.T, l *pipes) {
		for _, tt := range []struct {
			method, path, want string
			ends               bool
		}{
			{"GET", "/parts", "418 one,two", false},
			{"GET", "/declared", "200 abcdef", false},
			{"HEAD", "/declared", "200", false},
			{"GET", "/nothing", "204", false},
			{"GET", "/short", "unexpected EOF", true},
			{"GET", "/panic", "unexpected EOF", true},
			{"GET", "/taken", "299", true},
		} {
			c := l.dial()
			say(t, c, tt.method+" "+tt.path+" HTTP/1.1\r\nHost: x\r\n\r\n")
			r := bufio.NewReader(c)
			if got := answerTo(r, tt.method); got != tt.want {
				t.Errorf("%s %s: %s, want %s", tt.method, tt.path, got, tt.want)
			}
			if !tt.ends {
				say(t, c, posted(request("echo", "[1]", "1")))
				if got := answer(r); got != "200 "+result("[1]", "1") {
					t.Errorf("after %s %s: %s", tt.method, tt.path, got)
				}
			}
			c.Close()
		}
	})
}

type withPages struct {
	target.Dialect
	pages map[string]http.HandlerFunc
}

func (w withPages) Pages() map[string]http.HandlerFunc { return w.pages }

func answerTo(r *bufio.Reader, method string) string {
	resp, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		return err.Error()
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(itoa(resp.StatusCode) + " " + string(body))
}
