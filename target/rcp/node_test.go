package rcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"volley/target"
	"volley/target/wirecase"
)

func suite(t *testing.T, names ...string) (cases []wirecase.Case) {
	t.Helper()
	for _, name := range names {
		s, err := wirecase.Load("../testdata/vectors/" + name)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, s.Cases...)
	}
	return cases
}

// serve runs a node on l until the test ends.
func serve(t testing.TB, config string, l net.Listener) {
	t.Helper()
	node := target.New(newDialect(t, config), target.Options{})
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- node.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// overTCP gives the base URL of a node on a real socket.
func overTCP(t testing.TB, config string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serve(t, config, l)
	return "http://" + l.Addr().String()
}

func TestBatchVectors(t *testing.T) {
	for _, c := range suite(t, "rcp-batch.json", "held-out/rcp-gate.json", "held-out/rcp-batches.json") {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Do(t.Context(), overTCP(t, string(c.Node))); err != nil {
				t.Errorf("%s: %v", c.Why, err)
			}
		})
	}
}

func TestStdioVectors(t *testing.T) {
	for _, c := range suite(t, "rcp-stdio.json", "held-out/rcp-stdio.json") {
		t.Run(c.Name, func(t *testing.T) {
			var out bytes.Buffer
			node := target.New(newDialect(t, string(c.Node)), target.Options{})
			if err := node.ServeStream(t.Context(), bytes.NewReader(c.Input()), &out); err != nil {
				t.Fatal(err)
			}
			if err := c.CheckLines(out.Bytes()); err != nil {
				t.Errorf("%s: %v", c.Why, err)
			}
		})
	}
}

// What the vectors leave open: one table of bodies and answers, over HTTP.
func TestHTTPAnswers(t *testing.T) {
	const config = `{"batch_size_limit":3,"batch_response_size_limit":400,"dimension":2}`
	for _, row := range []struct{ name, path, body, want string }{
		{"too many members, with the numbers", "/rcp", `[1,2,3,4]`,
			`{"jsonrpc":"2.0","error":{"code":-32602,"message":"too many members in the batch","data":{"limit":3,"size":4}},"id":null}`},
		{"compact envelope", "/rcp/ping", `{"method":"ping","id":"a"}`, `{"jsonrpc":"2.0","result":{},"id":"a"}`},
		{"malformed singleton with an id", "/rcp", `{"jsonrpc":"1.0","method":"ping","id":5}`,
			`{"jsonrpc":"2.0","error":{"code":-32600,"message":"not a valid request"},"id":null}`},
		{"null id", "/rcp", `{"method":"ping","id":null}`,
			`{"jsonrpc":"2.0","error":{"code":-32600,"message":"not a valid request"},"id":null}`},
		{"primitive params", "/rcp", `{"method":"ping","id":5,"params":"x"}`,
			`{"jsonrpc":"2.0","error":{"code":-32602,"message":"params is not an object","data":{"field":"params"}},"id":5}`},
		{"null params", "/rcp", `{"method":"ping","id":5,"params":null}`,
			`{"jsonrpc":"2.0","error":{"code":-32602,"message":"params is not an object","data":{"field":"params"}},"id":5}`},
		{"members that RCP does not know", "/rcp", `{"method":"ping","id":5,"x-acme":[1]}`, `{"jsonrpc":"2.0","result":{},"id":5}`},
		{"unknown notification with an id", "/rcp/", `{"method":"notifications/zzz","id":5}`,
			`{"jsonrpc":"2.0","error":{"code":-32600,"message":"not a valid request"},"id":null}`},
		{"cancel within the batch", "/rcp",
			`[{"id":1,"method":"embed","params":{"inputs":["a"]}},{"method":"notifications/cancel","params":{"id":1}},{"id":2,"method":"ping"}]`,
			`[{"jsonrpc":"2.0","error":{"code":-32006,"message":"cancelled"},"id":1},{"jsonrpc":"2.0","result":{},"id":2}]`},
		{"answer over the limit", "/rcp", `[{"id":1,"method":"ping","params":{"nonce":"` + strings.Repeat("n", 400) + `"}}]`,
			`{"jsonrpc":"2.0","error":{"code":-32013,"message":"the batch's answer is too large: split the batch","data":{"limit":400,"size":448}},"id":null}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			resp, err := http.Post(overTCP(t, config)+row.path, "application/json", strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			got, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusOK || string(got) != row.want {
				t.Errorf("%s, %v\n got %s\nwant %s", resp.Status, err, got, row.want)
			}
		})
	}
}

// stream is a node on standard streams that stay open.
type stream struct {
	in    *io.PipeWriter
	ended chan error

	mu  sync.Mutex
	out bytes.Buffer
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func overStream(t *testing.T, config string) *stream {
	r, w := io.Pipe()
	s := &stream{in: w, ended: make(chan error, 1)}
	node := target.New(newDialect(t, config), target.Options{})
	go func() { s.ended <- node.ServeStream(t.Context(), r, s) }()
	return s
}

func (s *stream) send(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(s.in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Wait()
}

// answers gives "id:code" of what has been written so far, sorted.
func (s *stream) answers(t *testing.T) (all []string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range strings.Lines(s.out.String()) {
		var r struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, fmt.Sprintf("%s:%d", r.ID, r.Error.Code))
	}
	slices.Sort(all)
	return all
}

func TestCancelOnAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := overStream(t, slow)
		s.send(t, initializing,
			`{"id":1,"method":"embed","params":{"inputs":["a"]}}`,
			`{"id":2,"method":"embed","params":{"inputs":["a"]}}`,
			`{"id":3,"method":"ping"}`)
		if got, want := s.answers(t), []string{"0:0", "3:0"}; !slices.Equal(got, want) {
			t.Errorf("before: %v, want %v", got, want)
		}
		s.send(t, `{"method":"notifications/cancel","params":{"id":2}}`)
		if got, want := s.answers(t), []string{"0:0", "2:-32006", "3:0"}; !slices.Equal(got, want) {
			t.Errorf("after the cancel: %v, want %v", got, want)
		}
		s.in.Close()
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		if got, want := s.answers(t), []string{"0:0", "1:0", "2:-32006", "3:0"}; !slices.Equal(got, want) {
			t.Errorf("at the end: %v, want %v", got, want)
		}
	})
}

func TestShutdownEndsTheStream(t *testing.T) {
	for _, line := range []string{
		`{"id":9,"method":"shutdown"}`,
		`{"method":"shutdown"}`,
		`[{"id":9,"method":"shutdown"},{"id":10,"method":"ping"}]`,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := overStream(t, `{}`)
			s.send(t, line)
			if err := <-s.ended; err != nil { // though its input has not
				t.Errorf("%s: %v", line, err)
			}
			s.in.CloseWithError(io.EOF)
		})
	}
}

// memory is a listener whose connections are pipes, so that fake time rules them.
type memory struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.done) })
	return nil
}

func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// client keeps connections of its own.
func (m *memory) client(t *testing.T) *http.Client {
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		m.conns <- far
		return near, nil
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// post gives the body of the answer, or the error's text.
func post(ctx context.Context, c *http.Client, session, body string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://node/rcp", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	if session != "" {
		req.Header.Set("RCP-Session", session)
	}
	resp, err := c.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestCancelOverHTTP(t *testing.T) {
	const (
		embedding = `{"id":1,"method":"embed","params":{"inputs":["a"]}}`
		cancel    = `{"method":"notifications/cancel","params":{"id":1}}`
		answer    = `{"jsonrpc":"2.0","error":{"code":-32006,"message":"cancelled"},"id":1}`
	)
	for _, row := range []struct{ name, session, cancels, want string }{
		{"the same session on another connection", "s", "s", answer},
		{"another client", "s", "", "result"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &memory{conns: make(chan net.Conn), done: make(chan struct{})}
				serve(t, slow, m)
				client, other := m.client(t), m.client(t)
				got := make(chan string, 1)
				go func() { got <- post(t.Context(), client, row.session, embedding) }()
				synctest.Wait()
				if body := post(t.Context(), other, row.cancels, cancel); body != "" {
					t.Errorf("the notification is answered: %s", body)
				}
				if body := <-got; !strings.Contains(body, row.want) {
					t.Errorf("answer %s, want %s", body, row.want)
				}
			})
		})
	}
}

// A client that is gone gives its slot back.
func TestDisconnectCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{conns: make(chan net.Conn), done: make(chan struct{})}
		serve(t, slow, m)
		const embedding = `{"id":1,"method":"embed","params":{"inputs":["a"]}}`
		client, other := m.client(t), m.client(t)
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan string, 1)
		go func() { gone <- post(ctx, client, "", embedding) }()
		synctest.Wait()
		time.AfterFunc(time.Minute, leave)
		begun := time.Now()
		if body := post(t.Context(), other, "", embedding); !strings.Contains(body, "vectors") {
			t.Errorf("answer %s", body)
		}
		if waited, want := time.Since(begun), time.Hour+time.Minute; waited != want { // fake time: exact
			t.Errorf("the next call took %v, want %v", waited, want)
		}
		<-gone
	})
}
