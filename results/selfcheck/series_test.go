package selfcheck

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// autoregressive is an AR(1) series about level: x_t = phi x_(t-1) + noise, whose
// autocorrelation is phi^k, so tau = (1+phi)/(1-phi).
func autoregressive(rng *rand.Rand, n int, phi, level, noise float64) []float64 {
	out := make([]float64, n)
	x := rng.NormFloat64() * noise / math.Sqrt(1-phi*phi)
	for i := range out {
		out[i] = level + x
		x = phi*x + rng.NormFloat64()*noise
	}
	return out
}

func TestSeriesMergesInPairs(t *testing.T) {
	var s Series
	if len(s.Values()) != 0 || s.Span() != 1 {
		t.Fatalf("an empty series has %d values of span %d", len(s.Values()), s.Span())
	}
	for i := range 100_000 {
		s.Add(float64(i))
		if i%10 == 0 {
			s.Add(math.NaN())
		}
	}
	v := s.Values()
	if s.Span() != 32 || len(v) != 100_000/32 || s.Skipped() != 10_000 {
		t.Fatalf("%d values of span %d, %d skipped; want %d of 32, 10000", len(v), s.Span(), s.Skipped(), 100_000/32)
	}
	for i, got := range v {
		if want := float64(i*32) + 15.5; math.Abs(got-want) > 1e-6 {
			t.Fatalf("window %d is %v, want the mean of those it merged, %v", i, got, want)
		}
	}
}

func TestSeriesDoesNotGrow(t *testing.T) {
	var s Series
	for i := range 1_000_000 {
		s.Add(float64(i))
	}
	if len(s.values) > seriesCap || cap(s.values) > 2*seriesCap {
		t.Errorf("a million windows are held in %d of %d", len(s.values), cap(s.values))
	}
}

func TestMSER5ByHand(t *testing.T) {
	// Two batches at 10, then eight that alternate between 1 and 2 within a batch.
	var series []float64
	for i := range 50 {
		if i < 10 {
			series = append(series, 10)
		} else {
			series = append(series, float64(1+i%2))
		}
	}
	if got, want := MSER5(series), (Warmup{Enough: true, Warm: true, Cut: 10, Windows: 50, Shift: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestMSER5FindsTheRamp(t *testing.T) {
	for seed := range uint64(20) {
		rng := seeded(200 + seed)
		series := make([]float64, 500)
		for i := range series {
			series[i] = 10 + max(0, 10*(1-float64(i)/100)) + 0.5*rng.NormFloat64()
		}
		if w := MSER5(series); !w.Warm || w.Cut < 70 || w.Cut > 130 {
			t.Errorf("seed %d: a warm-up of 100 windows, of which the last are hidden by noise, is cut at %+v", seed, w)
		}
	}
}

func TestMSER5NeverWarm(t *testing.T) {
	for name, at := range map[string]func(i float64) float64{
		"rising to the end":     func(i float64) float64 { return i },
		"falling to the end":    func(i float64) float64 { return 500 - i },
		"a step after the half": func(i float64) float64 { return math.Copysign(5, i-350) },
	} {
		rng := seeded(17)
		series := make([]float64, 500)
		for i := range series {
			series[i] = at(float64(i)) + 0.3*rng.NormFloat64()
		}
		w := MSER5(series)
		if !w.Enough || w.Warm || w.Check().Verdict != Warn {
			t.Errorf("%s: %+v, want never warm", name, w)
		}
	}
}

// paused is a stationary series of what hardly varies but for a pause in one window of
// ten, as on a machine that others use too.
func paused(seed uint64, n int) []float64 {
	rng, x := seeded(seed), make([]float64, n)
	for i := range x {
		x[i] = 0.1 * (1 + 0.1*rng.NormFloat64())
		if rng.Float64() < 0.1 {
			x[i] += 0.3 * rng.ExpFloat64()
		}
	}
	return x
}

// A third of these have their cut in the second half, by the chance of where pauses fell.
func TestPausesAreNoWarmup(t *testing.T) {
	late, warned := 0, 0
	const runs = 300
	for seed := range uint64(runs) {
		w := MSER5(paused(500+seed, 120))
		if !w.Warm {
			late++
		}
		if w.Check().Verdict == Warn {
			warned++
		}
	}
	if late < runs/10 || warned > runs/50 {
		t.Errorf("of %d series %d were cut in the second half, and %d were said never to warm up", runs, late, warned)
	}
}

func TestMSER5OnStationarySeries(t *testing.T) {
	never := 0
	const runs = 400
	for seed := range uint64(runs) {
		if w := MSER5(autoregressive(seeded(300+seed), 300, 0.3, 100, 10)); !w.Warm {
			never++
		}
	}
	if never > runs/10 {
		t.Errorf("%d of %d stationary series were said never to warm up", never, runs)
	}
	if w := MSER5(slices.Repeat([]float64{7}, 60)); !w.Warm || w.Cut != 0 || w.Check().Verdict != OK {
		t.Errorf("a constant series: %+v", w)
	}
}

func TestTauOfAutoregressiveSeries(t *testing.T) {
	for _, phi := range []float64{0, 0.3, 0.5, 0.8, 0.9} {
		const runs = 60
		sum := 0.0
		for seed := range uint64(runs) {
			tau, ok := Tau(autoregressive(seeded(1000+seed), 4096, phi, 5, 1))
			if !ok || tau < 1 {
				t.Fatalf("phi %v: tau %v %v", phi, tau, ok)
			}
			sum += tau / runs
		}
		if want := (1 + phi) / (1 - phi); sum < 0.9*want || sum > 1.15*want {
			t.Errorf("phi %v: tau is %.2f on average, want %.2f", phi, sum, want)
		}
	}
	if tau, ok := Tau(autoregressive(seeded(18), 4096, -0.5, 5, 1)); !ok || tau != 1 {
		t.Errorf("neighbours that repel each other: tau %v %v, want 1", tau, ok)
	}
}

func TestTauByHand(t *testing.T) {
	// Deviations -3 -1 1 3 3 3 1 -1 -3 -3: sum of squares 58, of lag-1 products 37,
	// of lag-2 products 6, and of lag-3 products negative.
	x := []float64{-3, -1, 1, 3, 3, 3, 1, -1, -3, -3}
	want := 1 + 2*37.0/58 + 2*6.0/58
	if tau, ok := Tau(x); !ok || math.Abs(tau-want) > 1e-12 {
		t.Errorf("tau %v %v, want %v", tau, ok, want)
	}
}

func TestOverdispersion(t *testing.T) {
	for _, tt := range []struct {
		name   string
		repeat int64   // calls that share one fate
		stay   float64 // chance that the share over the limit stays from a window to the next
		low    float64
		high   float64
	}{
		{"independent calls", 1, 0, 1, 1.35},
		{"calls in tens", 10, 0, 9, 13},
		{"calls in hundreds", 100, 0, 85, 130},
		{"windows that depend on each other", 1, 0.8, 8, math.Inf(1)},
	} {
		rng := seeded(21)
		var d Overdispersion
		p := 0.05
		for range 4000 {
			if tt.stay > 0 && rng.Float64() > tt.stay {
				p = []float64{0.01, 0.09}[rng.IntN(2)]
			}
			over := int64(0)
			for range 400 / tt.repeat {
				if rng.Float64() < p {
					over += tt.repeat
				}
			}
			d.Add(over, 400)
		}
		if tau, ok := d.Tau(); !ok || tau < tt.low || tau > tt.high {
			t.Errorf("%s: tau %.2f %v, want it in [%v, %v]", tt.name, tau, ok, tt.low, tt.high)
		}
	}
}

func TestOverdispersionRefuses(t *testing.T) {
	for name, feed := range map[string]func(*Overdispersion){
		"nothing":           func(*Overdispersion) {},
		"few windows":       func(d *Overdispersion) { d.Add(1, 10) },
		"none over":         func(d *Overdispersion) { d.Add(0, 10) },
		"all over":          func(d *Overdispersion) { d.Add(10, 10) },
		"impossible counts": func(d *Overdispersion) { d.Add(11, 10); d.Add(-1, 10); d.Add(1, 0); d.Add(1, -5) },
	} {
		var d Overdispersion
		for range 100 {
			feed(&d)
			if name == "few windows" && d.windows == 9 {
				break
			}
		}
		if tau, ok := d.Tau(); ok {
			t.Errorf("%s: tau %v", name, tau)
		}
	}
}

// queue gives the sojourn times of an M/M/1 queue at service rate 1 by Lindley's
// recursion, from an idle start discarded.
func queue(rng *rand.Rand, n int, rho float64) []float64 {
	out := make([]float64, n)
	wait := 0.0
	for i := -2000; i < n; i++ {
		service := rng.ExpFloat64()
		if i >= 0 {
			out[i] = wait + service
		}
		wait = max(0, wait+service-rng.ExpFloat64()/rho)
	}
	return out
}

// The 0.99-quantile of M/M/1's sojourn time is ln(100)/(1-rho). At rho 0.8 calls
// depend on each other so strongly that an interval which takes them for
// independent misses it most of the time.
func TestDependentCallsNeedTheirTau(t *testing.T) {
	const runs, n, window, rho = 150, 40_000, 400, 0.8
	truth := math.Log(100) / (1 - rho)
	naive, honest := 0, 0
	for seed := range uint64(runs) {
		x := queue(seeded(5000+seed), n, rho)
		sorted := slices.Sorted(slices.Values(x))
		limit := sorted[n*99/100]
		var d Overdispersion
		for i := 0; i < n; i += window {
			over := int64(0)
			for _, v := range x[i : i+window] {
				if v > limit {
					over++
				}
			}
			d.Add(over, window)
		}
		tau, ok := d.Tau()
		if !ok {
			t.Fatalf("seed %d: no tau", seed)
		}
		holds := func(r Ranks) bool {
			return (r.Lower == 0 || sorted[r.Lower-1] <= truth) && (r.Upper == 0 || truth <= sorted[r.Upper-1])
		}
		if holds(OrderCI(n, 0.99, 0.95)) {
			naive++
		}
		if holds(OrderCIEffective(n, tau, 0.99, 0.95)) {
			honest++
		}
	}
	if naive > runs*6/10 || honest < runs*85/100 {
		t.Errorf("of %d intervals at 95%% %d hold the p99 when calls are taken for independent (expected: under 60%%) and %d with their tau (expected: over 85%%)", runs, naive, honest)
	}
}

func FuzzSeries(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3}, 1.0, 0.0)
	f.Add([]byte("a longer text, for the sake of more than fifty windows in all of it"), math.NaN(), math.Inf(-1))
	f.Add(make([]byte, 60), 1e308, -1e308)
	f.Fuzz(func(t *testing.T, steps []byte, a, b float64) {
		series := make([]float64, len(steps))
		for i, s := range steps {
			switch s % 4 {
			case 0:
				series[i] = a * float64(s)
			case 1:
				series[i] = b
			default:
				series[i] = float64(s)
			}
		}
		checks := append(Stationary(series, series).Checks, MSER5(series).Check())
		for _, c := range checks {
			if !finite(c.Value) || !finite(c.Limit) || c.Sentence == "" {
				t.Errorf("%+v", c)
			}
			if !allFinite(series) && c.Verdict != NotEnough {
				t.Errorf("of a series that isn't all numbers: %+v", c)
			}
		}
		if tau, ok := Tau(series); ok && !(tau >= 1 && finite(tau)) {
			t.Errorf("tau %v", tau)
		}
		var s Series
		for _, v := range series {
			s.Add(v)
		}
		if !allFinite(s.Values()) {
			t.Errorf("a series holds %v", s.Values())
		}
	})
}
