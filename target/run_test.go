package target_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// slotted is a dialect whose calls take a slot of a pool, wait for what their
// method says ("5ms"), and say before whether they are instant.
func slotted(t *testing.T, concurrency, slots int) (target.Dialect, *target.Pool) {
	pool := target.NewPool(slots)
	return altered{
		Dialect: dialect(t, ""),
		policy:  func(p *target.Policy) { p.Concurrency = concurrency },
		admit: func(_ context.Context, c *target.Call) *jsonrpc.Error {
			c.Instant = string(c.Method) == "0s"
			return nil
		},
		run: func(ctx context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
			if err := pool.Acquire(ctx); err != nil {
				return dst, &jsonrpc.Error{Code: 1, Message: err.Error()}
			}
			defer pool.Release()
			span, err := time.ParseDuration(string(c.Method))
			if err != nil {
				return dst, &jsonrpc.Error{Code: 2, Message: err.Error()}
			}
			if span > 0 {
				if err := target.Wait(ctx, span); err != nil {
					return dst, &jsonrpc.Error{Code: 3, Message: err.Error()}
				}
			}
			return append(dst, c.ID...), nil
		},
	}, pool
}

// TestInstantAndSlow: instant calls among slow ones change neither the order of
// the answers nor how long the batch takes.
func TestInstantAndSlow(t *testing.T) {
	for _, tt := range []struct {
		name, methods      string
		concurrency, slots int
		want               time.Duration
	}{
		{"all instant", "0s 0s 0s 0s", 4, 1, 0},
		{"slow first", "5ms 0s 0s 0s", 4, 4, 5 * time.Millisecond},
		{"slow last", "0s 0s 0s 5ms", 4, 4, 5 * time.Millisecond},
		{"slow ones apart", "5ms 0s 5ms 0s 5ms 0s", 4, 4, 5 * time.Millisecond},
		{"slow ones apart, two at once", "5ms 0s 5ms 0s 5ms 0s", 2, 4, 10 * time.Millisecond},
		{"slow ones apart, one at once", "5ms 0s 5ms 0s 5ms 0s", 1, 4, 15 * time.Millisecond},
		{"instant ones wait for the slot of slow ones", "5ms 5ms 0s 0s 5ms", 4, 1, 15 * time.Millisecond},
		{"more than there are", "5ms 5ms 5ms", 100, 100, 5 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, _ := slotted(t, tt.concurrency, tt.slots)
				var members, want []string
				for i, method := range strings.Fields(tt.methods) {
					members = append(members, request(method, "[]", itoa(i)), "7")
					want = append(want, result(itoa(i), itoa(i)), invalidAnswer)
				}
				begun := time.Now()
				got := post(target.New(d, target.Options{}), "/", "["+strings.Join(members, ",")+"]")
				if got != "200 ["+strings.Join(want, ",")+"]" {
					t.Errorf("got %s", got)
				}
				if took := time.Since(begun); took != tt.want {
					t.Errorf("took %v, want %v", took, tt.want)
				}
			})
		})
	}
}

// TestInstantCallsQueueTogether: while no slot is free, as many of a batch's
// instant calls wait for one as the limit lets, so that a batch has the share
// of the slots that its concurrency gives it.
func TestInstantCallsQueueTogether(t *testing.T) {
	for _, limit := range []int{1, 3, 16} {
		synctest.Test(t, func(t *testing.T) {
			d, pool := slotted(t, limit, 1)
			n := target.New(d, target.Options{})
			if err := pool.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
			var batch sync.WaitGroup
			batch.Go(func() {
				members := slices.Repeat([]string{request("0s", "[]", "1")}, 10)
				want := "200 [" + strings.Join(slices.Repeat([]string{result("1", "1")}, 10), ",") + "]"
				if got := post(n, "/", "["+strings.Join(members, ",")+"]"); got != want {
					t.Errorf("got %s", got)
				}
			})
			synctest.Wait()
			want := fmt.Sprintf("\nvolley_rpc_batch_query_entries_in_flight %d\n", min(limit, 10))
			if page := get(n, "/metrics"); !strings.Contains(page, want) {
				t.Errorf("limit %d: no %s", limit, want)
			}
			pool.Release()
			batch.Wait()
		})
	}
}

// TestInstantCallsTakeNoSpace: of a batch of instant calls nothing grows with its
// entries, once there is the space.
func TestInstantCallsTakeNoSpace(t *testing.T) {
	n := generic(t, "")
	allocated := func(entries int) float64 {
		body := "[" + strings.Join(slices.Repeat([]string{request("echo", `{"a":1}`, "1")}, entries), ",") + "]"
		return testing.AllocsPerRun(200, func() { post(n, "/", body) })
	}
	// The test's own client has some for the bytes of a body.
	if one, many := allocated(1), allocated(500); many > one+50 {
		t.Errorf("%v allocations for a batch of one, %v for 500", one, many)
	}
}

// TestScratch: what a dialect leaves with a call's space is there for a later
// call on it, and never for two calls at once.
func TestScratch(t *testing.T) {
	type space struct{ taken bool }
	var mu sync.Mutex
	made := 0
	d := altered{
		Dialect: dialect(t, ""),
		admit: func(_ context.Context, c *target.Call) *jsonrpc.Error {
			mu.Lock()
			defer mu.Unlock()
			s, ok := c.Scratch.(*space)
			if !ok {
				s = new(space)
				c.Scratch = s
				made++
			}
			if s.taken {
				t.Error("two calls have one space")
			}
			s.taken = true
			c.State = s
			return nil
		},
		run: func(_ context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
			mu.Lock()
			defer mu.Unlock()
			c.State.(*space).taken = false
			return append(dst, "1"...), nil
		},
	}
	n := target.New(d, target.Options{})
	body := "[" + strings.Join(slices.Repeat([]string{request("a", "[]", "1")}, 50), ",") + "]"
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for range 100 {
				post(n, "/", body)
			}
		})
	}
	clients.Wait()
	if made >= 4*100*50 {
		t.Errorf("%d spaces: none was used again", made)
	}
}

// TestSoon: an instant call that follows on instant ones is soon, until the clock
// is read again; one that is the first, has waited, follows on one that has, or is
// no batch's is not.
func TestSoon(t *testing.T) {
	for _, c := range []struct {
		name, methods string
		batch         bool
		want          string
	}{
		{"instant ones", strings.Repeat("0s ", 18), true, "-sssssss-sssssss-s"},
		{"behind one that takes time", "0s 0s 5ms 0s 0s", true, "-s--s"},
		{"one that waits behind another", "wait 0s wait 0s 0s", true, "----s"},
		{"a singleton", "0s", false, "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, pool := slotted(t, 1, 1)
				a := d.(altered)
				slot := a.run
				var got strings.Builder
				a.admit = func(_ context.Context, c *target.Call) *jsonrpc.Error {
					c.Label, c.Instant = "one", string(c.Method) != "5ms"
					return nil
				}
				a.run = func(ctx context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
					if string(c.Method) == "wait" {
						if err := pool.Acquire(t.Context()); err != nil {
							t.Error(err)
						}
						time.AfterFunc(time.Millisecond, pool.Release)
						c.Method = []byte("0s")
					}
					out, err := slot(ctx, c, dst)
					if target.Soon(ctx) {
						got.WriteByte('s')
					} else {
						got.WriteByte('-')
					}
					return out, err
				}
				var body []string
				for i, method := range strings.Fields(c.methods) {
					body = append(body, request(method, "[]", fmt.Sprint(i)))
				}
				text := strings.Join(body, ",")
				if c.batch {
					text = "[" + text + "]"
				}
				post(target.New(a, target.Options{}), "/", text)
				if got.String() != c.want {
					t.Errorf("got %s, want %s", &got, c.want)
				}
			})
		})
	}
}
