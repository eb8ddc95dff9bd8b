package rcp

import (
	"fmt"
	"reflect"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

const initializing = `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`

// What a method is answered with, by where the peer stands.
func TestGating(t *testing.T) {
	for _, row := range []struct {
		method        string
		before, after jsonrpc.Code
	}{
		{"initialize", jsonrpc.InvalidParams, jsonrpc.InvalidRequest},
		{"info", 0, 0},
		{"ping", 0, 0},
		{"shutdown", 0, 0},
		{"embed", notInitialized, jsonrpc.InvalidParams},
		{"embed/sparse", notInitialized, jsonrpc.InvalidParams},
		{"embed/multi", notInitialized, jsonrpc.InvalidParams},
		{"rerank", notInitialized, jsonrpc.InvalidParams},
		{"retrieve", notInitialized, jsonrpc.InvalidParams},
		{"query/transform", notInitialized, capabilityMissing},
		{"graph", notInitialized, capabilityMissing},
		{"index/add", notInitialized, jsonrpc.InvalidParams},
		{"index/delete", notInitialized, jsonrpc.InvalidParams},
		{"catalog/list", notInitialized, capabilityMissing},
		{"feedback", notInitialized, capabilityMissing},
		{"memory/build", notInitialized, capabilityMissing},
		{"memory/recall", notInitialized, capabilityMissing},
		{"memory", notInitialized, unknownMethod},
		{"transform", notInitialized, unknownMethod},
		{"graph/local", notInitialized, unknownMethod},
		{"x-acme/z", notInitialized, unknownMethod},
		{"Embed", notInitialized, unknownMethod},
		{"", notInitialized, unknownMethod},
	} {
		d := newDialect(t, `{}`)
		text := fmt.Sprintf(`{"id":1,"method":%q,"params":{}}`, row.method)
		fresh, ready := d.Connect(target.Stdio), d.Connect(target.Stdio)
		if _, e := do(t, d, ready, initializing); e != nil {
			t.Fatal(e)
		}
		if _, e := do(t, d, fresh, text); code(e) != row.before {
			t.Errorf("%q before initialize: code %d, want %d", row.method, code(e), row.before)
		}
		if _, e := do(t, d, ready, text); code(e) != row.after {
			t.Errorf("%q after initialize: code %d, want %d", row.method, code(e), row.after)
		}
	}
}

// The gate comes before the look at params, whatever they are.
func TestGatingOfOddParams(t *testing.T) {
	for _, params := range []string{`null`, `"x"`, `5`, `true`, `[1]`} {
		for _, row := range []struct {
			method        string
			before, after jsonrpc.Code
		}{
			{"initialize", jsonrpc.InvalidParams, jsonrpc.InvalidParams},
			{"info", jsonrpc.InvalidParams, jsonrpc.InvalidParams},
			{"ping", jsonrpc.InvalidParams, jsonrpc.InvalidParams},
			{"shutdown", jsonrpc.InvalidParams, jsonrpc.InvalidParams},
			{"embed", notInitialized, jsonrpc.InvalidParams},
			{"index/delete", notInitialized, jsonrpc.InvalidParams},
			{"graph", notInitialized, capabilityMissing},
			{"nope", notInitialized, unknownMethod},
		} {
			d := newDialect(t, `{"documents":0}`)
			text := fmt.Sprintf(`{"id":1,"method":%q,"params":%s}`, row.method, params)
			c := d.Connect(target.Stdio)
			if _, e := do(t, d, c, text); code(e) != row.before {
				t.Errorf("%s before initialize: code %d, want %d", text, code(e), row.before)
			}
			if _, e := do(t, d, c, initializing); e != nil {
				t.Fatalf("%s had an effect: %s", text, e.Message)
			}
			if _, e := do(t, d, c, text); code(e) != row.after {
				t.Errorf("%s after initialize: code %d, want %d", text, code(e), row.after)
			}
			if _, e := do(t, d, c, embedOne); e != nil {
				t.Errorf("%s ended the session: %s", text, e.Message)
			}
		}
	}
}

func TestNegotiation(t *testing.T) {
	for _, row := range []struct {
		params string
		want   jsonrpc.Code
	}{
		{`{"protocolVersion":1}`, 0},
		{`{"protocolVersion":2,"client":{"name":"c","version":"9"},"capabilities":{"new":{}},"_meta":{}}`, 0},
		{`{"protocolVersion":1.0}`, 0},
		{`{"protocolVersion":9007199254740991}`, 0},
		{`{"protocolVersion":0}`, versionMismatch},
		{`{"protocolVersion":-0}`, versionMismatch},
		{`{"protocolVersion":-3}`, versionMismatch},
		{`{"protocolVersion":1.5}`, jsonrpc.InvalidParams},
		{`{"protocolVersion":9007199254740993}`, jsonrpc.InvalidParams}, // section 4.6: 53 bits
		{`{"protocolVersion":1e999}`, jsonrpc.InvalidParams},
		{`{"protocolVersion":"1"}`, jsonrpc.InvalidParams},
		{`{"protocolVersion":null}`, jsonrpc.InvalidParams},
		{`{}`, jsonrpc.InvalidParams},
		{`null`, jsonrpc.InvalidParams},
	} {
		d := newDialect(t, `{}`)
		c := d.Connect(target.Stdio)
		_, e := do(t, d, c, `{"id":0,"method":"initialize","params":`+row.params+`}`)
		if code(e) != row.want {
			t.Errorf("%s: code %d, want %d", row.params, code(e), row.want)
		}
		_, gated := do(t, d, c, `{"id":1,"method":"embed","params":{"inputs":["a"]}}`)
		if want := row.want != 0; (code(gated) == notInitialized) != want {
			t.Errorf("%s: embed afterwards gives %d", row.params, code(gated))
		}
		if row.want == 0 {
			continue
		}
		if _, e := do(t, d, c, initializing); e != nil {
			t.Errorf("%s: another try is refused: %s", row.params, e.Message)
		}
	}
	d := newDialect(t, `{}`)
	c := d.Connect(target.Stdio)
	if _, e := do(t, d, c, `{"id":0,"method":"initialize"}`); code(e) != jsonrpc.InvalidParams {
		t.Errorf("without params: code %d", code(e))
	}
}

func TestWhoSharesASession(t *testing.T) {
	const gated = `{"id":1,"method":"embed","params":{"inputs":["a"]}}`
	for _, row := range []struct {
		name         string
		session      string
		first, other target.Transport
		before       jsonrpc.Code // on the other connection
		after        jsonrpc.Code // there, once the first is initialised
		again        jsonrpc.Code // a second initialize on the first
	}{
		{"HTTP, stateless", Stateless, target.HTTP, target.HTTP, 0, 0, 0},
		{"HTTP, process", Process, target.HTTP, target.HTTP, notInitialized, 0, jsonrpc.InvalidRequest},
		{"two streams", Stateless, target.Stdio, target.Stdio, notInitialized, notInitialized, jsonrpc.InvalidRequest},
		{"two streams, process", Process, target.Stdio, target.Stdio, notInitialized, notInitialized, jsonrpc.InvalidRequest},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newDialect(t, fmt.Sprintf(`{"session":%q}`, row.session))
			first, other := d.Connect(row.first), d.Connect(row.other)
			if _, e := do(t, d, other, gated); code(e) != row.before {
				t.Errorf("before: code %d, want %d", code(e), row.before)
			}
			if _, e := do(t, d, first, initializing); e != nil {
				t.Fatal(e)
			}
			if _, e := do(t, d, other, gated); code(e) != row.after {
				t.Errorf("after: code %d, want %d", code(e), row.after)
			}
			if _, e := do(t, d, first, initializing); code(e) != row.again {
				t.Errorf("initialize again: code %d, want %d", code(e), row.again)
			}
		})
	}
}

func TestShutdownEndsTheSession(t *testing.T) {
	for _, transport := range []target.Transport{target.HTTP, target.Stdio} {
		d := newDialect(t, `{"session":"process"}`)
		c := d.Connect(transport)
		if _, e := do(t, d, c, initializing); e != nil {
			t.Fatal(e)
		}
		call := request(c, `{"id":1,"method":"shutdown"}`)
		if e := d.Admit(t.Context(), call); e != nil {
			t.Fatal(e)
		}
		out, e := d.Run(t.Context(), call, nil)
		if e != nil || string(out) != `{}` {
			t.Errorf("shutdown: %q, %v", out, e)
		}
		if call.Close != (transport == target.Stdio) {
			t.Errorf("transport %d: Close is %v", transport, call.Close)
		}
		if _, e := do(t, d, c, `{"id":2,"method":"embed","params":{"inputs":["a"]}}`); code(e) != notInitialized {
			t.Errorf("embed after shutdown: code %d", code(e))
		}
		if _, e := do(t, d, c, initializing); e != nil {
			t.Errorf("initialize after shutdown: %s", e.Message)
		}
	}
}

// A batch is admitted in request order before any of it runs.
func TestInitializeWithinABatch(t *testing.T) {
	d := newDialect(t, `{}`)
	c := d.Connect(target.Stdio)
	const embed = `{"id":1,"method":"embed","params":{"inputs":["a"]}}`
	var got []jsonrpc.Code
	for _, text := range []string{embed, initializing, embed, `{"id":2,"method":"shutdown"}`, embed} {
		got = append(got, code(d.Admit(t.Context(), request(c, text))))
	}
	if want := []jsonrpc.Code{notInitialized, 0, 0, 0, notInitialized}; !reflect.DeepEqual(got, want) {
		t.Errorf("codes %v, want %v", got, want)
	}
}

func TestNotifications(t *testing.T) {
	d := newDialect(t, `{}`)
	c := d.Connect(target.Stdio)
	for _, text := range []string{
		`{"method":"ping","params":{"nonce":1}}`,
		`{"method":"notifications/zzz"}`,
		`{"method":"notifications/cancel"}`,
		`{"method":"notifications/cancel","params":{"id":null}}`,
		`{"method":"notifications/cancel","params":{"id":[1]}}`,
		`{"method":"notifications/cancel","params":{"id":77,"reason":"never sent"}}`,
	} {
		if _, e := do(t, d, c, text); e != nil {
			t.Errorf("%s: %s", text, e.Message)
		}
	}
	if _, e := do(t, d, c, `{"method":"embed","params":{"inputs":["a"]}}`); code(e) != notInitialized {
		t.Errorf("a notification passes the gate: code %d", code(e))
	}
	if _, e := do(t, d, c, `{"method":"initialize","params":{"protocolVersion":1}}`); e != nil {
		t.Fatal(e)
	}
	if _, e := do(t, d, c, `{"method":"embed","params":{"inputs":["a"]}}`); code(e) != notInitialized {
		t.Errorf("a notification initialises: code %d", code(e))
	}
	if _, e := do(t, d, c, initializing); e != nil {
		t.Fatal(e)
	}
	if _, e := do(t, d, c, `{"method":"embed","params":{"inputs":["a"]}}`); e != nil {
		t.Errorf("a notification of a request method does not run: %s", e.Message)
	}
}

func TestPing(t *testing.T) {
	for _, row := range []struct {
		params, want string
		code         jsonrpc.Code
	}{
		{`{}`, `{}`, 0},
		{`{"nonce":1}`, `{"nonce":1}`, 0},
		{`{"nonce":1.50}`, `{"nonce":1.50}`, 0},
		{`{"nonce":9007199254740993}`, `{"nonce":9007199254740993}`, 0},
		{`{"nonce":-1E+2}`, `{"nonce":-1E+2}`, 0},
		{`{"x":{"nonce":3}, "nonce" : "a\u00e9\"}" }`, `{"nonce":"a\u00e9\"}"}`, 0},
		{`{"nonce":1,"nonce":2}`, `{"nonce":2}`, 0}, // as encoding/json has it
		{`{"n\u006fnce":3}`, `{"nonce":3}`, 0},
		{`{"nonce":null}`, ``, jsonrpc.InvalidParams},
		{`{"nonce":true}`, ``, jsonrpc.InvalidParams},
		{`{"nonce":[1]}`, ``, jsonrpc.InvalidParams},
		{`{"nonce":{}}`, ``, jsonrpc.InvalidParams},
	} {
		d := newDialect(t, `{}`)
		out, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"ping","params":`+row.params+`}`)
		if string(out) != row.want || code(e) != row.code {
			t.Errorf("%s: %q, code %d; want %q, code %d", row.params, out, code(e), row.want, row.code)
		}
	}
}

func TestCapabilitiesTellTheConfig(t *testing.T) {
	d := newDialect(t, `{"batch_size_limit":11,"embed_batch_limit":12,"rerank_max_candidates":13,"dimension":14}`)
	type hello struct {
		ProtocolVersion int
		Server          struct{ Name, Version string }
		Capabilities    struct {
			Embed struct {
				Dimension  int
				Identity   string
				BatchLimit int
				Normalized bool
				Encodings  []string
			}
			SparseEmbed, MultiVector map[string]any
			Rerank                   struct {
				Methods       []string
				MaxCandidates int
			}
			Volley struct{ MaxBatch int } `json:"x-volley"`
		}
		Meta struct{ Conformance string } `json:"_meta"`
	}
	got := result[hello](t, d, initializing)
	caps := got.Capabilities
	switch {
	case got.ProtocolVersion != 1, got.Server.Name != "volley", got.Server.Version == "", got.Meta.Conformance != "L2":
		t.Errorf("identity: %+v", got)
	case caps.Embed.Dimension != 14, caps.Embed.BatchLimit != 12, !caps.Embed.Normalized, caps.Embed.Identity == "":
		t.Errorf("embed: %+v", caps.Embed)
	case !reflect.DeepEqual(caps.Embed.Encodings, []string{"json", "f32-base64"}):
		t.Errorf("encodings: %v", caps.Embed.Encodings)
	case caps.SparseEmbed["vocabulary"] != float64(vocabulary), caps.MultiVector["dimension"] != 14.0:
		t.Errorf("sparse and multi: %+v", caps)
	case caps.Rerank.MaxCandidates != 13, !reflect.DeepEqual(caps.Rerank.Methods, []string{"colbert"}):
		t.Errorf("rerank: %+v", caps.Rerank)
	case caps.Volley.MaxBatch != 11:
		t.Errorf("x-volley: %+v", caps.Volley)
	}
	if info := result[hello](t, d, `{"id":1,"method":"info"}`); !reflect.DeepEqual(info, got) {
		t.Errorf("info tells %+v, initialize %+v", info, got)
	}
}
