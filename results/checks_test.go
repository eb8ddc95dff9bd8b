package results_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"volley/results"
	"volley/results/selfcheck"
)

// seconds adds a window a second to an aggregate: calls spread evenly, each with an
// exponential response time of that mean. share repeats each time for so many calls.
func seconds(a *results.Aggregate, phase, from, to, rate, share int, mean time.Duration) {
	rng := rand.New(rand.NewPCG(uint64(phase), 7))
	for sec := from; sec < to; sec++ {
		start := time.Duration(sec) * time.Second
		inFlight := float64(rate) * mean.Seconds()
		s := results.Snapshot{Start: start, End: start + time.Second, Current: phase, Planned: uint64(rate), InFlightMean: &inFlight}
		took := time.Duration(0)
		for i := range rate {
			if i%share == 0 {
				took = time.Duration(rng.ExpFloat64() * float64(mean))
			}
			due := start + time.Duration(i)*time.Second/time.Duration(rate)
			o := results.Outcome{Phase: phase, Due: due, Sent: due, Done: due + took, Entries: 1}
			o.ByClass[results.OK] = 1
			add(&s, &o)
		}
		a.Add(&s)
	}
}

func byName(checks []selfcheck.Check, phase string) map[string]selfcheck.Check {
	m := make(map[string]selfcheck.Check)
	for _, c := range checks {
		if c.Phase == phase {
			m[c.Name] = c
		}
	}
	return m
}

func TestIntervalsCountDependenceIn(t *testing.T) {
	width := func(share int) (low, high int64, d results.Distribution) {
		m := results.Meta{Phases: []results.PhaseMeta{steady("p", 500, 40*time.Second)}}
		a := results.Aggregate{Plan: m.Phases}
		seconds(&a, 0, 0, 40, 500, share, 10*time.Millisecond)
		d = results.Summarise(m, &a, results.End{Finished: begin}).Phases[0].Response
		if d.CI == nil || d.CI.P90.Low == nil || d.CI.P90.High == nil || d.Independent {
			t.Fatalf("in %ds: %+v", share, d)
		}
		return *d.CI.P90.Low, *d.CI.P90.High, d
	}
	low, high, d := width(1)
	if low > d.P90 || d.P90 > high || low < 22_000 || high > 24_500 { // the true one is 23,026
		t.Errorf("p90 %d in %d to %d", d.P90, low, high)
	}
	// The ranks for 20,000 samples that are independent lie 83 to either side of 18,000.
	if d.CI.P999.Low == nil || d.CI.P999.High == nil {
		t.Errorf("p99.9 of 20,000 independent calls is bounded: %+v", d.CI.P999)
	}
	lowTens, highTens, tens := width(10)
	if highTens-lowTens < 2*(high-low) {
		t.Errorf("calls in tens give %d to %d, which is no wider than %d to %d", lowTens, highTens, low, high)
	}
	if tens.CI.P999.High != nil || tens.Unbounded() != [4]bool{3: true} || tens.TooFew() != "too few independent calls for p99.9 (3,688 needed)" {
		t.Errorf("20,000 calls in tens are worth 2,000: %+v, %q", tens.CI.P999, tens.TooFew())
	}
}

func TestIntervalsAreOfOneStateOnly(t *testing.T) {
	ramp := steady("p", 100, 20*time.Second)
	ramp.To = 200
	for _, tt := range []struct {
		why    string
		phase  results.PhaseMeta
		change func(*results.Aggregate)
		ci     bool // of the response
		sure   bool // that the dependence is known
		check  bool // that the phase is stationary
	}{
		{"steady", steady("p", 100, 20*time.Second), nil, true, true, true},
		{"a ramp", ramp, nil, false, true, false},
		{"a rate that was not reached", steady("p", 100, 20*time.Second), func(a *results.Aggregate) {
			a.Add(&results.Snapshot{Start: 20 * time.Second, End: 20 * time.Second, Phases: []results.PhaseSlice{{Counts: results.Counts{Unsent: 100}}}})
		}, false, true, true},
		{"a rate that was changed by hand", steady("p", 100, 20*time.Second), func(a *results.Aggregate) {
			a.Add(&results.Snapshot{Start: 20 * time.Second, End: 20 * time.Second, RateSteps: []results.RateStep{{At: 5 * time.Second, Factor: 2}}})
		}, false, true, false},
		{"without its seconds", steady("p", 100, 20*time.Second), func(a *results.Aggregate) { a.Plan = nil }, true, false, false},
		{"a warm-up", results.PhaseMeta{Name: "p", Value: 100, To: 100, Unit: "calls/s", For: 20 * time.Second}, nil, false, true, false},
	} {
		m := results.Meta{Phases: []results.PhaseMeta{tt.phase}}
		a := results.Aggregate{Plan: m.Phases}
		if tt.why == "without its seconds" {
			tt.change(&a)
		}
		seconds(&a, 0, 0, 20, 100, 1, time.Millisecond)
		if tt.change != nil {
			tt.change(&a)
		}
		s := results.Summarise(m, &a, results.End{Finished: begin})
		d := s.Phases[0].Response
		if (d.CI != nil) != tt.ci || d.CI != nil && d.Independent == tt.sure {
			t.Errorf("%s: %+v", tt.why, d)
		}
		if _, ok := byName(s.Checks, "p")["drift of p50"]; ok != tt.check {
			t.Errorf("%s: drift judged: %v, want %v", tt.why, ok, tt.check)
		}
	}
}

// Only whole seconds of a phase are windows of it: what straddles its ends is none.
func TestWindowsAreOfOnePhase(t *testing.T) {
	m := results.Meta{Phases: []results.PhaseMeta{steady("a", 100, 12500*time.Millisecond), steady("b", 100, 12500*time.Millisecond)}}
	a := results.Aggregate{Plan: m.Phases}
	seconds(&a, 0, 0, 13, 100, 1, time.Millisecond)
	seconds(&a, 1, 13, 25, 100, 1, time.Second)
	s := results.Summarise(m, &a, results.End{Finished: begin})
	one, two := byName(s.Checks, "a"), byName(s.Checks, "b")
	for name, c := range map[string]selfcheck.Check{"a": one["little's law"], "b": two["little's law"]} {
		if c.Verdict != selfcheck.OK {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := one["drift of p50"]; c.Verdict != selfcheck.OK {
		t.Errorf("%+v", c)
	}
	if s.Status != results.Finished {
		t.Errorf("%s: %s", s.Status, s.VoidReason)
	}
}

func TestLittlesLawFindsCallsThatWereNotCounted(t *testing.T) {
	m := results.Meta{Phases: []results.PhaseMeta{steady("p", 100, 20*time.Second)}}
	a := results.Aggregate{Plan: m.Phases}
	seconds(&a, 0, 0, 10, 100, 1, time.Millisecond)
	for sec := 10; sec < 20; sec++ {
		mean := 5.0 // in flight, and of nobody's account
		a.Add(&results.Snapshot{Start: time.Duration(sec) * time.Second, End: time.Duration(sec+1) * time.Second, InFlightMean: &mean})
	}
	s := results.Summarise(m, &a, results.End{Finished: begin})
	if c := byName(s.Checks, "p")["little's law"]; c.Verdict != selfcheck.Warn {
		t.Errorf("%+v", c)
	}
	if !slices.ContainsFunc(s.Warnings, func(w string) bool {
		return strings.HasPrefix(w, `phase "p": the account contradicts itself`)
	}) {
		t.Errorf("%q", s.Warnings)
	}
}

func TestProofOfAnObjective(t *testing.T) {
	for _, tt := range []struct {
		why   string
		limit float64 // on the p99, in microseconds
		n     int     // calls of 1 ms
		slow  int     // and of 50 ms
		lost  int     // and without an answer
		op    string
		want  selfcheck.Decision
		over  int64
	}{
		{"none over it", 10_000, 1000, 0, 0, "<=", selfcheck.Met, 0},
		{"too few", 10_000, 200, 0, 0, "<=", selfcheck.Undecided, 0},
		{"some over it", 10_000, 1000, 9, 0, "<=", selfcheck.Undecided, 9},
		{"many over it", 10_000, 1000, 40, 0, "<=", selfcheck.Missed, 40},
		{"without an answer is over it", 10_000, 1000, 0, 40, "<=", selfcheck.Missed, 40},
		{"at it", 1000, 1000, 0, 0, "<=", selfcheck.Met, 0},
		{"not below it", 1000, 1000, 0, 0, "<", selfcheck.Missed, 1000},
		{"a lower limit", 10_000, 1000, 0, 0, ">=", "", 0},
	} {
		m := results.Meta{
			Phases:     []results.PhaseMeta{steady("p", 1000, time.Second)},
			Objectives: []results.Objective{{Text: "o", Metric: "response", Stat: "p99", Op: tt.op, Limit: tt.limit}},
		}
		s := results.Snapshot{End: time.Second}
		for i := range tt.n + tt.slow + tt.lost {
			o := results.Outcome{Done: time.Millisecond, Entries: 1}
			switch {
			case i < tt.slow:
				o.Done = 50 * time.Millisecond
			case i < tt.slow+tt.lost:
				o.Class = results.Refused
			}
			o.ByClass[o.Class] = 1
			add(&s, &o)
		}
		var a results.Aggregate
		a.Add(&s)
		sum := results.Summarise(m, &a, results.End{Finished: begin})
		p := sum.Objectives[0].Proof
		if tt.want == "" {
			if p != nil {
				t.Errorf("%s: %+v", tt.why, p)
			}
			continue
		}
		if p == nil || p.Decision != tt.want || p.Over != tt.over {
			t.Errorf("%s: %+v, want %s with %d over", tt.why, p, tt.want, tt.over)
		}
		if c, ok := byName(sum.Checks, "")["proof of o"]; !ok || (c.Verdict == selfcheck.OK) != (tt.want != selfcheck.Undecided) {
			t.Errorf("%s: %+v", tt.why, c)
		}
	}
}

// A quiet warm-up does not hide that the generator was full while it was measured, nor
// does a busy one make a measured phase bad.
func TestTheGeneratorIsJudgedWhereItIsMeasured(t *testing.T) {
	for _, tt := range []struct {
		why          string
		warm, steady float64 // of the CPUs used
		want         selfcheck.Verdict
		status       string
	}{
		{"a quiet warm-up", 0.01, 0.97, selfcheck.Void, results.Void},
		{"a busy warm-up", 0.97, 0.10, selfcheck.OK, results.Finished},
	} {
		warm := steady("warm", 100, 10*time.Second)
		warm.Measured = false
		m := results.Meta{Phases: []results.PhaseMeta{warm, steady("p", 100, 2*time.Second)}}
		a := results.Aggregate{Plan: m.Phases}
		for sec := range 12 {
			s := results.Snapshot{Start: time.Duration(sec) * time.Second, End: time.Duration(sec+1) * time.Second, Health: results.Health{CPUFraction: tt.warm, HeapBytes: 1}}
			if sec >= 10 {
				s.Current, s.Health.CPUFraction = 1, tt.steady
			}
			for i := range 100 {
				at := s.Start + time.Duration(i)*10*time.Millisecond
				o := results.Outcome{Phase: s.Current, Due: at, Sent: at, Done: at + time.Millisecond, Entries: 1}
				o.ByClass[results.OK] = 1
				add(&s, &o)
			}
			a.Add(&s)
		}
		whole := (10*tt.warm + 2*tt.steady) / 12
		s := results.Summarise(m, &a, results.End{Finished: begin, Generator: results.Generator{CPUs: 2, CPUFraction: whole}})
		c, ok := byName(s.Checks, "p")["generator cpu"]
		if !ok || c.Verdict != tt.want || math.Abs(c.Value-tt.steady) > 1e-9 || s.Status != tt.status || s.Generator.CPUBusiest != tt.steady || s.Generator.CPUFraction != whole {
			t.Errorf("%s: %s, %+v, %+v", tt.why, s.Status, c, s.Generator)
		}
	}
}

// A void check voids a run that ended by itself, and is a warning of any other.
func TestAVoidCheckOfAnInterruptedRun(t *testing.T) {
	m := results.Meta{Phases: []results.PhaseMeta{steady("p", 100, time.Second)}}
	busy := results.Generator{CPUs: 2, CPUFraction: 0.95}
	for _, interrupted := range []bool{false, true} {
		var a results.Aggregate
		calls(&a, 0, 100, 0, time.Second, time.Millisecond)
		s := results.Summarise(m, &a, results.End{Finished: begin, Interrupted: interrupted, Generator: busy})
		warned := slices.Contains(s.Warnings, s.Generator.Reason)
		if (s.Status == results.Interrupted) != interrupted || warned != interrupted || s.Generator.Verdict != results.GeneratorLimited {
			t.Errorf("interrupted %v: %s, warnings %q", interrupted, s.Status, s.Warnings)
		}
	}
}

// Times of seconds that differ: what is known of the p99 bounds the p50 too.
func TestIntervalsAreInOrder(t *testing.T) {
	m := results.Meta{Phases: []results.PhaseMeta{steady("p", 500, 40*time.Second)}}
	a := results.Aggregate{Plan: m.Phases}
	for sec := range 40 {
		seconds(&a, 0, sec, sec+1, 500, 1, time.Duration(1+sec/20*9)*time.Millisecond)
	}
	s := results.Summarise(m, &a, results.End{Finished: begin})
	ci := s.Phases[0].Response.CI
	all := []results.Interval{ci.P50, ci.P90, ci.P99, ci.P999}
	for i, one := range all[1:] {
		below := all[i]
		if below.High == nil && one.High != nil || below.High != nil && one.High != nil && *below.High > *one.High ||
			one.Low == nil && below.Low != nil || one.Low != nil && below.Low != nil && *below.Low > *one.Low {
			t.Errorf("%v is below %v", below, one)
		}
	}
	if ci.P999.High != nil && ci.P50.High == nil {
		t.Errorf("%+v", ci)
	}
	for _, name := range []string{"interval of p50", "interval of p90", "interval of p99", "interval of p99.9"} {
		if _, ok := byName(s.Checks, "p")[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
}

func TestIntervalsInJSON(t *testing.T) {
	low, high := int64(980), int64(1020)
	d := results.Distribution{N: 500, P50: 1000, P99: 9000, CI: &results.Intervals{P50: results.Interval{Low: &low, High: &high}, P99: results.Interval{Low: &high}}, Independent: true}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	want := `"ci":{"p50":[980,1020],"p90":[null,null],"p99":[1020,null],"p99.9":[null,null]},"ci_assumes_independence":true}`
	if !strings.HasSuffix(string(text), want) {
		t.Errorf("%s, want it to end in %s", text, want)
	}
	var back results.Distribution
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, d) {
		t.Errorf("%+v, %v", back, err)
	}
	for _, bad := range []string{`{"p50": 3}`, `{"p50": ["a"]}`} {
		if err := json.Unmarshal([]byte(`{"ci": `+bad+`}`), &back); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// A bound is never within the values that it is to enclose: a histogram tells values
// apart only so far.
func TestBoundsEnclose(t *testing.T) {
	for _, took := range []time.Duration{100 * time.Microsecond, 5 * time.Millisecond, 777_777 * time.Microsecond, 59 * time.Second} {
		m := results.Meta{Phases: []results.PhaseMeta{steady("p", 500, time.Second)}}
		var a results.Aggregate
		calls(&a, 0, 500, 0, time.Second, took)
		d := results.Summarise(m, &a, results.End{Finished: begin}).Phases[0].Response
		us := took.Microseconds()
		if low, high := *d.CI.P50.Low, *d.CI.P50.High; low > us || high < us || float64(high-low) > math.Ceil(float64(us)/1000) {
			t.Errorf("%v: %d to %d", took, low, high)
		}
	}
}

// What a second costs that is kept for the checks at the end.
func BenchmarkAddOfASecond(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := results.Snapshot{End: time.Second}
	for range 20_000 {
		o := results.Outcome{Done: time.Duration(rng.ExpFloat64() * float64(3*time.Millisecond)), Entries: 1}
		add(&s, &o)
	}
	for name, plan := range map[string][]results.PhaseMeta{"kept": {steady("p", 1, time.Hour)}, "not kept": nil} {
		b.Run(name, func(b *testing.B) {
			a := results.Aggregate{Plan: plan}
			b.ReportAllocs()
			for b.Loop() {
				a.Add(&s)
			}
		})
	}
}
