package cost

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: %g, want %g within %g%%", what, got, want, 100*relative)
	}
}

// design is batches and arrays of several sizes, repeated, with proportional noise.
func design(a, e, b, noise float64, repeats int, rng *rand.Rand) (points []Point) {
	shapes := []Shape{Single()}
	for _, n := range []float64{2, 5, 10, 20, 50, 100} {
		shapes = append(shapes, Batch(n), Array(n*1.5))
	}
	for range repeats {
		for _, s := range shapes {
			t := a*s.Calls + e*s.Entries + b*s.Items
			points = append(points, Point{Shape: s, Cost: t * (1 + noise*rng.NormFloat64())})
		}
	}
	return points
}

func TestExactCosts(t *testing.T) {
	m, err := Fit(design(90e-6, 2e-6, 5e-6, 1e-9, 3, rand.New(rand.NewPCG(1, 1))))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "A", m.Envelope.Value, 90e-6, 1e-6)
	near(t, "e", m.Entry.Value, 2e-6, 1e-6)
	near(t, "b", m.Item.Value, 5e-6, 1e-6)
	for _, s := range m.Speedups([]float64{1, 10, 100, math.Inf(1)}) {
		n := s.N
		if n == 0 {
			n = math.Inf(1)
		}
		near(t, fmt.Sprintf("batch of %g", n), s.Batch.Value, 97/(90/n+7), 1e-6)
		near(t, fmt.Sprintf("array of %g", n), s.Array.Value, 97/(92/n+5), 1e-6)
		near(t, fmt.Sprintf("array over batch at %g", n), s.ArrayOverBatch.Value, (90/n+7)/(92/n+5), 1e-6)
		if s.Extrapolated != (n > 150) {
			t.Errorf("at %g extrapolated: %v", n, s.Extrapolated)
		}
	}
	if r, ok := m.OverheadRatio(); !ok || math.Abs(r.Value-90.0/7) > 1e-4 {
		t.Errorf("A/(e+b): %+v", r)
	}
	if r, ok := m.SizeFor(0.9); !ok || math.Abs(r.Value-9*90.0/7) > 1e-3 {
		t.Errorf("size for 90%%: %+v", r)
	}
	if x, ok := m.Throughput(Batch(10), 4); !ok || math.Abs(x.Value-4/16e-6) > 1 {
		t.Errorf("throughput: %+v", x)
	}
	if len(m.Missing) != 0 || m.LackOfFit == nil || m.LackOfFit.P < 0.001 {
		t.Errorf("%+v", m)
	}
}

// Injected costs lie in their 95% intervals about as often as that says, and so
// do the speedups in Fieller's; sizes left out are predicted.
func TestCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const a, e, b, rounds = 100e-6, 5e-6, 10e-6, 400
	hits := map[string]int{}
	covers := func(what string, i Interval, truth float64) {
		if i.Bounded && i.Low <= truth && truth <= i.High {
			hits[what]++
		}
	}
	for range rounds {
		m, err := Fit(design(a, e, b, 0.05, 5, rng))
		if err != nil {
			t.Fatal(err)
		}
		covers("A", m.Envelope.Interval, a)
		covers("e", m.Entry.Interval, e)
		covers("b", m.Item.Interval, b)
		s := m.Speedups([]float64{30})[0]
		covers("batch of 30", *s.Batch, (a+e+b)/(a/30+e+b))
		covers("array over batch at 30", *s.ArrayOverBatch, (a/30+e+b)/((a+e)/30+b))
		if p, ok := m.Predict(Batch(35)); !ok || math.Abs(p.Value/(a+35*(e+b))-1) > 0.05 {
			t.Fatalf("held out: %+v", p)
		}
		if m.LackOfFit.P < 0.05 {
			hits["lack of fit"]++
		}
	}
	for _, what := range []string{"A", "e", "b", "batch of 30", "array over batch at 30"} {
		if share := float64(hits[what]) / rounds; share < 0.91 || share > 0.985 {
			t.Errorf("the 95%% interval of %s holds the truth in %.3f", what, share)
		}
	}
	if share := float64(hits["lack of fit"]) / rounds; share > 0.1 {
		t.Errorf("a straight line is called bent in %.3f", share)
	}
}

// Published measurements of batches, fitted: the figures in their pull requests
// and README, costs in the units given.
func TestPublishedBatches(t *testing.T) {
	batches := func(pairs ...float64) (points []Point) {
		for i := 0; i < len(pairs); i += 2 {
			points = append(points, Point{Shape: Batch(pairs[i]), Cost: pairs[i+1]})
		}
		return points
	}
	for _, c := range []struct {
		name              string
		points            []Point
		envelope, perNext float64 // A, e+b
		tolerance         float64
		n, speedup, limit float64
	}{
		{"jsonrpsee PR 372, HTTP, trivial method, µs", batches(2, 94.298, 5, 98.522, 10, 107.40), 90.7, 1.65, 0.03, 10, 8.6, 56},
		{"jsonrpsee PR 863, slow serial method, ms", batches(2, 2.2, 5, 5.4, 10, 10.7, 50, 53, 100, 106), 0.08, 1.06, 0.25, 100, 1.08, 1.08},
		{"jsonrpsee PR 1215, WebSocket, µs", batches(10, 49.6, 100, 173.2), 35.9, 1.37, 0.01, 10, 7.5, 27.2},
		{"multicall-benchmark, remote", batches(25, 502, 100, 922), 362, 5.6, 0.01, 100, 39.9, 65.6},
	} {
		m, err := Fit(c.points)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := m.Predict(Shape{1, 0, 0})
		next, _ := m.Predict(Shape{0, 1, 1})
		near(t, c.name+": A", a.Value, c.envelope, c.tolerance)
		near(t, c.name+": e+b", next.Value, c.perNext, 0.03)
		s := m.Speedups([]float64{c.n, math.Inf(1)})
		near(t, c.name+": speedup", s[0].Batch.Value, c.speedup, 0.03)
		near(t, c.name+": limit", s[1].Batch.Value, c.limit, 0.03)
		if s[0].Array != nil || m.Entry.Known || m.Item.Known || !m.Envelope.Known || len(m.Missing) != 1 || !strings.Contains(m.Missing[0], "arrays of several items") {
			t.Errorf("%s: batches alone are said to know entries from items: %+v", c.name, m)
		}
		if len(c.points) == 2 && (s[0].Batch.Bounded || !strings.Contains(strings.Join(m.Warnings, "\n"), "no error can be given")) {
			t.Errorf("%s: two points have an interval: %+v", c.name, m)
		}
	}
}

func TestIdentifiability(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	of := func(shapes ...Shape) (points []Point) {
		for range 5 {
			for _, s := range shapes {
				points = append(points, Point{Shape: s, Cost: (100*s.Calls + 10*s.Entries + 5*s.Items) * (1 + 0.01*rng.NormFloat64())})
			}
		}
		return points
	}
	for _, c := range []struct {
		name    string
		points  []Point
		known   [3]bool
		missing []string
	}{
		{"all three", of(Single(), Batch(10), Array(15)), [3]bool{true, true, true}, nil},
		{"singles only", of(Single()), [3]bool{}, []string{"batches of several sizes", "arrays of several items"}},
		{"batches only", of(Single(), Batch(10), Batch(50)), [3]bool{true, false, false}, []string{"arrays of several items"}},
		{"arrays only", of(Single(), Array(10), Array(50)), [3]bool{false, false, true}, []string{"batches of several sizes"}},
		{"one size of batch", of(Batch(10)), [3]bool{}, []string{"batches of several sizes", "arrays of several items"}},
		{"batches of arrays that grow together", of(Batch(10), Shape{2, 20, 20}), [3]bool{}, []string{"batches of several sizes", "arrays of several items"}},
		{"items and entries on one line", of(Shape{1, 2, 5}, Shape{1, 4, 13}, Shape{1, 3, 9}), [3]bool{}, []string{"grow together"}},
	} {
		m, err := Fit(c.points)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := [3]bool{m.Envelope.Known, m.Entry.Known, m.Item.Known}; got != c.known {
			t.Errorf("%s: known %v, want %v", c.name, got, c.known)
		}
		if len(m.Missing) != len(c.missing) {
			t.Errorf("%s: missing %q", c.name, m.Missing)
			continue
		}
		for i, want := range c.missing {
			if !strings.Contains(m.Missing[i], want) {
				t.Errorf("%s: missing %q, want %q", c.name, m.Missing[i], want)
			}
		}
		// What was measured is always predicted, whatever stays unknown.
		if p, ok := m.Predict(c.points[0].Shape); !ok || math.Abs(p.Value/c.points[0].Cost-1) > 0.1 {
			t.Errorf("%s: its own shape is predicted as %+v", c.name, p)
		}
	}
}

func TestLackOfFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var points []Point
	for range 5 {
		for _, n := range []float64{1, 2, 5, 10, 20, 50, 100} {
			cost := 1 + math.Ceil(n/16) // one batch on 16 slots
			points = append(points, Point{Shape: Batch(n), Cost: cost * (1 + 0.02*rng.NormFloat64())})
		}
	}
	m, err := Fit(points)
	if err != nil {
		t.Fatal(err)
	}
	if m.LackOfFit == nil || m.LackOfFit.P > 1e-6 || !strings.Contains(strings.Join(m.Warnings, ""), "batch_concurrency_limit") {
		t.Errorf("a staircase passes for a line: %+v, %q", m.LackOfFit, m.Warnings)
	}
}

func TestUnboundedRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	m, err := Fit(design(1, 0, 1e-9, 0.05, 2, rng)) // items cost next to nothing
	if err != nil {
		t.Fatal(err)
	}
	limit := m.Speedups([]float64{math.Inf(1)})[0]
	if limit.Array != nil && limit.Array.Bounded {
		t.Errorf("a divisor that may be 0 gives an interval: %+v", limit.Array)
	}
	if all := strings.Join(m.Warnings, ""); !strings.Contains(all, "cannot be told from 0") && !strings.Contains(all, "negative") {
		t.Errorf("warnings %q", m.Warnings)
	}
}

func TestSizeWithin(t *testing.T) {
	m, err := Fit(design(0.010, 0.001, 0.001, 0.01, 5, rand.New(rand.NewPCG(6, 6))))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit float64
		most  int
		low   int
		high  int
		say   string
	}{
		{0.050, 100, 19, 20, "Batches of up to"},
		{0.001, 100, 0, 0, "Not even a batch of one"},
		{10, 100, 100, 100, "Batches of 100, the largest asked about"},
	} {
		s, err := m.SizeWithin(c.limit, c.most)
		if err != nil || s.N < c.low || s.N > c.high || s.Safe > s.N || !strings.HasPrefix(s.Sentence, c.say) {
			t.Errorf("%g s: %+v, %v", c.limit, s, err)
		}
	}
	if s, err := m.SizeWithin(10, 1000); err != nil || s.N != 1000 || len(s.Warnings) == 0 {
		t.Errorf("beyond what was measured: %+v, %v", s, err)
	}
	if _, err := m.SizeWithin(math.NaN(), 10); err == nil {
		t.Error("a limit of NaN is accepted")
	}
}

// A model read back from JSON answers as before.
func TestModelAsJSON(t *testing.T) {
	for _, points := range [][]Point{design(1, 2, 3, 0.02, 3, rand.New(rand.NewPCG(7, 7))), {{Shape: Batch(2), Cost: 1}, {Shape: Batch(5), Cost: 2}}} {
		m, err := Fit(points)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back Model
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		before, after := fmt.Sprint(m.Speedups([]float64{10})[0].Batch), fmt.Sprint(back.Speedups([]float64{10})[0].Batch)
		if before != after {
			t.Errorf("%s, read back %s", before, after)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	ok := Point{Shape: Single(), Cost: 1}
	for name, c := range map[string]struct {
		points []Point
		say    string
	}{
		"empty":           {nil, "at least two shapes"},
		"one":             {[]Point{ok}, "at least two shapes"},
		"NaN cost":        {[]Point{ok, {Shape: Batch(2), Cost: math.NaN()}}, "must be above 0"},
		"zero cost":       {[]Point{ok, {Shape: Batch(2)}}, "must be above 0"},
		"infinite size":   {[]Point{ok, {Shape: Batch(math.Inf(1)), Cost: 1}}, "no finite numbers"},
		"no calls":        {[]Point{ok, {Shape: Shape{0, 1, 1}, Cost: 1}}, "above 0"},
		"some errors":     {[]Point{ok, {Shape: Batch(2), Cost: 1, SE: 0.1}}, "1 of 2 points have a standard error"},
		"negative errors": {[]Point{ok, {Shape: Batch(2), Cost: 1, SE: -1}}, "standard error"},
	} {
		if _, err := Fit(c.points); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
	same, err := Fit([]Point{ok, ok, {Shape: Batch(2), Cost: 1.5}, {Shape: Batch(2), Cost: 1.5}, {Shape: Batch(4), Cost: 2.5}, {Shape: Batch(4), Cost: 2.5}})
	if err != nil || !strings.Contains(strings.Join(same.Warnings, ""), "repeats of a shape are all the same") {
		t.Errorf("repeats without spread: %v, %q", err, same.Warnings)
	}
}

func FuzzFit(f *testing.F) {
	f.Add(1.0, 1.0, 1.0, 2.0, 10.0, 3.0, 0.1)
	f.Add(0.0, math.NaN(), math.Inf(1), -1.0, 1e300, 1e-300, 1.0)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, limit float64) {
		points := []Point{{Shape: Single(), Cost: a}, {Shape: Batch(b), Cost: c}, {Shape: Array(d), Cost: e}, {Shape: Shape{a, b, c}, Cost: g}, {Shape: Single(), Cost: d}}
		m, err := Fit(points)
		if err != nil {
			return
		}
		if _, err := json.Marshal(m); err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		if _, err := json.Marshal(m.Speedups([]float64{1, b, math.Inf(1), math.NaN()})); err != nil {
			t.Fatal(err)
		}
		m.SizeFor(limit)
		m.Throughput(Batch(b), limit)
		if s, err := m.SizeWithin(limit, 100); err == nil && (s.N < 0 || s.N > 100) {
			t.Fatalf("%+v", s)
		}
	})
}
