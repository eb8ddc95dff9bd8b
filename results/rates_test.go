package results_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"volley/results"
)

func TestAskedRate(t *testing.T) {
	ramp := results.PhaseMeta{Value: 100, To: 300, Unit: "calls/s", Arrivals: "constant", For: 10 * time.Second}
	steps := []results.RateStep{{At: 8 * time.Second, Factor: 2}, {At: 12 * time.Second, Factor: 0.5}}
	for _, tt := range []struct {
		begin, from, to time.Duration
		steps           []results.RateStep
		want            float64
	}{
		{0, 0, 10, nil, 200},
		{0, 2, 4, nil, 160},
		{0, 5, 5, nil, 200},      // an instant
		{0, -3, 20, nil, 200},    // no more than the phase
		{5, 0, 3, steps, 130},    // before a step
		{5, 3, 7, steps, 400},    // between two
		{5, 7, 10, steps, 135},   // after one
		{5, 2, 4, steps, 245},    // around one: (150 + 2*170) / 2
		{10, 0, 1, steps, 220},   // one from before the phase
		{15, 0, 10, steps, 100},  // two
		{15, 10, 10, steps, 150}, // an instant at the end
		{5, 3, 3, steps, 320},    // an instant at a step: its factor
		{100, 0, 10, steps, 100},
	} {
		s := time.Second
		if got := ramp.Asked(tt.begin*s, tt.from*s, tt.to*s, tt.steps); got < tt.want-1e-9 || got > tt.want+1e-9 {
			t.Errorf("begun at %d s, from %d to %d s: got %v, want %v", tt.begin, tt.from, tt.to, got, tt.want)
		}
	}
	replay := ramp
	replay.Arrivals = "replay"
	if got := replay.Asked(5*time.Second, 0, 10*time.Second, steps); got != 200 {
		t.Errorf("the due times of a file are not changed: got %v", got)
	}
	closed := results.PhaseMeta{Value: 8, To: 8, Unit: "callers", For: time.Second}
	if got := closed.Asked(0, 0, time.Second, steps); got != 0 {
		t.Errorf("a closed loop asks for no rate, got %v", got)
	}
}

// Steps come back from the directory, and say what they made of a phase; the plan's
// target stays what it was.
func TestRateStepsAreToldAndStored(t *testing.T) {
	dir, m := filepath.Join(t.TempDir(), "run"), sampleMeta()
	snaps, _ := sampleSnapshots(m, 1, 60)
	steps := []results.RateStep{{At: 1500 * time.Millisecond, Factor: 1.1}, {At: 2500 * time.Millisecond, Factor: 1.5}}
	snaps[1].RateSteps, snaps[2].RateSteps, snaps[2].Asked = steps[:1], steps[1:], 312.5
	w := store(t, dir, m, snaps)
	want := results.Summarise(m, aggregate(snaps), results.End{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(want.RateSteps, steps) {
		t.Errorf("%+v", want.RateSteps)
	}
	hands := []*results.ByHand{{Steps: 1, Lowest: 1, Highest: 1.1, Mean: 102.5}, {Steps: 2, Lowest: 1.1, Highest: 1.5, Mean: 432.4}, nil}
	for i, h := range hands {
		if got := want.Phases[i].Target; !reflect.DeepEqual(got.ByHand, h) || got.Value != m.Phases[i].Value {
			t.Errorf("phase %d: %+v, %+v", i, got, got.ByHand)
		}
	}
	warning := `phase "warm up": its rate was changed by hand (1 step): it asked for 1.00 to 1.10 times what the plan says, 102 calls/s on average, so the run is not a repetition of its plan`
	if !slices.Contains(want.Warnings, warning) {
		t.Errorf("%q", want.Warnings)
	}
	run, err := results.Open(dir) // which was killed
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(run.Summary.RateSteps, steps) || !reflect.DeepEqual(run.Summary.Phases[1].Target, want.Phases[1].Target) {
		t.Errorf("%+v %+v", run.Summary.RateSteps, run.Summary.Phases[1].Target)
	}
	i := 0
	for s, err := range run.Snapshots() {
		if err != nil || s.Asked != snaps[i].Asked || !reflect.DeepEqual(s.RateSteps, snaps[i].RateSteps) {
			t.Errorf("interval %d: %v %v %v", i, s.Asked, s.RateSteps, err)
		}
		i++
	}
}
