package target_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"volley/target"
)

// BenchmarkWait shows how late waits end, the kernel's beside the runtime's.
func BenchmarkWait(b *testing.B) {
	var kernel target.KernelWaiter
	defer kernel.Close()
	for _, d := range []time.Duration{300 * time.Microsecond, 2 * time.Millisecond, 10 * time.Millisecond} {
		for _, waits := range []int{1, 16, 64} {
			for _, by := range []struct {
				name string
				wait func(context.Context, time.Duration) error
			}{
				{"kernel", kernel.Wait},
				{"runtime", target.Wait},
				{"sleep", func(_ context.Context, d time.Duration) error { time.Sleep(d); return nil }},
			} {
				b.Run(fmt.Sprintf("%v/concurrent=%d/%s", d, waits, by.name), func(b *testing.B) {
					late := lateness(b.N, waits, d, by.wait)
					slices.Sort(late)
					us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
					b.ReportMetric(us(late[len(late)/2]), "p50-late-us")
					b.ReportMetric(us(late[len(late)*99/100]), "p99-late-us")
				})
			}
		}
	}
}

// lateness waits count times, so many at once and out of step, and gives how
// late each wait ended.
func lateness(count, concurrent int, d time.Duration, wait func(context.Context, time.Duration) error) []time.Duration {
	late := make([]time.Duration, count)
	var all sync.WaitGroup
	for c := range min(concurrent, count) {
		all.Go(func() {
			_ = wait(context.Background(), d*time.Duration(c)/time.Duration(concurrent))
			for i := c; i < count; i += concurrent {
				begun := time.Now()
				_ = wait(context.Background(), d)
				late[i] = time.Since(begun) - d
			}
		})
	}
	all.Wait()
	return late
}

// BenchmarkMakespan shows that the limit of a batch's concurrency is real: a
// batch of 100 entries that wait 10 ms each, on 64 slots.
func BenchmarkMakespan(b *testing.B) {
	var kernel target.KernelWaiter
	defer kernel.Close()
	const entries, each = 100, 10 * time.Millisecond
	body := "[" + strings.TrimSuffix(strings.Repeat(request("echo", "[]", "1")+",", entries), ",") + "]"
	for _, limit := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprintf("limit=%d", limit), func(b *testing.B) {
			config := fmt.Sprintf(`{"slots": 64, "batch_concurrency_limit": %d, "service": {"echo": "10ms"}}`, limit)
			n := target.New(dialect(b, config), target.Options{Wait: kernel.Wait})
			for b.Loop() {
				post(n, "/", body)
			}
			ideal := float64(each * time.Duration((entries+limit-1)/limit))
			took := float64(b.Elapsed()) / float64(b.N)
			b.ReportMetric(ideal/1e6, "ideal-ms")
			b.ReportMetric(took/1e6, "makespan-ms")
			b.ReportMetric((took/ideal-1)*100, "over-%")
		})
	}
}

// BenchmarkEnter shows what an execution costs a call that costs nothing, and
// one that draws a time too short to be waited for.
func BenchmarkEnter(b *testing.B) {
	for name, text := range map[string]string{"instant": `"0s"`, "drawn": `{"exponential": "1ns"}`} {
		b.Run(name, func(b *testing.B) {
			s := service(b, text)
			x := target.NewExecution(target.ExecutionConfig{Slots: 16}, s)
			ctx := context.Background()
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if x.Enter(ctx, s, 1, 1) == nil {
						x.Leave()
					}
				}
			})
		})
	}
}
