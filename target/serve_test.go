package target_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// pipes is a listener in memory, so that a node can be served in fake time.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	over  chan struct{}
}

func listen() *pipes { return &pipes{conns: make(chan net.Conn), over: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.over) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

func write(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Error(err)
	}
}

// answer reads one answer, or gives the error that the connection ends with.
func answer(r *bufio.Reader) string {
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return err.Error()
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(itoa(resp.StatusCode) + " " + string(body))
}

// pass lets fake time go by.
func pass(t *testing.T, d time.Duration) {
	t.Helper()
	if err := target.Wait(t.Context(), d); err != nil {
		t.Error(err)
	}
}

// TestServeStops: the calls under way have ten seconds after the context's end.
func TestServeStops(t *testing.T) {
	cut := `200 {"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error","data":"the call was cut off before it had run"},"id":1}`
	for ms, want := range map[int]string{3000: "200 " + result("null", "1"), 3_000_000: cut} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			l, served := listen(), make(chan error, 1)
			go func() { served <- generic(t, "").Serve(ctx, l) }()
			c := l.dial()
			defer c.Close()
			body := request("sleep", "["+itoa(ms)+"]", "1")
			write(t, c, head+"Content-Length: "+itoa(len(body))+"\r\n\r\n"+body)
			synctest.Wait()
			stop()
			if got := answer(bufio.NewReader(c)); got != want {
				t.Errorf("%d ms: got %s", ms, got)
			}
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServeListenerFails: its error comes back.
func TestServeListenerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := listen()
		l.Close()
		if err := generic(t, "").Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

// TestSlowClients: a header has ten seconds, a body sixty from where it begins,
// a connection without requests a hundred and twenty. How long the answer takes
// to make has no bound.
func TestSlowClients(t *testing.T) {
	session := func(t *testing.T, talk func(t *testing.T, c net.Conn)) {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			l, served := listen(), make(chan error, 1)
			go func() { served <- generic(t, "").Serve(ctx, l) }()
			c := l.dial()
			talk(t, c)
			c.Close()
			stop()
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("header", func(t *testing.T) {
		session(t, func(t *testing.T, c net.Conn) {
			begun := time.Now()
			write(t, c, head)
			got := answer(bufio.NewReader(c))
			if took := time.Since(begun); took != 10*time.Second {
				t.Errorf("after %v: %s", took, got)
			}
		})
	})
	t.Run("body", func(t *testing.T) {
		session(t, func(t *testing.T, c net.Conn) {
			begun := time.Now()
			write(t, c, head+"Content-Length: 10\r\n\r\n[")
			if got := answer(bufio.NewReader(c)); got != "408 the body did not come in time" || time.Since(begun) != time.Minute {
				t.Errorf("after %v: %s", time.Since(begun), got)
			}
		})
	})
	t.Run("body cut short", func(t *testing.T) {
		session(t, func(t *testing.T, c net.Conn) {
			write(t, c, head+"Transfer-Encoding: chunked\r\n\r\n5\r\n[1,2]\r\nnonsense\r\n")
			if got := answer(bufio.NewReader(c)); got != "400 the body ended too early" {
				t.Errorf("got %s", got)
			}
		})
	})
	t.Run("long call, then the connection goes on", func(t *testing.T) {
		session(t, func(t *testing.T, c net.Conn) {
			r := bufio.NewReader(c)
			for range 2 {
				body := request("sleep", "[300000]", "1")
				write(t, c, head+"Content-Length: "+itoa(len(body))+"\r\n\r\n"+body)
				if got := answer(r); got != "200 "+result("null", "1") {
					t.Errorf("got %s", got)
				}
				pass(t, 119*time.Second)
			}
			pass(t, 2*time.Second)
			if got := answer(r); got != "unexpected EOF" && got != "EOF" {
				t.Errorf("an idle connection: %s", got)
			}
		})
	})
}

// TestConnectionState: what Connect gave comes back for every call of one HTTP
// connection, and for no other's.
func TestConnectionState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &counting{altered: altered{
			Dialect: dialect(t, ""),
			admit:   func(context.Context, *target.Call) *jsonrpc.Error { return nil },
			run: func(_ context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
				return jsonrpc.AppendString(dst, c.Conn.(string)+c.Session), nil
			},
		}}
		ctx, stop := context.WithCancel(t.Context())
		l, served := listen(), make(chan error, 1)
		go func() { served <- target.New(d, target.Options{}).Serve(ctx, l) }()
		body := request("a", "[]", "1")
		for _, want := range []string{"a", "b"} {
			c := l.dial()
			r := bufio.NewReader(c)
			write(t, c, head+"Content-Length: "+itoa(len(body))+"\r\n\r\n"+body)
			if got := answer(r); got != "200 "+result(`"`+want+`"`, "1") {
				t.Errorf("got %s", got)
			}
			write(t, c, head+"RCP-Session: s\r\nContent-Length: "+itoa(len(body)+2)+"\r\n\r\n["+body+"]")
			if got := answer(r); got != "200 ["+result(`"`+want+`s"`, "1")+"]" {
				t.Errorf("got %s", got)
			}
			c.Close()
		}
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// counting gives each connection the next letter.
type counting struct {
	altered
	mu    sync.Mutex
	given byte
}

func (c *counting) Connect(target.Transport) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given++
	return string('a' + c.given - 1)
}

// TestPages: GET and HEAD of the dialect's pages and of /metrics, over a socket.
func TestPages(t *testing.T) {
	base := serve(t, target.New(paged{dialect(t, "")}, target.Options{}))
	for _, tt := range []struct {
		method, path string
		status       int
		allow, body  string
	}{
		{"GET", "/status", 200, "", "fine"},
		{"HEAD", "/status", 200, "", ""},
		{"POST", "/status", 405, "GET, HEAD", "this page"},
		{"GET", "/metrics", 200, "", "volley_rpc_batch_requests_total"},
		{"GET", "/metrics", 200, "", "process_cpu_seconds_total"},
		{"GET", "/metrics", 200, "", "go_goroutines"},
		{"DELETE", "/metrics", 405, "GET, HEAD", "this page"},
		{"GET", "/", 405, "POST", "POST"},
		{"HEAD", "/", 405, "POST", ""},
		{"GET", "/nope", 404, "", "no such page"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), tt.method, base+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status || resp.Header.Get("Allow") != tt.allow || !strings.Contains(string(body), tt.body) {
			t.Errorf("%s %s: %d, allow %q, %v: %s", tt.method, tt.path, resp.StatusCode, resp.Header.Get("Allow"), err, body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

type paged struct{ target.Dialect }

func (paged) Pages() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{"/status": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "fine") }}
}
