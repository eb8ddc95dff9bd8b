package near

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"volley/target"
	"volley/target/wirecase"
)

// serve runs a node on a real socket for as long as the test lasts.
func serve(t *testing.T, d *Dialect) (base string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- target.New(d, target.Options{}).Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

func TestWireCases(t *testing.T) {
	for _, name := range []string{"near-batch", "held-out/near-batches", "held-out/near-singletons"} {
		suite, err := wirecase.Load("../testdata/vectors/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if suite.Dialect != "near" || len(suite.Cases) == 0 {
			t.Fatalf("%d cases of dialect %q", len(suite.Cases), suite.Dialect)
		}
		for _, c := range suite.Cases {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				base := serve(t, New(parse(t, string(c.Node))))
				if err := c.Do(t.Context(), base); err != nil {
					t.Errorf("%s: %v", c.Why, err)
				}
			})
		}
	}
}

// The page's recipe for reads of one state, as its shell example has it.
func TestConsistentReadRecipe(t *testing.T) {
	base := serve(t, New(parse(t, `{"volley": {"block_time": "1ms"}}`)))
	post := func(body string, v any) {
		t.Helper()
		resp, err := http.Post(base, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(read(t, resp)), v); err != nil {
			t.Fatal(err)
		}
	}
	var block struct {
		Result struct {
			Header struct {
				Hash string `json:"hash"`
			} `json:"header"`
		} `json:"result"`
	}
	post(`{"jsonrpc":"2.0","id":"final-block","method":"block","params":{"finality":"final"}}`, &block)
	pin := block.Result.Header.Hash
	type response struct {
		ID     string `json:"id"`
		Result view   `json:"result"`
	}
	query := func(id string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%[1]q,"method":"query","params":{"request_type":"view_account","account_id":%[1]q,"block_id":%[2]q}}`, id, pin)
	}
	var first []response
	for range 20 {
		var responses []response
		post("["+query("test.near")+","+query("near")+"]", &responses)
		if len(responses) != 2 {
			t.Fatalf("%d responses", len(responses))
		}
		for _, r := range responses {
			if r.Result.BlockHash != pin || r.Result.Amount == "" {
				t.Errorf("%s: %+v is not read at %s", r.ID, r.Result, pin)
			}
		}
		if first == nil {
			first = responses
		}
		if !slices.Equal(responses, first) {
			t.Errorf("pinned reads went from %+v to %+v", first, responses)
		}
	}
}

func TestABareNotificationIsNoRequest(t *testing.T) {
	base := serve(t, New(DefaultConfig()))
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"status"}`,
		`{"jsonrpc":"2.0","id":1,"result":true}`,
		`{"jsonrpc":"2.0","id":1,"method":"status","extra":0}`,
		`{"jsonrpc":"1.0","id":1,"method":"status"}`,
		`"status"`,
	} {
		resp, err := http.Post(base, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, resp)
		const want = `{"jsonrpc":"2.0","error":{"name":"REQUEST_VALIDATION_ERROR","cause":{"name":"PARSE_ERROR","info":{"error_message":"JSON RPC Request format was expected"}},"code":-32700,"message":"Parse error","data":"JSON RPC Request format was expected"},"id":null}`
		if resp.StatusCode != http.StatusBadRequest || got != want {
			t.Errorf("%s: %d %s", body, resp.StatusCode, got)
		}
	}
}

func TestPages(t *testing.T) {
	base := serve(t, New(parse(t, `{"rpc": {"addr": "127.0.0.1:3030"}, "volley": {"chain_id": "localnet"}}`)))
	get := func(method, path string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, read(t, resp)
	}
	if status, body := get(http.MethodGet, "/health"); status != 200 || body != "null" {
		t.Errorf("/health: %d %s", status, body)
	}
	if status, body := get(http.MethodGet, "/network_info"); status != 200 || !strings.Contains(body, `"num_active_peers":0`) {
		t.Errorf("/network_info: %d %s", status, body)
	}
	for _, path := range []string{"/health", "/status", "/network_info"} {
		if status, body := get(http.MethodHead, path); status != 200 || body != "" {
			t.Errorf("HEAD %s: %d %q", path, status, body)
		}
	}
	status, body := get(http.MethodGet, "/status")
	var got struct {
		ChainID  string `json:"chain_id"`
		RPCAddr  string `json:"rpc_addr"`
		SyncInfo struct {
			LatestBlockHeight uint64 `json:"latest_block_height"`
			Syncing           bool   `json:"syncing"`
		} `json:"sync_info"`
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if status != 200 || got.ChainID != "localnet" || got.RPCAddr != "127.0.0.1:3030" ||
		got.SyncInfo.LatestBlockHeight < startHead || got.SyncInfo.Syncing {
		t.Errorf("/status: %d %s", status, body)
	}
}

func TestEntriesCountUnderTheirRequestType(t *testing.T) {
	base := serve(t, New(DefaultConfig()))
	const batch = `[{"jsonrpc":"2.0","id":1,"method":"query","params":{"request_type":"view_account","account_id":"near","finality":"final"}},
		{"jsonrpc":"2.0","id":2,"method":"query","params":{"request_type":"view_account","account_id":"nobody.near","finality":"final"}},
		{"jsonrpc":"2.0","id":3,"method":"query"},
		{"jsonrpc":"2.0","method":"query","params":["access_key/near",""]},
		{"jsonrpc":"2.0","id":4,"method":"status"}]`
	for _, body := range []string{batch, `{"jsonrpc":"2.0","id":1,"method":"nope"}`, `{"jsonrpc":"2.0","id":1,"method":"health"}`} {
		resp, err := http.Post(base, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
	}
	resp, err := http.Get(base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	exposition := read(t, resp)
	for _, line := range []string{
		`near_rpc_total_count{method="query_view_account"} 2`,
		`near_rpc_error_count{err_code="-32000",method="query_view_account"} 1`,
		`near_rpc_total_count{method="query"} 1`,
		`near_rpc_error_count{err_code="-32700",method="query"} 1`,
		`near_rpc_total_count{method="query_view_access_key_list"} 1`,
		`near_rpc_total_count{method="UNSUPPORTED_METHOD"} 1`,
		`near_rpc_error_count{err_code="-32601",method="UNSUPPORTED_METHOD"} 1`,
		`near_rpc_total_count{method="health"} 1`,
		`near_rpc_batch_entries_total{outcome="ok"} 1`,
		`near_rpc_batch_entries_total{outcome="error"} 2`,
		`near_rpc_batch_entries_total{outcome="notification"} 1`,
		`near_rpc_batch_entries_total{outcome="method_not_found"} 1`,
	} {
		if !strings.Contains(exposition, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if t.Failed() {
		t.Log(exposition)
	}
}

func TestSeriesOfTheDialect(t *testing.T) {
	d := New(parse(t, `{"rpc": {"polling_config": {"polling_timeout": {"secs": 0, "nanos": 1}}}, "volley": {"block_time": "1h"}}`))
	base := serve(t, d)
	tx := valid(d).encoded(d.ledger)
	const hash = "11111111111111111111111111111111"
	for _, request := range []string{
		`"method":"send_tx","params":{"signed_tx_base64":"` + tx + `","wait_until":"FINAL"}`,
		`"method":"send_tx","params":["` + tx + `"]`,
		`"method":"send_tx","params":{"signed_tx_base64":"` + tx + `","wait_until":"NONE"}`,
		`"method":"broadcast_tx_commit","params":["` + tx + `"]`,
		`"method":"tx","params":["` + hash + `","near"]`,
		`"method":"EXPERIMENTAL_tx_status","params":{"tx_hash":"` + hash + `","sender_account_id":"near","wait_until":"INCLUDED"}`,
		`"method":"EXPERIMENTAL_view_account","params":{"account_id":"near","finality":"final"}`,
		`"method":"chunk","params":["` + hash + `"]`,
	} {
		resp, err := http.Post(base, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,`+request+`}`))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
	}
	get := func(path string) string {
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		return read(t, resp)
	}
	get("/status")
	get("/metrics")
	exposition := get("/metrics")
	for _, line := range []string{
		`near_rpc_timeout_total 3`,
		`near_rpc_wait_until_count{method="send_tx",wait_until="FINAL"} 1`,
		`near_rpc_wait_until_count{method="send_tx",wait_until="EXECUTED_OPTIMISTIC"} 1`,
		`near_rpc_wait_until_count{method="send_tx",wait_until="NONE"} 1`,
		`near_rpc_wait_until_count{method="tx",wait_until="EXECUTED_OPTIMISTIC"} 1`,
		`near_rpc_wait_until_count{method="EXPERIMENTAL_tx_status",wait_until="INCLUDED"} 1`,
		`near_rpc_unreachable_errors_total{target_error_enum="RpcQueryError"} 0`,
		`near_http_status_requests_total 1`,
		`near_http_prometheus_requests_total 2`,
		`near_rpc_total_count{method="EXPERIMENTAL_view_account"} 1`,
		`near_rpc_error_count{err_code="-32000",method="send_tx"} 2`,
		`near_rpc_error_count{err_code="-32000",method="chunk"} 1`,
	} {
		if !strings.Contains(exposition, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if t.Failed() {
		t.Log(exposition)
	}
}

func read(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
