package paired

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMinimalDetectable(t *testing.T) {
	for _, c := range []struct {
		sd   float64
		k    int
		want float64 // %
	}{
		{0.02, 6, 2.3}, {0.02, 10, 1.8}, {0.02, 20, 1.3},
		{0.05, 6, 5.9}, {0.05, 10, 4.5}, {0.05, 20, 3.2},
		{0.10, 6, 12.1}, {0.10, 10, 9.3}, {0.10, 20, 6.5},
	} {
		near(t, fmt.Sprintf("sd %g, %d pairs", c.sd, c.k), 100*MinimalDetectable(c.sd, c.k), c.want, 0.05)
	}
}

func TestRatios(t *testing.T) {
	a := []float64{100, 200, 50, 80, 120, 90, 70, 110}
	b := make([]float64, len(a))
	noise := []float64{1.01, 0.99, 1.02, 1, 0.98, 1.005, 0.995, 1.01}
	for i := range a {
		b[i] = 1.1 * a[i] * noise[i]
	}
	e, err := Ratios(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if !e.Bounded || !(e.Low < 1.1 && 1.1 < e.High) || math.Abs(e.Ratio-1.1) > 0.01 || e.P != 0.0078125 || !(e.Detectable > 0.01 && e.Detectable < 0.03) {
		t.Errorf("%+v", e)
	}
	if e.Low > e.Low90 || e.High < e.High90 || e.Low90 > e.Ratio || e.High90 < e.Ratio {
		t.Errorf("the intervals are not inside each other: %+v", e)
	}
	if len(e.Warnings) != 0 {
		t.Errorf("warnings %q", e.Warnings)
	}
	if _, err := json.Marshal(e); err != nil {
		t.Error(err)
	}
	// Swapped arms give the inverse.
	s, err := Ratios(b, a)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "swapped ratio", s.Ratio*e.Ratio, 1, 1e-12)
	near(t, "swapped low", s.Low*e.High, 1, 1e-12)
	near(t, "swapped delta", s.Cliff, -e.Cliff, 0)
}

func TestBadSamples(t *testing.T) {
	six := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		name string
		a, b []float64
		say  string
	}{
		{"empty", nil, nil, "at least 2 are needed"},
		{"one pair", six[:1], six[:1], "1 pairs: at least 2"},
		{"unequal", six, six[:5], "6 values of A and 5 of B are no pairs"},
		{"NaN", six, []float64{1, 2, math.NaN(), 4, 5, 6}, "run 3 of B measured NaN: a ratio needs finite measurements above 0"},
		{"zero", []float64{0, 2, 3, 4, 5, 6}, six, "run 1 of A measured 0"},
		{"negative", []float64{1, -2, 3, 4, 5, 6}, six, "run 2 of A measured -2"},
		{"infinite", six, []float64{1, 2, 3, 4, 5, math.Inf(1)}, "run 6 of B measured +Inf"},
		{"beyond numbers", []float64{5e-324, 5e-324}, []float64{1e308, 1e308}, "too large for a number"},
	} {
		if _, err := Ratios(c.a, c.b); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Unpaired(six, six[:1]); err == nil {
		t.Error("one run of B is accepted")
	}
}

func TestSamplesThatDoNotVary(t *testing.T) {
	same := []float64{5, 5, 5, 5, 5, 5}
	e, err := Ratios(same, same)
	if err != nil {
		t.Fatal(err)
	}
	if e.Ratio != 1 || e.P != 1 || e.Detectable != 0 || e.Cliff != 0 || !strings.Contains(strings.Join(e.Warnings, ""), "all 6 ratios are the same") {
		t.Errorf("%+v", e)
	}
	if j := Judge([]Metric{{"bytes", LessIsBetter, e}}, Rule{Margin: 0.05}); j[0].Verdict != Equivalent {
		t.Errorf("%+v", j)
	}
	if j := Judge([]Metric{{"bytes", LessIsBetter, e}}, Rule{}); j[0].Verdict != Inconclusive {
		t.Errorf("%+v", j)
	}
	half := []float64{2.5, 2.5, 2.5, 2.5, 2.5, 2.5}
	if e, err = Ratios(same, half); err != nil || math.Abs(e.Ratio-0.5) > 1e-12 || e.Low != e.Ratio || e.High != e.Ratio || e.P != 0.03125 || e.Cliff != -1 {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err = Unpaired(same, half); err != nil || math.Abs(e.Ratio-0.5) > 1e-12 || e.P > 0.01 || len(e.Warnings) == 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

func estimate(ratio, half float64, p float64) Estimate {
	return Estimate{N: 10, Ratio: ratio, Low: ratio - half, High: ratio + half, Bounded: true, Low90: ratio - 0.8*half, High90: ratio + 0.8*half, Bounded90: true, P: p, LeastP: 0.00195, Detectable: 0.04}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name   string
		better Better
		e      Estimate
		margin float64
		want   Verdict
		say    string
	}{
		{"latency down", LessIsBetter, estimate(0.9, 0.02, 0.002), 0.05, Faster, "changes by -10.00% (95%: -12.00% to -8.00%): faster, p 0.002."},
		{"latency up", LessIsBetter, estimate(1.1, 0.02, 0.002), 0.05, Slower, "slower"},
		{"throughput up", MoreIsBetter, estimate(1.1, 0.02, 0.002), 0.05, Faster, "faster"},
		{"throughput down", MoreIsBetter, estimate(0.9, 0.02, 0.002), 0.05, Slower, "slower"},
		{"certain but within the margin", LessIsBetter, estimate(1.01, 0.005, 0.002), 0.05, Equivalent, "equivalent, within the margin of 5%"},
		{"the same without a margin", LessIsBetter, estimate(1.01, 0.005, 0.002), 0, Slower, "slower"},
		{"wide", LessIsBetter, estimate(1.01, 0.2, 0.7), 0.05, Inconclusive, "no difference shown; one of 4% would have been 4 times of 5."},
	} {
		j := Judge([]Metric{{"p99", c.better, c.e}}, Rule{Margin: c.margin})[0]
		if j.Verdict != c.want || !strings.Contains(j.Sentence, c.say) {
			t.Errorf("%s: %s: %s", c.name, j.Verdict, j.Sentence)
		}
	}
	// Four metrics of six pairs: no agreement of all pairs is enough for Holm.
	var many []Metric
	for range 4 {
		e := estimate(0.9, 0.02, 0.03125)
		e.LeastP = 0.03125
		many = append(many, Metric{"m", LessIsBetter, e})
	}
	for _, j := range Judge(many, Rule{}) {
		if j.Verdict != Inconclusive || !strings.Contains(strings.Join(j.Warnings, ""), "8 pairs can") {
			t.Errorf("%+v", j)
		}
	}
	if got := PairsNeeded(4, 0.05); got != 8 {
		t.Errorf("pairs needed: %d", got)
	}
	if got := PairsNeeded(1, 0.05); got != FewestPairs {
		t.Errorf("pairs needed for one metric: %d", got)
	}
}

// Holm's own arithmetic, also R's p.adjust.
func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005, math.NaN()})
	for i, want := range []float64{0.04, 0.09, 0.09, 0.025, 1} {
		near(t, "Holm", got[i], want, 1e-12)
	}
	if len(Holm(nil)) != 0 {
		t.Error("no p-values give some")
	}
}

func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	firsts := map[Arm]int{}
	for range 200 {
		order := Order(6, rng)
		var text strings.Builder
		for _, a := range order {
			text.WriteString(string(a))
		}
		drift := map[Arm]int{}
		for i, a := range order {
			drift[a] += i
		}
		if len(order) != 12 || drift[A] != drift[B] {
			t.Fatalf("%s: a linear drift does not cancel", text.String())
		}
		firsts[order[0]]++
	}
	if firsts[A] < 60 || firsts[B] < 60 {
		t.Errorf("first arms: %v", firsts)
	}
	if odd := Order(3, rng); len(odd) != 6 || odd[4] == odd[5] {
		t.Errorf("three pairs: %v", odd)
	}
	if none := Order(0, rng); len(none) != 0 {
		t.Errorf("no pairs: %v", none)
	}
}

// A against A is called different about as rarely as promised, 10% is found.
func TestPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	verdicts := func(ratio float64) (different int) {
		for range 1000 {
			var a, b []float64
			for range 8 {
				level := math.Exp(rng.NormFloat64())
				a = append(a, level*math.Exp(0.04*rng.NormFloat64()))
				b = append(b, level*ratio*math.Exp(0.04*rng.NormFloat64()))
			}
			e, err := Ratios(a, b)
			if err != nil {
				t.Fatal(err)
			}
			if v := Judge([]Metric{{"p99", LessIsBetter, e}}, Rule{Margin: 0.02})[0].Verdict; v == Faster || v == Slower {
				different++
			}
		}
		return different
	}
	if n := verdicts(1); n > 60 {
		t.Errorf("A against A differs in %d of 1000", n)
	}
	if n := verdicts(1.1); n < 900 {
		t.Errorf("10%% is found in %d of 1000", n)
	}
}

func TestBootstrapRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	run := func(scale float64, windows int) (out []Window) {
		for range windows {
			level := scale * math.Exp(0.1*rng.NormFloat64())
			var w Window
			for range 200 {
				w = append(w, Bin{math.Round(1e4*level*rng.ExpFloat64()) + 1, 1})
			}
			out = append(out, w)
		}
		return out
	}
	got, err := BootstrapRatio(run(1, 60), run(1.3, 60), 0.99, 3, 0, rng)
	if err != nil {
		t.Fatal(err)
	}
	if !(got.Low <= got.Ratio && got.Ratio <= got.High) || !(got.Low < 1.3 && 1.3 < got.High) || got.Low < 1 || got.Resamples != 1000 || len(got.Warnings) != 0 {
		t.Errorf("%+v", got)
	}
	same, err := BootstrapRatio(run(1, 20), run(1, 20), 0.5, 0, 500, rng)
	if err != nil || !(same.Low < 1.1 && same.High > 0.9) || len(same.Warnings) == 0 {
		t.Errorf("%+v, %v", same, err)
	}
	for name, c := range map[string]struct {
		a, b []Window
		p    float64
		say  string
	}{
		"too few windows": {run(1, 9), run(1, 20), 0.5, "at least 10 of each run"},
		"no tail":         {run(1, 20), run(1, 20), 0.999, "4.0 samples beyond the quantile 0.999"},
		"no quantile":     {run(1, 20), run(1, 20), 1, "between 0 and 1"},
		"NaN":             {append(run(1, 20), Window{{math.NaN(), 1}}), run(1, 20), 0.5, "finite values above 0"},
		"empty windows":   {make([]Window, 20), make([]Window, 20), 0.5, "0.0 samples"},
	} {
		if _, err := BootstrapRatio(c.a, c.b, c.p, 0, 0, rng); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, 1.0)
	f.Add([]byte{0}, math.NaN())
	f.Add([]byte{9, 9, 9, 9, 9, 9}, 1e300)
	f.Fuzz(func(t *testing.T, raw []byte, scale float64) {
		var a, b []float64
		for i, x := range raw {
			if i%2 == 0 {
				a = append(a, float64(x)*scale)
			} else {
				b = append(b, float64(x))
			}
		}
		var metrics []Metric
		for _, compare := range []func(a, b []float64) (Estimate, error){Ratios, Unpaired} {
			if e, err := compare(a[:min(len(a), 50)], b[:min(len(b), 50)]); err == nil {
				metrics = append(metrics, Metric{"m", MoreIsBetter, e})
				if _, err := json.Marshal(e); err != nil || e.P < 0 || e.P > 1 || e.Bounded && !(e.Low <= e.Ratio*(1+1e-9) && e.Ratio <= e.High*(1+1e-9)) {
					t.Fatalf("%+v, %v", e, err)
				}
			}
		}
		for _, j := range Judge(metrics, Rule{Margin: 0.1}) {
			if j.Sentence == "" || !(j.P >= 0 && j.P <= 1) {
				t.Fatalf("%+v", j)
			}
		}
	})
}
