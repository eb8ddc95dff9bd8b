package near

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"volley/target"
)

// A thousand queries in a hundred batches, all pinned to one block, while the
// chain grows by a block per batch: they tell one hash and, request for
// request, one value. The same requests unpinned tell another block and
// another value each time.
func TestBatchesPinnedToABlockAgreeWhileTheChainGrows(t *testing.T) {
	const batches, entries = 100, 10
	config := DefaultConfig()
	var at atomic.Int64
	config.Clock = func() time.Time { return time.Unix(0, at.Load()) }
	d := New(config)
	node := target.New(d, target.Options{}).Handler()
	pin := d.chain.at(startHead - 2)

	request := func(i int) string {
		account := fmt.Sprintf("user%d.near", i*971)
		switch i % 5 {
		case 0:
			return fmt.Sprintf(`"request_type":"view_account","account_id":%q`, account)
		case 1:
			args := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"account_id":%q}`, account))
			return fmt.Sprintf(`"request_type":"call_function","account_id":"token.near","method_name":"ft_balance_of","args_base64":%q`, args)
		case 2:
			return fmt.Sprintf(`"request_type":"view_access_key_list","account_id":%q`, account)
		case 3:
			return `"request_type":"view_state","account_id":"wrap.near","prefix_base64":""`
		}
		key := d.ledger.keyring(namedAccounts + 6).keys
		for _, k := range key {
			if k.permission.gasKey {
				return fmt.Sprintf(`"request_type":"view_gas_key_nonces","account_id":"user6.near","public_key":%q`, k.public)
			}
		}
		panic("user6.near has no gas key")
	}
	// send gives each entry's result without its block, and checks that.
	send := func(ref, hash string, height uint64) (values [entries]string) {
		t.Helper()
		var body []string
		for i := range entries {
			body = append(body, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"query","params":{%s,%s}}`, i, request(i), ref))
		}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("["+strings.Join(body, ",")+"]"))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		node.ServeHTTP(w, r)
		var responses []struct {
			ID     int                        `json:"id"`
			Result map[string]json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &responses); err != nil || len(responses) != entries {
			t.Fatalf("%s: %v", w.Body, err)
		}
		for _, r := range responses {
			if string(r.Result["block_hash"]) != `"`+hash+`"` || string(r.Result["block_height"]) != fmt.Sprint(height) {
				t.Fatalf("entry %d is read at %s %s, not at %s", r.ID, r.Result["block_height"], r.Result["block_hash"], hash)
			}
			delete(r.Result, "block_hash")
			delete(r.Result, "block_height")
			value, err := json.Marshal(r.Result)
			if err != nil {
				t.Fatal(err)
			}
			values[r.ID] = string(value)
		}
		return values
	}

	first := send(fmt.Sprintf(`"block_id":%q`, pin.hash), pin.hash, pin.height)
	last := send(`"finality":"final"`, pin.hash, pin.height)
	if last != first {
		t.Fatal("the pinned block and the final one, which are one, differ")
	}
	for n := uint64(1); n < batches; n++ {
		at.Add(int64(time.Second))
		if pinned := send(fmt.Sprintf(`"block_id":%q`, pin.hash), pin.hash, pin.height); pinned != first {
			t.Fatalf("batch %d: pinned reads became %s", n, pinned)
		}
		final := d.chain.at(startHead - 2 + n)
		floating := send(`"finality":"final"`, final.hash, final.height)
		for i := range floating {
			if floating[i] == last[i] {
				t.Fatalf("batch %d: entry %d, unpinned, is still %s", n, i, last[i])
			}
		}
		last = floating
	}
}
