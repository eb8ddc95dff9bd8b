package tui

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"volley/results"
	"volley/results/correlate"
	"volley/results/selfcheck"
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
		BatchLimit: 16, LargestBatch: 100,
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

// sampleScrapes are those of a node that did what the sample's calls found, the 20th of
// them failed.
func sampleScrapes(seconds int) []results.NodeSample {
	bounds := []float64{.001, .002, .005, .01, .02, .05, .1, .2}
	buckets := make([]float64, len(bounds))
	var batches, entries, sum float64
	out := []results.NodeSample{nodeSample(0, batches, entries, sum, 0, bounds, buckets)}
	for _, snap := range sample(seconds) {
		p := &snap.Phases[0]
		batches += float64(p.Batches)
		entries += float64(p.BatchEntries)
		inside := 0.9 * p.Service.Mean() * float64(p.Service.TotalCount()) / 1e6
		sum += inside
		for _, b := range p.Service.Distribution() {
			for i, le := range bounds {
				if 0.9*float64(b.To)/1e6 <= le {
					buckets[i] += float64(b.Count)
				}
			}
		}
		s := nodeSample(snap.End+20*time.Millisecond, batches, entries, sum, inside, bounds, buckets)
		if snap.End == 20*time.Second {
			s = results.NodeSample{At: s.At, Err: "connection refused"}
		}
		out = append(out, s)
	}
	return out
}

func nodeSample(at time.Duration, batches, entries, sum, inside float64, bounds, buckets []float64) results.NodeSample {
	const name = "near_rpc_batch_processing_time"
	series := map[string]float64{
		`near_rpc_batch_requests_total{outcome="executed"}`: batches,
		`near_rpc_batch_entries_total{outcome="ok"}`:        entries,
		name + "_sum":                            sum,
		name + "_count":                          batches,
		name + `_bucket{le="+Inf"}`:              batches,
		"near_rpc_batch_requests_in_flight":      math.Round(inside),
		"near_rpc_batch_query_entries_in_flight": math.Round(inside) * 15,
		"process_cpu_seconds_total":              batches / 500,
		"process_resident_memory_bytes":          40e6,
	}
	for i, le := range bounds {
		series[fmt.Sprintf("%s_bucket{le=%q}", name, strconv.FormatFloat(le, 'g', -1, 64))] = buckets[i]
	}
	return results.NodeSample{At: at, Series: series}
}

// sampleReport has something to say of everything. What correlate makes of the scrapes
// is tested there.
func sampleReport() *correlate.Report {
	f := func(v float64) *float64 { return &v }
	return &correlate.Report{
		ToS: 33, Intervals: 32, Scrapes: 32, Failed: 1, Limit: 16, Largest: 100,
		Split: &correlate.Split{Of: "batches (near_rpc_batch_processing_time)", Calls: 984, Measured: 984, Response: 0.0085, Lateness: 0.0004, Network: 0.0008, Node: 0.0073},
		Little: &correlate.Little{Client: 0.29, RateOfSum: 0.25, Gauge: f(0.24), GaugeSE: f(0.02), GaugeN: 32, XNode: 0.25, Outside: 0.04,
			Verdict: correlate.Agrees, Reason: "the node had 0.25 batches in flight by its processing time, and the client's rate times the node's mean 0.25"},
		Occupancy: &correlate.Occupancy{Limit: 16, BatchSize: 31.8, Largest: f(100), Gauges: f(14.6), GaugesSE: f(0.3), Samples: 29, Sums: f(14.9),
			Verdict: correlate.Binds, Reason: "batches of 31.8 entries hold 14.9 slots on average, of 15.9 that the limit of 16 lets them have"},
		Quantiles: []correlate.Quantile{
			{Q: .5, Lower: .002, Upper: f(.005), Client: .00447, N: 984}, {Q: .9, Lower: .02, Upper: f(.05), Client: .0257, N: 984},
			{Q: .99, Lower: .02, Upper: f(.05), Client: .0486, N: 984}, {Q: .999, Lower: .2, Client: .0619, N: 984},
		},
		Usage:   &correlate.Usage{CPUSeconds: 2.6, Cores: .078, PerEntry: f(80e-6), Of: "the client's entries"},
		Surplus: []correlate.Surplus{{What: "batches", Client: 984, Node: 1200, Edges: 3}},
		Movers: correlate.Movers{Intervals: 31, Series: 12, Tests: 48, Top: []correlate.Mover{
			{Series: "near_rpc_batch_processing_time", What: "mean", Rho: .86, Low: .41, High: .97, N: 31},
			{Series: "process_cpu_seconds_total", What: "rate", Rho: .74, Low: .19, High: .93, N: 30, Lag: 1},
		}},
	}
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
	m := sampleMeta()
	s.correlator = results.NewCorrelator(m.Correlation())
	for _, snap := range sample(seconds) {
		s.add(intervalOf(snap))
		s.correlator.Snapshot(snap)
	}
	for _, scrape := range sampleScrapes(seconds) {
		s.correlator.Node(scrape)
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
	// What results finds to say is tested there.
	s.Warnings = []string{"phase \"ramp\": too few calls for p99.9"}
	ok, no, node := true, false, 1530.0
	entries, surplus := 48_672.0, 49_000.0
	s.Reconciliation = []results.Row{
		{What: "batches", Client: 1530, Node: &node, Match: &ok},
		{What: "batch entries", Client: 48_672, Node: &entries, Match: &ok},
		{What: "HTTP exchanges", Client: 1530, Node: &surplus, Match: &no, Note: "other traffic"},
		{What: "singletons", Client: 0, Node: new(float64), Match: &ok},
		{What: "batches by size", Client: 3, Note: "not exposed"},
	}
	s.Correlation = sampleReport()
	s.Checks = []selfcheck.Check{
		{Name: "gaps of sends", Phase: "steady", Verdict: selfcheck.OK, Sentence: "The gaps between sends are those of the plan."},
		{Name: "stationarity", Phase: "ramp", Verdict: selfcheck.Warn, Sentence: "The response time rises over the phase: its percentiles are of no steady state."},
		{Name: "warm-up", Verdict: selfcheck.NotEnough, Sentence: "Too few intervals."},
	}
	return &s
}
