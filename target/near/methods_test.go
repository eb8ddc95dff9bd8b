package near

import (
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

func TestOtherMethods(t *testing.T) {
	d, _ := standing3(t)
	for _, c := range []struct {
		name, method, params, label string
		status                      int
		want                        string
	}{
		{"health", "health", ``, "health", 200, "null"},
		{"health ignores params", "health", `[1]`, "health", 200, "null"},
		{"unknown", "Query", `{}`, "UNSUPPORTED_METHOD", 400,
			`{"name":"REQUEST_VALIDATION_ERROR","cause":{"name":"METHOD_NOT_FOUND","info":{"method_name":"Query"}},"code":-32601,"message":"Method not found","data":"Query"}`},
		{"no such block", "block", `{"block_id":1300001}`, "block", 200,
			handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK HEIGHT: 1300001 \n Cause: Unknown"`)},
		{"no such block, passed", "block", `{"block_id":5}`, "block", 422,
			handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK HEIGHT: 5 \n Cause: Unknown"`)},
		{"no such block, passed, by position", "block", `[5]`, "block", 200,
			handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK HEIGHT: 5 \n Cause: Unknown"`)},
		{"no such block by hash", "block", `["11111111111111111111111111111111"]`, "block", 200,
			handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK HEADER: 11111111111111111111111111111111 \n Cause: Unknown"`)},
		{"collected block", "block", `{"sync_checkpoint":"genesis"}`, "block", 200,
			handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK: `+d.chain.at(genesisHeight).hash+` \n Cause: Unknown"`)},
		{"no params", "block", ``, "block", 400, failedArgs("invalid type: null, expected struct RpcBlockRequest")},
		{"no reference", "block", `{}`, "block", 400, failedArgs("no variant of enum BlockReference found in flattened data")},
		{"two positions", "block", `[1,2]`, "block", 400, failedArgs("invalid type: sequence, expected struct RpcBlockRequest")},
		{"null position", "block", `[null]`, "block", 400, failedArgs("data did not match any variant of untagged enum BlockId")},
	} {
		if got := ask(t, d, c.method, c.params); got != (exchange{c.label, c.status, c.want}) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, exchange{c.label, c.status, c.want})
		}
	}
}

func TestHTTPStatusFollowsTheKindOfError(t *testing.T) {
	d, _ := standing3(t)
	for _, c := range []struct {
		err  *jsonrpc.Error
		want int
	}{
		{nil, 200},
		{&jsonrpc.Error{Code: -32000, Message: "Server error"}, 200},
		{handlerFailure("UNKNOWN_ACCOUNT", []byte("{}"), ""), 200},
		{handlerFailure("TIMEOUT_ERROR", []byte("{}"), ""), 408},
		{methodNotFound([]byte("nope")), 400},
		{argsFailure("no"), 400},
		{internalFailure("no"), 500},
	} {
		if got := d.Status(&target.Call{}, c.err); got != c.want {
			t.Errorf("%+v: %d, want %d", c.err, got, c.want)
		}
	}
}
