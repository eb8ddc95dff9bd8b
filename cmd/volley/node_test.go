package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// posted is the result of a call over HTTP.
func posted(t *testing.T, url, body string, result any) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := struct{ Result any }{result}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// A node tells this program's version, and a near node where it really listens.
func TestNodeTellsWhoItIs(t *testing.T) {
	url := startTestNode(t, "near", json.RawMessage(`{"rpc": {"addr": "0.0.0.0:3030"}}`))
	var status struct {
		RPCAddr string `json:"rpc_addr"`
		Version struct{ Build string }
	}
	posted(t, url, `{"jsonrpc":"2.0","id":1,"method":"status"}`, &status)
	if "http://"+status.RPCAddr != url || status.Version.Build != version {
		t.Errorf("status of %s: %+v", url, status)
	}
	var info struct{ Server struct{ Version string } }
	posted(t, startTestNode(t, "rcp", nil)+"/rcp", `{"jsonrpc":"2.0","id":1,"method":"info"}`, &info)
	if info.Server.Version != version {
		t.Errorf("info: %+v", info)
	}
}
