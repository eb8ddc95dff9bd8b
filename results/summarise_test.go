package results_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"volley/results"
)

// calls is n good calls of two entries each, evenly spread from one time to
// another, each answered after that long.
func calls(a *results.Aggregate, phase, n int, from, to, took time.Duration) {
	s := results.Snapshot{Start: from, End: to, Wall: begin.Add(to), Current: phase, Planned: uint64(n)}
	for i := range n {
		due := from + time.Duration(i)*(to-from)/time.Duration(n)
		o := results.Outcome{Phase: phase, Due: due, Sent: due, Done: due + took, Entries: 2, Items: 6}
		o.ByClass[results.OK] = 2
		add(&s, &o)
	}
	a.Add(&s)
}

func drained(a *results.Aggregate, phases int, from, to time.Duration) {
	a.Add(&results.Snapshot{Start: from, End: to, Wall: begin.Add(to), Current: phases})
}

func steady(name string, rate float64, length time.Duration) results.PhaseMeta {
	return results.PhaseMeta{Name: name, Measured: true, Value: rate, To: rate, Unit: "calls/s", Arrivals: "constant", For: length}
}

func TestAchievedRates(t *testing.T) {
	m := results.Meta{Started: begin, Phases: []results.PhaseMeta{steady("one", 100, 10*time.Second), steady("two", 200, 10*time.Second)}}
	m.Phases[0].Measured = false
	for _, tt := range []struct {
		why              string
		make             func(a *results.Aggregate)
		elapsed1, calls1 float64
		elapsed2, calls2 float64
		measured         float64
	}{
		{
			why: "as planned: the drain is no part of it",
			make: func(a *results.Aggregate) {
				calls(a, 0, 1000, 0, 10*time.Second, time.Millisecond)
				calls(a, 1, 2000, 10*time.Second, 20*time.Second, time.Millisecond)
				drained(a, 2, 20*time.Second, 25*time.Second)
			},
			elapsed1: 10, calls1: 100, elapsed2: 10, calls2: 200, measured: 10,
		},
		{
			why: "stopped in the second phase",
			make: func(a *results.Aggregate) {
				calls(a, 0, 1000, 0, 10*time.Second, time.Millisecond)
				calls(a, 1, 800, 10*time.Second, 14*time.Second, time.Millisecond)
				drained(a, 2, 14*time.Second, 15*time.Second)
				drained(a, 2, 15*time.Second, 22*time.Second)
			},
			elapsed1: 10, calls1: 100, elapsed2: 5, calls2: 160, measured: 5, // the interval that found it draining ended at 15 s
		},
		{
			why:      "stopped in the first phase",
			make:     func(a *results.Aggregate) { calls(a, 0, 400, 0, 4*time.Second, time.Millisecond) },
			elapsed1: 4, calls1: 100, elapsed2: 0, calls2: 0, measured: 0,
		},
		{
			why: "sent after the phase's end: what was achieved is less",
			make: func(a *results.Aggregate) {
				s := results.Snapshot{End: 20 * time.Second, Wall: begin, Current: 2}
				for _, sent := range []time.Duration{9 * time.Second, 12500 * time.Millisecond} {
					o := results.Outcome{Due: 9 * time.Second, Sent: sent, Done: sent + 1, Entries: 1}
					o.ByClass[results.OK] = 1
					add(&s, &o)
				}
				a.Add(&s)
			},
			elapsed1: 12.5, calls1: 0.16, elapsed2: 10, calls2: 0, measured: 10,
		},
	} {
		var a results.Aggregate
		tt.make(&a)
		s := results.Summarise(m, &a, results.End{Finished: begin, Interrupted: true})
		one, two := s.Phases[0], s.Phases[1]
		if one.ElapsedS != tt.elapsed1 || one.Achieved.CallsPerS != tt.calls1 || two.ElapsedS != tt.elapsed2 || two.Achieved.CallsPerS != tt.calls2 {
			t.Errorf("%s: got %v s %v/s, %v s %v/s", tt.why, one.ElapsedS, one.Achieved.CallsPerS, two.ElapsedS, two.Achieved.CallsPerS)
		}
		if s.Measured.ElapsedS != tt.measured || s.Measured.Calls != two.Calls {
			t.Errorf("%s: measured %v s, %d calls", tt.why, s.Measured.ElapsedS, s.Measured.Calls)
		}
		if two.Calls > 0 && (two.Achieved.EntriesPerS != 2*tt.calls2 || two.Achieved.ItemsPerS != 6*tt.calls2 || two.Achieved.GoodputEntriesPerS != 2*tt.calls2 || two.Achieved.GoodputItemsPerS != 6*tt.calls2) {
			t.Errorf("%s: %+v", tt.why, two.Achieved)
		}
		if s.Totals.Calls != one.Calls+two.Calls {
			t.Errorf("%s: totals are of %d calls", tt.why, s.Totals.Calls)
		}
	}
}

func TestPercentilesOfMeasuredPhasesAreMerged(t *testing.T) {
	m := results.Meta{Started: begin, Phases: []results.PhaseMeta{steady("cold", 1, time.Second), steady("fast", 1, time.Second), steady("slow", 1, time.Second)}}
	m.Phases[0].Measured = false
	var a results.Aggregate
	calls(&a, 0, 1000, 0, time.Second, time.Minute)
	calls(&a, 1, 990, time.Second, 2*time.Second, time.Millisecond)
	calls(&a, 2, 10, 2*time.Second, 3*time.Second, time.Second)
	s := results.Summarise(m, &a, results.End{Finished: begin})
	d := s.Measured.Response
	if d.N != 1000 || d.P50 != 1000 || d.P99 != 1000 || d.P999 < 1_000_000 || d.Max < 1_000_000 || d.Max > 1_001_000 {
		t.Errorf("%+v", d)
	}
}

func TestVoid(t *testing.T) {
	for _, tt := range []struct {
		why         string
		unit        string
		measured    bool
		calls       int
		c           results.Counts
		inFlight    int
		busy        float64 // its CPUs
		interrupted bool
		status      string
		cause       string
		reason      string
	}{
		{why: "all sent", unit: "calls/s", measured: true, calls: 200, status: results.Finished},
		{why: "99 of 100", unit: "calls/s", measured: true, calls: 100, c: results.Counts{Overrun: 1}, status: results.Finished},
		{why: "98 of 100, and nobody was waited for", unit: "calls/s", measured: true, calls: 100, c: results.Counts{Overrun: 2}, status: results.Void, cause: results.VoidGenerator,
			reason: `the generator was the limit, not the node: phase "p": only 98 of 100 planned calls were sent in time (98.0%, at least 99% needed) although callers were free: the load was not the asked one`},
		{why: "a few waited, most were late without", unit: "calls/s", measured: true, calls: 100, c: results.Counts{Overrun: 10, OverBound: 4}, status: results.Void, cause: results.VoidGenerator,
			reason: `the generator was the limit, not the node: phase "p": only 90 of 100 planned calls were sent in time (90.0%, at least 99% needed) although callers were free: the load was not the asked one`},
		{why: "all callers were waiting", unit: "calls/s", measured: true, calls: 100, c: results.Counts{Overrun: 10, OverBound: 60}, inFlight: 16, status: results.Void, cause: results.VoidRate,
			reason: `phase "p" did not reach its rate: 90 of 100 planned calls were sent in time (90.0%, 99% needed); all 16 callers (in_flight) were waiting for the node: it cannot take this rate, or in_flight is too small`},
		{why: "unsent calls were planned too, and found no caller to the end", unit: "calls/s", measured: true, calls: 90, c: results.Counts{Unsent: 10}, status: results.Void, cause: results.VoidRate,
			reason: `phase "p" did not reach its rate: 90 of 100 planned calls were sent in time (90.0%, 99% needed); all callers (in_flight) were waiting for the node: it cannot take this rate, or in_flight is too small`},
		{why: "the ceiling", unit: "calls/s", measured: true, calls: 100, c: results.Counts{Overrun: 10, OverBound: 3, Held: 40}, status: results.Void, cause: results.VoidRate,
			reason: `phase "p" did not reach its rate: 90 of 100 planned calls were sent in time (90.0%, 99% needed); the authorised ceiling held back 40 calls`},
		{why: "the generator was the limit, so callers were waiting for it", unit: "calls/s", measured: true, calls: 100, c: results.Counts{Overrun: 10, OverBound: 60}, busy: 0.97, status: results.Void, cause: results.VoidGenerator,
			reason: "the generator was the limit, not the node: the generator used 97% of its 2 CPUs: it decided the rate itself, in place of the node"},
		{why: "a closed loop without a call", unit: "callers", measured: true, status: results.Void, cause: results.VoidShort,
			reason: `phase "p" got 1 of its 1 s: the phase before it still had calls to send`},
		{why: "a warm-up may fail", unit: "calls/s", calls: 90, c: results.Counts{Unsent: 10}, status: results.Finished},
		{why: "a closed loop has no rate to reach", unit: "callers", measured: true, calls: 90, c: results.Counts{Unsent: 10}, status: results.Finished},
		{why: "the generator was the limit", unit: "callers", measured: true, calls: 90, busy: 0.97, status: results.Void, cause: results.VoidGenerator,
			reason: "the generator was the limit, not the node: the generator used 97% of its 2 CPUs: it decided the rate itself, in place of the node"},
		{why: "an interrupted run owes nothing", unit: "calls/s", measured: true, calls: 50, c: results.Counts{Unsent: 50}, interrupted: true, status: results.Interrupted},
	} {
		p := steady("p", 100, time.Second)
		p.Unit, p.Measured = tt.unit, tt.measured
		var a results.Aggregate
		calls(&a, 0, tt.calls, 0, time.Second, time.Millisecond)
		a.Add(&results.Snapshot{End: time.Second, Phases: []results.PhaseSlice{{Counts: tt.c}}})
		s := results.Summarise(results.Meta{Phases: []results.PhaseMeta{p}}, &a, results.End{
			Finished: begin, Interrupted: tt.interrupted, Generator: results.Generator{CPUFraction: tt.busy, CPUs: 2, MaxInFlight: tt.inFlight},
		})
		if limited := s.Generator.Verdict == results.GeneratorLimited; limited != (tt.cause == results.VoidGenerator) || limited && "the generator was the limit, not the node: "+s.Generator.Reason != tt.reason {
			t.Errorf("%s: generator %s, %s", tt.why, s.Generator.Verdict, s.Generator.Reason)
		}
		if s.Status != tt.status || s.VoidCause != tt.cause || s.VoidReason != tt.reason {
			t.Errorf("%s: %s (%s) %q, want %s (%s) %q", tt.why, s.Status, s.VoidCause, s.VoidReason, tt.status, tt.cause, tt.reason)
		}
	}
}

func TestObjectives(t *testing.T) {
	m := results.Meta{Started: begin, Phases: []results.PhaseMeta{steady("warm up", 1, time.Second), steady("p", 1, 4*time.Second)}}
	m.Phases[0].Measured = false
	var a results.Aggregate
	calls(&a, 0, 10, 0, time.Second, time.Minute) // not measured: would miss everything
	calls(&a, 1, 396, time.Second, 5*time.Second, 10*time.Millisecond)
	s := results.Snapshot{End: 5 * time.Second, Current: 1}
	for range 4 {
		o := results.Outcome{Phase: 1, Due: 2 * time.Second, Sent: 2*time.Second + 500*time.Microsecond, Done: 3 * time.Second, Entries: 2, Class: results.RPCError}
		o.ByClass[results.RPCError], o.ByClass[results.Notified] = 1, 1
		add(&s, &o)
	}
	a.Add(&s)
	for _, tt := range []struct {
		o     results.Objective
		value float64
		met   bool
		n     uint64
	}{
		{results.Objective{Metric: "response", Stat: "p99", Op: "<=", Limit: 10_010}, 10_000, true, 400},
		{results.Objective{Metric: "response", Stat: "p99", Op: "<", Limit: 10_000}, 10_000, false, 400},
		{results.Objective{Metric: "response", Stat: "p99.9", Op: "<=", Limit: 900_000}, 1_000_000, false, 400},
		{results.Objective{Metric: "response", Stat: "max", Op: "<=", Limit: 1_001_000}, 1_000_000, true, 400},
		{results.Objective{Metric: "response", Stat: "mean", Op: "<=", Limit: 20_000}, 19_900, true, 400},
		{results.Objective{Metric: "service", Stat: "max", Op: "<=", Limit: 900_000}, 999_500, false, 400},
		{results.Objective{Metric: "lateness", Stat: "max", Op: "<=", Limit: 500}, 500, true, 400},
		{results.Objective{Metric: "lateness", Stat: "p50", Op: "<=", Limit: 0}, 0, true, 400},
		{results.Objective{Metric: "entry errors", Op: "<=", Limit: 0.005}, 0.005, true, 800},
		{results.Objective{Metric: "entry errors", Op: "<", Limit: 0.005}, 0.005, false, 800},
		{results.Objective{Metric: "call errors", Op: "<=", Limit: 0.005}, 0.01, false, 400},
		{results.Objective{Metric: "goodput", Op: ">=", Limit: 199}, 199, true, 400},
		{results.Objective{Metric: "calls", Op: ">", Limit: 100}, 100, false, 400},
		{results.Objective{Metric: "entries", Op: ">=", Limit: 200}, 200, true, 400},
		{results.Objective{Metric: "items", Op: ">=", Limit: 594}, 594, true, 400},
	} {
		m.Objectives = []results.Objective{tt.o}
		s := results.Summarise(m, &a, results.End{Finished: begin})
		r := s.Objectives[0]
		if r.Value == nil || math.Abs(*r.Value-tt.value) > tt.value/1000 || r.Met != tt.met || r.N != tt.n || s.ObjectivesMet() != tt.met {
			v, _ := json.Marshal(r)
			t.Errorf("%+v: got %s, want %v %v %v", tt.o, v, tt.value, tt.met, tt.n)
		}
	}
}

func TestNothingMeasuredMeetsNoObjective(t *testing.T) {
	m := results.Meta{Started: begin, Phases: []results.PhaseMeta{steady("p", 1, time.Second)}}
	for _, metric := range []string{"response", "entry errors", "call errors", "goodput", "calls"} {
		m.Objectives = []results.Objective{{Text: "x", Metric: metric, Stat: "p50", Op: "<=", Limit: 1e9}}
		s := results.Summarise(m, &results.Aggregate{}, results.End{Finished: begin})
		if s.Objectives[0].Met || s.Objectives[0].Value != nil || s.ObjectivesMet() {
			t.Errorf("%s: %+v", metric, s.Objectives[0])
		}
		if !slices.Contains(s.Warnings, `objective "x": nothing was measured`) {
			t.Errorf("%s: %q", metric, s.Warnings)
		}
	}
}

func TestWarnings(t *testing.T) {
	type change func(p *results.PhaseSlice, m *results.Meta, e *results.End)
	for _, tt := range []struct {
		why    string
		calls  int
		late   time.Duration
		took   time.Duration
		change change
		want   string // a part of one warning; "" for none at all
		not    string // a part of no warning
		void   string // a part of why the run is void for the generator's fault; "": it is not
	}{
		{why: "nothing to say", calls: 4000, took: 10 * time.Millisecond},
		{why: "few for p99.9: the check says so", calls: 3687, took: 10 * time.Millisecond},
		{why: "late by over a millisecond and over 5% of the response's p99", calls: 4000, took: 20 * time.Millisecond, late: 1200 * time.Microsecond,
			void: `phase "p": calls were sent late: half of them by more than 1.2 ms`},
		{why: "late by over a millisecond, which is little of the response", calls: 4000, took: time.Second, late: 1200 * time.Microsecond},
		{why: "late by over half of the response", calls: 4000, took: 100 * time.Microsecond, late: 150 * time.Microsecond,
			want: `phase "p": the generator was late: the p99 of lateness is 150 us, that of the response time only 250 us`},
		{why: "late by over 5% of the response, but under a millisecond", calls: 4000, took: 2 * time.Millisecond, late: 900 * time.Microsecond},
		{why: "so few calls that their p99 is one of them", calls: 99, took: 20 * time.Millisecond, late: 5 * time.Millisecond},
		{why: "late by what a timer is", calls: 4000, took: 20 * time.Microsecond, late: 90 * time.Microsecond},
		{why: "over bound", calls: 4000, took: 10 * time.Millisecond, want: `phase "p": 12 calls (0.30%) waited for a free caller`,
			change: func(p *results.PhaseSlice, _ *results.Meta, _ *results.End) { p.OverBound = 12 }},
		{why: "few over bound do not explain the lateness", calls: 4000, took: 10 * time.Millisecond, late: 2 * time.Millisecond, want: "39 calls (0.97%) waited", void: "calls were sent late",
			change: func(p *results.PhaseSlice, _ *results.Meta, _ *results.End) { p.OverBound = 39 }},
		{why: "over bound explains the lateness", calls: 4000, took: 10 * time.Millisecond, late: 2 * time.Millisecond, not: "the generator was late",
			want:   `phase "p": 40 calls (1.00%) waited for a free caller: lateness p99 2.00 ms, response p99 12.0 ms`,
			change: func(p *results.PhaseSlice, _ *results.Meta, _ *results.End) { p.OverBound = 40 }},
		{why: "the ceiling explains the lateness", calls: 4000, took: 10 * time.Millisecond, late: 2 * time.Millisecond, not: "the generator was late",
			want:   `phase "p": the authorised ceiling held back 2,000 calls (50.0%): lateness p99 2.00 ms, response p99 12.0 ms`,
			change: func(p *results.PhaseSlice, _ *results.Meta, _ *results.End) { p.Held = 2000 }},
		{why: "a long name", calls: 4000, took: 10 * time.Millisecond, want: `phase "` + strings.Repeat("é", 39) + `…": 1 call was due`,
			change: func(p *results.PhaseSlice, m *results.Meta, _ *results.End) {
				p.Unsent, m.Phases[0].Name = 1, strings.Repeat("é", 41)
			}},
		{why: "a name stands as it is: who shows it escapes it", calls: 4000, took: 10 * time.Millisecond, want: "phase \"a\\b\n\": 1 call was due",
			change: func(p *results.PhaseSlice, m *results.Meta, _ *results.End) {
				p.Unsent, m.Phases[0].Name = 1, "a\\b\n"
			}},
		{why: "a second phase that did not reach its rate", calls: 4000, took: 10 * time.Millisecond, want: `phase "q" did not reach its rate: 0 of 7 planned calls`,
			change: func(p *results.PhaseSlice, m *results.Meta, _ *results.End) {
				p.Unsent = 100
				m.Phases = append(m.Phases, steady("q", 7, time.Second))
			}},
		{why: "unsent", calls: 4000, took: 10 * time.Millisecond, want: `phase "p": 1 call was due but never sent`,
			change: func(p *results.PhaseSlice, _ *results.Meta, _ *results.End) { p.Unsent = 1 }},
		{why: "surplus", calls: 4000, took: 10 * time.Millisecond, want: "the node sent 2 answers more than were asked for",
			change: func(p *results.PhaseSlice, _ *results.Meta, _ *results.End) { p.Surplus = 2 }},
		{why: "clipped", calls: 4000, took: 10 * time.Millisecond, want: "2 latency values did not fit",
			change: func(p *results.PhaseSlice, _ *results.Meta, _ *results.End) { p.Clipped = 2 }},
		{why: "no metrics", calls: 4000, took: 10 * time.Millisecond, want: "the node's metrics could not be read, so nothing is reconciled: connection refused",
			change: func(_ *results.PhaseSlice, _ *results.Meta, e *results.End) { e.After.Err = "connection refused" }},
		{why: "an account that differs", calls: 4000, took: 10 * time.Millisecond,
			want: "reconciliation: singletons: the client counts 4,000, the node 3,999",
			change: func(_ *results.PhaseSlice, m *results.Meta, e *results.End) {
				m.Bundled = true
				e.Before.Series = map[string]float64{`volley_single_requests_total{outcome="ok"}`: 1}
				e.After.Series = map[string]float64{`volley_single_requests_total{outcome="ok"}`: 4000}
			}},
		{why: "an objective with few calls", calls: 4000, took: 10 * time.Millisecond, want: `objective "o" is undecided: 0 samples over it of 4000 prove neither that it is met nor that it is missed`,
			change: func(_ *results.PhaseSlice, m *results.Meta, _ *results.End) {
				m.Objectives = []results.Objective{{Text: "o", Metric: "response", Stat: "p99.99", Op: "<=", Limit: 1e9}}
			}},
		{why: "an error objective with few entries", calls: 4000, took: 10 * time.Millisecond, want: `objective "o": too few call outcomes (4,000) to show so small a share (36,887 needed)`,
			change: func(_ *results.PhaseSlice, m *results.Meta, _ *results.End) {
				m.Objectives = []results.Objective{{Text: "o", Metric: "call errors", Op: "<=", Limit: 0.0001}}
			}},
		{why: "the generator's own come along", calls: 4000, took: 10 * time.Millisecond, want: "scraping took long",
			change: func(_ *results.PhaseSlice, _ *results.Meta, e *results.End) {
				e.Warnings = []string{"scraping took long"}
			}},
	} {
		m := results.Meta{Started: begin, Dialect: "near", Phases: []results.PhaseMeta{steady("p", 1, time.Second)}}
		e := results.End{Finished: begin}
		s := results.Snapshot{End: time.Second}
		for range tt.calls {
			o := results.Outcome{Sent: tt.late, Done: tt.late + tt.took, Entries: 1}
			o.ByClass[results.OK] = 1
			add(&s, &o)
		}
		if tt.change != nil {
			tt.change(&s.Phases[0], &m, &e)
		}
		var a results.Aggregate
		a.Add(&s)
		if len(m.Phases) > 1 {
			a.Add(&results.Snapshot{End: time.Second, Phases: []results.PhaseSlice{{Phase: 1, Counts: results.Counts{Unsent: 7}}}})
		}
		sum := results.Summarise(m, &a, e)
		if (sum.VoidCause == results.VoidGenerator) != (tt.void != "") || !strings.Contains(sum.VoidReason, tt.void) {
			t.Errorf("%s: void for %q, want %q", tt.why, sum.VoidReason, tt.void)
		}
		got := sum.Warnings
		switch {
		case tt.want == "" && tt.not == "" && len(got) > 0:
			t.Errorf("%s: %q", tt.why, got)
		case tt.want != "" && !slices.ContainsFunc(got, func(w string) bool { return strings.Contains(w, tt.want) }):
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		case tt.not != "" && strings.Contains(strings.Join(got, "\n"), tt.not):
			t.Errorf("%s: %q", tt.why, got)
		}
	}
}

// What scripts rely on: the names in run.json.
func TestRunJSONNames(t *testing.T) {
	m := sampleMeta()
	snaps, _ := sampleSnapshots(m, 1, 60)
	s := results.Summarise(m, aggregate(snaps), results.End{Finished: begin})
	var b strings.Builder
	if err := s.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"text": "response p99 <= 250ms"`) {
		t.Error("an objective's text is not as it was written")
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(b.String()), &doc); err != nil {
		t.Fatal(err)
	}
	has := func(what string, v any, names ...string) {
		t.Helper()
		object, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("%s is no object", what)
		}
		for _, n := range names {
			if _, ok := object[n]; !ok {
				t.Errorf("%s has no %q", what, n)
			}
		}
	}
	has("run.json", doc, "format", "volley", "name", "started", "finished", "status", "totals", "phases", "objectives", "reconciliation", "checks", "generator", "warnings", "environment", "seed", "dialect", "url", "bundled")
	has("totals", doc["totals"], "calls", "entries", "items", "notifications", "by_class", "by_code", "calls_by_class", "surplus", "unanswered", "good_items", "unsent", "over_bound", "clipped", "bytes_out", "bytes_in", "by_http_status")
	ramp := doc["phases"].([]any)[1].(map[string]any)
	has("a phase", ramp, "name", "measured", "target", "arrivals", "for_s", "elapsed_s", "calls", "entries", "unanswered", "achieved", "response_us", "service_us", "lateness_us")
	has("target", ramp["target"], "value", "to", "unit")
	has("achieved", ramp["achieved"], "calls_per_s", "entries_per_s", "items_per_s", "goodput_entries_per_s", "goodput_items_per_s")
	has("response_us", ramp["response_us"], "n", "mean", "p50", "p90", "p99", "p99.9", "max")
	has("an objective", doc["objectives"].([]any)[0], "text", "value", "met")
	has("generator", doc["generator"], "cpu_fraction", "verdict", "planned", "sent", "overrun", "unsent", "over_bound", "max_in_flight", "connections", "clipped", "gc_pause_max_us")

	empty := results.Summarise(m, &results.Aggregate{}, results.End{Status: results.Running})
	b.Reset()
	if err := empty.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"status": "running"`, `"finished": null`, `"p99": null`, `"value": null`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("before the first call run.json holds no %s", want)
		}
	}
}
