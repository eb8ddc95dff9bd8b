package arrival

import (
	"math"
	randv1 "math/rand"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/quick"
	"time"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// dues runs a schedule to its end with counts taken from sizes in turn.
func dues(p Profile, rng *rand.Rand, mean float64, sizes ...float64) []time.Duration {
	s := New(p, rng)
	var out []time.Duration
	for i := 0; ; i++ {
		due, ok := s.Next(sizes[i%len(sizes)], mean)
		if !ok {
			return out
		}
		out = append(out, due)
	}
}

func TestConstantDueTimesByHand(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		name  string
		p     Profile
		sizes []float64
		want  []time.Duration
	}{
		{"calls at 100/s are 10 ms apart and the first is due at once",
			Profile{Constant, 100, 100, 50 * ms}, []float64{1},
			[]time.Duration{0, 10 * ms, 20 * ms, 30 * ms, 40 * ms}},
		{"the zero kind is constant",
			Profile{"", 100, 100, 20 * ms}, []float64{1}, []time.Duration{0, 10 * ms}},
		{"a batch is due when the entries before it have passed",
			Profile{Constant, 100, 100, 2420 * ms}, []float64{1, 20, 100},
			[]time.Duration{0, 10 * ms, 210 * ms, 1210 * ms, 1220 * ms, 1420 * ms}},
		{"a third of a nanosecond is rounded to the nearest",
			Profile{Constant, 3, 3, time.Second}, []float64{1},
			[]time.Duration{0, 333333333, 666666667}},
		{"less than one a second",
			Profile{Constant, 0.1, 0.1, 30 * time.Second}, []float64{1},
			[]time.Duration{0, 10 * time.Second, 20 * time.Second}},
		{"one call larger than the whole phase",
			Profile{Constant, 10, 10, time.Second}, []float64{100}, []time.Duration{0}},
		{"a ramp from zero: L(t) = 50t², so the n-th is due at sqrt(n/50)",
			Profile{Constant, 0, 100, time.Second}, []float64{8},
			[]time.Duration{0, 400 * ms, 565685425, 692820323, 800 * ms, 894427191, 979795897}},
		{"a ramp to zero: L(t) = 100t - 50t², so the n-th is due at 1 - sqrt(1 - n/50)",
			Profile{Constant, 100, 0, time.Second}, []float64{18},
			[]time.Duration{0, 200 * ms, 470849738}},
		{"a ramp up between two rates: L(t) = 10t + 15t²",
			Profile{Constant, 10, 40, time.Second}, []float64{5},
			[]time.Duration{0, 333333333, 548583770, 720759220, 868517092}},
		{"nothing is owed at rate zero", Profile{Constant, 0, 0, time.Second}, []float64{1}, nil},
		{"nothing is owed in no time", Profile{Constant, 10, 10, 0}, []float64{1}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := dues(tt.p, nil, 1, tt.sizes...); !slices.Equal(got, tt.want) {
				t.Errorf("due\n%v, want\n%v", got, tt.want)
			}
		})
	}
}

func TestExpected(t *testing.T) {
	tests := []struct {
		name string
		p    Profile
		by   time.Duration
		want float64
	}{
		{"constant", Profile{Constant, 600, 600, 30 * time.Second}, 30 * time.Second, 18000},
		{"ramp", Profile{Constant, 600, 2400, 30 * time.Second}, 30 * time.Second, 45000},
		{"half of a ramp", Profile{Constant, 600, 2400, 30 * time.Second}, 15 * time.Second, 15750},
		{"past the end", Profile{Constant, 600, 2400, 30 * time.Second}, time.Hour, 45000},
		{"before the start", Profile{Constant, 600, 2400, 30 * time.Second}, -time.Second, 0},
		{"no length", Profile{Constant, 600, 2400, 0}, time.Second, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.p.ExpectedBy(tt.by); got != tt.want {
				t.Errorf("expected %v by %v, want %v", got, tt.by, tt.want)
			}
		})
	}
}

func TestConstantRampsOweEveryCall(t *testing.T) {
	for _, p := range []Profile{
		{Constant, 0, 1000, 10 * time.Second},
		{Constant, 1000, 0, 10 * time.Second},
		{Constant, 600, 2400, 30 * time.Second},
		{Constant, 2400, 600, 30 * time.Second},
		{Constant, 0.3, 0, 200 * time.Second},
		{Constant, 0.7, 0.1, 100 * time.Second},
		{Constant, 333, 333, 7 * time.Second},
	} {
		want := int(math.Ceil(p.Expected() - 1e-9))
		if got := len(dues(p, nil, 1, 1)); got != want {
			t.Errorf("%+v: %d calls, want %d", p, got, want)
		}
	}
}

func TestRandomKindsOweTheExpectedCount(t *testing.T) {
	for _, kind := range []string{Uniform, Poisson} {
		for _, p := range []Profile{
			{kind, 2000, 2000, 20 * time.Second},
			{kind, 0, 4000, 20 * time.Second},
			{kind, 4000, 0, 20 * time.Second},
		} {
			for _, mean := range []float64{1, 20} {
				calls := p.Expected() / mean
				got := float64(len(dues(p, seeded(7), mean, mean)))
				if off := math.Abs(got-calls) / math.Sqrt(calls); off > 3 {
					t.Errorf("%+v, mean %v: %v calls, want %v within 3 deviations (off by %.1f)", p, mean, got, calls, off)
				}
			}
		}
	}
}

func TestPoissonGapsAreExponential(t *testing.T) {
	const n, rate, mean = 20000, 10000.0, 20.0
	s := New(Profile{Poisson, rate, rate, time.Hour}, seeded(42))
	gaps := make([]float64, n)
	var last, longest time.Duration
	counts := map[int64]float64{}
	window := 20 * time.Millisecond // 10 calls on average
	for i := range gaps {
		due, _ := s.Next(mean, mean)
		gaps[i] = (due - last).Seconds() * rate / mean
		longest = max(longest, due-last)
		counts[int64(due/window)]++
		last = due
	}
	slices.Sort(gaps)
	distance := 0.0
	for i, g := range gaps {
		cdf := 1 - math.Exp(-g)
		distance = max(distance, math.Abs(cdf-float64(i)/n), math.Abs(cdf-float64(i+1)/n))
	}
	if distance > 0.02 {
		t.Errorf("KS distance to the exponential is %.4f, want at most 0.02", distance)
	}
	if top := longest.Seconds() * rate / mean; top < math.Log(n)-2 {
		t.Errorf("the longest gap is %.1f means: the tail is cut short", top)
	}
	if gaps[0] < 0 {
		t.Errorf("a gap is negative")
	}

	windows := int64(last / window)
	sum, squares := 0.0, 0.0
	for w := range windows {
		sum += counts[w]
		squares += counts[w] * counts[w]
	}
	m := sum / float64(windows)
	if index := (squares/float64(windows) - m*m) / m; index < 0.9 || index > 1.1 {
		t.Errorf("index of dispersion is %.3f, want it in [0.9, 1.1]", index)
	}
}

func TestUniformGaps(t *testing.T) {
	const n, rate = 20000, 1000.0
	s := New(Profile{Uniform, rate, rate, time.Hour}, seeded(42))
	gaps := make([]float64, n)
	var last time.Duration
	for i := range gaps {
		due, _ := s.Next(1, 1)
		gaps[i] = (due - last).Seconds() * rate
		last = due
	}
	slices.Sort(gaps)
	if gaps[0] < 0 || gaps[n-1] > 2+1e-6 {
		t.Errorf("gaps lie in [%v, %v] means, want (0, 2]", gaps[0], gaps[n-1])
	}
	distance := 0.0
	for i, g := range gaps {
		distance = max(distance, math.Abs(g/2-float64(i)/n), math.Abs(g/2-float64(i+1)/n))
	}
	if distance > 0.02 {
		t.Errorf("KS distance to the uniform is %.4f, want at most 0.02", distance)
	}
}

func TestNoDriftOverADay(t *testing.T) {
	const rate = 20000
	p := Profile{Constant, rate, rate, 25 * time.Hour}

	t.Run("every second of it", func(t *testing.T) {
		s := New(p, nil)
		for sec := range 24 * 3600 {
			due, _ := s.Next(rate, rate)
			if want := time.Duration(sec) * time.Second; due != want {
				t.Fatalf("due %v, want %v", due, want)
			}
		}
	})
	t.Run("counts that no float holds, at its end", func(t *testing.T) {
		const count, calls = 0.1, 2_000_000
		s := New(p, nil)
		s.Next(rate*24*3600, 1)
		var due time.Duration
		for range calls + 1 {
			due, _ = s.Next(count, count)
		}
		want := 24*time.Hour + time.Duration(calls*count/rate*1e9)
		if off := (due - want).Abs(); off > 1 {
			t.Errorf("due %v, want %v to the nanosecond", due, want)
		}
	})
}

func TestSameSeedSameSchedule(t *testing.T) {
	p := Profile{Poisson, 500, 900, 2 * time.Second}
	a, b := dues(p, seeded(9), 20, 20), dues(p, seeded(9), 20, 20)
	if len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("two schedules of one seed differ")
	}
	if slices.Equal(a, dues(p, seeded(10), 20, 20)) {
		t.Errorf("two seeds give one schedule")
	}
}

func TestUnknownKindPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(Profile{Kind: "bursty", Rate: 1, To: 1, For: time.Second}, nil)
}

// drawn is a profile and call counts as testing/quick draws them.
type drawn struct {
	P      Profile
	Counts []float64
}

func (drawn) Generate(r1 *randv1.Rand, size int) reflect.Value {
	rate := func() float64 {
		if r1.Intn(5) == 0 {
			return 0
		}
		return math.Exp(r1.Float64()*16 - 4) // 0.02 to 160,000 a second
	}
	d := drawn{P: Profile{Rate: rate(), For: time.Duration(1 + r1.Int63n(int64(time.Hour)))}}
	d.P.Kind = []string{Constant, Uniform, Poisson}[r1.Intn(3)]
	d.P.To = d.P.Rate
	if r1.Intn(3) > 0 {
		d.P.To = rate()
	}
	for range 1 + r1.Intn(200) {
		d.Counts = append(d.Counts, float64(1+r1.Intn(1000)))
	}
	return reflect.ValueOf(d)
}

func TestProperties(t *testing.T) {
	ordered := func(d drawn, seed uint64) bool {
		s := New(d.P, seeded(seed))
		last := time.Duration(0)
		for i, c := range d.Counts {
			due, ok := s.Next(c, 500)
			if !ok {
				again, stillOK := s.Next(c, 500)
				return due == d.P.For && again == due && !stillOK
			}
			if due < last || due >= d.P.For || (i == 0 && d.P.Kind == Constant && due != 0) {
				return false
			}
			last = due
		}
		return true
	}
	inverse := func(d drawn, share float64) bool {
		t := time.Duration(math.Mod(math.Abs(share), 1) * float64(d.P.For))
		x := d.P.ExpectedBy(t)
		if x == 0 {
			return d.P.when(x) == 0
		}
		back := d.P.ExpectedBy(time.Duration(d.P.when(x)))
		return math.Abs(back-x) <= 1e-9*d.P.Expected()+1e-9*(d.P.Rate+d.P.To)
	}
	constantByCounts := func(d drawn) bool {
		d.P.Kind = Constant
		s, before := New(d.P, nil), 0.0
		for _, c := range d.Counts {
			due, ok := s.Next(c, 500)
			if !ok {
				return before >= d.P.Expected()*(1-1e-9)-1e-9*d.P.To
			}
			if math.Abs(d.P.ExpectedBy(due)-before) > 1e-9*before+2e-9*(d.P.Rate+d.P.To) {
				return false
			}
			before += c
		}
		return true
	}
	for name, property := range map[string]any{
		"due times are ordered, within the phase, and end once": ordered,
		"when is the inverse of ExpectedBy":                     inverse,
		"a constant call is due when those before have passed":  constantByCounts,
	} {
		t.Run(name, func(t *testing.T) {
			if err := quick.Check(property, &quick.Config{MaxCount: 2000, Rand: randv1.New(randv1.NewSource(3))}); err != nil {
				t.Error(err)
			}
		})
	}
}

func BenchmarkNext(b *testing.B) {
	for _, kind := range []string{Constant, Uniform, Poisson} {
		b.Run(kind, func(b *testing.B) {
			s := New(Profile{kind, 600, 2400, 1000 * time.Hour}, seeded(1))
			b.ReportAllocs()
			for b.Loop() {
				s.Next(1, 1)
			}
		})
	}
}
