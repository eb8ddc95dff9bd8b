package target_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"volley/target"
	"volley/target/wirecase"
)

// TestPolicies runs each policy's own cases over a socket. Every preset has
// some.
func TestPolicies(t *testing.T) {
	for _, name := range target.PresetNames() {
		suite, err := wirecase.Load(filepath.Join("testdata/vectors/policies", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range suite.Cases {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				if err := c.Do(t.Context(), serve(t, generic(t, string(c.Node)))); err != nil {
					t.Errorf("%s: %v", c.Why, err)
				}
			})
		}
	}
	files, err := os.ReadDir("testdata/vectors/policies")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name, _ := strings.CutSuffix(f.Name(), ".json"); !slices.Contains(target.PresetNames(), name) {
			t.Errorf("%s belongs to no preset", f.Name())
		}
	}
}

// TestGeth compares answers, byte for byte but for the order of an object's
// members, with what geth 1.17.10 put on the wire. result is what its method
// answered there; the probes and their answers are otherwise the same.
func TestGeth(t *testing.T) {
	const (
		jsonType = "application/json"
		invalid  = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request"},"id":null}`
		parse    = `200 application/json {"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"},"id":null}`
	)
	call := func(id string) string { return request("echo", "[1]", id) }
	answered := func(id string) string { return result("[1]", id) }
	n, nothing := notification("echo", "[1]"), "200 application/json "
	rows := []struct{ probe, method, media, body, want string }{
		{"1,N,2", "POST", jsonType, "[" + call("1") + "," + n + "," + call("2") + "]", "200 application/json [" + answered("1") + "," + answered("2") + "]"},
		{"[N,N]", "POST", jsonType, "[" + n + "," + n + "]", nothing},
		{"single N", "POST", jsonType, n, nothing},
		{"[]", "POST", jsonType, "[]", `200 application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"empty batch"},"id":null}`},
		{"[1]", "POST", jsonType, "[1]", "200 application/json [" + invalid + "]"},
		{"[[]]", "POST", jsonType, "[[]]", "200 application/json [" + invalid + "]"},
		{`[{"foo":"bar"},1]`, "POST", jsonType, `[{"foo":"bar"},` + call("1") + "]", "200 application/json [" + invalid + "," + answered("1") + "]"},
		{"ids 7,7", "POST", jsonType, "[" + call("7") + "," + call("7") + "]", "200 application/json [" + answered("7") + "," + answered("7") + "]"},
		{"id null, 2", "POST", jsonType, "[" + call("null") + "," + call("2") + "]", "200 application/json [" + answered("null") + "," + answered("2") + "]"},
		{"id true, 2", "POST", jsonType, "[" + call("true") + "," + call("2") + "]", "200 application/json [" + answered("true") + "," + answered("2") + "]"},
		{"broken", "POST", jsonType, "[{", parse},
		{"trailing", "POST", jsonType, "[]x", parse},
		{"text/plain", "POST", "text/plain", "[" + call("1") + "]", "415 text/plain; charset=utf-8 invalid content type, only application/json is supported\n"},
		{"1000 entries", "POST", jsonType, "[" + strings.Repeat(call("1")+",", 999) + call("1") + "]", "200 application/json [" + strings.Repeat(answered("1")+",", 999) + answered("1") + "]"},
		{"1001 entries", "POST", jsonType, "[" + strings.Repeat(call("1")+",", 1000) + call("1") + "]", `200 application/json [{"jsonrpc":"2.0","error":{"code":-32600,"message":"batch too large"},"id":1}]`},
		{"GET", "GET", "", "", "200  "}, // before a content type is set
		{"a batch of one", "POST", jsonType, "[" + call("1") + "]", "200 application/json [" + answered("1") + "]"},
		{`id {"a":1}`, "POST", jsonType, "[" + call(`{"a":1}`) + "]", "200 application/json [" + invalid + "]"},
		{"id 9007199254740993", "POST", jsonType, "[" + call("9007199254740993") + "]", "200 application/json [" + answered("9007199254740993") + "]"},
		{"id 1.0", "POST", jsonType, "[" + call("1.0") + "]", "200 application/json [" + answered("1.0") + "]"},
		{"an escaped id", "POST", jsonType, "[" + call(`"abc\u00e9"`) + "]", "200 application/json [" + answered(`"abc\u00e9"`) + "]"},
		{"no jsonrpc member", "POST", jsonType, `[{"method":"echo","params":[1],"id":1}]`, `200 application/json [{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request"},"id":1}]`},
		{"a body of 6 MB", "POST", jsonType, "[" + strings.Repeat(" ", 6_000_000-2) + "]", "413 text/plain; charset=utf-8 content length too large (6000000>5242880)\n"},
	}
	base := serve(t, generic(t, `{"policy": "geth"}`))
	for _, tt := range rows {
		t.Run(tt.probe, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), tt.method, base, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if tt.media != "" {
				r.Header.Set("Content-Type", tt.media)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%d %s %s", resp.StatusCode, resp.Header.Get("Content-Type"), body); got != tt.want {
				t.Errorf("got  %.500s\nwant %.500s", got, tt.want)
			}
		})
	}
}

// TestPoliciesOnStreams: a policy's rules hold for lines too; Fulcrum's own
// transport is one.
func TestPoliciesOnStreams(t *testing.T) {
	for _, tt := range []struct{ config, in, out string }{
		{`{"policy":"fulcrum"}`, "[]\n[1]\n", ""},
		{`{"policy":"agave"}`, "[]\n" + request("echo", "[1]", "1") + "\n", result("[1]", "1") + "\n"},
		{`{"policy":"geth","batch_size_limit":1}`, "[" + request("echo", "[1]", "5") + ",1]\n", "[" + failure(-32600, "batch too large", "5") + "]\n"},
		{`{"policy":"geth","batch_too_many":{"form":"nothing"},"batch_size_limit":1}`, "[1,2]\n", ""},
	} {
		if tt.out == "" && strings.Contains(tt.config, "fulcrum") {
			tt.out = failure(-32600, "Invalid request", "null") + "\n[" + failure(-32600, "Invalid request", "null") + "]\n"
		}
		var out bytes.Buffer
		if err := generic(t, tt.config).ServeStream(t.Context(), strings.NewReader(tt.in), &out); err != nil {
			t.Fatal(err)
		}
		got, want := strings.SplitAfter(out.String(), "\n"), strings.SplitAfter(tt.out, "\n")
		slices.Sort(got) // lines are answered as they are done
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s %q\ngot  %q\nwant %q", tt.config, tt.in, got, want)
		}
	}
}
