package rcp

import (
	"context"
	"encoding/json"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

// request gives the call that the engine would make of a valid request.
func request(c any, text string) *target.Call {
	r := jsonrpc.ParseRequest([]byte(text))
	return &target.Call{Request: r, Notification: r.ID == nil, Conn: c}
}

// do admits and runs a request on a connection.
func do(t testing.TB, d *Dialect, c any, text string) ([]byte, *jsonrpc.Error) {
	t.Helper()
	call := request(c, text)
	if e := d.Admit(context.Background(), call); e != nil {
		return nil, e
	}
	const before = "what stood before"
	out, e := d.Run(context.Background(), call, []byte(before))
	if len(out) < len(before) || string(out[:len(before)]) != before {
		t.Fatalf("%s: what stood in dst is lost: %q", text, out)
	}
	out = out[len(before):]
	switch {
	case e != nil && len(out) > 0:
		t.Fatalf("%s: an error, but also a result: %q", text, out)
	case e == nil && !call.Notification && !json.Valid(out):
		t.Fatalf("%s: the result is not JSON: %q", text, out)
	}
	return out, e
}

// result runs a request that must succeed, over a new connection, and decodes its result.
func result[T any](t testing.TB, d *Dialect, text string) (v T) {
	t.Helper()
	out, e := do(t, d, d.Connect(target.HTTP), text)
	if e != nil {
		t.Fatalf("%s: %d %s", text, e.Code, e.Message)
	}
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("%s: %v in %s", text, err, out)
	}
	return v
}

func newDialect(t testing.TB, config string) *Dialect {
	t.Helper()
	c, err := ParseConfig(target.ConfigFile{Name: "node.json", Data: []byte(config)})
	if err != nil {
		t.Fatal(err)
	}
	return New(c)
}

func code(e *jsonrpc.Error) jsonrpc.Code {
	if e == nil {
		return 0
	}
	return e.Code
}
