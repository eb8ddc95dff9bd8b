package target_test

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

// serve runs a node on a port of its own until the test ends, and waits for it.
func serve(t *testing.T, n *target.Node) (base string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- n.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

// dialect is the generic dialect with a config file's settings.
func dialect(t testing.TB, config string) target.Dialect {
	t.Helper()
	c, err := target.ParseGenericConfig(target.ConfigFile{Name: "config.json", Data: []byte(config)})
	if err != nil {
		t.Fatal(err)
	}
	return target.Generic(c)
}

func generic(t testing.TB, config string) *target.Node {
	return target.New(dialect(t, config), target.Options{})
}

// altered is the generic dialect with some of its parts exchanged.
type altered struct {
	target.Dialect
	policy func(*target.Policy)
	admit  func(context.Context, *target.Call) *jsonrpc.Error
	run    func(context.Context, *target.Call, []byte) ([]byte, *jsonrpc.Error)
	status int
}

func (a altered) Policy() target.Policy {
	p := a.Dialect.Policy()
	if a.policy != nil {
		a.policy(&p)
	}
	return p
}

func (a altered) Admit(ctx context.Context, c *target.Call) *jsonrpc.Error {
	if a.admit != nil {
		c.Label = string(c.Method)
		return a.admit(ctx, c)
	}
	return a.Dialect.Admit(ctx, c)
}

func (a altered) Run(ctx context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
	if a.run != nil {
		return a.run(ctx, c, dst)
	}
	return a.Dialect.Run(ctx, c, dst)
}

func (a altered) Status(c *target.Call, err *jsonrpc.Error) int {
	if a.status != 0 {
		return a.status
	}
	return a.Dialect.Status(c, err)
}

// post sends a body declared as JSON to the node in process and gives the
// status and the body as one text.
func post(n *target.Node, path, body string) string {
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	n.Handler().ServeHTTP(w, r)
	return strings.TrimSpace(fmt.Sprintf("%d %s", w.Code, w.Body))
}

// Answers that many tests expect.
const (
	invalidAnswer = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null}`
	parseAnswer   = `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}`
)

func result(value, id string) string {
	return `{"jsonrpc":"2.0","result":` + value + `,"id":` + id + `}`
}

func failure(code int, message, id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":%d,"message":%q},"id":%s}`, code, message, id)
}

func request(method, params, id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s,"id":%s}`, method, params, id)
}

func notification(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}
