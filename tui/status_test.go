package tui

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"volley/results"
)

var phases = []results.PhaseMeta{
	{Name: "warm up", Value: 100, To: 100, Unit: "entries/s", For: time.Second},
	{Name: "ra\x1b[31mmp", Value: 400, To: 800, Unit: "calls/s", For: time.Second, Measured: true},
	{Name: "closed", Value: 4, To: 4, Unit: "callers", For: time.Second, Measured: true},
}

// slice is a phase's part of an interval with the given calls, each of two
// entries, one of them failed.
func slice(phase, calls int, response, lateness time.Duration) results.PhaseSlice {
	p := results.PhaseSlice{Phase: phase, Latency: results.NewLatency()}
	for range calls {
		o := results.Outcome{
			Phase: phase, Sent: lateness, Done: response, Entries: 2, Items: 2, Batch: true,
			Class: results.RPCError,
		}
		o.ByClass[results.OK], o.ByClass[results.RPCError] = 1, 1
		p.AddOutcome(&o)
		p.Record(&o)
	}
	return p
}

func TestStatusLine(t *testing.T) {
	for _, c := range []struct {
		name     string
		snapshot results.Snapshot
		want     string
	}{
		{
			"an interval with two phases in it",
			results.Snapshot{
				Start: time.Second, End: 3 * time.Second, Current: 1, InFlight: 7,
				Phases: []results.PhaseSlice{slice(0, 10, 2*time.Millisecond, 50*time.Microsecond), slice(1, 10, 2*time.Second, 1500*time.Microsecond)},
			},
			"   3s ra\\x1b[31mmp (asked 400 to 800 calls/s)  10 calls/s 20 entries/s  failed 50.00%  response p50 2.00 ms p99 2.00 s  late p99 1.50 ms  in flight 7",
		},
		{
			"nothing happened in a phase that is not measured",
			results.Snapshot{Start: 0, End: time.Second, Current: 0},
			"   1s warm up (asked 100 entries/s) not measured  0 calls/s 0 entries/s  in flight 0",
		},
		{
			"a closed loop over the bound",
			results.Snapshot{
				Start: time.Second, End: 2 * time.Second, Current: 2, InFlight: 4,
				Phases: []results.PhaseSlice{{Phase: 2, Counts: results.Counts{OverBound: 3}}},
			},
			"   2s closed (asked 4 callers)  0 calls/s 0 entries/s  in flight 4  over bound 3",
		},
		{
			"after the last phase",
			results.Snapshot{Start: time.Second, End: time.Second, Current: 3, InFlight: 1},
			"   1s draining  0 calls 0 entries  in flight 1",
		},
	} {
		if got := StatusLine(&c.snapshot, phases, 0); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestStatusLineKeepsToItsWidth(t *testing.T) {
	s := results.Snapshot{
		End: time.Second, Current: 1,
		Phases: []results.PhaseSlice{slice(1, 3, time.Millisecond, 0)},
	}
	whole := StatusLine(&s, phases, 0)
	for width := 1; width <= utf8.RuneCountInString(whole)+1; width++ {
		got := StatusLine(&s, phases, width)
		if n := utf8.RuneCountInString(got); n > width {
			t.Fatalf("width %d: %d runes", width, n)
		}
		if !strings.HasPrefix(whole, strings.TrimSuffix(got, "…")) {
			t.Fatalf("width %d: %q does not begin the line", width, got)
		}
	}
}
