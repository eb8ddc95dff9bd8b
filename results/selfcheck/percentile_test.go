package selfcheck

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// exactTail is P(Bin(n, num/den) <= k) in rationals.
func exactTail(k, n, num, den int64) float64 {
	sum, c := new(big.Int), new(big.Int)
	hit, miss := big.NewInt(num), big.NewInt(den-num)
	for i := int64(0); i <= k; i++ {
		c.Binomial(n, i)
		c.Mul(c, new(big.Int).Exp(hit, big.NewInt(i), nil))
		c.Mul(c, new(big.Int).Exp(miss, big.NewInt(n-i), nil))
		sum.Add(sum, c)
	}
	all := new(big.Int).Exp(big.NewInt(den), big.NewInt(n), nil)
	f, _ := new(big.Rat).SetFrac(sum, all).Float64()
	return f
}

func TestBinomialTailsAgainstRationals(t *testing.T) {
	for _, tt := range []struct{ n, num, den int64 }{
		{1, 1, 2}, {7, 1, 3}, {15, 9, 10}, {16, 1, 100}, {40, 1, 2}, {299, 99, 100}, {300, 1, 1000}, {368, 99, 100},
	} {
		p := float64(tt.num) / float64(tt.den)
		for k := int64(0); k <= tt.n; k += 1 + tt.n/37 {
			want := exactTail(k, tt.n, tt.num, tt.den)
			if got := atMost(k, tt.n, p); math.Abs(got-want) > 1e-12*want+1e-15 {
				t.Errorf("P(Bin(%d, %v) <= %d) = %v, want %v", tt.n, p, k, got, want)
			}
			if got := atLeast(k+1, tt.n, p); math.Abs(got-(1-want)) > 1e-12 {
				t.Errorf("P(Bin(%d, %v) >= %d) = %v, want %v", tt.n, p, k+1, got, 1-want)
			}
		}
	}
}

func TestBinomialTailsAddUpAtAnySize(t *testing.T) {
	for _, n := range []int64{1, 100, 1e6, 1_728_000_000} {
		for _, p := range []float64{0.5, 0.01, 0.999, 0.9999} {
			sd := math.Sqrt(float64(n) * p * (1 - p))
			for _, off := range []float64{-3, -0.5, 0, 0.5, 3} {
				k := int64(float64(n)*p + off*sd)
				if sum := atMost(k, n, p) + atLeast(k+1, n, p); math.Abs(sum-1) > 1e-9 {
					t.Errorf("n=%d p=%v k=%d: the tails add up to %v", n, p, k, sum)
				}
				// Both sides of the mean are summed on their own only here.
				if sum := sumDown(max(k, 0), n, p) + sumUp(max(k, 0)+1, n, p); n > 100 && math.Abs(sum-1) > 1e-7 {
					t.Errorf("n=%d p=%v k=%d: the sums add up to %v", n, p, k, sum)
				}
			}
		}
	}
}

// The smallest samples with a finite upper bound, ln(tail)/ln(p).
func TestSamplesForUpper(t *testing.T) {
	for _, tt := range []struct {
		tail float64
		want [3]int64
	}{
		{0.05, [3]int64{299, 2995, 29956}},  // one-sided 95%
		{0.025, [3]int64{368, 3688, 36887}}, // two-sided 95%
		{0.01, [3]int64{459, 4603, 46050}},  // one-sided 99%
	} {
		for i, p := range []float64{0.99, 0.999, 0.9999} {
			n := SamplesForUpper(p, tt.tail)
			if n != tt.want[i] {
				t.Errorf("p=%v tail=%v: %d samples, want %d", p, tt.tail, n, tt.want[i])
			}
			if conf := 1 - 2*tt.tail; OrderCI(n, p, conf).Upper != n || OrderCI(n-1, p, conf).Upper != 0 {
				t.Errorf("p=%v: OrderCI is not bounded above from %d samples on", p, n)
			}
		}
	}
	for _, bad := range [][2]float64{{0, .05}, {1, .05}, {math.NaN(), .05}, {.99, 0}, {.99, math.NaN()}, {math.Nextafter(1, 0), .05}} {
		if n := SamplesForUpper(bad[0], bad[1]); n != 0 {
			t.Errorf("SamplesForUpper(%v, %v) = %d, want none", bad[0], bad[1], n)
		}
	}
}

func TestOrderCIRanks(t *testing.T) {
	for _, tt := range []struct {
		name         string
		n            int64
		p            float64
		lower, upper int64
	}{
		{"p99", 10_000, 0.99, 9_880, 9_920},
		{"p99.9 without an upper bound", 1_000, 0.999, 997, 0},
		{"p99.9 with the fewest samples", 3_688, 0.999, 3_680, 3_688},
		{"p99.9", 10_000, 0.999, 9_983, 9_997},
		{"p99.9", 100_000, 0.999, 99_880, 99_920},
		{"p99.9", 1_000_000, 0.999, 998_938, 999_062},
		{"median of 10, David and Nagaraja: ranks 2 and 9 cover 0.9785", 10, 0.5, 2, 9},
		{"median of 5: neither bound", 5, 0.5, 0, 0},
		{"median of one", 1, 0.5, 0, 0},
	} {
		r := OrderCI(tt.n, tt.p, 0.95)
		if r.N != tt.n || r.Lower != tt.lower || r.Upper != tt.upper {
			t.Errorf("%s, n=%d: ranks %d..%d, want %d..%d", tt.name, tt.n, r.Lower, r.Upper, tt.lower, tt.upper)
		}
		if r.Coverage < 0.95 {
			t.Errorf("%s, n=%d: covers %v", tt.name, tt.n, r.Coverage)
		}
	}
	if got := OrderCI(10, 0.5, 0.95).Coverage; math.Abs(got-1002.0/1024) > 1e-12 {
		t.Errorf("ranks 2..9 of 10 cover %v of the median, want 1002/1024", got)
	}
}

func TestOrderCIProperties(t *testing.T) {
	rng := seeded(1)
	for range 2000 {
		n, p, conf := 1+rng.Int64N(1<<rng.IntN(22)), rng.Float64(), rng.Float64()
		r := OrderCI(n, p, conf)
		if !inside(p) || !inside(conf) {
			continue
		}
		tail := (1 - conf) / 2
		if r.N != n || r.Lower < 0 || r.Upper > n || (r.Upper > 0 && r.Lower >= r.Upper+1) || r.Coverage < conf-1e-9 {
			t.Fatalf("n=%d p=%v conf=%v: %+v", n, p, conf, r)
		}
		if r.Lower < n && atMost(r.Lower, n, p) <= tail {
			t.Fatalf("n=%d p=%v conf=%v: lower rank %d is not the largest", n, p, conf, r.Lower)
		}
		if r.Upper > 1 && atLeast(r.Upper-1, n, p) <= tail {
			t.Fatalf("n=%d p=%v conf=%v: upper rank %d is not the smallest", n, p, conf, r.Upper)
		}
		if same := OrderCIEffective(n, 1, p, conf); same != r {
			t.Fatalf("a tau of 1 gives %+v, want %+v", same, r)
		}
		wider := OrderCIEffective(n, 1+9*rng.Float64(), p, conf)
		if wider.N != 0 && (wider.Lower > r.Lower || (wider.Upper != 0 && (r.Upper == 0 || wider.Upper < r.Upper-1))) {
			t.Fatalf("n=%d p=%v conf=%v: dependent samples give %+v inside of %+v", n, p, conf, wider, r)
		}
	}
}

func TestOrderCIEffectiveUsesFewerSamples(t *testing.T) {
	// 100,000 samples at tau 10 are worth 10,000: ranks 9,983..9,997 of those.
	r := OrderCIEffective(100_000, 10, 0.999, 0.95)
	if r.Lower != 99_821 || r.Upper != 99_970 || r.N != 100_000 {
		t.Errorf("ranks %d..%d of %d, want 99821..99970 of 100000", r.Lower, r.Upper, r.N)
	}
	if r := OrderCIEffective(3_688, 1.01, 0.999, 0.95); r.Upper != 0 {
		t.Errorf("too few effective samples give the upper rank %d, want none", r.Upper)
	}
	if r := OrderCIEffective(10, 11, 0.5, 0.95); r.N != 0 {
		t.Errorf("less than one effective sample gives %+v", r)
	}
}

func TestOrderCICoversAsItSays(t *testing.T) {
	rng, const90 := seeded(3), math.Log(10)
	const runs = 4000
	hit := 0
	r := OrderCI(200, 0.9, 0.95)
	for range runs {
		x := make([]float64, 200)
		for i := range x {
			x[i] = rng.ExpFloat64()
		}
		slices.Sort(x)
		if x[r.Lower-1] <= const90 && const90 <= x[r.Upper-1] {
			hit++
		}
	}
	got, sd := float64(hit)/runs, math.Sqrt(r.Coverage*(1-r.Coverage)/runs)
	if math.Abs(got-r.Coverage) > 4*sd {
		t.Errorf("covered %v of the time, want %v", got, r.Coverage)
	}
}

func TestBounds(t *testing.T) {
	at := func(rank int64, upper bool) int64 {
		if upper {
			return 10*rank + 9
		}
		return 10 * rank
	}
	for _, tt := range []struct {
		name string
		r    Ranks
		want Bounds
		ok   bool
	}{
		{"both", Ranks{N: 100, Lower: 3, Upper: 7}, Bounds{30, 79, false, false}, true},
		{"more than the largest", Ranks{N: 100, Lower: 97}, Bounds{970, 1009, false, true}, true},
		{"less than the smallest", Ranks{N: 100, Upper: 4}, Bounds{10, 49, true, false}, true},
		{"no samples", Ranks{}, Bounds{}, false},
	} {
		if got, ok := tt.r.Bounds(at); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %+v %v, want %+v %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

func TestPercentileCheck(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		tau  float64
		want Verdict
	}{
		{10_000, 1, OK}, {3_688, 1, OK}, {3_687, 1, NotEnough}, {10_000, 3, NotEnough}, {0, 1, NotEnough}, {10_000, math.NaN(), NotEnough},
	} {
		if c := Percentile(tt.n, tt.tau, 0.999, 0.95); c.Verdict != tt.want || c.Name != "interval of p99.9" {
			t.Errorf("n=%d tau=%v: %+v, want %s", tt.n, tt.tau, c, tt.want)
		}
	}
}

func BenchmarkOrderCIOfADay(b *testing.B) {
	for b.Loop() {
		OrderCI(1_728_000_000, 0.5, 0.95)
	}
}
