package rcp

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestAdmission: section 12's RateLimited is an answer like any other, HTTP 200
// with the time to wait in its data; what can never be let in is told to split.
// A body that no response is owed to gets the 429 of section 5.2. The ceiling is
// so slow that a run of the test cannot fill it again.
func TestAdmission(t *testing.T) {
	base := overTCP(t, `{"admission": {"charge": "entry", "rate": 0.001, "burst": 2}}`)
	ping := `{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}`
	note := `{"jsonrpc":"2.0","method":"notifications/cancel","params":{"id":1}}`
	for _, tt := range []struct{ path, body, want string }{
		{"/rcp", "[" + ping + "," + ping + "," + note + "]",
			`200 retry "" {"jsonrpc":"2.0","error":{"code":-32013,"message":"more at once than is ever let in: split the batch","data":{"limit":2,"size":3}},"id":null}`},
		{"/rcp", "[" + note + "," + note + "]", `204 retry "" `},
		{"/rcp/ping", ping, `200 retry "" {"jsonrpc":"2.0","error":{"code":-32011,"message":"too many requests","data":{"retryable":true,"retryAfterMs":N}},"id":"a"}`},
		{"/rcp", "[" + ping + "]", `200 retry "" {"jsonrpc":"2.0","error":{"code":-32011,"message":"too many requests","data":{"retryable":true,"retryAfterMs":N}},"id":null}`},
		{"/rcp", note, `429 retry "N" `},
	} {
		resp, err := http.Post(base+tt.path, "application/json", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d retry %q %s", resp.StatusCode, resp.Header.Get("Retry-After"), body)
		if before, after, ok := strings.Cut(tt.want, "N"); ok { // about a thousand seconds
			if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) || len(got) <= len(before)+len(after) {
				t.Errorf("%s\ngot  %s\nwant %s", tt.body, got, tt.want)
			}
		} else if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.body, got, tt.want)
		}
	}
}
