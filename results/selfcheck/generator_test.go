package selfcheck

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

func TestLateness(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	for _, tt := range []struct {
		name  string
		late  Late
		want  Verdict
		limit float64
	}{
		{"on time", Late{N: 10_000, P99: 20 * us}, OK, 1000},
		{"at the limit", Late{N: 10_000, P99: ms}, OK, 1000},
		{"over the limit, which may be a pause or two", Late{N: 10_000, P99: ms + 1}, Warn, 1000},
		{"and is not", Late{N: 10_000, P99: 3 * ms, AtLeast: 2 * ms}, Void, 1000},
		{"and may be", Late{N: 10_000, P99: 3 * ms, AtLeast: 900 * us}, Warn, 1000},
		{"half of all", Late{N: 100, P50: 2 * ms, P99: 3 * ms}, Void, 1000},
		{"5% of the objective", Late{N: 10_000, P99: 12 * ms, SLO: 250 * ms}, OK, 12_500},
		{"over 5% of the objective", Late{N: 10_000, P99: 13 * ms, AtLeast: 13 * ms, SLO: 250 * ms}, Void, 12_500},
		{"never sharper than 1 ms", Late{N: 10_000, P99: 900 * us, SLO: 2 * ms}, OK, 1000},
		{"little of a slow answer", Late{N: 10_000, P50: 9 * ms, P99: 10 * ms, AtLeast: 10 * ms, Response: time.Second}, OK, 50_000},
		{"most of a fast one", Late{N: 10_000, P99: 150 * us, Response: 250 * us}, Warn, 1000},
		{"most of one so fast that it is a timer's grain", Late{N: 10_000, P99: 90 * us, Response: 110 * us}, OK, 1000},
		{"the node held calls up", Late{N: 10_000, Waited: 100, P50: 2 * ms, P99: 3 * ms, AtLeast: 3 * ms}, NotEnough, 1000},
		{"too few of them to explain it", Late{N: 10_000, Waited: 99, P50: 2 * ms, P99: 3 * ms}, Void, 1000},
		{"few sends", Late{N: 99, P50: 5 * ms, P99: 5 * ms}, NotEnough, 1000},
		{"no sends", Late{}, NotEnough, 1000},
		{"a negative count", Late{N: -5}, NotEnough, 1000},
		{"sent before it was due", Late{N: 10_000, P99: -1}, NotEnough, 1000},
		{"a negative objective", Late{N: 10_000, SLO: -250 * ms}, OK, 1000},
	} {
		if c := tt.late.Check(); c.Verdict != tt.want || c.Limit != tt.limit || c.Unit != "us" {
			t.Errorf("%s: %+v, want %s at %v us", tt.name, c, tt.want, tt.limit)
		}
	}
}

func TestSent(t *testing.T) {
	for _, tt := range []struct {
		sent, planned int64
		ours          bool
		want          Verdict
	}{
		{1000, 1000, false, OK}, {990, 1000, true, OK}, {989, 1000, true, Void}, {989, 1000, false, Warn}, {0, 1000, true, Void},
		{0, 0, true, NotEnough}, {1001, 1000, true, NotEnough}, {-1, 10, true, NotEnough}, {5, -1, true, NotEnough},
	} {
		if c := Sent(tt.sent, tt.planned, tt.ours); c.Verdict != tt.want {
			t.Errorf("%d of %d: %+v, want %s", tt.sent, tt.planned, c, tt.want)
		}
	}
}

func TestSaturation(t *testing.T) {
	fine := Vitals{CPUs: 2, CPUFraction: 0.3, SchedP99: 40 * time.Microsecond, Scheduled: 1e6, GCPauseP99: 90 * time.Microsecond, GCPauses: 12, Calls: 1000, Opened: 10}
	for _, tt := range []struct {
		name   string
		change func(*Vitals)
		want   string
	}{
		{"room left", func(*Vitals) {}, "generator cpu: ok, scheduler latency: ok, gc pause: ok, sockets: ok"},
		{"70% of CPU", func(v *Vitals) { v.CPUFraction = 0.7 }, "generator cpu: warn, scheduler latency: ok, gc pause: ok, sockets: ok"},
		{"90% of CPU", func(v *Vitals) { v.CPUFraction = 0.9 }, "generator cpu: void, scheduler latency: ok, gc pause: ok, sockets: ok"},
		{"long waits and pauses", func(v *Vitals) { v.SchedP99, v.GCPauseP99, v.GCPauses = time.Second, time.Second, 100 }, "generator cpu: ok, scheduler latency: warn, gc pause: warn, sockets: ok"},
		{"few pauses, a long one among them", func(v *Vitals) { v.GCPauseP99 = time.Second }, "generator cpu: ok, scheduler latency: ok, gc pause: not enough data, sockets: ok"},
		{"no collection", func(v *Vitals) { v.GCPauses, v.GCPauseP99 = 0, 0 }, "generator cpu: ok, scheduler latency: ok, gc pause: ok, sockets: ok"},
		{"nothing known", func(v *Vitals) { *v = Vitals{GCPauses: -1} }, "generator cpu: not enough data, scheduler latency: not enough data, gc pause: not enough data, sockets: not enough data"},
		{"a call without a socket", func(v *Vitals) { v.Exhausted = 1 }, "generator cpu: ok, scheduler latency: ok, gc pause: ok, sockets: void"},
		{"a connection for every call", func(v *Vitals) { v.Opened = 1000 }, "generator cpu: ok, scheduler latency: ok, gc pause: ok, sockets: ok"},
		{"no numbers", func(v *Vitals) { v.CPUFraction, v.SchedP99, v.GCPauseP99 = math.NaN(), -1, -1 }, "generator cpu: not enough data, scheduler latency: not enough data, gc pause: not enough data, sockets: ok"},
		{"infinite", func(v *Vitals) { v.CPUFraction = math.Inf(1) }, "generator cpu: not enough data, scheduler latency: ok, gc pause: ok, sockets: ok"},
	} {
		v := fine
		tt.change(&v)
		if got := verdicts(Saturation(v, 0)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestCeiling(t *testing.T) {
	for _, tt := range []struct {
		asked, reached float64
		want           Verdict
	}{
		{1000, 5000, OK}, {1000, 2000, OK}, {1000, 1999, Warn}, {0, 5000, NotEnough}, {1000, 0, NotEnough}, {math.NaN(), 1, NotEnough}, {1e-300, 1e300, NotEnough},
	} {
		if c := Ceiling(tt.asked, tt.reached); c.Verdict != tt.want {
			t.Errorf("%v of %v: %+v, want %s", tt.asked, tt.reached, c, tt.want)
		}
	}
}

// The closed forms of M/M/c and M/D/1 as the two sides of the law.
func TestLittle(t *testing.T) {
	for _, tt := range []struct {
		name           string
		x, r, l, slack float64
		want           Verdict
	}{
		{"M/M/4 at 3.2: L 5.585729887150, W 0.745540589734 + 1", 3.2, 1.745540589734, 5.585729887150, 0, OK},
		{"M/M/16 at 14.4", 14.4, 1.369589621170, 19.722090544852, 0, OK},
		{"M/D/1 at 0.8: W 2 + 1", 0.8, 3, 2.4, 0, OK},
		{"off by 9%", 100, 0.1, 10.9, 0, OK},
		{"off by 11%", 100, 0.1, 11.1, 0, Warn},
		{"off by 11%, within the sampling of L", 100, 0.1, 11.1, 1.2, OK},
		{"nothing seen in flight", 100, 0.1, 0, 0, Warn},
		{"no calls", 0, 0.1, 0, 0, NotEnough},
		{"negative", -100, 0.1, 10, 0, NotEnough},
		{"no number", 100, math.NaN(), 10, 0, NotEnough},
		{"infinite", 100, 0.1, math.Inf(1), 0, NotEnough},
		{"an overflow", 1e308, 1e308, 1, 0, NotEnough},
	} {
		if c := Little(tt.x, tt.r, tt.l, tt.slack); c.Verdict != tt.want {
			t.Errorf("%s: %+v, want %s", tt.name, c, tt.want)
		}
	}
}

func TestDependence(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		tau  float64
		want Verdict
	}{
		{10_000, 1, OK}, {10_000, 100, OK}, {10_000, 101, NotEnough}, {0, 1, NotEnough}, {10, math.NaN(), NotEnough}, {10, 0, NotEnough}, {10, math.Inf(1), NotEnough},
	} {
		if c := Dependence(tt.n, tt.tau); c.Verdict != tt.want {
			t.Errorf("%d at tau %v: %+v, want %s", tt.n, tt.tau, c, tt.want)
		}
	}
}

func TestWorst(t *testing.T) {
	check := func(vs ...Verdict) (c []Check) {
		for _, v := range vs {
			c = append(c, Check{Verdict: v})
		}
		return c
	}
	for _, tt := range []struct {
		of   []Check
		want Verdict
	}{
		{nil, NotEnough},
		{check(OK, OK), OK},
		{check(OK, NotEnough), NotEnough},
		{check(NotEnough, Warn, OK), Warn},
		{check(Warn, Void, OK), Void},
		{check(OK, "unheard of"), Verdict("unheard of")},
	} {
		if got := Worst(tt.of); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.of, got, tt.want)
		}
	}
}

func TestCheckAsJSON(t *testing.T) {
	c := Late{N: 2000, P99: 1500 * time.Microsecond}.Check()
	got, err := json.Marshal(c)
	want := `{"name":"lateness","verdict":"warn","value":1500,"limit":1000,"unit":"us","sentence":"The generator was late at times: the p99 of lateness is 1.5 ms (limit 1 ms), as a few pauses of the machine make it."}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 us", 900: "0.9 us", 20 * time.Microsecond: "20 us", -1500 * time.Microsecond: "-1.5 ms",
		12_345 * time.Microsecond: "12.3 ms", 250 * time.Millisecond: "250 ms", 1234 * time.Millisecond: "1.23 s", time.Hour: "3600 s",
	} {
		if got := brief(d); got != want {
			t.Errorf("%d ns: %q, want %q", d, got, want)
		}
	}
}

func FuzzScalars(f *testing.F) {
	f.Add(int64(10), int64(5), int64(1000), 0.5, 0.99, 1.0)
	f.Add(int64(-1), int64(math.MinInt64), int64(math.MaxInt64), math.NaN(), math.Inf(1), -1.0)
	f.Add(int64(1), int64(1)<<62, int64(3), 1e308, 1e-308, 1e308)
	f.Fuzz(func(t *testing.T, a, b, c int64, x, y, z float64) {
		checks := append(Saturation(Vitals{int(a), x, time.Duration(b), c, time.Duration(c), time.Duration(a), b, a, b, c}, time.Duration(c)),
			Late{a, b, time.Duration(c), time.Duration(b), time.Duration(a), time.Duration(c), time.Duration(b)}.Check(), Sent(a, b, c > 0), Ceiling(x, y), Little(x, y, z, x), Dependence(a, x),
			Percentile(a%1e7, x, y, z))
		for _, c := range checks {
			if !finite(c.Value) || !finite(c.Limit) || c.Sentence == "" || strings.Contains(c.Sentence, "%!") {
				t.Errorf("%+v", c)
			}
		}
		for _, v := range []float64{x, y, z} {
			if !(v >= 0) || math.IsInf(v, 0) {
				if c := Little(x, y, z, 0); c.Verdict != NotEnough {
					t.Errorf("Little(%v, %v, %v): %+v", x, y, z, c)
				}
			}
		}
		n := a % 1e7
		if r := OrderCIEffective(n, x, y, z); r.N != 0 && (r.Lower < 0 || r.Upper < 0 || r.Upper > n || !(r.Coverage >= 0 && r.Coverage <= 1)) {
			t.Errorf("OrderCIEffective(%d, %v, %v, %v) = %+v", n, x, y, z, r)
		}
		p := MeetsEffective(b%1e7, n, x, y, z)
		if !(p.IfMissed >= 0 && p.IfMissed <= 1 && p.IfMet >= 0 && p.IfMet <= 1) {
			t.Errorf("%+v", p)
		}
		SamplesForUpper(x, y)
		SamplesToMeet(b%1000, y, z)
	})
}
