package loadgen

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/results"
	"volley/results/selfcheck"
	"volley/scenario"
)

// Every measured phase with a rate is held to its own process; on fake time the
// generator keeps to the plan exactly.
func TestSendsAreHeldToThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		phase := func(name, arrivals string, rate, to float64) scenario.Phase {
			p := steady(rate, scenario.Entries, 4*time.Second)
			p.Name, p.Arrivals, p.To = name, arrivals, to
			return p
		}
		p := plan(1,
			phase("warm up", "poisson", 400, 400), phase("constant", "constant", 400, 400), phase("poisson", "poisson", 800, 800),
			phase("uniform", "uniform", 800, 800), phase("ramp", "poisson", 400, 1200),
			scenario.Phase{Name: "loop", Callers: 2, For: time.Second, Measured: true})
		p.Phases[0].Measured = false
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: &fakeNode{latency: time.Millisecond}})
		want := [][]string{
			nil, {"arrival dispersion"}, {"arrival gaps", "arrival dispersion"},
			{"arrival gaps"}, {"arrival gaps", "arrival dispersion"}, nil,
		}
		for i, checks := range w.Arrivals {
			if len(checks) != len(want[i]) {
				t.Errorf("%s: %+v, want %q", p.Phases[i].Name, checks, want[i])
				continue
			}
			for k, c := range checks {
				// Chance leaves a short honest phase open at times; it never condemns it. Sends
				// outside of the plan are held to another phase's time.
				if c.Name != want[i][k] || c.Verdict != selfcheck.OK && c.Verdict != selfcheck.NotEnough || strings.Contains(c.Sentence, "outside of the plan") {
					t.Errorf("%s: %+v, want %s", p.Phases[i].Name, c, want[i][k])
				}
			}
		}
	})
}

// What waits for the node is not held against the generator, nor is the node.
func TestSendsThatWaitForTheNodeAreNotJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(1, steady(400, scenario.Entries, 5*time.Second))
		p.InFlight = 1
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: &fakeNode{latency: 10 * time.Millisecond}})
		phases, _ := Describe(p)
		s := results.Summarise(results.Meta{Phases: phases}, &w.Aggregate, results.End{Generator: w.Generator, Arrivals: w.Arrivals})
		if s.Status != results.Void || s.VoidCause != results.VoidRate || s.Generator.Verdict != results.GeneratorOK {
			t.Errorf("%s, %s: %s; generator %s", s.Status, s.VoidCause, s.VoidReason, s.Generator.Verdict)
		}
		for _, c := range w.Arrivals[0] {
			if c.Verdict != selfcheck.NotEnough {
				t.Errorf("%+v", c)
			}
		}
	})
}

// Nor is what the authorised ceiling held back.
func TestSendsThatTheCeilingHeldBackAreNotJudged(t *testing.T) {
	p := plan(1, steady(400, scenario.Entries, 5*time.Second))
	z := newSizes(p)
	for _, held := range []bool{false, true} {
		f := newFidelity(p, &z)
		for i := range 2000 {
			due := time.Duration(i) * 2500 * time.Microsecond
			f.add(&job{due: due, held: held && i%50 == 0}, due)
		}
		for _, c := range f.checks()[0] {
			if want := map[bool]selfcheck.Verdict{false: selfcheck.OK, true: selfcheck.NotEnough}[held]; c.Verdict != want {
				t.Errorf("held back %t: %+v, want %s", held, c, want)
			}
		}
	}
}

// What is kept of a run's seconds lets its end be checked: here the node takes much
// longer from the middle of the phase on.
func TestChecksOfSeconds(t *testing.T) {
	for _, tt := range []struct {
		why  string
		slow time.Duration // what a call takes more in the second half
		want map[string]selfcheck.Verdict
	}{
		{"steady", 0, map[string]selfcheck.Verdict{
			"sent": selfcheck.OK, "lateness": selfcheck.OK, "warm-up": selfcheck.OK, "drift of p50": selfcheck.OK,
			"drift of calls in flight": selfcheck.OK, "halves": selfcheck.OK, "backlog": selfcheck.OK, "little's law": selfcheck.OK,
		}},
		{"slower in the second half", 50 * time.Millisecond, map[string]selfcheck.Verdict{
			"sent": selfcheck.OK, "lateness": selfcheck.OK,
			"halves": selfcheck.Warn, "backlog": selfcheck.Warn, "little's law": selfcheck.OK,
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := plan(1, steady(50, scenario.Entries, 60*time.Second))
			node := &fakeNode{latency: 5 * time.Millisecond, freeze: func(at time.Duration) time.Duration {
				if at > 30*time.Second {
					return tt.slow
				}
				return 0
			}}
			w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
			s := results.Summarise(results.Meta{Phases: w.Plan}, &w.Aggregate, results.End{Generator: w.Generator, Arrivals: w.Arrivals})
			got := make(map[string]selfcheck.Check)
			for _, c := range s.Checks {
				got[c.Name] = c
			}
			for name, want := range tt.want {
				if got[name].Verdict != want {
					t.Errorf("%s, %s: %+v, want %s", tt.why, name, got[name], want)
				}
			}
			if s.Status != results.Finished {
				t.Errorf("%s: %s, %s", tt.why, s.Status, s.VoidReason)
			}
		})
	}
}

// What a send costs more for being held to the plan; it is added after the send.
func BenchmarkFidelity(b *testing.B) {
	for _, arrivals := range []string{"poisson", "constant"} {
		b.Run(arrivals, func(b *testing.B) {
			phase := steady(20_000, scenario.Entries, 24*time.Hour)
			phase.Arrivals = arrivals
			p := plan(10, phase)
			z := newSizes(p)
			f := newFidelity(p, &z)
			b.ReportAllocs()
			at := time.Duration(0)
			for b.Loop() {
				at += 500 * time.Microsecond
				f.add(&job{due: at}, at+2*time.Microsecond)
			}
		})
	}
}

func BenchmarkBracket(b *testing.B) {
	rec := newRecorder(1)
	b.ReportAllocs()
	for b.Loop() {
		rec.began(time.Second)
		rec.undone(2 * time.Second)
	}
}
