package tui

import (
	"math"
	"math/rand/v2"
	"time"

	"volley/results"
)

// sampleMeta is a run of three phases, the first a warm-up, the last a ramp.
func sampleMeta() results.Meta {
	return results.Meta{
		Name: "near mixed", Dialect: "near", URL: "http://127.0.0.1:3030", Bundled: true, Form: "batch",
		Phases: []results.PhaseMeta{
			{Name: "warm up", Value: 100, To: 100, Unit: "entries/s", Arrivals: "constant", For: 5 * time.Second},
			{Name: "steady", Measured: true, Value: 600, To: 600, Unit: "entries/s", Arrivals: "poisson", For: 20 * time.Second},
			{Name: "ramp", Measured: true, Value: 600, To: 1800, Unit: "entries/s", Arrivals: "constant", For: 15 * time.Second},
		},
		Objectives: []results.Objective{
			{Text: "response p99 <= 250ms", Metric: "response", Stat: "p99", Op: "<=", Limit: 250_000},
			{Text: "entry errors <= 0.1%", Metric: "entry errors", Op: "<=", Limit: 0.001},
		},
		Rows: []string{"query view_account", "query call_function", "query view_state"},
	}
}

// sample gives the intervals of such a run: two populations of latencies that drift
// apart under the ramp, some failures, a second that the receiver skipped.
func sample(seconds int) []*results.Snapshot {
	r := rand.New(rand.NewPCG(1, 7))
	var all []*results.Snapshot
	var start time.Duration
	for s := 1; s <= seconds; s++ {
		if s == 12 {
			continue
		}
		end := time.Duration(s) * time.Second
		phase, calls := 1, 30
		switch {
		case s <= 5:
			phase, calls = 0, 5
		case s > 25:
			phase, calls = 2, 30+4*(s-25)
		}
		calls *= int((end - start) / time.Second)
		snap := &results.Snapshot{
			Start: start, End: end, Current: phase, InFlight: 3 + s%4, Planned: uint64(calls),
			Health: results.Health{CPUFraction: 0.02 + 0.001*float64(s), GCPauseMax: time.Duration(100+10*s) * time.Microsecond, SchedP99: 40 * time.Microsecond, GCCycles: 2, HeapBytes: uint64(8_000_000 + 100_000*s)},
			Phases: []results.PhaseSlice{{Phase: phase, FirstSent: start, Latency: results.NewLatency()}},
		}
		p := &snap.Phases[0]
		for i := range calls {
			o := sampleCall(r, phase, i, start+time.Duration(i)*(end-start)/time.Duration(calls), s)
			p.AddOutcome(&o)
			p.Clipped += uint64(p.Record(&o))
			p.LastSent = max(p.LastSent, o.Sent)
			snap.Breakdown.AddOutcome(&o)
		}
		all = append(all, snap)
		start = end
	}
	return all
}

func sampleCall(r *rand.Rand, phase, i int, due time.Duration, second int) results.Outcome {
	size, median := 20, 4000.0
	switch i % 5 {
	case 0:
		size, median = 1, 500
	case 4:
		size, median = 100, 22_000
	}
	if phase == 2 {
		median *= 1 + 0.1*float64(second-25)
	}
	us := median * math.Exp(0.35*r.NormFloat64())
	late := 4 * math.Exp(1.2*r.NormFloat64())
	o := results.Outcome{
		Phase: phase, Due: due, Batch: true, Entries: size, Items: size, HTTPStatus: 200,
		Sent: due + time.Duration(late*1e3), BytesOut: 100 * size, BytesIn: 200 * size,
	}
	o.Done = o.Due + time.Duration((late+us)*1e3)
	o.ByClass[results.OK] = size
	if size == 100 && i%3 == 0 {
		o.ByClass[results.OK], o.ByClass[results.RPCError], o.ByClass[results.Notified] = 94, 1, 5
		o.Class = results.RPCError
		o.Codes = []results.CodeCount{{Code: -32000, Count: 1}}
	}
	row := i % 3
	o.Parts = []results.Part{{Row: row, Entries: size, ByClass: o.ByClass}}
	return o
}

// nasty is what a server may say: terminal escape codes, wide characters, and too much of it.
var nasty = "\x1b[2J\x1b]0;owned\x07 節點錯誤 \u202e" + string(make([]byte, 40)) + longText(10_000)

func longText(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "lorem ipsum dolor "[i%18]
	}
	return string(b)
}

// sampleStore has taken in so many seconds of the sample.
func sampleStore(seconds int) *store {
	s := newStore(sampleMeta())
	for _, snap := range sample(seconds) {
		s.add(intervalOf(snap))
	}
	s.tell(Entry{At: 3 * time.Second, Kind: Note, Text: "the node listens"})
	s.tell(Entry{At: 21 * time.Second, Kind: Warning, Text: "phase \"steady\": 3 calls waited for a free caller"})
	s.tell(Entry{At: 22 * time.Second, Kind: Failure, Text: "calls with rpc error: 7; one of them: " + nasty})
	return s
}

// sampleSummary is what the report of the sample says.
func sampleSummary(seconds int) *results.Summary {
	a := &results.Aggregate{}
	for _, snap := range sample(seconds) {
		a.Add(snap)
	}
	s := results.Summarise(sampleMeta(), a, results.End{
		Finished:  sampleMeta().Started.Add(time.Duration(seconds) * time.Second),
		Generator: results.Generator{Verdict: results.GeneratorOK, CPUFraction: 0.04, CPUs: 2},
	})
	return &s
}
