package near

import (
	"net/http"
	"strings"
	"testing"
)

func TestANodeThatHasNoBlocksYet(t *testing.T) {
	d, _ := nodeStanding(t, `{"volley": {"syncing": true}}`)
	unsynced := handlerWithout("NO_SYNCED_BLOCKS", `"There are no fully synchronized blocks on the node yet"`)
	for _, c := range []struct{ method, params, want string }{
		{"query", `{"request_type":"view_account","account_id":"near","finality":"final"}`, unsynced},
		{"query", `{"request_type":"view_account","account_id":"near","sync_checkpoint":"genesis"}`, unsynced},
		{"query", `["account/near",""]`, unsynced},
		{"EXPERIMENTAL_view_account", `{"account_id":"near","finality":"final"}`, internal("There are no fully synchronized blocks on the node yet")},
		{"query", `{"request_type":"view_account","account_id":"near","block_id":1000001}`,
			handler("UNKNOWN_BLOCK", `{"block_reference":{"block_id":1000001}}`, `"DB Not Found Error: BLOCK HEIGHT: 1000001 \n Cause: Unknown"`)},
		{"block", `{"finality":"final"}`, handlerWithout("NOT_SYNCED_YET", `"There are no fully synchronized blocks yet"`)},
		{"gas_price", `[null]`, handlerWithout("NOT_SYNCED_YET", `"There are no fully synchronized blocks yet"`)},
		{"health", ``, handlerWithout("NODE_IS_SYNCING", `"Node is syncing"`)},
	} {
		if got := ask(t, d, c.method, c.params); got.body != c.want {
			t.Errorf("%s %s: %s, want %s", c.method, c.params, got.body, c.want)
		}
	}
	var v view
	if result(t, d, "query", `{"request_type":"view_account","account_id":"near","block_id":1000000}`, &v); v.BlockHeight != genesisHeight {
		t.Errorf("%+v", v)
	}
	if got := ask(t, d, "status", ``).body; !strings.Contains(got, `"syncing":true`) || !strings.Contains(got, `"latest_block_height":1000000`) {
		t.Errorf("status: %s", got)
	}
	base := serve(t, d)
	resp, err := http.Get(base + "/health")
	if err != nil {
		t.Fatal(err)
	}
	if body := read(t, resp); resp.StatusCode != http.StatusServiceUnavailable || body != "" {
		t.Errorf("/health: %d %q", resp.StatusCode, body)
	}
}

func handlerWithout(cause, data string) string {
	return `{"name":"HANDLER_ERROR","cause":{"name":"` + cause + `"},"code":-32000,"message":"Server error","data":` + data + `}`
}
