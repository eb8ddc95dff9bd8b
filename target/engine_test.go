package target_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// sleeps is a batch of entries that each hold a slot for 10 ms.
func sleeps(count int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(request("sleep", `{"ms":10}`, "1")+",", count), ",") + "]"
}

// TestConcurrencyLimit has entries take 10 ms each, in fake time: how long a
// batch takes tells how many were outstanding at once.
func TestConcurrencyLimit(t *testing.T) {
	for _, tt := range []struct {
		name                        string
		limit, slots, size, batches int
		want                        time.Duration
	}{
		{"one after another", 1, 100, 6, 1, 60 * time.Millisecond},
		{"in pairs", 2, 100, 6, 1, 30 * time.Millisecond},
		{"the last one alone", 4, 100, 9, 1, 30 * time.Millisecond},
		{"all at once", 100, 100, 9, 1, 10 * time.Millisecond},
		{"slots are fewer than the limit", 100, 3, 9, 1, 30 * time.Millisecond},
		{"the limit is a batch's own", 2, 100, 6, 5, 30 * time.Millisecond},
		{"slots are the node's", 4, 4, 8, 2, 40 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := generic(t, fmt.Sprintf(`{"batch_concurrency_limit": %d, "slots": %d}`, tt.limit, tt.slots))
				want := "200 [" + strings.TrimSuffix(strings.Repeat(result("null", "1")+",", tt.size), ",") + "]"
				begun := time.Now()
				var batches sync.WaitGroup
				for range tt.batches {
					batches.Go(func() {
						if got := post(n, "/", sleeps(tt.size)); got != want {
							t.Errorf("got %s", got)
						}
					})
				}
				batches.Wait()
				if took := time.Since(begun); took != tt.want {
					t.Errorf("took %v, want %v", took, tt.want)
				}
			})
		})
	}
}

// TestSlotsAreFirstComeFirstServed: a singleton waits behind the entries that
// came before it, and no longer.
func TestSlotsAreFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := generic(t, `{"batch_concurrency_limit": 3, "slots": 1}`)
		begun := time.Now()
		var calls sync.WaitGroup
		calls.Go(func() { post(n, "/", sleeps(9)) })
		synctest.Wait() // one entry holds the slot, two wait
		calls.Go(func() {
			post(n, "/", request("echo", "[]", "1"))
			if took := time.Since(begun); took != 30*time.Millisecond {
				t.Errorf("the singleton had its answer after %v", took)
			}
		})
		calls.Wait()
	})
}

// TestOrderOfResponses: entries end in the reverse of their order, the array
// keeps it.
func TestOrderOfResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var members, want []string
		for i := range 20 {
			members = append(members, request("sleep", fmt.Sprintf("[%d]", 100-i), itoa(i)))
			want = append(want, result("null", itoa(i)))
		}
		n := generic(t, `{"batch_concurrency_limit": 20, "slots": 20}`)
		if got := post(n, "/", "["+strings.Join(members, ",")+"]"); got != "200 ["+strings.Join(want, ",")+"]" {
			t.Errorf("got %s", got)
		}
	})
}

// TestAdmitSeesMembersInOrder: all of them, before any is run.
func TestAdmitSeesMembersInOrder(t *testing.T) {
	var admitted, ran []string
	d := altered{
		Dialect: dialect(t, ""),
		policy:  func(p *target.Policy) { p.Concurrency = 1 },
		admit: func(_ context.Context, c *target.Call) *jsonrpc.Error {
			if len(ran) > 0 {
				t.Error("a member ran before all were admitted")
			}
			admitted = append(admitted, string(c.ID))
			if string(c.ID) == "2" {
				return &jsonrpc.Error{Code: 2, Message: "no"}
			}
			return nil
		},
		run: func(_ context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
			ran = append(ran, string(c.ID))
			return append(dst, "1"...), nil
		},
	}
	got := post(target.New(d, target.Options{}), "/", "["+request("a", "[]", "1")+",5,"+request("a", "[]", "2")+","+request("a", "[]", "3")+"]")
	want := "200 [" + result("1", "1") + "," + invalidAnswer + "," + failure(2, "no", "2") + "," + result("1", "3") + "]"
	if got != want || fmt.Sprint(admitted, ran) != "[1 2 3] [1 3]" {
		t.Errorf("admitted %v, ran %v, got %s", admitted, ran, got)
	}
}

// TestOnesFaultIsNotItsSiblings: an error, a panic or half a result in one
// entry leaves the others as they are.
func TestOnesFaultIsNotItsSiblings(t *testing.T) {
	internal := func(id string) string { return failure(-32603, "Internal error", id) }
	for _, concurrency := range []int{1, 4} {
		var log bytes.Buffer
		d := altered{
			Dialect: dialect(t, ""),
			policy:  func(p *target.Policy) { p.Concurrency = concurrency },
			admit: func(_ context.Context, c *target.Call) *jsonrpc.Error {
				if c.Label == "panic in Admit" {
					panic("oops")
				}
				return nil
			},
			run: func(_ context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
				dst = append(dst, `"half`...)
				switch c.Label {
				case "panic in Run":
					panic("oops")
				case "error":
					return dst, &jsonrpc.Error{Code: 1, Message: "no"}
				case "nothing":
					return dst[:len(dst)-len(`"half`)], nil
				}
				return append(dst, `"`...), nil
			},
		}
		n := target.New(d, target.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		var members []string
		for i, method := range []string{"good", "panic in Admit", "good", "panic in Run", "good", "error", "good", "nothing", "good"} {
			members = append(members, request(method, "[]", itoa(i)))
		}
		members = append(members, notification("panic in Run", "[]"), notification("panic in Admit", "[]"))
		half := `"half"`
		want := "200 [" + strings.Join([]string{
			result(half, "0"), internal("1"), result(half, "2"), internal("3"), result(half, "4"),
			failure(1, "no", "5"), result(half, "6"), result("null", "7"), result(half, "8"),
		}, ",") + "]"
		if got := post(n, "/", "["+strings.Join(members, ",")+"]"); got != want {
			t.Errorf("concurrency %d: got  %s\nwant %s", concurrency, got, want)
		}
		if lines := strings.Count(log.String(), "oops"); lines != 4 {
			t.Errorf("%d panics in the log: %s", lines, log.String())
		}
		if got := post(n, "/", request("panic in Run", "[]", "1")); got != "200 "+internal("1") {
			t.Errorf("singleton: got %s", got)
		}
	}
}

// TestDisconnect: whether what is queued stops when its client is gone is the
// policy's word.
func TestDisconnect(t *testing.T) {
	for _, cancels := range []bool{false, true} {
		t.Run(fmt.Sprint(cancels), func(t *testing.T) {
			running, gone, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			d := altered{
				Dialect: dialect(t, ""),
				policy:  func(p *target.Policy) { p.CancelOnDisconnect = cancels },
				admit:   func(context.Context, *target.Call) *jsonrpc.Error { return nil },
				run: func(ctx context.Context, _ *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
					close(running)
					<-gone // the server knows of it
					ended <- ctx.Err()
					return append(dst, "1"...), nil
				},
			}
			n := target.New(d, target.Options{})
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer context.AfterFunc(r.Context(), func() { close(gone) })()
				n.Handler().ServeHTTP(w, r)
			}))
			defer srv.Close()
			ctx, leave := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, "POST", srv.URL, strings.NewReader("["+request("a", "[]", "1")+"]"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			left := make(chan struct{})
			go func() {
				defer close(left)
				if resp, err := http.DefaultClient.Do(r); err == nil {
					resp.Body.Close()
				}
			}()
			<-running
			leave()
			<-left
			if err := <-ended; (err != nil) != cancels {
				t.Errorf("the call's context: %v", err)
			}
		})
	}
}

// TestExchangesDoNotMix reuses the engine's space over many bodies at once:
// each answer is its own request's.
func TestExchangesDoNotMix(t *testing.T) {
	n := generic(t, "")
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for round := range 50 {
				size := 1 + (client*7+round*13)%40
				var members, want []string
				for i := range size {
					id := fmt.Sprintf("%d", client*1_000_000+round*1000+i)
					if i%5 == 4 {
						members = append(members, notification("echo", "["+id+"]"))
						continue
					}
					members = append(members, request("echo", "["+id+"]", id))
					want = append(want, result("["+id+"]", id))
				}
				if got := post(n, "/", "["+strings.Join(members, ",")+"]"); got != "200 ["+strings.Join(want, ",")+"]" {
					t.Errorf("got %s", got)
				}
			}
		})
	}
	clients.Wait()
}

func BenchmarkBatch(b *testing.B) {
	for _, size := range []int{1, 20, 100} {
		for _, concurrency := range []string{"1", "16"} {
			b.Run(fmt.Sprintf("entries=%d/concurrency=%s", size, concurrency), func(b *testing.B) {
				h := generic(b, `{"batch_concurrency_limit": `+concurrency+`, "slots": 16}`).Handler()
				member := request("echo", `{"account_id":"test.near"}`, "1")
				body := "[" + strings.TrimSuffix(strings.Repeat(member+",", size), ",") + "]"
				b.ReportAllocs()
				for b.Loop() {
					r := httptest.NewRequest("POST", "/", strings.NewReader(body))
					r.Header.Set("Content-Type", "application/json")
					w := httptest.NewRecorder()
					if h.ServeHTTP(w, r); w.Code != 200 {
						b.Fatal(w.Body)
					}
				}
				b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
			})
		}
	}
}
