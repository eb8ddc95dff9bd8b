package report_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"volley/results"
	"volley/results/report"
)

// form is what a report can be written in.
type form struct {
	name  string
	write func(io.Writer) error
}

// reporting is what runs and experiments have in common.
type reporting interface {
	Text(io.Writer) error
	HTML(io.Writer) error
	Markdown(io.Writer) error
	JSON(io.Writer) error
	CSV(io.Writer) error
	JUnit(io.Writer) error
}

func forms(r reporting) []form {
	return []form{{"text", r.Text}, {"html", r.HTML}, {"md", r.Markdown}, {"json", r.JSON}, {"csv", r.CSV}, {"junit.xml", r.JUnit}}
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// goldenForm compares with a file below testdata, or writes it.
func goldenForm(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from the golden file (-update rewrites it):\n%s", name, got)
	}
}

// hostile are texts that a scenario or a server may hold.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</title></style><svg onload=alert(1)>`, `=cmd|' /C calc'!A0`, `+1+cmd`,
	"[x](javascript:alert(1)) @everyone #1 `code` **bold**", "| a | b |", "\x1b[31mred\u202e\x00", `http://evil.example/x www.evil.example`, "]]> <!-- &amp;",
}

// storedRun writes a run directory: a warm-up, a steady phase and a closed loop, with calls
// of every class and a node that counts them. change may alter what is known beforehand.
func storedRun(t *testing.T, change func(*results.Meta)) *results.Run {
	t.Helper()
	m := results.Meta{
		Volley: "0.1.0", Name: "rich", Seed: 7, Started: began, Dialect: "near", Bundled: true, Form: "batch", Rows: []string{"query view_account", "status"},
		Phases: []results.PhaseMeta{
			{Name: "warm up", Value: 20, To: 20, Unit: "calls/s", Arrivals: "constant", For: 2 * time.Second},
			{Name: "steady", Measured: true, Value: 60, To: 60, Unit: "calls/s", Arrivals: "poisson", For: 20 * time.Second},
			{Name: "saturation", Measured: true, Value: 4, To: 4, Unit: "callers", For: 3 * time.Second},
		},
		Objectives: []results.Objective{
			{Text: "response p99 <= 250ms", Metric: "response", Stat: "p99", Op: "<=", Limit: 250_000},
			{Text: "entry errors <= 0.1%", Metric: "entry errors", Op: "<=", Limit: 0.001},
		},
		Environment: map[string]string{"cpus": "2", "go": "go1.26"},
		Plan:        []byte("name: rich\nseed: 7\n"),
	}
	if change != nil {
		change(&m)
	}
	dir := filepath.Join(t.TempDir(), "run")
	w, err := results.Create(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	all, correlator := results.Aggregate{Plan: m.Phases}, results.NewCorrelator(m.Correlation())
	n := node{}
	scrape := func(at time.Duration) results.NodeSample {
		s := n.sample(at)
		if err := w.Node(s); err != nil {
			t.Fatal(err)
		}
		correlator.Node(s)
		return s
	}
	before := scrape(-10 * time.Millisecond)
	var after results.NodeSample
	r := rand.New(rand.NewPCG(m.Seed, 3))
	ends := make([]time.Duration, len(m.Phases))
	for i := range m.Phases {
		ends[i] = m.Phases[i].For
		if i > 0 {
			ends[i] += ends[i-1]
		}
	}
	for second := range int(ends[len(ends)-1]/time.Second) + 1 {
		s := interval(r, m.Phases, ends, second, &n)
		if err := w.Interval(s); err != nil {
			t.Fatal(err)
		}
		all.Add(s)
		correlator.Snapshot(s)
		after = scrape(s.End + 3*time.Millisecond)
	}
	summary := results.Summarise(m, &all, results.End{
		Finished: m.Started.Add(all.End), Before: before, After: after, Correlation: correlator.Report(),
		Generator: results.Generator{CPUFraction: .2, CPUs: 2, Connections: 9, ConnectP50US: 140, ConnectMaxUS: 2300}, Warnings: []string{"one call said: " + m.Name},
		Pinned: map[string]string{"final": "abc"},
	})
	if err := w.Finish(summary); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// node counts as near's does.
type node struct {
	batches, entries, ok, bad, seconds float64
}

func (n *node) sample(at time.Duration) results.NodeSample {
	series := map[string]float64{
		`near_rpc_batch_requests_total{outcome="ok"}`: n.batches, `near_rpc_batch_entries_total{outcome="ok"}`: n.ok, `near_rpc_batch_entries_total{outcome="error"}`: n.bad,
		"near_rpc_batch_processing_time_sum": n.seconds, "near_rpc_batch_processing_time_count": n.batches,
		"near_rpc_batch_requests_in_flight": 1 + float64(int(n.batches)%3), "near_rpc_batch_query_entries_in_flight": 4 + float64(int(n.batches)%5),
		"process_cpu_seconds_total": n.seconds / 2, "process_resident_memory_bytes": 64 << 20,
	}
	for i, le := range []string{"0.001", "0.01", "0.1", "1"} {
		series[fmt.Sprintf(`near_rpc_batch_processing_time_bucket{le="%s"}`, le)] = n.batches * []float64{.2, .9, 1, 1}[i]
	}
	series[`near_rpc_batch_processing_time_bucket{le="+Inf"}`] = n.batches
	return results.NodeSample{At: at, Series: series}
}

func interval(r *rand.Rand, phases []results.PhaseMeta, ends []time.Duration, second int, n *node) *results.Snapshot {
	s := &results.Snapshot{
		Start: time.Duration(second) * time.Second, End: time.Duration(second+1) * time.Second, Wall: began.Add(time.Duration(second+1) * time.Second),
		InFlight: second % 3, Planned: 60, Health: results.Health{CPUFraction: .2, HeapBytes: 1 << 20},
	}
	for s.Current < len(ends) && ends[s.Current] <= s.Start {
		s.Current++
	}
	if s.Current == len(ends) {
		s.InFlight, s.Planned = 0, 0
		return s
	}
	s.Phases = []results.PhaseSlice{{Phase: s.Current, Latency: results.NewLatency(), FirstSent: s.Start}}
	p := &s.Phases[0]
	for k := range 60 {
		o := results.Outcome{Phase: s.Current, Due: s.Start + time.Duration(k)*time.Second/60, Batch: true, Entries: 1 + r.IntN(20), HTTPStatus: 200, BytesOut: 400, BytesIn: 900}
		o.Items = o.Entries
		o.Sent = o.Due + time.Duration(r.ExpFloat64()*float64(40*time.Microsecond))
		took := time.Duration((1 + r.ExpFloat64()) * float64(3*time.Millisecond))
		o.Done = o.Sent + took
		failed := 0
		if k%12 == 0 {
			failed, o.Class = 1, results.RPCError
			o.Codes = []results.CodeCount{{Code: -32000, Count: 1}}
		}
		o.ByClass[results.RPCError], o.ByClass[results.OK] = failed, o.Entries-failed
		part := results.Part{Row: k % 2, Entries: o.Entries, ByClass: o.ByClass}
		o.Parts = []results.Part{part}
		p.AddOutcome(&o)
		p.Clipped += uint64(p.Record(&o))
		p.LastSent = max(p.LastSent, o.Sent)
		s.Breakdown.AddOutcome(&o)
		n.batches++
		n.entries += float64(o.Entries)
		n.ok += float64(o.Entries - failed)
		n.bad += float64(failed)
		n.seconds += took.Seconds() * .8
	}
	return s
}

func ofRun(t *testing.T, run *results.Run) *report.Run {
	t.Helper()
	r, err := report.OfRun(run)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func openV1(t *testing.T) *results.Run {
	t.Helper()
	run, err := results.Open("../testdata/run-v1")
	if err != nil {
		t.Fatal(err)
	}
	return run
}
