package queueing

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.13g, want %.13g within %g", what, got, want, tolerance)
	}
}

func mmc(t *testing.T, c int, load float64) MMC {
	t.Helper()
	q, err := NewMMC(c, load, 1)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Values by exact rational arithmetic, to 12 digits.
func TestErlangC(t *testing.T) {
	for _, c := range []struct {
		servers            int
		load               float64
		waits, queue, wait float64
		inSystem           float64
	}{
		{1, 0.5, 0.5, 0.5, 1, 1},
		{2, 1.5, 0.642857142857, 1.928571428571, 1.285714285714, 3.428571428571},
		{4, 3.2, 0.596432471787, 2.385729887150, 0.745540589734, 5.585729887150},
		{8, 7.2, 0.701532990146, 6.313796911316, 0.876916237683, 13.513796911316},
		{16, 12.8, 0.304883912930, 1.219535651720, 0.095276222791, 14.019535651720},
		{16, 14.4, 0.591343393872, 5.322090544852, 0.369589621170, 19.722090544852},
		{32, 28.8, 0.458196621507, 4.123769593561, 0.143186444221, 32.923769593561},
	} {
		q := mmc(t, c.servers, c.load)
		name := fmt.Sprintf("M/M/%d at %g", c.servers, c.load)
		near(t, name+" waits", q.Waits(), c.waits, 5e-13)
		near(t, name+" queue", q.Queue(), c.queue, 2e-12)
		near(t, name+" wait", q.Wait(), c.wait, 1e-12)
		near(t, name+" in system", q.InSystem(), c.inSystem, 2e-11)
		near(t, name+" sojourn by Little", q.Sojourn(), c.inSystem/c.load, 1e-12)
	}
	near(t, "rational", ErlangC(4, 3.2), 8192.0/13735, 1e-15)
	near(t, "p99 wait, 4", mmc(t, 4, 3.2).WaitQuantile(0.99), 5.110476168, 5e-10)
	near(t, "p99 wait, 16", mmc(t, 16, 14.4).WaitQuantile(0.99), 2.549882371, 5e-10)
	near(t, "p99 wait, 32", mmc(t, 32, 28.8).WaitQuantile(0.99), 1.195222907, 5e-10)
	near(t, "Erlang B, one server", ErlangB(1, 1), 0.5, 0)
	if ErlangC(2, 5) != 1 || !math.IsNaN(ErlangB(-1, 1)) || !math.IsNaN(ErlangC(0, 1)) || !math.IsNaN(ErlangB(1, math.NaN())) {
		t.Error("edges of Erlang's formulas")
	}
}

func TestSojourn(t *testing.T) {
	// M/M/1's sojourn is exponential.
	q, err := NewMMC(1, 0.8, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "M/M/1 p99", q.SojournQuantile(0.99), math.Log(100)/0.2, 1e-12)
	near(t, "M/M/1 median", q.SojournQuantile(0.5), math.Log(2)/0.2, 1e-12)
	near(t, "M/M/1 wait median", q.WaitQuantile(0.5), math.Log(0.8/0.5)/0.2, 1e-12)
	if q.WaitQuantile(0.1) != 0 {
		t.Error("a fifth does not wait")
	}
	for _, c := range []struct {
		servers int
		load    float64
	}{{4, 3.2}, {4, 3}, {4, 3 - 1e-9}, {4, 3 + 1e-9}, {4, 0.01}, {32, 31.9}, {2, 1}, {1000, 990}} {
		q := mmc(t, c.servers, c.load)
		// The quantile inverts the tail, and the tail integrates to the mean.
		for _, p := range []float64{0.01, 0.5, 0.9, 0.99, 0.999999} {
			near(t, fmt.Sprintf("M/M/%d at %g, tail at p%g", c.servers, c.load, p), q.SojournTail(q.SojournQuantile(p)), 1-p, 1e-12)
		}
		sum, step := 0.0, q.Sojourn()/2000
		for i := range 400000 {
			sum += q.SojournTail((float64(i)+0.5)*step) * step
		}
		near(t, fmt.Sprintf("M/M/%d at %g, integral of the tail", c.servers, c.load), sum/q.Sojourn(), 1, 1e-6)
	}
}

// M/M/4 of 200/s a server, p99 within 40 ms: 669.39/s.
func TestHighestRate(t *testing.T) {
	got, err := HighestRate(4, 200, 0.99, 0.040)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "sustainable rate", got, 669.39, 0.005)
	q, err := NewMMC(4, got, 200)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "its p99", q.SojournQuantile(0.99), 0.040, 1e-14)
	near(t, "its utilisation", q.Utilisation(), 0.837, 0.0005)
	// M/M/1: mu - 4.605/limit.
	if got, err = HighestRate(1, 200, 0.99, 0.040); err != nil {
		t.Fatal(err)
	}
	near(t, "M/M/1", got, 200-math.Log(100)/0.040, 1e-9)
	if _, err = HighestRate(4, 200, 0.99, 0.020); !errors.Is(err, ErrNoRate) {
		t.Errorf("an idle server's p99 is 23 ms: %v", err)
	}
	for _, bad := range [][3]float64{{200, 1, 1}, {200, 0.99, 0}, {200, 0.99, math.NaN()}, {0, 0.99, 1}, {math.Inf(1), 0.99, 1}} {
		if _, err := HighestRate(4, bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

func TestMD1(t *testing.T) {
	for _, c := range []struct{ rho, wait, p99 float64 }{{0.5, 0.5, 3.336256}, {0.8, 2, 10.355887}, {0.9, 4.5, 21.898237}, {0.95, 9.5, 0}} {
		q, err := NewMD1(c.rho, 1)
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("wait at %g", c.rho), q.Wait(), c.wait, 1e-12)
		if c.p99 > 0 {
			near(t, fmt.Sprintf("p99 wait at %g", c.rho), q.WaitQuantile(0.99), c.p99, 5e-7)
		}
		// P(no wait) = 1-rho; the tail integrates to the mean, far out too.
		near(t, "no wait", q.WaitWithin(0), 1-c.rho, 1e-14)
		sum := 0.0
		for i := range 30000 {
			sum += (1 - q.WaitWithin((float64(i)+0.5)*0.01)) * 0.01
		}
		near(t, fmt.Sprintf("integral of the tail at %g", c.rho), sum, c.wait, 1e-5*c.wait)
	}
	scaled, err := NewMD1(0.8/0.005, 0.005)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "in seconds", scaled.WaitQuantile(0.99), 10.355887*0.005, 5e-9)
}

// Erlang's alternating sum in 2000 bits agrees at large times, where doubles lose it.
func TestMD1AtLargeTimes(t *testing.T) {
	const rho = 0.95
	q, err := NewMD1(rho, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{0.3, 1, 7.25, 40.5, 120.75} {
		want := erlangMD1(rho, x)
		near(t, fmt.Sprintf("P(W <= %g)", x), q.WaitWithin(x), want, 1e-12)
	}
	// Past the computed numbers the tail goes on where it was.
	last, next := q.WaitWithin(reach-2), q.WaitWithin(reach-2+1e-9)
	near(t, "no step at the edge", next, last, 1e-12)
	busy, err := NewMD1(0.99, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "decay", (1-busy.WaitWithin(reach+8))/(1-busy.WaitWithin(reach-2)), (1-busy.WaitWithin(reach-12))/(1-busy.WaitWithin(reach-22)), 1e-6)
}

func erlangMD1(rho, t float64) float64 {
	const bits = 2000
	f := func(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }
	sum := f(0)
	for k := 0; float64(k) <= t; k++ {
		x := new(big.Float).Mul(f(rho), new(big.Float).Sub(f(float64(k)), f(t)))
		// exp(-x) x^k / k!
		term, exp := f(1), f(1)
		y := new(big.Float).Neg(x)
		for i := 1; i < 900; i++ {
			term = new(big.Float).Quo(new(big.Float).Mul(term, y), f(float64(i)))
			exp.Add(exp, term)
		}
		for i := 1; i <= k; i++ {
			exp = new(big.Float).Quo(new(big.Float).Mul(exp, x), f(float64(i)))
		}
		sum.Add(sum, exp)
	}
	got, _ := sum.Mul(sum, new(big.Float).Sub(f(1), f(rho))).Float64()
	return got
}

func TestMG1(t *testing.T) {
	for rho, waits := range map[float64][]float64{0.8: {2, 2.5, 4, 10, 34}, 0.5: {0.5, 0.625, 1, 2.5, 8.5}} {
		for i, cv2 := range []float64{0, 0.25, 1, 4, 16} {
			got, err := MG1Wait(rho, 1, cv2)
			if err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("M/G/1 at %g, cv² %g", rho, cv2), got, waits[i], 1e-12)
			q, err := NewMMC(1, rho, 1)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "Allen-Cunneen is exact for it", AllenCunneen(q, 1, cv2), got, 1e-12)
		}
	}
	if got, err := PSSojourn(0.8, 1); err != nil || math.Abs(got-5) > 1e-12 {
		t.Errorf("processor sharing: %g, %v", got, err)
	}
}

func TestBatches(t *testing.T) {
	for _, c := range []struct {
		rho, cv2            float64
		first, entry, batch float64
	}{{0.8, 1, 22, 26.5, 32}, {0.8, 0, 20, 24.5, 30}, {0.5, 1, 5.5, 10, 15.5}, {0.5, 0, 5, 9.5, 15}} {
		w, err := Batches{Arrivals: c.rho / 10, Size: 10, Size2: 100, Service: 1, CV2: c.cv2}.Waits()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "first", w.First, c.first, 1e-12)
		near(t, "entry", w.Entry, c.entry, 1e-12)
		near(t, "batch", w.Batch, c.batch, 1e-12)
	}
	// Batches of one are M/G/1.
	w, err := Batches{Arrivals: 0.8, Size: 1, Size2: 1, Service: 1, CV2: 4}.Waits()
	if err != nil || math.Abs(w.First-10) > 1e-12 || math.Abs(w.Entry-10) > 1e-12 {
		t.Errorf("batches of one: %+v, %v", w, err)
	}
}

func TestMakespan(t *testing.T) {
	for _, c := range []struct {
		n, slots           int
		exponential, fixed float64
	}{
		{16, 4, 5.083333, 4}, {16, 16, 3.380729, 1},
		{64, 1, 64, 64}, {64, 8, 9.717857, 8}, {64, 16, 6.380729, 4}, {64, 64, 4.743891, 1},
		{100, 8, 14.217857, 13}, {100, 16, 8.630729, 7}, {100, 32, 6.183495, 4},
		{4, 16, 1 + 1.0/2 + 1.0/3 + 1.0/4, 1},
	} {
		got, err := MakespanExponential(c.n, c.slots, 1)
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("exponential, %d on %d", c.n, c.slots), got, c.exponential, 5e-7)
		if got, err = MakespanDeterministic(c.n, c.slots, 1); err != nil || got != c.fixed {
			t.Errorf("deterministic, %d on %d: %g, %v", c.n, c.slots, got, err)
		}
	}
	low, high, err := MakespanBounds([]float64{1, 2, 3, 4}, 2)
	if err != nil || low != 5 || high != 7 {
		t.Errorf("Graham: %g to %g, %v", low, high, err)
	}
	p, err := EntryQuantile(0.5, 100)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the median batch of 100", p, 0.9931, 5e-5)
	if p, err = EntryQuantile(0.99, 100); err != nil {
		t.Fatal(err)
	}
	near(t, "its p99", p, 0.9999, 1e-6)
	exponential := func(p float64) float64 { return -math.Log1p(-p) }
	for _, n := range []int{1, 16, 64} {
		got, err := Largest(exponential, n)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "largest of exponentials", got, Harmonic(n), 1e-3)
	}
	near(t, "slots with waits", Slots(8, 4, 1), 40, 0)
}

func TestLaws(t *testing.T) {
	near(t, "Little", InFlight(600, 0.05), 30, 1e-12)
	near(t, "demand", Demand(3.2, 1600), 0.002, 1e-15)
	near(t, "utilisation", Utilisation(600, 0.002, 4), 0.3, 1e-15)
	near(t, "most", Most(4, 0.002), 2000, 1e-9)
	if !math.IsNaN(Demand(1, 0)) {
		t.Error("a demand without work")
	}
	c := Closed{Demand: 0.1, Bottleneck: 0.02, Think: 0.9}
	near(t, "knee", c.Knee(), 50, 1e-12)
	near(t, "below it", c.Throughput(10), 10, 1e-12)
	near(t, "above it", c.Throughput(500), 50, 1e-12)
	near(t, "response below", c.Response(10), 0.1, 1e-12)
	near(t, "response above", c.Response(500), 9.1, 1e-12)
	if len((MMC{}).Limits()) == 0 {
		t.Error("no limits of validity")
	}
}

func TestNoSteadyState(t *testing.T) {
	refused := map[string]error{}
	_, refused["M/M/c at 1"] = NewMMC(2, 2, 1)
	_, refused["M/M/c of NaN"] = NewMMC(2, math.NaN(), 1)
	_, refused["no servers"] = NewMMC(0, 1, 1)
	_, refused["no service"] = NewMMC(1, 0, 0)
	_, refused["M/D/1 at 1"] = NewMD1(1, 1)
	_, refused["M/D/1 of NaN"] = NewMD1(math.NaN(), 1)
	_, refused["M/G/1 at 1"] = MG1Wait(2, 0.5, 1)
	_, refused["M/G/1 of NaN"] = MG1Wait(0.1, 1, math.NaN())
	_, refused["PS at 1"] = PSSojourn(1, 1)
	_, refused["batches at 1"] = Batches{Arrivals: 0.1, Size: 10, Size2: 100, Service: 1}.Waits()
	_, refused["impossible sizes"] = Batches{Arrivals: 0.01, Size: 10, Size2: 50, Service: 1}.Waits()
	_, refused["no entries"] = MakespanExponential(0, 1, 1)
	_, _, refused["NaN entry"] = MakespanBounds([]float64{math.NaN()}, 1)
	_, refused["no quantile"] = EntryQuantile(1, 5)
	_, refused["infinite quantiles"] = Largest(func(float64) float64 { return math.Inf(1) }, 2)
	for name, err := range refused {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func FuzzQueues(f *testing.F) {
	f.Add(4, 3.2, 1.0, 0.99, 0.04)
	f.Add(1, 0.0, 1e-300, 0.5, 1e300)
	f.Fuzz(func(t *testing.T, c int, lambda, mu, p, limit float64) {
		c %= 200
		if q, err := NewMMC(c, lambda, mu); err == nil && p > 0 && p < 1-1e-9 {
			if s := q.SojournQuantile(p); !(s >= q.WaitQuantile(p)*(1-1e-9)) {
				t.Fatalf("M/M/%d(%g, %g): the p%g of the sojourn %g is below that of the wait %g", c, lambda, mu, p, s, q.WaitQuantile(p))
			}
		}
		if rate, err := HighestRate(c, mu, p, limit); err == nil && !(rate >= 0 && rate <= float64(c)*mu) {
			t.Fatalf("highest rate %g of %d servers of %g", rate, c, mu)
		}
		if q, err := NewMD1(lambda, mu); err == nil {
			if w := q.WaitWithin(limit); !(w >= 0 && w <= 1) {
				t.Fatalf("M/D/1(%g, %g): P(W <= %g) = %g", lambda, mu, limit, w)
			}
		}
	})
}
