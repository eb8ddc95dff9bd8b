package target

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
)

// TestTimeBucket: a bucket holds what is over the bound before and not over its
// own.
func TestTimeBucket(t *testing.T) {
	bounds := timeBounds()
	for _, ms := range []float64{0, 0.001, 0.999, 1, 1.001, 2, 2.5, 4, 4.1, 1000, 16384, 16385, 32768, 32769, 1e7} {
		d := time.Duration(ms * float64(time.Millisecond))
		if got, want := timeBucket(d), sort.SearchFloat64s(bounds, d.Seconds()); got != want {
			t.Errorf("%v is in bucket %d, want %d", d, got, want)
		}
	}
}

// TestMeter: what is counted of calls in a row, each given as its method, a star
// if it is instant, and how long it takes; "w" between means that it waited that
// long for a slot.
func TestMeter(t *testing.T) {
	for _, tt := range []struct {
		name, calls string
		want        string // of method a: calls, sum, those not over 1 ms
	}{
		{"slow ones have their own times", "a 5ms, a 1ms, a 3ms", "3 9ms 1"},
		{"instant ones have their mean", "a* 5us, a* 1us", "2 6us 2"},
		{"eight are timed together", "a* 15ms, a* 0s, a* 0s, a* 0s, a* 0s, a* 0s, a* 0s, a* 0s, a* 0s, a* 0s", "10 15ms 2"},
		{"a slow one behind instant ones", "a* 5us, a 5ms, a* 1us", "3 5.006ms 2"},
		{"another method is not timed with it", "a* 5us, b 5ms, a* 1us", "2 6us 2"},
		{"nor is one that waits", "a* 5us, a* w5ms, a* 1us", "3 5.006ms 2"},
		{"errors count", "a! 5ms, a*! 1us", "2 5.001ms 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				series := newMetrics("x_")
				m := newMeter()
				for call := range strings.SplitSeq(tt.calls, ", ") {
					name, took, _ := strings.Cut(call, " ")
					instant := strings.Contains(name, "*")
					var failed *jsonrpc.Error
					if strings.Contains(name, "!") {
						failed = &jsonrpc.Error{Code: -1}
					}
					m.begin(series.methods.of(name[:1]), instant)
					waited, waits := strings.CutPrefix(took, "w")
					if waits {
						m.wait()
					}
					d, err := time.ParseDuration(waited)
					if err != nil {
						t.Fatal(err)
					}
					if err := Wait(t.Context(), d); err != nil {
						t.Fatal(err)
					}
					m.end(instant, failed)
				}
				m.flush()
				a := series.methods.of("a")
				count := uint64(0)
				for i := range a.time.buckets {
					count += a.time.buckets[i].Load()
				}
				got := fmt.Sprint(count, time.Duration(a.time.sum.Load()), a.time.buckets[0].Load())
				if want := strings.ReplaceAll(tt.want, "us", "µs"); got != want {
					t.Errorf("counted %s, want %s", got, want)
				}
			})
		})
	}
}

// TestMeterShows: what is in the series while a batch still runs. Calls are given
// as in TestMeter, and as many are told to have begun as are written.
func TestMeterShows(t *testing.T) {
	for _, tt := range []struct {
		name, calls string
		want        int // of them in the series before the end
	}{
		{"each that takes time, once it has ended", "5ms, 5ms, 5ms", 3},
		{"instant ones before one that takes time", "*1us, *1us, 5ms", 3},
		{"... that still runs", "*1us, *1us, 5ms...", 2},
		{"... that waits for a slot", "*1us, *1us, *w5ms...", 2},
		{"few instant ones not yet", "*1us, *1us, *1us", 0},
		{"nor eight", "*1us, *1us, *1us, *1us, *1us, *1us, *1us, *1us", 0},
		{"but after ten milliseconds", "*2ms, *2ms, *2ms, *2ms, *2ms, *2ms, *2ms, *2ms", 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				series := newMetrics("x_")
				m, of := newMeter(), series.methods.of("a")
				for call := range strings.SplitSeq(tt.calls, ", ") {
					call, runs := strings.CutSuffix(call, "...")
					call, instant := strings.CutPrefix(call, "*")
					call, waits := strings.CutPrefix(call, "w")
					d, err := time.ParseDuration(call)
					if err != nil {
						t.Fatal(err)
					}
					m.begin(of, instant)
					if waits {
						m.wait()
					}
					if err := Wait(t.Context(), d); err != nil {
						t.Fatal(err)
					}
					if !runs {
						m.end(instant, nil)
					}
				}
				count := uint64(0)
				for i := range of.time.buckets {
					count += of.time.buckets[i].Load()
				}
				if count != uint64(tt.want) {
					t.Errorf("%d are in the series, want %d", count, tt.want)
				}
			})
		})
	}
}
