package results_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
)

// store writes the snapshots as a run would, without its end.
func store(t *testing.T, dir string, m results.Meta, snaps []*results.Snapshot) *results.Writer {
	t.Helper()
	w, err := results.Create(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	for i, s := range snaps {
		if err := w.Interval(s); err != nil {
			t.Fatal(err)
		}
		if err := w.Node(results.NodeSample{At: s.End, Series: map[string]float64{"a_total": float64(i), "nan": math.NaN()}}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func aggregate(snaps []*results.Snapshot) *results.Aggregate {
	var a results.Aggregate
	for _, s := range snaps {
		a.Add(s)
	}
	return &a
}

func sameAggregate(t *testing.T, got, want *results.Aggregate) {
	t.Helper()
	if len(got.Phases()) != len(want.Phases()) {
		t.Fatalf("%d phases, want %d", len(got.Phases()), len(want.Phases()))
	}
	for i := range got.Phases() {
		sameSlice(t, fmt.Sprintf("phase %d", i), &got.Phases()[i], &want.Phases()[i])
	}
	sameBreakdown(t, &got.Breakdown, &want.Breakdown)
	if got.Health != want.Health {
		t.Errorf("got %+v, want %+v", got.Health, want.Health)
	}
	if got.End != want.End || !got.Wall.Equal(want.Wall) || got.Planned != want.Planned || got.MaxInFlight != want.MaxInFlight {
		t.Errorf("got %v %v %d %d, want %v %v %d %d", got.End, got.Wall, got.Planned, got.MaxInFlight, want.End, want.Wall, want.Planned, want.MaxInFlight)
	}
}

func TestFinishedRunComesBackAsItWas(t *testing.T) {
	dir, m := filepath.Join(t.TempDir(), "new", "run"), sampleMeta()
	snaps, _ := sampleSnapshots(m, 1, 60)
	w := store(t, dir, m, snaps)
	want := results.Summarise(m, aggregate(snaps), results.End{
		Finished:  begin.Add(8 * time.Second),
		Before:    results.NodeSample{Series: map[string]float64{`near_rpc_batch_requests_total{outcome="ok"}`: 3}},
		After:     results.NodeSample{Series: map[string]float64{`near_rpc_batch_requests_total{outcome="ok"}`: 10}},
		Generator: results.Generator{CPUFraction: 0.25, Verdict: results.GeneratorOK, Planned: 700, CPUs: 2},
		Warnings:  []string{"a warning <of the generator>"},
		Pinned:    map[string]string{"final": "abc"},
	})
	if err := w.Finish(want); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.Cut || run.Summary.Dir != dir {
		t.Errorf("cut %v, dir %q", run.Cut, run.Summary.Dir)
	}
	want.Dir = dir
	if !reflect.DeepEqual(run.Summary, want) {
		t.Errorf("summary\n got %+v\nwant %+v", run.Summary, want)
	}
	if !reflect.DeepEqual(run.Meta, m) {
		t.Errorf("meta\n got %+v\nwant %+v", run.Meta, m)
	}
	a, err := run.Aggregate()
	if err != nil {
		t.Fatal(err)
	}
	sameAggregate(t, a, aggregate(snaps))

	samples, err := run.NodeSamples()
	if err != nil || len(samples) != len(snaps) {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	if want := map[string]float64{"a_total": 6}; samples[6].At != 7*time.Second || !reflect.DeepEqual(samples[6].Series, want) {
		t.Errorf("last sample %+v", samples[6])
	}
	i := 0
	for s, err := range run.Snapshots() {
		if err != nil {
			t.Fatal(err)
		}
		if w := snaps[i]; s.Start != w.Start || s.End != w.End || s.Current != w.Current || s.InFlight != w.InFlight || s.Planned != w.Planned || !s.Wall.Equal(w.Wall) {
			t.Errorf("interval %d: got %+v, want %+v", i, s, w)
		}
		i++
	}
	if i != len(snaps) {
		t.Errorf("%d intervals, want %d", i, len(snaps))
	}
	leftovers, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil || leftovers != nil {
		t.Errorf("left behind: %v %v", leftovers, err)
	}
}

func TestCreateNeverOverwrites(t *testing.T) {
	dir := t.TempDir()
	store(t, dir, sampleMeta(), nil)
	if _, err := results.Create(dir, sampleMeta()); err == nil || !strings.Contains(err.Error(), "holds a run already: choose another directory") {
		t.Errorf("a second run: %v", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := results.Create(other, sampleMeta()); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a directory of something else: %v", err)
	}
	if _, err := results.Create(filepath.Join(other, "thesis.tex"), sampleMeta()); err == nil {
		t.Error("a file was taken for a directory")
	}
}

func TestWriteErrorsAreTold(t *testing.T) {
	w := store(t, t.TempDir(), sampleMeta(), nil)
	snaps, _ := sampleSnapshots(sampleMeta(), 4, 20)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Interval(snaps[0]); err == nil {
		t.Error("an interval went nowhere, and nobody said so")
	}
	if err := w.Node(results.NodeSample{}); err == nil {
		t.Error("a scrape went nowhere, and nobody said so")
	}
	if _, err := w.NodeLog(); err == nil {
		t.Error("the node's log is closed, and nobody said so")
	}
	w = store(t, t.TempDir(), sampleMeta(), nil)
	if err := w.Interval(&results.Snapshot{Phases: []results.PhaseSlice{{Phase: 3}}}); err == nil {
		t.Error("a phase that the plan does not have was taken")
	}
}

func TestNodeLogIsInTheDirectory(t *testing.T) {
	dir := t.TempDir()
	w := store(t, dir, sampleMeta(), nil)
	log, err := w.NodeLog()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(log, "ready")
	got, err := os.ReadFile(filepath.Join(dir, "node.log"))
	if err != nil || string(got) != "ready\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// The log must be one that the HdrHistogram family reads: its Go reader is the oracle.
func TestLatencyLogIsAnHdrHistogramLog(t *testing.T) {
	dir, m := t.TempDir(), sampleMeta()
	snaps, _ := sampleSnapshots(m, 5, 60)
	store(t, dir, m, snaps)
	data, err := os.ReadFile(filepath.Join(dir, "latency.hlog"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*hdrhistogram.Histogram{}
	tags := []string{"warm%20up", "steady%2C%20%C3%A9%2F%0A%231", "warm%20up#2"}
	a := aggregate(snaps)
	for i := range a.Phases() {
		p := &a.Phases()[i]
		for c := range a.Breakdown.Cells() {
			if c.Response.TotalCount() > 0 {
				want[fmt.Sprintf("entries/%s/%d/%s", tags[c.Phase], c.Row, c.Band)] = c.Response
			}
		}
		want["response/"+tags[i]], want["service/"+tags[i]], want["lateness/"+tags[i]] = p.Response, p.Service, p.Lateness
	}
	got := map[string]*hdrhistogram.Histogram{}
	in := hdrhistogram.NewHistogramLogReader(bytes.NewReader(data))
	for {
		h, err := in.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		at := time.UnixMilli(h.StartTimeMs())
		if since := at.Sub(begin); since < 0 || since >= 7*time.Second || h.EndTimeMs()-h.StartTimeMs() != 1000 {
			t.Errorf("%s: interval from %v to %v", h.Tag(), h.StartTimeMs(), h.EndTimeMs())
		}
		if got[h.Tag()] == nil {
			got[h.Tag()] = h
		} else if dropped := got[h.Tag()].Merge(h); dropped != 0 {
			t.Errorf("%s: %d dropped", h.Tag(), dropped)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tags, want %d", len(got), len(want))
	}
	for tag, w := range want {
		if got[tag] == nil || !got[tag].Equals(w) {
			t.Errorf("tag %s is not what was recorded", tag)
		}
	}
	// The third number is the interval's maximum in milliseconds.
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "Tag=response/") {
			f := strings.Split(line, ",")
			h, err := hdrhistogram.Decode([]byte(strings.TrimSpace(f[4])))
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("%.3f", float64(h.Max())/1000); f[3] != want {
				t.Errorf("maximum %s, want %s", f[3], want)
			}
		}
	}
}
