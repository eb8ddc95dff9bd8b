package pool

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

func point(setting int, batch, batchOff, probe, probeOff float64) Point {
	return Point{Setting: setting, Batch: Measure{batch, batch - batchOff, batch + batchOff}, Probe: Measure{probe, probe - probeOff, probe + probeOff}}
}

func TestRecommend(t *testing.T) {
	for _, c := range []struct {
		name    string
		front   []Point
		guard   Guard
		want    int
		noDiff  bool
		reason  string
		warning string
	}{
		{"the smallest that overlaps the best within twice the probe at one slot",
			[]Point{point(1, 126, 3, 5, .1), point(2, 111, 3, 5.9, .1), point(4, 106, 3, 8.8, .2), point(8, 104, 3, 15, .5), point(64, 63, 2, 50, 1)}, Guard{},
			2, false, "2 slots is the smallest setting within the guard of 10 s for the p99 of singletons whose batch p99, 111 s, cannot be told from the best, 106 s at 4. 2 of 5 settings are outside the guard.", ""},
		{"sharper intervals show the best itself",
			[]Point{point(1, 126, 1, 5, .1), point(2, 111, 1, 5.9, .1), point(4, 106, 1, 8.8, .2), point(8, 104, 1, 15, .5)}, Guard{},
			4, false, "4 slots has the best batch p99, 106 s, within", ""},
		{"a guard of one's own opens the front",
			[]Point{point(1, 126, 1, 5, .1), point(4, 106, 1, 8.8, .2), point(64, 63, 2, 50, 1)}, Guard{Limit: 60},
			64, false, "64 slots has the best", "64 slots is the highest setting measured"},
		{"no difference",
			[]Point{point(1, 126, 40, 5, .1), point(2, 111, 40, 5.9, .1), point(4, 106, 40, 8.8, .2)}, Guard{},
			1, true, "No difference in batch p99 was shown among the 3 settings", ""},
		{"one within",
			[]Point{point(1, 126, 4, 5, .1), point(2, 111, 4, 15, .1)}, Guard{},
			1, false, "1 slot is the only setting within", ""},
		{"a probe on the edge is said",
			[]Point{point(1, 126, 1, 5, .1), point(4, 106, 1, 9.8, 1)}, Guard{},
			4, false, "", "within the guard of 10 s is not certain at 4"},
		{"an interval that reaches into the guard is not within it",
			[]Point{point(1, 126, 1, 5, .1), point(4, 106, 1, 10.5, 1)}, Guard{},
			1, false, "1 slot is the only setting within", "is not certain at 4"},
		{"without one slot",
			[]Point{point(2, 126, 1, 5, .1), point(4, 106, 1, 9, .1)}, Guard{},
			4, false, "", "one slot was not measured"},
		{"a tolerance takes the smaller",
			[]Point{point(1, 126, 1, 5, .1), point(2, 111, 1, 5.9, .1), point(4, 106, 1, 8.8, .2)}, Guard{Tolerance: 0.05},
			2, false, "", ""},
		{"order does not matter",
			[]Point{point(4, 106, 1, 8.8, .2), point(1, 126, 1, 5, .1), point(2, 111, 1, 5.9, .1)}, Guard{},
			4, false, "", ""},
	} {
		r, err := Recommend(c.front, c.guard)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Setting != c.want || r.NoDifference != c.noDiff || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: %d (no difference %v): %s", c.name, r.Setting, r.NoDifference, r.Reason)
		}
		if !strings.Contains(strings.Join(r.Warnings, "\n"), c.warning) {
			t.Errorf("%s: warnings %q", c.name, r.Warnings)
		}
		if len(r.Front) != len(c.front) || !slices.IsSortedFunc(r.Front, func(a, b Point) int { return a.Setting - b.Setting }) {
			t.Errorf("%s: the front is not whole: %+v", c.name, r.Front)
		}
		if !(r.Detectable >= 0) {
			t.Errorf("%s: detectable %g", c.name, r.Detectable)
		}
	}
}

// Repeats in blocks that differ much, of settings that differ little: only their
// ratios within blocks show the difference.
func TestRecommendPairs(t *testing.T) {
	blocks := []float64{80, 120, 200, 100}
	times := func(factors ...float64) (out []float64) {
		for i, b := range blocks {
			out = append(out, b*factors[i%len(factors)])
		}
		return out
	}
	probes := []float64{5, 5, 5, 5}
	front := []Point{NewPoint(1, times(1.2, 1.21), probes), NewPoint(2, times(1.1, 1.09), probes), NewPoint(4, times(1), probes)}
	r, err := Recommend(front, Guard{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Setting != 4 || !r.Paired || r.NoDifference || r.Detectable > 0.05 {
		t.Errorf("paired: %+v", r)
	}
	for i := range front {
		front[i].Batches = nil
	}
	if r, err = Recommend(front, Guard{}); err != nil || r.Setting != 1 || r.Paired || !r.NoDifference || r.Detectable < 0.5 {
		t.Errorf("unpaired: %+v, %v", r, err)
	}
}

func TestRecommendRefuses(t *testing.T) {
	ok := point(1, 10, 1, 5, 1)
	for name, c := range map[string]struct {
		front []Point
		guard Guard
		say   string
	}{
		"empty":           {nil, Guard{}, "measure at least 2"},
		"one":             {[]Point{ok}, Guard{}, "measure at least 2"},
		"twice":           {[]Point{ok, ok}, Guard{}, "given twice"},
		"no probe":        {[]Point{ok, {Setting: 2, Batch: ok.Batch}}, Guard{}, "run a stream of singletons"},
		"NaN":             {[]Point{ok, {Setting: 2, Batch: Measure{math.NaN(), 1, 2}, Probe: ok.Probe}}, Guard{}, "no measured time"},
		"setting 0":       {[]Point{ok, point(0, 1, 0, 1, 0)}, Guard{}, "at least 1 slot"},
		"nothing within":  {[]Point{ok, point(2, 1, 0, 6, 0)}, Guard{Limit: 1}, "no setting keeps the probe p99 within 1 s; the least is 5 s at 1 slot:"},
		"a guard of NaN":  {[]Point{ok, point(2, 1, 0, 6, 0)}, Guard{Limit: math.NaN()}, "guard"},
		"negative factor": {[]Point{ok, point(2, 1, 0, 6, 0)}, Guard{Factor: -1}, "guard"},
	} {
		if _, err := Recommend(c.front, c.guard); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStartingSlots(t *testing.T) {
	for _, c := range []struct {
		n, m   int
		rho, w float64
		want   int
	}{
		{64, 8, 0.1, 0, 7}, {64, 8, 0.5, 0, 4}, {64, 8, 0.9, 0, 1}, {64, 8, 0.1, 4, 36}, {64, 8, 0.5, 4, 20}, {3, 8, 0.1, 4, 3}, {64, 8, math.NaN(), 0, 1},
	} {
		if got := StartingSlots(c.n, c.m, c.rho, c.w); got != c.want {
			t.Errorf("n %d, m %d, rho %g, w/d %g: %d, want %d", c.n, c.m, c.rho, c.w, got, c.want)
		}
	}
	if got := Candidates(4, 100); !slices.Equal(got, []int{1, 2, 4, 8}) {
		t.Errorf("around 4: %v", got)
	}
	if got := Candidates(1, 1); !slices.Equal(got, []int{1}) {
		t.Errorf("around 1 of 1: %v", got)
	}
}

// A node of either discipline, measured with other seeds, is recognised.
func TestChooseDiscipline(t *testing.T) {
	m := Model{Workers: 4, Size: FixedSize(20), Work: Exponential(0.01), BatchRate: 8, ProbeRate: 20}
	for _, d := range []Discipline{FIFO, Sharing} {
		truth := m
		truth.Discipline = d
		measured, err := truth.Front([]int{1, 4, 16}, Effort{Runs: 3, Batches: 1500, Seed: 100})
		if err != nil {
			t.Fatal(err)
		}
		c, err := ChooseDiscipline(m, measured, Effort{Runs: 3, Batches: 1500})
		if err != nil {
			t.Fatal(err)
		}
		if c.Discipline != d || !c.Certain || len(c.Fits) != 2 {
			t.Errorf("a %s is taken for a %s (certain: %v): %+v", d, c.Discipline, c.Certain, c.Fits)
		}
		if !strings.Contains(c.Sentence, string(d)) {
			t.Errorf("%s", c.Sentence)
		}
	}
	if _, err := ChooseDiscipline(m, []Point{{Setting: 1}}, Effort{}); err == nil {
		t.Error("one point without times is accepted")
	}
}

func TestMeasureAsJSON(t *testing.T) {
	for text, m := range map[string]Measure{
		`{"value":2,"low":1,"high":3}`:    {2, 1, 3},
		`{"value":2,"low":0,"high":null}`: Over([]float64{2}),
	} {
		got, err := json.Marshal(m)
		if err != nil || string(got) != text {
			t.Errorf("%+v: %s, %v; want %s", m, got, err, text)
		}
		var back Measure
		if err := json.Unmarshal([]byte(text), &back); err != nil || back != m {
			t.Errorf("%s: %+v, %v", text, back, err)
		}
	}
}

func FuzzRecommend(f *testing.F) {
	f.Add(1, 4, 10.0, 1.0, 5.0, 20.0, 2.0)
	f.Add(1, 1, math.NaN(), math.Inf(1), 0.0, -1.0, 0.0)
	f.Fuzz(func(t *testing.T, a, b int, x, y, z, w, factor float64) {
		front := []Point{point(a, x, y, z, y), point(b, w, y, z, x), {Setting: a + b, Batch: Measure{x, y, z}, Probe: Measure{w, 0, math.Inf(1)}, Batches: []float64{x, y, z}}}
		r, err := Recommend(front, Guard{Factor: factor})
		if err == nil && (r.Reason == "" || !slices.ContainsFunc(r.Front, func(p Point) bool { return p.Setting == r.Setting && p.Within })) {
			t.Fatalf("%+v", r)
		}
		Over([]float64{x, y, z, w})
		StartingSlots(a, b, x, y)
	})
}
