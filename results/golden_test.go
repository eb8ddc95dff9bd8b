package results_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"volley/results"
)

// A run of format 1 as it was first written. It must stay readable for good, so
// -update writes it only where there is none.
const goldenV1 = "testdata/run-v1"

func TestRunOfFormat1StaysReadable(t *testing.T) {
	if _, err := os.Stat(goldenV1); *update && os.IsNotExist(err) {
		writeGolden(t, goldenV1)
	}
	run, err := results.Open(goldenV1)
	if err != nil {
		t.Fatal(err)
	}
	s := run.Summary
	if s.Format != 1 || s.Name != "sample" || s.Status != results.Finished || s.Totals.Calls != 240 || len(s.Phases) != 3 || s.Seed != 42 {
		t.Errorf("%+v", s)
	}
	if len(run.Meta.Plan) == 0 || run.Meta.Phases[1].For != 2500*time.Millisecond || run.Meta.Phases[1].To != 400 {
		t.Errorf("%+v", run.Meta)
	}
	a, err := run.Aggregate()
	if err != nil {
		t.Fatal(err)
	}
	again := results.Summarise(run.Meta, a, results.End{Finished: *s.Finished, Generator: s.Generator})
	withoutIntervals(&again)
	if !reflect.DeepEqual(again.Totals, s.Totals) || !reflect.DeepEqual(again.Phases, s.Phases) || !reflect.DeepEqual(again.Objectives, s.Objectives) {
		t.Errorf("the intervals tell\n%+v\nrun.json\n%+v", again, s)
	}
	samples, err := run.NodeSamples()
	if err != nil || len(samples) != 7 || samples[0].Series["a_total"] != 0 || samples[6].Series["a_total"] != 6 {
		t.Errorf("%+v, %v", samples, err)
	}
}

// The same run as it would have been found had it been killed before its end.
func TestCutRunOfFormat1StaysReadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(goldenV1)); err != nil {
		t.Fatal(err)
	}
	running := results.Summarise(openGolden(t).Meta, &results.Aggregate{}, results.End{Status: results.Running})
	f, err := os.Create(filepath.Join(dir, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := running.WriteJSON(f); err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := openGolden(t).Summary
	withoutIntervals(&run.Summary)
	if got := run.Summary; got.Status != results.Cut || !reflect.DeepEqual(got.Totals, want.Totals) || !reflect.DeepEqual(got.Phases, want.Phases) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// withoutIntervals takes away what the first runs of format 1 did not have.
func withoutIntervals(s *results.Summary) {
	for i := range s.Phases {
		for _, d := range []*results.Distribution{&s.Phases[i].Response, &s.Phases[i].Service, &s.Phases[i].Lateness} {
			d.CI, d.Independent = nil, false
		}
	}
}

func openGolden(t *testing.T) *results.Run {
	t.Helper()
	run, err := results.Open(goldenV1)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func writeGolden(t *testing.T, dir string) {
	m := sampleMeta()
	snaps, _ := sampleSnapshots(m, 1, 40)
	w := store(t, dir, m, snaps)
	end := results.End{
		Finished:  begin.Add(7500 * time.Millisecond),
		Before:    results.NodeSample{Series: map[string]float64{`near_rpc_batch_requests_total{outcome="ok"}`: 3}},
		After:     results.NodeSample{Series: map[string]float64{`near_rpc_batch_requests_total{outcome="ok"}`: 10}},
		Generator: results.Generator{CPUFraction: 0.25, Verdict: results.GeneratorOK, CPUs: 2, Connections: 9, GCPauseMaxUS: 85},
	}
	// The sample sends many calls late on purpose: what is wanted is the account.
	s := results.Summarise(m, aggregate(snaps), end)
	s.Status, s.VoidReason = results.Finished, ""
	if err := w.Finish(s); err != nil {
		t.Fatal(err)
	}
}
