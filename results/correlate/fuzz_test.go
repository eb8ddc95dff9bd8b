package correlate_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"
	"time"

	"volley/results/correlate"
)

// Whatever a node exposes, and whenever, the Intervals follow on one another, no call
// is counted twice, and the report can be stored.
func FuzzGrid(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14"))
	f.Add([]byte{0xff, 0xf0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 0xef, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 3, 4})
	series := []string{
		"near_rpc_batch_requests_total", "near_rpc_batch_processing_time_sum", "near_rpc_batch_processing_time_count",
		`near_rpc_batch_processing_time_bucket{le="1"}`, `near_rpc_batch_processing_time_bucket{le="NaN"}`,
		`near_rpc_batch_processing_time_bucket{le="+Inf"}`, "near_rpc_batch_requests_in_flight", "near_rpc_batch_query_entries_in_flight",
		"process_cpu_seconds_total", "near_rpc_processing_time_sum", "near_rpc_processing_time_count", `x{`, "gauge",
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := correlate.NewGrid(correlate.Preset("near"))
		var now, read time.Duration
		sent := uint64(0)
		next := func() (b byte) {
			if len(data) > 0 {
				b, data = data[0], data[1:]
			}
			return b
		}
		for len(data) > 0 {
			switch b := next(); {
			case b%2 == 0:
				n := uint64(next())
				step := time.Duration(next()) * 10 * time.Millisecond
				c := correlate.Client{Start: now, End: now + step, Calls: n, Batches: n, BatchEntries: 2 * n, Entries: 2 * n, Timed: n,
					Response: float64(next()), Service: float64(next()), Drained: b%16 == 0, InFlight: int(b) / 16}
				c.Times = correlate.Bars{{Value: uint32(next()), Count: uint32(n)}}
				now += step
				sent += n
				g.Client(c)
			case b%8 == 1:
				read += time.Duration(next()) * 10 * time.Millisecond
				g.Scrape(correlate.Scrape{At: read})
			default:
				read += time.Duration(next()) * 10 * time.Millisecond
				s := correlate.Scrape{At: read, Series: map[string]float64{}}
				for range b % 16 {
					name := series[int(next())%len(series)]
					v := float64(next())
					if len(data) >= 8 && b > 200 {
						v = math.Float64frombits(binary.BigEndian.Uint64(data))
						data = data[8:]
					}
					s.Series[name] = v
				}
				g.Scrape(s)
			}
		}
		all := g.Intervals()
		counted := uint64(0)
		for k, i := range all {
			counted += i.Client.Calls
			if k > 0 && (i.Client.Start != all[k-1].Client.End || i.Node.Start != all[k-1].Node.End) {
				t.Fatalf("interval %d, %v to %v, follows one that ends at %v", k, i.Client.Start, i.Client.End, all[k-1].Client.End)
			}
		}
		if counted > sent || g.Total().Client.Calls != counted {
			t.Fatalf("%d calls were sent, %d are in intervals, %d in total", sent, counted, g.Total().Client.Calls)
		}
		r := g.Report(correlate.Options{Names: correlate.Preset("near"), Limit: 4, Service: func(float64) (float64, int64) { return 1, 1 << 30 }})
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
	})
}
