package selfcheck

import (
	"math"
	"slices"
	"testing"
)

func TestTheilSenByHand(t *testing.T) {
	// The line 3 + 2i with one value far off: the median of slopes doesn't see it.
	line := make([]float64, 12)
	for i := range line {
		line[i] = 3 + 2*float64(i)
	}
	line[7] = 500
	got := TheilSen(line)
	if !got.Enough || got.Slope != 2 || !got.Significant() || got.Low > 2 || got.High < 2 || got.Steps != 11 {
		t.Errorf("%+v, want slope 2", got)
	}
	flat := TheilSen(slices.Repeat([]float64{5}, 30))
	if !flat.Enough || flat.Slope != 0 || flat.Significant() || flat.Drift() != 0 {
		t.Errorf("a constant series: %+v", flat)
	}
}

// The ends of the interval for 10 values without dependence: N = 45 slopes, C =
// 2.58 sqrt(10*9*25/18) = 28.8, so the 8th and the 38th.
func TestTheilSenIntervalRanks(t *testing.T) {
	x := []float64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1.5}
	var slopes []float64
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			slopes = append(slopes, (x[j]-x[i])/float64(j-i))
		}
	}
	slices.Sort(slopes)
	got := TheilSen(x)
	if !got.Bounded || got.Slope != slopes[22] || got.Low != slopes[7] || got.High != slopes[37] {
		t.Errorf("%+v, want %v in [%v, %v]", got, slopes[22], slopes[10], slopes[34])
	}
}

func TestTheilSenOnMergedWindows(t *testing.T) {
	long := make([]float64, 4096)
	for i := range long {
		long[i] = 10 + 0.25*float64(i)
	}
	if got := TheilSen(long); math.Abs(got.Slope-0.25) > 1e-9 || got.Steps != 4080 {
		t.Errorf("%+v, want slope 0.25 per window as given, over 4080", got)
	}
}

func TestTheilSenIntervalCovers(t *testing.T) {
	for _, phi := range []float64{0, 0.6} {
		const runs = 300
		hit := 0
		for seed := range uint64(runs) {
			x := autoregressive(seeded(9000+seed), 120, phi, 0, 1)
			for i := range x {
				x[i] += 0.05 * float64(i)
			}
			if r := TheilSen(x); r.Low <= 0.05 && 0.05 <= r.High {
				hit++
			}
		}
		if share := float64(hit) / runs; share < 0.95 {
			t.Errorf("phi %v: the 99%% interval holds the slope %.3f of the time", phi, share)
		}
	}
}

func TestStationary(t *testing.T) {
	noisy := func(seed uint64, n int, at func(share float64) float64) []float64 {
		rng, out := seeded(seed), make([]float64, n)
		for i := range out {
			out[i] = at(float64(i)/float64(n)) * (1 + 0.03*rng.NormFloat64())
		}
		return out
	}
	still := func(float64) float64 { return 100 }
	for _, tt := range []struct {
		name          string
		p50, inFlight []float64
		want          string
		growing       bool
	}{
		{"steady", noisy(1, 60, still), noisy(2, 60, still),
			"drift of p50: ok, drift of calls in flight: ok, halves: ok, backlog: ok", false},
		{"steady to the last digit", slices.Repeat([]float64{3}, 60), slices.Repeat([]float64{8}, 60),
			"drift of p50: ok, drift of calls in flight: ok, halves: ok, backlog: ok", false},
		{"slower and slower by 8%", noisy(3, 60, func(x float64) float64 { return 100 + 8*x }), noisy(4, 60, still),
			"drift of p50: warn, drift of calls in flight: ok, halves: ok, backlog: ok", false},
		{"a step by 20%", noisy(5, 60, func(x float64) float64 { return 100 + 20*math.Round(x) }), noisy(6, 60, still),
			"drift of p50: ok, drift of calls in flight: ok, halves: warn, backlog: ok", false},
		{"a backlog from nothing", noisy(7, 60, still), noisy(8, 60, func(x float64) float64 { return 5000 * x }),
			"drift of p50: ok, drift of calls in flight: warn, halves: ok, backlog: warn", true},
		{"a backlog at the very end", noisy(9, 60, still), noisy(10, 60, func(x float64) float64 { return 100 + 400*math.Floor(x/0.9) }),
			"drift of p50: ok, drift of calls in flight: ok, halves: ok, backlog: warn", true},
		{"a hair more in flight under a paced load", slices.Repeat([]float64{3}, 60), noisy(0, 60, func(x float64) float64 { return 8 }),
			"drift of p50: ok, drift of calls in flight: ok, halves: ok, backlog: ok", false},
		{"few windows", noisy(11, 9, still), noisy(12, 9, still),
			"drift of p50: not enough data, drift of calls in flight: not enough data, halves: not enough data, backlog: not enough data", false},
		{"nothing in flight ever", noisy(13, 60, still), make([]float64, 60),
			"drift of p50: ok, drift of calls in flight: ok, halves: ok, backlog: ok", false},
	} {
		s := Stationary(tt.p50, tt.inFlight)
		if got := verdicts(s.Checks); got != tt.want || s.Growing != tt.growing {
			t.Errorf("%s: %s, growing %v\nwant %s, %v", tt.name, got, s.Growing, tt.want, tt.growing)
			for _, c := range s.Checks {
				t.Log(c.Sentence)
			}
		}
	}
}

func TestHalvesThatChanceCanExplain(t *testing.T) {
	rng, x := seeded(23), make([]float64, 20)
	for i := range x {
		x[i] = 100 * math.Exp(rng.NormFloat64())
	}
	for i := 10; i < 20; i++ {
		x[i] *= 1.15
	}
	if c := halves(x); c.Verdict != NotEnough || math.Abs(c.Value) <= maxHalves {
		t.Errorf("%+v, want too few windows to tell", c)
	}
}

// Neither a pause in the last windows nor a part of a call is a backlog.
func TestPausesAreNoBacklog(t *testing.T) {
	const runs = 300
	grew := 0
	for seed := range uint64(runs) {
		x := paused(700+seed, 30)
		for i := range x {
			x[i] *= 100 // 10 calls in flight, and 30 more of a pause
		}
		if Stationary(nil, x).Growing {
			grew++
		}
	}
	if grew > runs/50 {
		t.Errorf("%d of %d", grew, runs)
	}
	for end, growing := range map[float64]bool{0.9: false, 1.9: true} {
		x := slices.Repeat([]float64{0.1}, 40)
		for i := 36; i < 40; i++ {
			x[i] = end
		}
		if got := Stationary(nil, x); got.Growing != growing {
			t.Errorf("%v calls in flight at the end: %+v", end, got.Checks[3])
		}
	}
}

// A stable M/M/1 queue at rho 0.8 is seldom said to grow, one at 1.2 always.
func TestBacklogOfAQueue(t *testing.T) {
	const runs, windows, per = 200, 60, 500
	grew := func(rho float64, seed uint64) bool {
		rng := seeded(seed)
		series, wait := make([]float64, windows), 0.0
		for w := range series {
			for range per {
				// Little: the mean in flight of a window is the rate times the sojourn.
				service := rng.ExpFloat64()
				series[w] += rho * (wait + service) / per
				wait = max(0, wait+service-rng.ExpFloat64()/rho)
			}
		}
		return Stationary(nil, series).Growing
	}
	stable, overloaded := 0, 0
	for seed := range uint64(runs) {
		if grew(0.8, 20_000+seed) {
			stable++
		}
		if grew(1.2, 30_000+seed) {
			overloaded++
		}
	}
	if stable > runs/20 || overloaded != runs {
		t.Errorf("said to grow: %d of %d stable queues, %d of %d overloaded", stable, runs, overloaded, runs)
	}
}
