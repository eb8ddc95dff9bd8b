package pool

import (
	"math"
	"math/rand/v2"
	"testing"
)

// batchMeans simulates runs of the model and returns the mean over them and its
// standard error, of batches and of probes.
func replicate(t *testing.T, m Model, slots, batches, runs int) (batch, batchSE, probe, probeSE float64) {
	t.Helper()
	var b, p []float64
	for i := range runs {
		r, err := m.Simulate(slots, batches, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		b, p = append(b, r.Batch.Mean), append(p, r.Probe.Mean)
	}
	batch, batchSE = meanAndSE(b)
	probe, probeSE = meanAndSE(p)
	return
}

func meanAndSE(x []float64) (mean, se float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / float64(len(x)-1) / float64(len(x)))
}

// Closed forms: batches of one on m workers are M/M/m, processor sharing has the
// same mean, and on one core it is insensitive to the distribution; batches whose
// entries all queue at once on one worker are M^[X]/G/1.
func TestClosedForms(t *testing.T) {
	for _, c := range []struct {
		name         string
		m            Model
		slots        int
		batch, probe float64 // mean response times; 0 is not known
	}{
		{"M/M/4 at 0.8", Model{Discipline: FIFO, Workers: 4, Size: FixedSize(1), Work: Exponential(1), BatchRate: 3.2}, 1, 1.745540589734, 0},
		{"M/M/4 in two streams", Model{Discipline: FIFO, Workers: 4, Size: FixedSize(1), Work: Exponential(1), BatchRate: 1.6, ProbeRate: 1.6}, 1, 1.745540589734, 1.745540589734},
		{"M/M/4 sharing has its mean", Model{Discipline: Sharing, Workers: 4, Size: FixedSize(1), Work: Exponential(1), BatchRate: 3.2}, 1, 1.745540589734, 0},
		{"M/M/16 at 0.9", Model{Discipline: FIFO, Workers: 16, Size: FixedSize(1), Work: Exponential(1), BatchRate: 14.4}, 1, 1.369589621170, 0},
		{"M/D/1 at 0.5", Model{Discipline: FIFO, Workers: 1, Size: FixedSize(1), Work: Deterministic(1), BatchRate: 0.5}, 1, 1.5, 0},
		{"M/D/1 sharing is insensitive", Model{Discipline: Sharing, Workers: 1, Size: FixedSize(1), Work: Deterministic(1), BatchRate: 0.5}, 1, 2, 0},
		{"M/G/1 sharing is insensitive", Model{Discipline: Sharing, Workers: 1, Size: FixedSize(1), Work: Lognormal(1, 1), BatchRate: 0.5}, 1, 2, 0},
		{"M^[10]/M/1 at 0.5", Model{Discipline: FIFO, Workers: 1, Size: FixedSize(10), Work: Exponential(1), BatchRate: 0.05}, 10, 15.5, 0},
		{"M^[10]/D/1 at 0.5", Model{Discipline: FIFO, Workers: 1, Size: FixedSize(10), Work: Deterministic(1), BatchRate: 0.05}, 10, 15, 0},
		{"the envelope is added", Model{Discipline: FIFO, Workers: 1, Size: FixedSize(10), Work: Deterministic(1), BatchRate: 0.05, Envelope: 3}, 10, 18, 0},
		// Alone in the node a batch's mean is its makespan: s((n-c)/c + H_c), 5.083333.
		{"makespan of 16 on 4 slots", Model{Discipline: FIFO, Workers: 16, Size: FixedSize(16), Work: Exponential(1), BatchRate: 1e-6}, 4, 5.083333, 0},
		{"makespan of 16 on 16 slots", Model{Discipline: Sharing, Workers: 16, Size: FixedSize(16), Work: Exponential(1), BatchRate: 1e-6}, 16, 3.380729, 0},
		{"makespan with waits", Model{Discipline: Sharing, Workers: 16, Size: FixedSize(16), Work: Deterministic(1), Wait: Deterministic(4), BatchRate: 1e-6}, 8, 10, 0},
	} {
		batch, se, probe, probeSE := replicate(t, c.m, c.slots, 4000, 12)
		if math.Abs(batch-c.batch) > 3*se+1e-9 {
			t.Errorf("%s: mean %.4f, want %.4f within 3 of %.4f", c.name, batch, c.batch, se)
		}
		if c.probe > 0 && math.Abs(probe-c.probe) > 3*probeSE {
			t.Errorf("%s: probe mean %.4f, want %.4f within 3 of %.4f", c.name, probe, c.probe, probeSE)
		}
	}
}

// Fronts simulated by others' code for the same loads (80% of the work in batches,
// 20% singletons), medians of 3 seeds or one seed: the tables agree in shape,
// within the spread of the seeds and 15%.
func TestPublishedFronts(t *testing.T) {
	for _, c := range []struct {
		name         string
		m            Model
		rho          float64
		slots        []int
		batch, probe []float64 // p99
	}{
		{"FIFO 4, 50, exp", Model{Discipline: FIFO, Workers: 4, Size: FixedSize(50), Work: Exponential(1)}, 0.3,
			[]int{1, 4, 8, 64}, []float64{70, 46.6, 45.6, 35.5}, []float64{4.6, 5.1, 6.9, 22}},
		{"FIFO 4, 50, exp", Model{Discipline: FIFO, Workers: 4, Size: FixedSize(50), Work: Exponential(1)}, 0.6,
			[]int{1, 4, 16, 64}, []float64{126, 106, 102, 63}, []float64{5, 8.8, 25, 50}},
		{"FIFO 4, 50, lognormal", Model{Discipline: FIFO, Workers: 4, Size: FixedSize(50), Work: Lognormal(1, 1)}, 0.6,
			[]int{1, 4, 64}, []float64{133, 109, 67}, []float64{6.6, 10, 51}},
		{"FIFO 16, 100, exp", Model{Discipline: FIFO, Workers: 16, Size: FixedSize(100), Work: Exponential(1)}, 0.6,
			[]int{1, 8, 64}, []float64{127, 57, 45.3}, []float64{4.6, 5.5, 20}},
		{"sharing 8, 64, exp", Model{Discipline: Sharing, Workers: 8, Size: FixedSize(64), Work: Exponential(1)}, 0.5,
			[]int{1, 4, 8, 64}, []float64{88, 57, 58, 80}, []float64{4.7, 6.2, 9.4, 25.6}},
		{"sharing 8, 64, exp", Model{Discipline: Sharing, Workers: 8, Size: FixedSize(64), Work: Exponential(1)}, 0.1,
			[]int{1, 8, 64}, []float64{84, 20, 23}, []float64{4.6, 4.8, 6.6}},
	} {
		rate := c.rho * float64(c.m.Workers)
		c.m.BatchRate, c.m.ProbeRate = 0.8*rate/c.m.Size.Mean(), 0.2*rate
		if got := c.m.Utilisation(); math.Abs(got-c.rho) > 1e-12 {
			t.Errorf("%s: utilisation %g, want %g", c.name, got, c.rho)
		}
		front, err := c.m.Front(c.slots, Effort{Runs: 3, Batches: 3000})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range front {
			near := func(what string, m Measure, want float64) {
				if m.Low/1.15 > want || m.High*1.15 < want {
					t.Errorf("%s, rho %g, %d slots: %s p99 %.3g in [%.3g, %.3g], table %g", c.name, c.rho, p.Setting, what, m.Value, m.Low, m.High, want)
				}
			}
			near("batch", p.Batch, c.batch[i])
			near("probe", p.Probe, c.probe[i])
		}
	}
}

// The same seed gives every setting the same work.
func TestSettingsShareRandomNumbers(t *testing.T) {
	m := Model{Discipline: FIFO, Workers: 1000, Size: FixedSize(5), Work: Exponential(1), BatchRate: 0.01, ProbeRate: 0.01}
	serial, err := m.Simulate(1, 200, 9)
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Simulate(1, 200, 9)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := m.Simulate(5, 200, 9)
	if err != nil {
		t.Fatal(err)
	}
	if serial != again {
		t.Error("the same seed gives another run")
	}
	if wide.Batch.P99 >= serial.Batch.P99 || wide.Probe != serial.Probe {
		t.Errorf("with a free worker for all, slots must change batches only: %+v, %+v", serial, wide)
	}
}

func TestModelRefuses(t *testing.T) {
	good := Model{Discipline: FIFO, Workers: 4, Size: FixedSize(50), Work: Exponential(1), BatchRate: 0.01, ProbeRate: 0.1}
	if _, err := good.Simulate(1, 100, 0); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Model){
		"overload":          func(m *Model) { m.BatchRate = 1 },
		"no discipline":     func(m *Model) { m.Discipline = "" },
		"no workers":        func(m *Model) { m.Workers = 0 },
		"no size":           func(m *Model) { m.Size = Sizes{} },
		"size 0":            func(m *Model) { m.Size = FixedSize(0) },
		"no work":           func(m *Model) { m.Work = Service{} },
		"NaN work":          func(m *Model) { m.Work = Exponential(math.NaN()) },
		"NaN sigma":         func(m *Model) { m.Work = Lognormal(1, math.NaN()) },
		"infinite work":     func(m *Model) { m.Work = Deterministic(math.Inf(1)) },
		"NaN rate":          func(m *Model) { m.BatchRate = math.NaN() },
		"negative probes":   func(m *Model) { m.ProbeRate = -1 },
		"waits in a FIFO":   func(m *Model) { m.Wait = Deterministic(1) },
		"negative overhead": func(m *Model) { m.Envelope = -1 },
	} {
		m := good
		change(&m)
		if _, err := m.Simulate(1, 100, 0); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestFromQuantiles(t *testing.T) {
	s, err := FromQuantiles([]Quantile{{0, 0}, {0.5, 1}, {1, 5}})
	if err != nil {
		t.Fatal(err)
	}
	if want := 0.25 + 1.5; math.Abs(s.Mean()-want) > 1e-12 {
		t.Errorf("mean %g, want %g", s.Mean(), want)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	sum, below := 0.0, 0
	for range 100000 {
		x := s.sample(rng)
		sum += x
		if x <= 1 {
			below++
		}
	}
	if mean := sum / 100000; math.Abs(mean-1.75) > 0.02 || math.Abs(float64(below)/100000-0.5) > 0.01 {
		t.Errorf("resampled: mean %g, %d of 100000 at most the median", mean, below)
	}
	for _, bad := range [][]Quantile{nil, {{0.5, 1}}, {{0, 1}, {1, 0.5}}, {{0.5, 1}, {0.5, 2}}, {{0, math.NaN()}, {1, 1}}, {{0, 1}, {2, 1}}} {
		if _, err := FromQuantiles(bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

func TestWeightedSizes(t *testing.T) {
	s, err := WeightedSizes([]int{1, 20, 100}, []float64{20, 60, 20})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.Mean()-32.2) > 1e-12 {
		t.Errorf("mean %g", s.Mean())
	}
	rng := rand.New(rand.NewPCG(1, 1))
	seen := map[int]int{}
	for range 10000 {
		seen[s.draw(rng)]++
	}
	for n, want := range map[int]int{1: 2000, 20: 6000, 100: 2000} {
		if got := seen[n]; got < want-200 || got > want+200 {
			t.Errorf("size %d drawn %d times of 10000", n, got)
		}
	}
	for _, bad := range [][]float64{nil, {1, 1}, {0, 0, 0}, {1, -1, 1}, {1, math.NaN(), 1}} {
		if _, err := WeightedSizes([]int{1, 2, 3}, bad); err == nil {
			t.Errorf("weights %v are accepted", bad)
		}
	}
}
