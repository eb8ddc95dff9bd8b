package near

import (
	"net/http"
	"strings"
	"testing"
)

// A gateway that charges for requests counts a batch as one; one that charges
// by request type knows what is in it. The ceiling is so slow that a run of the
// test cannot fill it again.
func TestAdmission(t *testing.T) {
	account := `{"jsonrpc":"2.0","id":1,"method":"query","params":{"request_type":"view_account","account_id":"user0.near","finality":"final"}}`
	call := strings.Replace(account, "view_account", "call_function", 1)
	for _, tt := range []struct {
		charge string
		bodies []string
		want   []int
	}{
		{`"charge": "request"`, []string{"[" + strings.Repeat(account+",", 9) + account + "]", account}, []int{200, 429}},
		{`"charge": "entry"`, []string{account, account}, []int{200, 429}},
		{`"charge": "entry"`, []string{"[" + account + "," + account + "]"}, []int{429}},
		{`"charge": "cost", "cost": {"view_account": 0, "call_function": 2, "status": 0}`,
			[]string{account, "[" + account + "," + account + "]", call, "[" + account + "," + call + "]", account}, []int{200, 200, 429, 429, 200}},
	} {
		base := serve(t, New(parse(t, `{"volley": {"admission": {"rate": 1e-9, "burst": 1, `+tt.charge+`}}}`)))
		for i, body := range tt.bodies {
			resp, err := http.Post(base, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if text := read(t, resp); resp.StatusCode != tt.want[i] {
				t.Errorf("%s, body %d: status %d, want %d: %s", tt.charge, i+1, resp.StatusCode, tt.want[i], text)
			}
		}
	}
}

func TestMisbehaveIsASetting(t *testing.T) {
	base := serve(t, New(parse(t, `{"volley": {"misbehave": {"empty_body": 1}}}`)))
	resp, err := http.Post(base, "application/json", strings.NewReader(`[{"jsonrpc":"2.0","id":1,"method":"query"}]`))
	if err != nil {
		t.Fatal(err)
	}
	if body := read(t, resp); resp.StatusCode != 200 || body != "" {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
}
