package near

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

func result(t *testing.T, d *Dialect, method, params string, v any) {
	t.Helper()
	got := ask(t, d, method, params)
	if got.status != 200 {
		t.Fatalf("%s %s: %d %s", method, params, got.status, got.body)
	}
	if err := json.Unmarshal([]byte(got.body), v); err != nil {
		t.Fatal(err)
	}
}

type view struct {
	Amount      string `json:"amount"`
	BlockHash   string `json:"block_hash"`
	BlockHeight uint64 `json:"block_height"`
}

// The batching page's recipe: one final block is resolved first, its hash goes
// into every query.
func TestPinnedReadsStayWhileTheChainGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(DefaultConfig())
		var final struct {
			Header struct {
				Hash   string `json:"hash"`
				Height uint64 `json:"height"`
			} `json:"header"`
		}
		result(t, d, "block", `{"finality":"final"}`, &final)
		read := func(id, ref string) (v view) {
			result(t, d, "query", fmt.Sprintf(`{"request_type":"view_account","account_id":%q,%s}`, id, ref), &v)
			return v
		}
		ids := []string{"test.near", "near", "user0.near", "user9999.near"}
		pin := fmt.Sprintf(`"block_id":%q`, final.Header.Hash)
		var pinned, floating []view
		for _, id := range ids {
			v := read(id, pin)
			if v.BlockHash != final.Header.Hash || v.BlockHeight != final.Header.Height {
				t.Errorf("%s is read at %s, pinned to %s", id, v.BlockHash, final.Header.Hash)
			}
			if same := read(id, `"finality":"final"`); same != v {
				t.Errorf("%s: %+v by hash, %+v by finality", id, v, same)
			}
			pinned = append(pinned, v)
			floating = append(floating, v)
		}
		for range 5 {
			<-time.After(time.Second)
			for i, id := range ids {
				if v := read(id, pin); v != pinned[i] {
					t.Errorf("pinned %s changed from %+v to %+v", id, pinned[i], v)
				}
				v := read(id, `"finality":"final"`)
				if v.BlockHeight != floating[i].BlockHeight+1 || v.Amount == floating[i].Amount || v.BlockHash == floating[i].BlockHash {
					t.Errorf("a block later %s went from %+v to %+v", id, floating[i], v)
				}
				floating[i] = v
			}
		}
	})
}

func TestHeadersLinkUp(t *testing.T) {
	d, _ := standing3(t)
	type header struct {
		Header struct {
			Hash           string `json:"hash"`
			PrevHash       string `json:"prev_hash"`
			LastFinalBlock string `json:"last_final_block"`
			Height         uint64 `json:"height"`
			PrevHeight     uint64 `json:"prev_height"`
			Timestamp      int64  `json:"timestamp"`
			EpochID        string `json:"epoch_id"`
			NextEpochID    string `json:"next_epoch_id"`
		} `json:"header"`
	}
	at := func(height uint64) (h header) {
		result(t, d, "block", fmt.Sprintf(`[%d]`, height), &h)
		return h
	}
	for height := uint64(startHead - 150); height <= startHead; height++ {
		low, high := at(height-1).Header, at(height).Header
		if high.PrevHash != low.Hash || high.PrevHeight != low.Height || high.Timestamp-low.Timestamp != int64(time.Second) {
			t.Fatalf("%+v does not follow %+v", high, low)
		}
		if last := at(height - 2).Header.Hash; high.LastFinalBlock != last {
			t.Fatalf("the last final block under %d is %s, not %s", height, high.LastFinalBlock, last)
		}
		if starts := height%100 == 0; starts == (high.EpochID == low.EpochID) || starts && high.EpochID != low.NextEpochID {
			t.Fatalf("epochs of %d: %s, %s", height, low.EpochID, high.EpochID)
		}
	}
}

// call runs one query outside the engine and gives how long it took.
func call(d *Dialect, method, params string) time.Duration {
	c := &target.Call{Request: jsonrpc.Request{
		Method: []byte(method), MethodKind: jsonrpc.String, Params: []byte(params), ParamsKind: jsonrpc.Object,
	}}
	if err := d.Admit(context.Background(), c); err != nil {
		panic(err.Message)
	}
	begun := time.Now()
	if _, err := d.Run(context.Background(), c, nil); err != nil {
		panic(err.Message)
	}
	return time.Since(begun)
}

func TestQueriesAndBlocksShareTheSlots(t *testing.T) {
	const account = `{"request_type":"view_account","account_id":"near","finality":"final"}`
	synctest.Test(t, func(t *testing.T) {
		d := New(parse(t, `{"view_client_threads": 2, "volley": {"service": {"query": "10ms", "block": "30ms"}}}`))
		var group sync.WaitGroup
		took := make([]time.Duration, 5)
		start := func(i int, method, params string) {
			group.Go(func() { took[i] = call(d, method, params) })
			synctest.Wait()
		}
		start(0, "block", `{"finality":"final"}`)
		start(1, "query", account)
		start(2, "query", account)
		start(3, "query", account)
		start(4, "block", `{"finality":"final"}`)
		if slotless := call(d, "status", `{}`) + call(d, "health", `{}`); slotless != 0 {
			t.Errorf("status and health waited %s", slotless)
		}
		group.Wait()
		want := []time.Duration{30, 10, 20, 30, 60}
		for i := range want {
			if took[i] != want[i]*time.Millisecond {
				t.Errorf("call %d took %s, want %s", i, took[i], want[i]*time.Millisecond)
			}
		}
	})
}

func TestOneSeedDrawsOneSeriesOfServiceTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		draw := func(seed int) (times []time.Duration) {
			d := New(parse(t, fmt.Sprintf(`{"volley": {"seed": %d, "service": {"view_account": {"exponential": "2ms"}}}}`, seed)))
			for range 20 {
				times = append(times, call(d, "query", `{"request_type":"view_account","account_id":"near","finality":"final"}`))
			}
			return times
		}
		first := fmt.Sprint(draw(3))
		if again := fmt.Sprint(draw(3)); again != first {
			t.Errorf("seed 3 gives %s and %s", first, again)
		}
		if other := fmt.Sprint(draw(4)); other == first {
			t.Errorf("seeds 3 and 4 both give %s", first)
		}
	})
}

// What an entry takes is drawn by its turn, which the node gives it: no two take the same.
func TestEntriesDrawTheirOwnTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := target.New(New(parse(t, `{"volley": {"service": {"view_account": {"exponential": "2ms"}}}}`)), target.Options{})
		times := map[time.Duration]bool{}
		for range 5 {
			r := httptest.NewRequest("POST", "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"query","params":{"request_type":"view_account","account_id":"near","finality":"final"}}`))
			r.Header.Set("Content-Type", "application/json")
			begun := time.Now()
			n.Handler().ServeHTTP(httptest.NewRecorder(), r)
			times[time.Since(begun)] = true
		}
		if len(times) != 5 {
			t.Errorf("5 calls take %v", times)
		}
	})
}

func TestACallThatIsCutOffSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(parse(t, `{"view_client_threads": 1, "volley": {"service": {"default": "1h"}}}`))
		c := &target.Call{Request: jsonrpc.Request{Method: []byte("query"), MethodKind: jsonrpc.String,
			Params: []byte(`["account/near",""]`), ParamsKind: jsonrpc.Array}}
		if err := d.Admit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var group sync.WaitGroup
		for range 2 { // one is served, one waits for its turn
			group.Go(func() {
				out, err := d.Run(ctx, c, []byte("x"))
				if string(out) != "x" || err == nil || !strings.Contains(string(err.Data), "the caller left before it was served") || d.Status(c, err) != 500 {
					t.Errorf("%q, %+v; want an internal error that says why", out, err)
				}
			})
			synctest.Wait()
		}
		group.Wait()
	})
}
