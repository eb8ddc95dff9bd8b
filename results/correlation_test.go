package results_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"volley/results"
	"volley/results/correlate"
)

// second makes the snapshot of second k in which n batches of 20 were answered, each
// after late + service.
func second(k, n int, late, service time.Duration) *results.Snapshot {
	start := time.Duration(k) * time.Second
	p := results.PhaseSlice{Latency: results.NewLatency()}
	for range n {
		o := batch(20, results.OK, map[results.Class]int{results.OK: 20})
		o.Due, o.Items = start, 20
		o.Sent = o.Due + late
		o.Done = o.Sent + service
		p.AddOutcome(&o)
		p.Record(&o)
	}
	return &results.Snapshot{Start: start, End: start + time.Second, Phases: []results.PhaseSlice{p}}
}

// served is the node's account after that many batches of 20, each of that time.
func served(t *testing.T, at time.Duration, batches int, each float64, inFlight int) results.NodeSample {
	s := series(t, fmt.Sprintf(`
		near_rpc_batch_requests_total{outcome="ok"} %[1]d
		near_rpc_batch_entries_total{outcome="ok"} %[2]d
		near_rpc_batch_processing_time_bucket{le="0.128"} 0
		near_rpc_batch_processing_time_bucket{le="0.256"} %[1]d
		near_rpc_batch_processing_time_bucket{le="+Inf"} %[1]d
		near_rpc_batch_processing_time_sum %[3]v
		near_rpc_batch_processing_time_count %[1]d
		near_rpc_processing_time_sum{method="query_view_account"} %[4]v
		near_rpc_processing_time_count{method="query_view_account"} %[2]d
		volley_single_requests_total{outcome="ok"} 0
		near_rpc_batch_requests_in_flight %[5]d
		near_rpc_batch_query_entries_in_flight %[6]d
		process_cpu_seconds_total %[7]v`, batches, 20*batches, float64(batches)*each, float64(20*batches)*each/5, inFlight, 4*inFlight, float64(batches)/1000))
	s.At = at
	return s
}

func TestCorrelatorOfASteadyRun(t *testing.T) {
	c := results.NewCorrelator(results.CorrelatorOptions{Dialect: "near", Phases: 1, Limit: 4, LargestBatch: 20})
	c.Node(served(t, -3*time.Millisecond, 1000, .15, 0))
	for k := range 40 {
		// What comes first of the two does not matter.
		if k%2 == 0 {
			c.Node(served(t, time.Duration(k+1)*time.Second+time.Millisecond, 1000+20*(k+1), .15, 3))
		}
		c.Snapshot(second(k, 20, 10*time.Millisecond, 160*time.Millisecond))
		if k%2 == 1 {
			c.Node(served(t, time.Duration(k+1)*time.Second+time.Millisecond, 1000+20*(k+1), .15, 3))
		}
	}
	r := c.Report()
	if r.Intervals != 40 || len(c.Intervals()) != 40 || r.FromS != 0 || r.ToS != 40 {
		t.Fatalf("%d intervals, %v to %v", r.Intervals, r.FromS, r.ToS)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 0.002*want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("response", r.Split.Response, .17)
	near("lateness", r.Split.Lateness, .01)
	near("network and admission", r.Split.Network, .01006) // to a histogram's three digits
	near("node", r.Split.Node, .15)
	near("X R", r.Little.Client, 3.2)
	near("rate of the sum", r.Little.RateOfSum, 3)
	near("gauge", *r.Little.Gauge, 3)
	if r.Little.Verdict != correlate.Agrees {
		t.Errorf("Little: %s", r.Little.Reason)
	}
	near("slots by sums", *r.Occupancy.Sums, 4)
	near("slots by gauges", *r.Occupancy.Gauges, 4)
	if r.Occupancy.Verdict != correlate.Binds {
		t.Errorf("slots: %s", r.Occupancy.Reason)
	}
	near("CPU per entry", *r.Usage.PerEntry, 1./1000/20)
	if len(r.Quantiles) != 3 { // 800 values have no p99.9
		t.Fatalf("quantiles %+v", r.Quantiles)
	}
	if q := r.Quantiles[2]; q.Q != .99 || q.Lower != .128 || *q.Upper != .256 || q.N != 800 {
		t.Errorf("p99: %+v", q)
	}
	near("the client's p99", r.Quantiles[2].Client, .16)
	if len(r.Surplus) != 0 {
		t.Errorf("surplus %+v", r.Surplus)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// A stored run gives the report that the live one gave, and a killed one gets one.
func TestCorrelatorOfAStoredRun(t *testing.T) {
	m := results.Meta{Dialect: "near", Bundled: true, BatchLimit: 4, LargestBatch: 20, Started: time.Unix(1e9, 0),
		Phases: []results.PhaseMeta{{Name: "p", Measured: true, Value: 20, To: 20, Unit: "calls/s", Arrivals: "poisson", For: 30 * time.Second}}}
	names, err := correlate.Preset("near").With(map[string]string{"memory": `rss{kind="all"}`})
	if err != nil {
		t.Fatal(err)
	}
	m.Names = names
	for _, cut := range []bool{false, true} {
		dir := t.TempDir()
		w, err := results.Create(dir, m)
		if err != nil {
			t.Fatal(err)
		}
		live := results.NewCorrelator(m.Correlation())
		var whole results.Aggregate
		node := func(s results.NodeSample) {
			live.Node(s)
			if err := w.Node(s); err != nil {
				t.Fatal(err)
			}
		}
		node(served(t, -time.Millisecond, 0, .15, 0))
		for k := range 30 {
			s := second(k, 20, 0, 160*time.Millisecond)
			live.Snapshot(s)
			whole.Add(s)
			if err := w.Interval(s); err != nil {
				t.Fatal(err)
			}
			sample := served(t, time.Duration(k+1)*time.Second, 20*(k+1), .15, 3)
			if k == 10 {
				sample = results.NodeSample{At: sample.At, Err: "timeout"}
			}
			node(sample)
		}
		if !cut {
			if err := w.Finish(results.Summarise(m, &whole, results.End{Finished: time.Unix(1e9+30, 0), Correlation: live.Report()})); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		run, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := run.Correlator()
		if err != nil {
			t.Fatal(err)
		}
		want, got, summary := text(t, live.Report()), text(t, stored.Report()), text(t, run.Summary.Correlation)
		if got != want || summary != want {
			t.Errorf("cut %v: live\n%s\nreplayed\n%s\nin the summary\n%s", cut, want, got, summary)
		}
		if r := stored.Report(); r.Intervals != 29 || r.Failed != 1 || r.Limit != 4 || r.Names["memory"] != `rss{kind="all"}` {
			t.Errorf("cut %v: %+v", cut, r)
		}
	}
}

func text(t *testing.T, r *correlate.Report) string {
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), `,"`, ",\n\"")
}

func TestReconcileBytes(t *testing.T) {
	for _, tt := range []struct {
		why      string
		outcomes []results.Outcome
		want     string
	}{
		{"arrays alone", []results.Outcome{sized(batch(2, results.OK, map[results.Class]int{results.OK: 2}), 300)}, "= bytes of batch answers: 300 300"},
		{"an error object among them", []results.Outcome{
			sized(batch(2, results.OK, map[results.Class]int{results.OK: 2}), 300),
			sized(batch(2, results.BatchError, map[results.Class]int{results.BatchError: 2}, results.CodeCount{Code: -32010, Count: 1}), 80),
		}, ""},
		{"one cut off", []results.Outcome{sized(batch(2, results.MalformedResponse, map[results.Class]int{results.MalformedResponse: 2}), 120)}, ""},
	} {
		var c results.Counts
		for _, o := range tt.outcomes {
			c.AddOutcome(&o)
		}
		got := rows(results.Reconcile(&c, series(t, "near_rpc_batch_response_size_bytes_sum 0"), series(t, "near_rpc_batch_response_size_bytes_sum 300"),
			results.ReconcileOptions{Dialect: "near", Alone: true}))
		if tt.want == "" == strings.Contains(got, "bytes") || !strings.Contains(got, tt.want) {
			t.Errorf("%s:\n%swant %q", tt.why, got, tt.want)
		}
	}
}

func sized(o results.Outcome, bytes int) results.Outcome {
	o.BytesIn = bytes
	return o
}

// Series that the user named are those that count.
func TestReconcileWithNames(t *testing.T) {
	names, err := correlate.Preset("near").With(map[string]string{"batches": `rpc_total{kind="batch"}`, "entries": ""})
	if err != nil {
		t.Fatal(err)
	}
	var c results.Counts
	o := batch(2, results.OK, map[results.Class]int{results.OK: 2})
	c.AddOutcome(&o)
	got := rows(results.Reconcile(&c, series(t, `rpc_total{kind="single"} 5`),
		series(t, "rpc_total{kind=\"single\"} 9\nrpc_total{kind=\"batch\"} 1"), results.ReconcileOptions{Dialect: "near", Names: names, Alone: true}))
	for _, want := range []string{"= batches: 1 1\n", "? batch entries: 2 - (not exposed)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%swant %s", got, want)
		}
	}
}
