package paired

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.12g, want %.12g within %g", what, got, want, tolerance)
	}
}

// Hamilton's depression scale factors of nine patients before and after a
// tranquillizer: Hollander and Wolfe, examples 3.1, 3.3, 3.4, also R's wilcox.test:
// V = 40, p = 0.03906, estimate 0.46, interval 0.010 to 0.786.
func TestSignedRankOfTheTextbook(t *testing.T) {
	x := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	y := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	d := make([]float64, len(x))
	for i := range x {
		d[i] = x[i] - y[i]
	}
	got, err := SignedRank(d, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "V", got.Statistic, 40, 0)
	near(t, "p", got.P, 0.0390625, 1e-12)
	near(t, "estimate", got.Centre, 0.46, 1e-9)
	near(t, "low", got.Low, 0.010, 1e-9)
	near(t, "high", got.High, 0.786, 1e-9)
	if !got.Exact {
		t.Error("nine values are not counted exactly")
	}
}

// Permeability of the human chorioamnion at term and in mid-pregnancy: Hollander
// and Wolfe, example 4.1, also R's wilcox.test: W = 35, p = 0.2544; the shift of
// example 4.3 is 0.305.
func TestMannWhitneyOfTheTextbook(t *testing.T) {
	term := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	mid := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	got, err := MannWhitney(mid, term, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "W", got.Statistic, 35, 0)
	near(t, "p", got.P, 0.2544, 5e-5)
	near(t, "shift", got.Centre, 0.305, 1e-9)
	if !(got.Low < 0 && got.High > 0.305) {
		t.Errorf("interval %g to %g", got.Low, got.High)
	}
}

func TestLeastP(t *testing.T) {
	for _, c := range []struct {
		pairs int
		want  float64
	}{{5, 0.0625}, {6, 0.03125}, {8, 0.0078125}, {10, 0.001953125}} {
		d := make([]float64, c.pairs)
		for i := range d {
			d[i] = float64(i + 1)
		}
		got, err := SignedRank(d, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "least p of pairs", got.P, c.want, 1e-15)
		if got.Bounded() != (c.pairs >= FewestPairs) {
			t.Errorf("%d pairs: interval %g to %g", c.pairs, got.Low, got.High)
		}
	}
	for _, c := range []struct {
		n    int
		want float64
	}{{4, 0.0286}, {5, 0.0079}} {
		var a, b []float64
		for i := range c.n {
			a, b = append(a, float64(i)), append(b, float64(100+i))
		}
		got, err := MannWhitney(a, b, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "least p of samples", got.P, c.want, 5e-5)
	}
}

// Counted by trying every choice of signs, or of the second sample.
func TestExactWithTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 1 + rng.IntN(10)
		d := make([]float64, n)
		for i := range d {
			d[i] = float64(rng.IntN(7) - 3)
		}
		got, err := SignedRank(d, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "p of signs", got.P, everySign(d), 1e-12)

		a, b := d[:n/2], d[n/2:]
		if len(a) == 0 {
			continue
		}
		if got, err = MannWhitney(a, b, 0.95); err != nil {
			t.Fatal(err)
		}
		near(t, "p of samples", got.P, everyChoice(a, b), 1e-12)
	}
}

func everySign(d []float64) float64 {
	var sizes []float64
	for _, v := range d {
		if v != 0 {
			sizes = append(sizes, math.Abs(v))
		}
	}
	if len(sizes) == 0 {
		return 1
	}
	rank := func(v float64) (r float64) {
		for _, w := range sizes {
			switch {
			case w < v:
				r++
			case w == v:
				r += 0.5
			}
		}
		return r + 0.5
	}
	sum := func(signs int) (s float64) {
		for i, v := range sizes {
			if signs>>i&1 == 1 {
				s += rank(v)
			}
		}
		return s
	}
	at, i := 0, 0
	for _, v := range d {
		if v > 0 {
			at |= 1 << i
		}
		if v != 0 {
			i++
		}
	}
	below, above := 0.0, 0.0
	for signs := range 1 << len(sizes) {
		if sum(signs) <= sum(at) {
			below++
		}
		if sum(signs) >= sum(at) {
			above++
		}
	}
	return min(1, 2*min(below, above)/float64(int(1)<<len(sizes)))
}

func everyChoice(a, b []float64) float64 {
	all := append(append([]float64{}, a...), b...)
	u := func(choice int) (u float64) {
		for i, y := range all {
			for j, x := range all {
				if choice>>i&1 == 1 && choice>>j&1 == 0 {
					switch {
					case y > x:
						u++
					case y == x:
						u += 0.5
					}
				}
			}
		}
		return u
	}
	at := 0
	for i := range b {
		at |= 1 << (len(a) + i)
	}
	below, above, choices := 0.0, 0.0, 0.0
	for choice := range 1 << len(all) {
		ones := 0
		for i := range all {
			ones += choice >> i & 1
		}
		if ones != len(b) {
			continue
		}
		choices++
		if u(choice) <= u(at)+1e-9 {
			below++
		}
		if u(choice) >= u(at)-1e-9 {
			above++
		}
	}
	return min(1, 2*min(below, above)/choices)
}

// The counted and the approximated p agree where one takes over from the other.
func TestNormalApproximation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var d []float64
	for range mostExact {
		d = append(d, rng.NormFloat64()+0.2)
	}
	exact, err := SignedRank(d, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	ranks, ties := midranks(d, math.Abs)
	n := float64(len(d))
	near(t, "signed rank", normalP(exact.Statistic, n*(n+1)/4, n*(n+1)*(2*n+1)/24-ties/48), exact.P, 0.01*exact.P+0.002)
	if len(ranks) != len(d) || !exact.Exact {
		t.Error("60 values are not counted")
	}
	a, b := d[:30], d[30:]
	counted, err := MannWhitney(a, b, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "Mann-Whitney", normalP(counted.Statistic, 450, 30*30*61/12.0), counted.P, 0.01)
	if many, err := SignedRank(append(d, d...), 0.95); err != nil || many.Exact || many.P >= exact.P {
		t.Errorf("120 values: %+v, %v", many, err)
	}
}

// The interval holds the true centre as often as it says.
func TestIntervalCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	signed, shift := 0, 0
	const rounds = 2000
	for range rounds {
		var a, b []float64
		for range 8 {
			a, b = append(a, rng.NormFloat64()), append(b, rng.NormFloat64()+1)
		}
		if s, err := SignedRank(b, 0.95); err == nil && s.Low <= 1 && 1 <= s.High {
			signed++
		}
		if s, err := MannWhitney(a, b, 0.95); err == nil && s.Low <= 1 && 1 <= s.High {
			shift++
		}
	}
	for what, n := range map[string]int{"signed rank": signed, "Mann-Whitney": shift} {
		if share := float64(n) / rounds; share < 0.94 || share > 0.98 {
			t.Errorf("the 95%% interval of %s holds the truth in %.3f", what, share)
		}
	}
}

func TestRankTestsRefuse(t *testing.T) {
	for name, d := range map[string][]float64{"no values": nil, "value 2 is NaN": {1, math.NaN()}, "value 1 is +Inf": {math.Inf(1)}} {
		if _, err := SignedRank(d, 0.95); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := MannWhitney(d, []float64{1}, 0.95); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := SignedRank([]float64{1}, 1); err == nil {
		t.Error("a confidence of 1 is accepted")
	}
}
