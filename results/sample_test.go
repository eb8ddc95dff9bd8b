package results_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"time"

	"volley/results"
)

var update = flag.Bool("update", false, "rewrite golden files")

var begin = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// sampleMeta is a run with a warm-up, a steady phase under a name that no file
// name or tag may hold, and a closed loop.
func sampleMeta() results.Meta {
	return results.Meta{
		Volley: "0.1.0", Name: "sample", Seed: 42, Started: begin, Dialect: "near", Bundled: true, URL: "http://127.0.0.1:3030/",
		Phases: []results.PhaseMeta{
			{Name: "warm up", Value: 100, To: 100, Unit: "calls/s", Arrivals: "constant", For: 2 * time.Second},
			{Name: "steady, é/\n#1", Measured: true, Value: 200, To: 400, Unit: "calls/s", Arrivals: "poisson", For: 2500 * time.Millisecond},
			{Name: "warm up", Measured: true, Value: 8, To: 8, Unit: "callers", For: time.Second},
		},
		Objectives: []results.Objective{
			{Text: "response p99 <= 250ms", Metric: "response", Stat: "p99", Op: "<=", Limit: 250000},
			{Text: "entry errors <= 0.1%", Metric: "entry errors", Op: "<=", Limit: 0.001},
		},
		Rows: []string{"query view_account", "status"}, Form: "batch",
		Environment: map[string]string{"cpus": "2"},
		Plan:        []byte("name: sample\n"),
	}
}

// randomOutcome draws a call of that phase such that its account adds up.
func randomOutcome(r *rand.Rand, phase int, due time.Duration) results.Outcome {
	o := results.Outcome{Phase: phase, Due: due, Batch: r.IntN(3) > 0, Entries: 1, HTTPStatus: 200, BytesOut: 100, BytesIn: r.IntN(1000)}
	if o.Batch {
		o.Entries = 1 + r.IntN(5)
	}
	o.Items = o.Entries * 2
	o.Sent = due + time.Duration(r.ExpFloat64()*float64(50*time.Microsecond))
	o.Done = o.Sent + time.Duration(r.ExpFloat64()*float64(5*time.Millisecond))
	switch r.IntN(20) {
	case 0:
		o.Class, o.HTTPStatus = results.Timeout, 0
		o.ByClass[results.Timeout] = o.Entries
	case 1:
		o.Class, o.HTTPStatus, o.BytesIn, o.Done = results.Refused, 0, 0, o.Sent+20*time.Microsecond
		o.ByClass[results.Refused] = o.Entries
	case 4:
		o.Class = results.RPCError
		o.ByClass[results.RPCError], o.ByClass[results.OK] = 1, o.Entries-1
		o.Codes = []results.CodeCount{{Code: -32601, Count: 1}}
	case 2:
		if o.Batch {
			o.Class = results.BatchError
			o.ByClass[results.BatchError] = o.Entries
			o.Codes = []results.CodeCount{{Code: -32010, Count: 1}}
			break
		}
		fallthrough
	case 3:
		o.Notifications = 1
		o.ByClass[results.Notified], o.ByClass[results.OK] = 1, o.Entries-1
		o.OverBound, o.Overrun, o.Surplus = true, true, 1
	default:
		o.ByClass[results.OK] = o.Entries
	}
	return o
}

// sampleSnapshots cuts random calls of the phases into intervals of a second.
func sampleSnapshots(m results.Meta, seed uint64, calls int) ([]*results.Snapshot, []results.Outcome) {
	r, rows := rand.New(rand.NewPCG(seed, 1)), 0
	var all []results.Outcome
	var snaps []*results.Snapshot
	ends := []time.Duration{2 * time.Second, 4500 * time.Millisecond, 5500 * time.Millisecond}
	for second := range 7 {
		s := &results.Snapshot{
			Start: time.Duration(second) * time.Second, End: time.Duration(second+1) * time.Second,
			Wall: begin.Add(time.Duration(second+1) * time.Second), InFlight: second, Planned: uint64(calls),
			Health: results.Health{CPUFraction: 0.25, GCPauseMax: time.Duration(second) * time.Microsecond, GCCycles: 1, HeapBytes: 1 << 20},
		}
		for s.Current < len(ends) && ends[s.Current] < s.End {
			s.Current++
		}
		if s.Start < ends[len(ends)-1] {
			for range calls {
				due := s.Start + time.Duration(r.Int64N(int64(time.Second)))
				phase := 0
				for phase < len(ends)-1 && due >= ends[phase] {
					phase++
				}
				o := randomOutcome(r, phase, due)
				rows++
				o.Parts = partsOf(&o, rows)
				all = append(all, o)
				add(s, &o)
			}
		}
		snaps = append(snaps, s)
	}
	return snaps, all
}

func add(s *results.Snapshot, o *results.Outcome) {
	var p *results.PhaseSlice
	for i := range s.Phases {
		if s.Phases[i].Phase == o.Phase {
			p = &s.Phases[i]
		}
	}
	if p == nil {
		s.Phases = append(s.Phases, results.PhaseSlice{Phase: o.Phase, Latency: results.NewLatency()})
		p = &s.Phases[len(s.Phases)-1]
	}
	p.AddOutcome(o)
	p.Clipped += uint64(p.Record(o))
	p.LastSent = max(p.LastSent, o.Sent)
	s.Breakdown.AddOutcome(o)
}

// partsOf deals a call's entries to two rows, and its last one to the malformed where it
// was rejected so.
func partsOf(o *results.Outcome, turn int) (parts []results.Part) {
	for class, n := range o.ByClass {
		for range n {
			row := turn % 2
			turn++
			if results.Class(class) == results.Rejected {
				row = results.RowMalformed
			}
			i := slices.IndexFunc(parts, func(p results.Part) bool { return p.Row == row })
			if i < 0 {
				i, parts = len(parts), append(parts, results.Part{Row: row})
			}
			parts[i].Entries++
			parts[i].ByClass[class]++
		}
	}
	return parts
}
