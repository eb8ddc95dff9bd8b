package results_test

import (
	"strings"
	"testing"
	"time"

	"volley/results"
	"volley/results/selfcheck"
)

// late adds seconds of 100 calls, of which so many are sent 50 ms late.
func late(a *results.Aggregate, seconds, of int) {
	for sec := range seconds {
		start := time.Duration(sec) * time.Second
		s := results.Snapshot{Start: start, End: start + time.Second}
		for i := range 100 {
			o := results.Outcome{Due: start + time.Duration(i)*10*time.Millisecond, Entries: 1}
			o.Sent = o.Due
			if (i+7*sec)%100 < of {
				o.Sent += 50 * time.Millisecond
			}
			o.Done = o.Sent + time.Millisecond
			o.ByClass[results.OK] = 1
			add(&s, &o)
		}
		a.Add(&s)
	}
}

// Late calls void a run only when they are known to be no accident: a few seconds don't
// tell how much calls depend on each other, and one pause makes many of them late.
func TestAShortRunIsNotVoidForItsPauses(t *testing.T) {
	for _, tt := range []struct {
		seconds, of int
		want        selfcheck.Verdict
	}{
		{5, 5, selfcheck.Warn},
		{20, 5, selfcheck.Void},
		{5, 60, selfcheck.Void}, // half of all calls is no accident however short the run
		{20, 0, selfcheck.OK},
	} {
		m := results.Meta{Phases: []results.PhaseMeta{steady("p", 100, time.Duration(tt.seconds)*time.Second)}}
		a := results.Aggregate{Plan: m.Phases}
		late(&a, tt.seconds, tt.of)
		s := results.Summarise(m, &a, results.End{Finished: begin})
		if c := byName(s.Checks, "p")["lateness"]; c.Verdict != tt.want || (s.Status == results.Void) != (tt.want == selfcheck.Void) {
			t.Errorf("%d in 100 over %d s: %s, %+v, want %s", tt.of, tt.seconds, s.Status, c, tt.want)
		}
	}
}

// What the generator may do to the numbers is a share of the strictest objective, or of
// the response time where that is longer.
func TestTheLimitsOfTheGeneratorFollowWhatIsMeasured(t *testing.T) {
	p99 := func(limit float64) results.Objective {
		return results.Objective{Text: "o", Metric: "response", Stat: "p99", Op: "<=", Limit: limit}
	}
	for _, tt := range []struct {
		objectives []results.Objective
		took       time.Duration
		want       float64
	}{
		{nil, time.Millisecond, 1000},
		{[]results.Objective{p99(1e6), p99(1e5)}, time.Millisecond, 5000},
		{[]results.Objective{p99(1e5), p99(1e6)}, time.Millisecond, 5000},
		{[]results.Objective{p99(1e5)}, 400 * time.Millisecond, 20_000},
		{[]results.Objective{{Text: "o", Metric: "response", Stat: "p99", Op: ">=", Limit: 1e6}}, time.Millisecond, 1000},
	} {
		m := results.Meta{Phases: []results.PhaseMeta{steady("p", 100, 2*time.Second)}, Objectives: tt.objectives}
		var a results.Aggregate
		calls(&a, 0, 200, 0, 2*time.Second, tt.took)
		s := results.Summarise(m, &a, results.End{Finished: begin, Generator: results.Generator{CPUs: 2, CPUFraction: 0.1, GCPauses: 200, GCPauseP99US: 10, GCPauseMaxUS: 20}})
		for _, c := range []selfcheck.Check{byName(s.Checks, "p")["lateness"], byName(s.Checks, "")["gc pause"]} {
			if c.Limit < tt.want || c.Limit > 1.01*tt.want { // the histogram's grain
				t.Errorf("%v in %s: %+v, want a limit of %v", tt.objectives, tt.took, c, tt.want)
			}
		}
	}
}

// Arrivals with chance in them are held to the plan's rate, paced ones to their due times.
func TestArrivalsUnderARateChangedByHand(t *testing.T) {
	for arrivals, want := range map[string]selfcheck.Verdict{"constant": selfcheck.OK, "poisson": selfcheck.NotEnough} {
		p := steady("p", 100, 10*time.Second)
		p.Arrivals = arrivals
		m := results.Meta{Phases: []results.PhaseMeta{p}}
		var a results.Aggregate
		calls(&a, 0, 1500, 0, 10*time.Second, time.Millisecond)
		a.Add(&results.Snapshot{Start: 10 * time.Second, End: 10 * time.Second, RateSteps: []results.RateStep{{At: 5 * time.Second, Factor: 2}}})
		s := results.Summarise(m, &a, results.End{Finished: begin, Arrivals: [][]selfcheck.Check{{{Name: "arrival dispersion", Verdict: selfcheck.OK, Value: 0.01, Limit: 0.1, Unit: "1", Sentence: "Paced."}}}})
		if c := byName(s.Checks, "p")["arrival dispersion"]; c.Verdict != want {
			t.Errorf("%s: %+v, want %s", arrivals, c, want)
		}
	}
}

// Who held up the calls that were not sent in time decides whose fault a void run is.
func TestWhoHeldCallsUp(t *testing.T) {
	for _, tt := range []struct {
		why                   string
		overrun, bound, held  uint64
		unsent                uint64
		cause, reason, absent string
	}{
		{"most found no caller", 50, 30, 0, 0, results.VoidRate, "in_flight", "ceiling"},
		{"few did", 50, 20, 0, 0, results.VoidGenerator, "although callers were free", ""},
		{"never sent", 0, 0, 0, 50, results.VoidRate, "in_flight", ""},
		{"more by the ceiling", 50, 30, 40, 0, results.VoidRate, "ceiling", "in_flight"},
		{"fewer by the ceiling", 50, 30, 10, 0, results.VoidRate, "in_flight", "ceiling"},
	} {
		m := results.Meta{Phases: []results.PhaseMeta{steady("p", 100, time.Second)}}
		var a results.Aggregate
		calls(&a, 0, int(100-tt.unsent), 0, time.Second, time.Millisecond)
		a.Add(&results.Snapshot{Start: time.Second, End: time.Second, Phases: []results.PhaseSlice{{Counts: results.Counts{Overrun: tt.overrun, OverBound: tt.bound, Held: tt.held, Unsent: tt.unsent}}}})
		s := results.Summarise(m, &a, results.End{Finished: begin})
		if s.Status != results.Void || s.VoidCause != tt.cause || !strings.Contains(s.VoidReason, tt.reason) || tt.absent != "" && strings.Contains(s.VoidReason, tt.absent) {
			t.Errorf("%s: %s, %q: %s", tt.why, s.Status, s.VoidCause, s.VoidReason)
		}
	}
}

// A closed loop that a phase before it left too little time is void.
func TestAClosedLoopThatWasCutShort(t *testing.T) {
	for first, want := range map[time.Duration]string{2 * time.Second: "", 2050 * time.Millisecond: "", 4 * time.Second: results.VoidShort} {
		m := results.Meta{Phases: []results.PhaseMeta{
			steady("before", 100, 2*time.Second),
			{Name: "loop", Measured: true, Value: 4, To: 4, Unit: "callers", For: 10 * time.Second},
		}}
		m.Phases[0].Measured = false
		var a results.Aggregate
		s := results.Snapshot{Start: first, End: 12 * time.Second, Current: 1}
		o := results.Outcome{Phase: 1, Due: first, Sent: first, Done: first + time.Millisecond, Entries: 1}
		o.ByClass[results.OK] = 1
		add(&s, &o)
		s.Phases[0].FirstSent, s.Phases[0].LastSent = first, first
		a.Add(&s)
		drained(&a, 2, 12*time.Second, 12*time.Second)
		sum := results.Summarise(m, &a, results.End{Finished: begin, Stopped: 12 * time.Second})
		if sum.VoidCause != want || (sum.Status == results.Void) != (want != "") {
			t.Errorf("from %s: %s, %q", first, sum.Status, sum.VoidCause)
		}
	}
}

// Phases together are as dependent as the more dependent of them, and as unknown.
func TestPhasesTogether(t *testing.T) {
	both := func(length, share int) results.Distribution {
		m := results.Meta{Phases: []results.PhaseMeta{steady("a", 500, 20*time.Second), steady("b", 500, time.Duration(length)*time.Second)}}
		a := results.Aggregate{Plan: m.Phases}
		seconds(&a, 0, 0, 20, 500, 1, 10*time.Millisecond)
		seconds(&a, 1, 20, 20+length, 500, share, 10*time.Millisecond)
		return results.Summarise(m, &a, results.End{Finished: begin}).Measured.Response
	}
	if d := both(20, 1); d.CI == nil || d.Independent || d.CI.P999.High == nil {
		t.Errorf("20,000 independent calls: %+v", d)
	}
	if d := both(20, 10); d.CI == nil || d.Independent || d.CI.P999.High != nil {
		t.Errorf("with half of them in tens: %+v", d.CI)
	}
	if d := both(5, 1); d.CI == nil || !d.Independent {
		t.Errorf("with a phase too short to tell: %+v", d)
	}
}

// A call that timed out is over the limit once.
func TestProofCountsTimeoutsOnce(t *testing.T) {
	m := results.Meta{
		Phases:     []results.PhaseMeta{steady("p", 1000, time.Second)},
		Objectives: []results.Objective{{Text: "o", Metric: "response", Stat: "p99", Op: "<=", Limit: 10_000}},
	}
	s := results.Snapshot{End: time.Second}
	for i := range 1000 {
		o := results.Outcome{Done: time.Millisecond, Entries: 1}
		if i < 3 {
			o.Class, o.Done = results.Timeout, 10*time.Second
		}
		o.ByClass[o.Class] = 1
		add(&s, &o)
	}
	var a results.Aggregate
	a.Add(&s)
	if p := results.Summarise(m, &a, results.End{Finished: begin}).Objectives[0].Proof; p == nil || p.Over != 3 || p.N != 1000 {
		t.Errorf("%+v, want 3 of 1,000 over it", p)
	}
}

// Little's law takes the calls that the edges of the windows cut: those under way when
// the first begins, and when the last ends.
func TestLittlesLawAllowsForItsEdges(t *testing.T) {
	for _, tt := range []struct {
		why             string
		before, refused int
		want            selfcheck.Verdict
	}{
		{"cut at both ends", 5, 0, selfcheck.OK},
		{"cut at the end alone", 0, 0, selfcheck.Warn},
		{"calls without a time", 5, 1, selfcheck.NotEnough},
	} {
		p := steady("p", 1, 10*time.Second)
		warm := steady("warm", 1, time.Second)
		warm.Measured = false
		m := results.Meta{Phases: []results.PhaseMeta{warm, p}}
		a := results.Aggregate{Plan: m.Phases}
		a.Add(&results.Snapshot{End: time.Second, InFlight: tt.before})
		for sec := 1; sec < 11; sec++ {
			inFlight := 8.5
			s := results.Snapshot{Start: time.Duration(sec) * time.Second, End: time.Duration(sec+1) * time.Second, Current: 1, InFlight: 5, InFlightMean: &inFlight}
			o := results.Outcome{Phase: 1, Due: s.Start, Sent: s.Start, Done: s.Start + 5*time.Second, Entries: 1}
			o.ByClass[results.OK] = 1
			add(&s, &o)
			for range tt.refused {
				o := results.Outcome{Phase: 1, Class: results.Refused, Due: s.Start, Sent: s.Start, Done: s.Start, Entries: 1}
				o.ByClass[results.Refused] = 1
				add(&s, &o)
			}
			a.Add(&s)
		}
		s := results.Summarise(m, &a, results.End{Finished: begin})
		if c := byName(s.Checks, "p")["little's law"]; c.Verdict != tt.want {
			t.Errorf("%s: %+v, want %s", tt.why, c, tt.want)
		}
	}
}

// What a phase's end leaves of a second is no window.
func TestWindowsAreWholeSeconds(t *testing.T) {
	for last, want := range map[time.Duration]selfcheck.Verdict{100 * time.Millisecond: selfcheck.NotEnough, time.Second: selfcheck.OK} {
		m := results.Meta{Phases: []results.PhaseMeta{steady("p", 100, 9*time.Second+last)}}
		a := results.Aggregate{Plan: m.Phases}
		for sec := range 10 {
			from := time.Duration(sec) * time.Second
			calls(&a, 0, 100, from, min(from+time.Second, 9*time.Second+last), time.Millisecond)
		}
		s := results.Summarise(m, &a, results.End{Finished: begin})
		if c := byName(s.Checks, "p")["drift of p50"]; c.Verdict != want {
			t.Errorf("9 s and %s: %+v, want %s", last, c, want)
		}
	}
}

// A ramp has no intervals, but calls that share their fate are few there too, and among
// all measured phases.
func TestFewIndependentCallsAreMarkedWithoutIntervals(t *testing.T) {
	for _, tt := range []struct {
		length, share int // of the ramp, and of all calls
		ramp, all     [4]bool
	}{
		{20, 1, [4]bool{3: true}, [4]bool{3: true}},
		{20, 20, [4]bool{2: true, 3: true}, [4]bool{2: true, 3: true}},
		{8, 1, [4]bool{3: true}, [4]bool{3: true}},
		{8, 20, [4]bool{3: true}, [4]bool{2: true, 3: true}}, // 400 calls, of which nothing is known but what the others tell
	} {
		ramp := steady("ramp", 50, time.Duration(tt.length)*time.Second)
		ramp.To = 51
		m := results.Meta{Phases: []results.PhaseMeta{ramp, steady("p", 50, 20*time.Second)}}
		a := results.Aggregate{Plan: m.Phases}
		seconds(&a, 0, 0, tt.length, 50, tt.share, 10*time.Millisecond)
		seconds(&a, 1, tt.length, tt.length+20, 50, tt.share, 10*time.Millisecond)
		s := results.Summarise(m, &a, results.End{Finished: begin})
		one, all := s.Phases[0].Response, s.Measured.Response
		if one.CI != nil || one.Unbounded() != tt.ramp || (one.Worth > 0) != (tt.length >= 10) || one.Worth > float64(one.N) {
			t.Errorf("a ramp of %d s in %ds: worth %v of %d, %v", tt.length, tt.share, one.Worth, one.N, one.Unbounded())
		}
		if all.CI != nil || all.Unbounded() != tt.all || all.Worth <= 0 || all.Worth > float64(all.N) {
			t.Errorf("all with a ramp of %d s in %ds: worth %v of %d, %v", tt.length, tt.share, all.Worth, all.N, all.Unbounded())
		}
	}
}
