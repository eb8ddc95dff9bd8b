package near

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

// exchange is one call as the engine makes it.
type exchange struct {
	label  string
	status int
	body   string // the result, or the whole error object
}

func ask(t testing.TB, d *Dialect, method, params string) exchange {
	t.Helper()
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q}`, method)
	if params != "" {
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	members, _, err := jsonrpc.Split([]byte(text), nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c := &target.Call{Request: jsonrpc.ParseRequest(members[0])}
	failure := d.Admit(context.Background(), c)
	var out []byte
	if failure == nil {
		out, failure = d.Run(context.Background(), c, []byte("kept "))
		if !strings.HasPrefix(string(out), "kept ") || failure != nil && len(out) != len("kept ") {
			t.Fatalf("%s: what was there became %q", text, out)
		}
		out = out[len("kept "):]
	}
	if failure != nil {
		out = jsonrpc.AppendError(nil, failure, nil)
		out = out[len(`{"jsonrpc":"2.0","error":`) : len(out)-len(`,"id":null}`)]
	}
	if !json.Valid(out) {
		t.Fatalf("%s: the answer is no JSON: %s", text, out)
	}
	return exchange{c.Label, d.Status(c, failure), string(out)}
}

// The node of these tests: epochs of 100 blocks, three of them kept, a head
// that stands.
func standing3(t testing.TB) (*Dialect, *still) {
	t.Helper()
	return nodeStanding(t, `{"gc_num_epochs_to_keep": 3, "volley": {"seed": 5, "accounts": 10, "epoch_length": 100}}`)
}

// nodeStanding is a node of a config whose clock stands.
func nodeStanding(t testing.TB, config string) (*Dialect, *still) {
	t.Helper()
	c, err := ParseConfig(target.ConfigFile{Name: "c", Data: []byte(config)})
	if err != nil {
		t.Fatal(err)
	}
	clock := newStill()
	c.Clock = clock.now
	return New(c), clock
}

func handler(cause, info, data string) string {
	return `{"name":"HANDLER_ERROR","cause":{"info":` + info + `,"name":"` + cause +
		`"},"code":-32000,"message":"Server error","data":` + data + `}`
}

func validation(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(`{"name":"REQUEST_VALIDATION_ERROR","cause":{"name":"PARSE_ERROR","info":{"error_message":TEXT}},`+
		`"code":-32700,"message":"Parse error","data":TEXT}`, "TEXT", string(quoted))
}

func failedArgs(text string) string { return validation("Failed parsing args: " + text) }
