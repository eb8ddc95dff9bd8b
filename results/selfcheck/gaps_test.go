package selfcheck

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

const second = float64(time.Second)

// feed sends n calls whose due positions on the plan's axis are at, each delay late.
func feed(g *Gaps, n int, at func(i int) time.Duration, delay func(i int) time.Duration) {
	for i := range n {
		due := at(i)
		g.Add(due, due+delay(i))
	}
}

func onTime(int) time.Duration { return 0 }

func steady(rate float64) func(time.Duration) float64 {
	return func(at time.Duration) float64 { return rate * at.Seconds() }
}

func verdicts(checks []Check) string {
	var s []string
	for _, c := range checks {
		s = append(s, c.Name+": "+string(c.Verdict))
	}
	return strings.Join(s, ", ")
}

// poissonAt gives instants of a Poisson process of a rate, by its cumulated gaps.
func poissonAt(seed uint64, rate float64) func(int) time.Duration {
	rng, at := seeded(seed), 0.0
	return func(int) time.Duration {
		at += rng.ExpFloat64() / rate
		return time.Duration(at * second)
	}
}

func TestArrivalsAsAskedPass(t *testing.T) {
	const rate, n = 2000.0, 60_000
	even := seeded(8)
	position := 0.0
	for _, tt := range []struct {
		name string
		g    *Gaps
		at   func(int) time.Duration
	}{
		{"poisson", NewGaps(Poisson, steady(rate)), poissonAt(1, rate)},
		{"uniform", NewGaps(Uniform, steady(rate)), func(int) time.Duration {
			position += 2 * even.Float64() / rate
			return time.Duration(position * second)
		}},
		{"constant", NewGaps(Constant, nil), func(i int) time.Duration { return time.Duration(i) * 500 * time.Microsecond }},
	} {
		feed(tt.g, n, tt.at, onTime)
		checks := tt.g.Fidelity().Checks()
		if Worst(checks) != OK {
			t.Errorf("%s: %s\n%+v", tt.name, verdicts(checks), tt.g.Fidelity())
		}
	}
}

func TestArrivalsOfAnotherProcess(t *testing.T) {
	const rate, n = 2000.0, 60_000
	paced := func(i int) time.Duration { return time.Duration(i) * 500 * time.Microsecond }
	bunched := func(i int) time.Duration { return time.Duration(i/600) * 300 * time.Millisecond }
	for _, tt := range []struct {
		name string
		g    *Gaps
		at   func(int) time.Duration
		want string
	}{
		{"paced for poisson", NewGaps(Poisson, steady(rate)), paced, "arrival gaps: void, arrival dispersion: warn"},
		{"poisson at 9/10 of the rate", NewGaps(Poisson, steady(rate)), poissonAt(2, 0.9*rate), "arrival gaps: warn, arrival dispersion: warn"},
		{"paced for uniform", NewGaps(Uniform, steady(rate)), paced, "arrival gaps: void"},
		{"poisson for uniform", NewGaps(Uniform, steady(rate)), poissonAt(3, rate), "arrival gaps: void"},
		{"in bunches of one instant for poisson", NewGaps(Poisson, steady(rate)), bunched, "arrival gaps: void, arrival dispersion: warn"},
	} {
		feed(tt.g, n, tt.at, onTime)
		if got := verdicts(tt.g.Fidelity().Checks()); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestARampIsJudgedOnItsOwnScale(t *testing.T) {
	// From 0 to 4000/s over 30 s: L(t) = (4000/60) t^2, whose inverse turns a unit
	// Poisson process into the ramp's.
	expected := func(at time.Duration) float64 { return 4000.0 / 60 * at.Seconds() * at.Seconds() }
	rng, x := seeded(4), 0.0
	at := func(int) time.Duration {
		x += rng.ExpFloat64()
		return time.Duration(math.Sqrt(x*60/4000) * second)
	}
	g := NewGaps(Poisson, expected)
	feed(g, 59_000, at, onTime)
	if f := g.Fidelity(); Worst(f.Checks()) != OK || f.Windows < 290 {
		t.Errorf("%s\n%+v", verdicts(f.Checks()), f)
	}
}

func TestPacedSendsThatBunch(t *testing.T) {
	due := func(i int) time.Duration { return time.Duration(i) * time.Millisecond }
	for _, tt := range []struct {
		name  string
		delay func(i int) time.Duration
		want  string
	}{
		{"always 20 us late", func(int) time.Duration { return 20 * time.Microsecond }, "arrival dispersion: ok"},
		{"always 700 ms late: lateness is another check's", func(int) time.Duration { return 700 * time.Millisecond }, "arrival dispersion: ok"},
		{"always 1 h late, as little", func(int) time.Duration { return time.Hour }, "arrival dispersion: ok"},
		{"one pause of 60 ms", func(i int) time.Duration {
			return max(0, due(5000)+60*time.Millisecond-max(due(i), due(5000))) * time.Duration(min(1, i/5000))
		}, "arrival dispersion: ok"},
		{"held back to every half second", func(i int) time.Duration { return due(500-i%500) - time.Millisecond }, "arrival dispersion: warn"},
	} {
		g := NewGaps(Constant, nil)
		feed(g, 20_000, due, tt.delay)
		f := g.Fidelity()
		if got := verdicts(f.Checks()); got != tt.want {
			t.Errorf("%s: %s\nwant %s\n%+v", tt.name, got, tt.want, f)
		}
	}
}

func TestPacedBatchesOfVaryingSizeAreHeldToTheirDueTimes(t *testing.T) {
	rng, at := seeded(9), time.Duration(0)
	g := NewGaps(Constant, nil)
	feed(g, 5000, func(int) time.Duration {
		at += time.Duration(1+rng.IntN(100)) * 100 * time.Microsecond
		return at
	}, func(int) time.Duration { return time.Duration(rng.IntN(100)) * time.Microsecond })
	if f := g.Fidelity(); Worst(f.Checks()) != OK {
		t.Errorf("%s\n%+v", verdicts(f.Checks()), f)
	}
}

func TestDueCountsByHand(t *testing.T) {
	const w = countWindow
	var c dueCounts
	c.add(0, 0)         // in place
	c.add(w/2, w)       // from window 0 to 1
	c.add(w, 3*w)       // from 1 to 3
	c.add(5*w, 5*w+w/2) // in place
	// Windows 1 to 5 are compared; window 0 holds the first send.
	if squares, windows := c.totals(); squares != 1 || windows != 5 || c.sends != 4 {
		t.Errorf("squares %v over %d windows of %d sends, want 1 over 5 of 4", squares, windows, c.sends)
	}
	c.add(990*w, 1000*w)
	c.add(1000*w, 1000*w)
	if squares, windows := c.totals(); squares != 3 || windows != 1000 {
		t.Errorf("squares %v over %d windows, want 3 over 1000", squares, windows)
	}
	c.add(0, 1002*w) // later than windows stay open: due in the oldest
	c.add(1002*w, 1002*w)
	if squares, windows := c.totals(); squares != 5 || windows != 1002 {
		t.Errorf("squares %v over %d windows, want 5 over 1002", squares, windows)
	}
	c.add(5*w, math.MaxInt64/4) // ages later: begins anew, forgets nothing
	if squares, windows := c.totals(); squares != 5 || windows != 1002 {
		t.Errorf("squares %v over %d windows, want 5 over 1002", squares, windows)
	}
}

func TestPlanCountsByHand(t *testing.T) {
	var c planCounts
	ten := steady(100) // 10 a window
	for _, at := range []time.Duration{50, 120, 130, 199, 200, 450, 470, 510} {
		c.add(at*time.Millisecond, ten)
	}
	// Windows 1 to 4 hold 3, 1, 0 and 2 sends; 0 and 5 weren't seen whole.
	want := 49.0 + 81 + 100 + 64
	if c.windows != 4 || math.Abs(c.squares-want) > 1e-9 || math.Abs(c.expected-40) > 1e-9 {
		t.Errorf("squares %v, expected %v in %d windows, want %v, 40 in 4", c.squares, c.expected, c.windows, want)
	}
}

func TestTooLittleIsSaidToBe(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    Process
		n    int
	}{
		{"nothing", Poisson, 0}, {"one send", Poisson, 1}, {"few", Poisson, 900},
		{"nothing", Uniform, 0}, {"few", Uniform, 900}, {"nothing", Constant, 0}, {"few", Constant, 10},
		{"unknown process", "bursty", 5000}, {"no process", "", 5000},
	} {
		g := NewGaps(tt.p, steady(1000))
		feed(g, tt.n, poissonAt(6, 1000), onTime)
		for _, c := range g.Fidelity().Checks() {
			if c.Verdict != NotEnough || c.Sentence == "" {
				t.Errorf("%s, %s: %+v", tt.p, tt.name, c)
			}
		}
	}
	if g := NewGaps(Poisson, nil); true {
		feed(g, 5000, poissonAt(6, 1000), onTime)
		if v := Worst(g.Fidelity().Checks()); v != NotEnough {
			t.Errorf("no plan to compare with: %s", v)
		}
	}
}

func TestAShortHonestRunIsNotDoubted(t *testing.T) {
	doubted := map[string]int{}
	const runs = 400
	for seed := range uint64(runs) {
		g := NewGaps(Poisson, steady(300))
		feed(g, 3000, poissonAt(100+seed, 300), onTime)
		for _, c := range g.Fidelity().Checks() {
			if c.Verdict == Void || c.Verdict == Warn {
				doubted[c.Name]++
			}
		}
	}
	if doubted["arrival gaps"] > 0 || doubted["arrival dispersion"] > runs/50 {
		t.Errorf("of %d honest runs of 10 s doubted were %v", runs, doubted)
	}
}

// Sends at 2,000/s that a clock of 25 us rounds up, as a busy virtual CPU does.
func TestGrainIsAWarningOnly(t *testing.T) {
	g := NewGaps(Poisson, steady(2000))
	at := poissonAt(7, 2000)
	for i := range 400_000 {
		due := at(i)
		g.Add(due, due.Truncate(25*time.Microsecond)+25*time.Microsecond)
	}
	if got, want := verdicts(g.Fidelity().Checks()), "arrival gaps: warn, arrival dispersion: ok"; got != want {
		t.Errorf("%s, want %s\n%+v", got, want, g.Fidelity())
	}
}

func TestSendsThatTheNodeHeldUpAreNotJudged(t *testing.T) {
	for _, p := range []Process{Poisson, Uniform, Constant} {
		for _, tt := range []struct {
			every int // one send in so many is held up by 3 ms
			want  bool
		}{{400, true}, {50, false}} {
			rng, at := seeded(23), 0.0
			g := NewGaps(p, steady(1000))
			for i := range 20_000 {
				switch p {
				case Poisson:
					at += rng.ExpFloat64() / 1000
				case Uniform:
					at += 2 * rng.Float64() / 1000
				default:
					at += 1.0 / 1000
				}
				due := time.Duration(at * second)
				if i%tt.every == 0 {
					g.Skip()
				} else {
					g.Add(due, due)
				}
			}
			f := g.Fidelity()
			if got := Worst(f.Checks()) == OK; got != tt.want || f.Waited != int64(20_000/tt.every) {
				t.Errorf("%s, one in %d: %s\n%+v", p, tt.every, verdicts(f.Checks()), f)
			}
		}
	}
}

func TestDisorderLeavesTheVerdictOpen(t *testing.T) {
	for _, p := range []Process{Poisson, Uniform, Constant} {
		g := NewGaps(p, steady(1000))
		at := poissonAt(11, 1000)
		for i := range 5000 {
			due := at(i)
			g.Add(due, due)
			if i%100 == 99 {
				g.Add(due, due-time.Millisecond)
			}
		}
		f := g.Fidelity()
		if f.Ignored != 50 || Worst(f.Checks()) != NotEnough {
			t.Errorf("%s: %d ignored, %s", p, f.Ignored, verdicts(f.Checks()))
		}
	}
}

func TestSendsBeyondThePlanAreIgnored(t *testing.T) {
	flat := func(at time.Duration) float64 { return min(at.Seconds(), 10) * 1000 }
	g := NewGaps(Poisson, flat)
	feed(g, 12_000, poissonAt(12, 1000), onTime)
	f := g.Fidelity()
	if f.Ignored < 1000 || Worst(f.Checks()) != NotEnough {
		t.Errorf("%d ignored, %s", f.Ignored, verdicts(f.Checks()))
	}
}

// distanceOf is the exact KS distance of values from the uniform on [0,1].
func distanceOf(u []float64) float64 {
	u = slices.Sorted(slices.Values(u))
	d, n := 0.0, float64(len(u))
	for i, v := range u {
		d = max(d, float64(i+1)/n-v, v-float64(i)/n)
	}
	return d
}

func TestBinningErrorIsBounded(t *testing.T) {
	rng := seeded(13)
	for _, shape := range []func() float64{
		rng.Float64,
		func() float64 { return rng.Float64() * rng.Float64() },
		func() float64 { return math.Floor(rng.Float64()*50) / 50 },
		func() float64 { return 0.3 },
		func() float64 { return 0 },
		func() float64 { return 1 },
	} {
		for _, n := range []int{1, 10, 1000, 50_000} {
			var e ecdf
			u := make([]float64, n)
			for i := range u {
				u[i] = shape()
				e.add(u[i])
			}
			exact, got := distanceOf(u), e.distance()
			if got < exact-1e-12 || got > exact+binningError+1e-12 {
				t.Errorf("n=%d: %v, want within 1/4096 above %v", n, got, exact)
			}
		}
	}
	if binningError > 0.001 {
		t.Errorf("binning error %v", binningError)
	}
}

// A2 is n times the integral of (F_n - F)^2 / (F (1-F)) dF: summed here over the
// steps of F_n from the antiderivative of (c-u)^2/(u(1-u)).
func andersonByIntegral(values []float64) float64 {
	n := float64(len(values))
	m := mean(values)
	u := make([]float64, len(values))
	for i, v := range values {
		u[i] = 1 - math.Exp(-v/m)
	}
	slices.Sort(u)
	anti := func(c, u float64) float64 {
		a := -u
		if c > 0 {
			a += c * c * math.Log(u)
		}
		if c < 1 {
			a -= (1 - c) * (1 - c) * math.Log1p(-u)
		}
		return a
	}
	sum := anti(0, u[0])
	for i := range u {
		c, right := float64(i+1)/n, 1.0
		if i+1 < len(u) {
			right = u[i+1]
		}
		sum += anti(c, right) - anti(c, u[i])
	}
	return n * sum * (1 + 0.6/n)
}

func TestAndersonDarlingIsItsIntegral(t *testing.T) {
	rng := seeded(14)
	for _, n := range []int{8, 20, 500} {
		x := make([]float64, n)
		for i := range x {
			x[i] = 0.01 + rng.ExpFloat64()*rng.Float64()
		}
		got, ok := AndersonDarling(x)
		if want := andersonByIntegral(x); !ok || math.Abs(got-want) > 1e-8*(1+want) {
			t.Errorf("n=%d: A2* = %v, want %v", n, got, want)
		}
	}
}

// Under exponential gaps A2* is above Stephens's critical values 5% and 1% of the time.
func TestAndersonDarlingCriticalValues(t *testing.T) {
	rng := seeded(15)
	const runs = 4000
	over5, over1 := 0.0, 0.0
	for range runs {
		x := make([]float64, 100)
		for i := range x {
			x[i] = rng.ExpFloat64()
		}
		a2, _ := AndersonDarling(x)
		if a2 > 1.341 {
			over5++
		}
		if a2 > anderson1 {
			over1++
		}
	}
	if over5 < .038*runs || over5 > .062*runs || over1 < .005*runs || over1 > .016*runs {
		t.Errorf("above 1.341 %.3f and above 1.957 %.3f of the time, want 0.05 and 0.01", over5/runs, over1/runs)
	}
}

func TestAndersonDarlingRefuses(t *testing.T) {
	ones := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	for name, x := range map[string][]float64{
		"nothing":     nil,
		"seven":       ones[:7],
		"zeros":       make([]float64, 10),
		"no number":   append(slices.Clone(ones), math.NaN()),
		"infinite":    append(slices.Clone(ones), math.Inf(1)),
		"negative":    append(slices.Clone(ones), -1),
		"an overflow": {1e308, 1e308, 1e308, 1e308, 1e308, 1e308, 1e308, math.MaxFloat64, 1e308},
	} {
		if a2, ok := AndersonDarling(x); ok && (name != "an overflow" || !finite(a2)) {
			t.Errorf("%s: %v", name, a2)
		}
	}
	if a2, ok := AndersonDarling(append(slices.Clone(ones), 0)); !ok || !finite(a2) {
		t.Errorf("a gap of 0 gives %v %v, want a number", a2, ok)
	}
}

func TestThinnedSpansTheRunEvenly(t *testing.T) {
	for _, n := range []int64{1, 4096, 4097, 100_000, 1 << 20} {
		var s thinned
		for i := range n {
			s.add(float64(i))
		}
		if s.kept > sampleSize || (n > sampleSize && s.kept < sampleSize/2) {
			t.Errorf("%d values: %d kept", n, s.kept)
		}
		for i, v := range s.values[:s.kept] {
			if v != float64(int64(i)*s.every) {
				t.Fatalf("%d values, every %d-th: the %d-th kept is %v", n, s.every, i, v)
			}
		}
		if reach := int64(s.kept) * s.every; reach < n {
			t.Errorf("%d values: kept ones reach only to %d", n, reach)
		}
	}
}

func TestGapsDoNotGrow(t *testing.T) {
	g := NewGaps(Poisson, steady(20_000))
	at, i := poissonAt(16, 20_000), 0
	if allocs := testing.AllocsPerRun(100_000, func() {
		due := at(i)
		g.Add(due, due)
		i++
	}); allocs != 0 {
		t.Errorf("a send allocates %v times", allocs)
	}
}

func BenchmarkGapsAdd(b *testing.B) {
	for _, p := range []Process{Poisson, Constant} {
		b.Run(string(p), func(b *testing.B) {
			g := NewGaps(p, steady(20_000))
			b.ReportAllocs()
			at := time.Duration(0)
			for b.Loop() {
				at += 50 * time.Microsecond
				g.Add(at, at)
			}
		})
	}
}

func FuzzGaps(f *testing.F) {
	f.Add(int64(0), int64(0), int64(5), int64(7), 1.0, byte(0))
	f.Add(int64(-1), int64(math.MaxInt64), int64(1<<62), int64(1<<61), math.NaN(), byte(1))
	f.Add(int64(0), int64(1e9), int64(1e9), int64(1e18), math.Inf(1), byte(2))
	f.Fuzz(func(t *testing.T, a, b, c, d int64, rate float64, kind byte) {
		p := []Process{Constant, Uniform, Poisson}[kind%3]
		g := NewGaps(p, func(at time.Duration) float64 { return rate * at.Seconds() })
		g.Add(time.Duration(a), time.Duration(b))
		g.Add(time.Duration(c), time.Duration(d))
		g.Add(time.Duration(b), time.Duration(c))
		for _, check := range g.Fidelity().Checks() {
			if check.Verdict != NotEnough || !finite(check.Value) || !finite(check.Limit) {
				t.Errorf("three sends: %+v", check)
			}
		}
	})
}

// A distance voids by what is more than chance alone of it.
func TestDistanceVoidsBeyondChance(t *testing.T) {
	for distance, want := range map[float64]Verdict{0.015: OK, 0.06: NotEnough, 0.08: Warn, 0.14: Warn, 0.16: Void} {
		f := Fidelity{Process: Poisson, Gaps: 1000, Distance: distance, DistanceChance: 0.0515}
		if c := f.Checks()[0]; c.Verdict != want {
			t.Errorf("%v over 1,000 gaps: %+v, want %s", distance, c, want)
		}
	}
}

// While sends wait for others no window is counted, however long that lasts.
func TestSkippedSendsLeaveNoEmptyWindows(t *testing.T) {
	g := NewGaps(Poisson, func(at time.Duration) float64 { return 1000 * at.Seconds() })
	rng := seeded(77)
	at := 0.0
	for i := range 20_000 {
		at += rng.ExpFloat64() / 1000
		if i == 10_000 {
			g.Skip()
			at += 5 // 50 windows in which nothing was sent
		}
		sent := time.Duration(at * 1e9)
		g.Add(sent, sent)
	}
	if f := g.Fidelity(); math.Abs(f.Dispersion-1) > 0.3 || f.Windows > 205 {
		t.Errorf("%+v, want an index of dispersion of 1 over about 200 windows", f)
	}
}
