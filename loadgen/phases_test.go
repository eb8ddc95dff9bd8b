package loadgen

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

func TestClosedLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: 10 * time.Millisecond}
		p := plan(2,
			scenario.Phase{Name: "closed", Callers: 4, For: time.Second},
			steady(10, scenario.Calls, time.Second))
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		phases := w.Phases()
		if c := phases[0]; c.Calls != 400 || c.Entries != 800 || c.Lateness.Max() != 0 || c.Overrun != 0 {
			t.Errorf("closed loop: %d calls, %d entries, lateness %d us, %d overrun", c.Calls, c.Entries, c.Lateness.Max(), c.Overrun)
		}
		if c := phases[1]; c.Calls != 10 {
			t.Errorf("open loop after it: %d calls", c.Calls)
		}
		if w.Generator.MaxInFlight != 4 && w.Generator.MaxInFlight != 5 {
			t.Errorf("%d calls under way at once", w.Generator.MaxInFlight)
		}
		if w.Generator.Connections > 5 {
			t.Errorf("%d connections", w.Generator.Connections)
		}
	})
}

// A closed loop against a node that is gone does not spin.
func TestClosedLoopAgainstNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond}
		p := plan(1, scenario.Phase{Name: "closed", Callers: 1, For: time.Second})
		node.freeze = func(at time.Duration) time.Duration {
			if at > 0 {
				node.fail = &transport.Error{Failure: transport.Refused, Err: errors.New("connection refused")}
			}
			return 0
		}
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		if total := w.total(); total.Calls < 90 || total.Calls > 91 || total.ByClass[results.Refused] != total.Entries {
			t.Errorf("%d calls, %d refused", total.Calls, total.ByClass[results.Refused])
		}
	})
}

func TestPhasesFollowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond}
		warm := steady(5, scenario.Calls, 1500*time.Millisecond)
		warm.Measured = false
		ramp := steady(10, scenario.Calls, 2*time.Second)
		ramp.To = 30
		w := execute(t, t.Context(), Config{Plan: plan(1, warm, ramp, steady(4, scenario.Calls, time.Second)), Endpoint: node})
		var got []uint64
		for _, p := range w.Phases() {
			got = append(got, p.Calls)
		}
		// The warm-up owes 7.5 calls, the ramp (10+30)/2*2.
		if fmt.Sprint(got) != "[8 40 4]" {
			t.Errorf("calls by phase %v, want [8 40 4]", got)
		}
		var current []int
		for _, s := range w.snaps {
			current = append(current, s.Current)
		}
		if fmt.Sprint(current) != "[0 1 1 2 3]" {
			t.Errorf("phases of the snapshots %v", current)
		}
	})
}

func TestLateCallsBelongToThePhaseTheyWereDueIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{freeze: func(at time.Duration) time.Duration {
			if at > 0 && at < 2*time.Second {
				return 2*time.Second - at
			}
			return 0
		}}
		p := plan(1, steady(10, scenario.Calls, time.Second), steady(10, scenario.Calls, 2*time.Second))
		p.InFlight = 1
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		first, second := w.Phases()[0], w.Phases()[1]
		if first.Calls != 10 || second.Calls != 20 {
			t.Errorf("%d and %d calls, want 10 and 20", first.Calls, second.Calls)
		}
		// Due at 0.2 .. 0.9 in the first phase, sent at 2.
		if first.Overrun != 8 || first.LastSent != 2*time.Second || second.Overrun != 0 {
			t.Errorf("overrun %d, last sent %v; second phase %d", first.Overrun, first.LastSent, second.Overrun)
		}
	})
}

// The ceiling holds for every entry, notifications included, in open and closed
// loops; what it holds back is sent late.
func TestCeiling(t *testing.T) {
	for _, tt := range []struct {
		name  string
		phase scenario.Phase
	}{
		{"open", steady(20, scenario.Calls, 5*time.Second)},
		{"closed", scenario.Phase{Name: "closed", Callers: 8, For: 5 * time.Second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				node := &fakeNode{latency: time.Millisecond}
				p := plan(10, tt.phase)
				p.Notifications = 0.5
				p.Drain = 30 * time.Second
				p.Target.Authorised = &scenario.Authorised{By: "me", MaxRate: scenario.Rate{Value: 100, Unit: scenario.Entries}}
				w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
				total := w.total()
				start := node.times[1]
				for k, at := range node.times[1:] {
					if allowed := 10 + int((at-start+time.Microsecond).Seconds()*100); (k+1)*10 > allowed {
						t.Fatalf("%d entries were sent by %v, over the ceiling of 100/s and one batch", (k+1)*10, at-start)
					}
				}
				if total.Lateness.Max() == 0 {
					t.Error("nothing was sent late")
				}
				if tt.name == "open" && total.Calls != 100 {
					t.Errorf("%d calls, want all 100", total.Calls)
				}
			})
		})
	}
}

// Callers that the ceiling holds back beyond the drain do not hold up the end.
func TestCeilingEndsWithTheDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(10, scenario.Phase{Name: "closed", Callers: 5, For: time.Second})
		p.Drain = 2 * time.Second
		p.Target.Authorised = &scenario.Authorised{By: "me", MaxRate: scenario.Rate{Value: 1, Unit: scenario.Entries}}
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: &fakeNode{latency: time.Millisecond}})
		// The first call passes at once, and its caller is owed another.
		if total := w.total(); total.Calls != 1 || total.Unsent != 5 || w.Elapsed != 3*time.Second || w.Interrupted {
			t.Errorf("%d calls, %d unsent, elapsed %v, interrupted %v", total.Calls, total.Unsent, w.Elapsed, w.Interrupted)
		}
	})
}

// An open loop that its node could not keep up with sends on into the closed loop
// after it. The closed loop's rates are over the time that it had, and a reader is
// told that it had not all.
func TestClosedLoopAfterABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: 45 * time.Millisecond}
		warm := steady(40, scenario.Calls, 2*time.Second)
		warm.Measured = false
		p := plan(1, warm, scenario.Phase{Name: "closed", Callers: 4, For: 2 * time.Second, Measured: true})
		p.InFlight = 1
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		phases, _ := Describe(p)
		s := results.Summarise(results.Meta{Phases: phases}, &w.Aggregate, results.End{Generator: w.Generator})
		closed := s.Phases[1]
		// 80 calls of 45 ms, one at a time: sending ends at 79 * 45 ms.
		if want := 4 - 79*0.045; closed.ElapsedS < want-0.001 || closed.ElapsedS > want+0.001 {
			t.Errorf("the closed loop had %v s, want %v", closed.ElapsedS, want)
		}
		if rate := closed.Achieved.CallsPerS; rate < 4/0.045 || rate > 4/0.045+4/closed.ElapsedS {
			t.Errorf("%v calls/s, want 4 callers' worth and the ones under way", rate)
		}
		if s.Status != results.Void || !strings.Contains(s.VoidReason, `phase "closed" got 0.4`) {
			t.Errorf("%s: %s", s.Status, s.VoidReason)
		}
	})
}

// What the authorised ceiling holds back is not the generator's fault.
func TestCeilingIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(1, steady(400, scenario.Entries, time.Second))
		p.Target.Authorised = &scenario.Authorised{By: "us", MaxRate: scenario.Rate{Value: 50, Unit: scenario.Entries}}
		p.Drain = 10 * time.Second
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: &fakeNode{}})
		phases, _ := Describe(p)
		s := results.Summarise(results.Meta{Phases: phases}, &w.Aggregate, results.End{Generator: w.Generator, Arrivals: w.Arrivals})
		if s.Generator.Verdict != results.GeneratorOK {
			t.Errorf("generator %s: %s", s.Generator.Verdict, s.Generator.Reason)
		}
		if s.Status != results.Void || !strings.Contains(s.VoidReason, "the authorised ceiling held back 3") {
			t.Errorf("%s: %s", s.Status, s.VoidReason)
		}
	})
}

// Replayed calls are sent when a file says, whatever they carry.
func TestReplayedPhase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "due.txt")
	if err := os.WriteFile(file, []byte("0\n0.5\n0.5\n0.75\n1.25\n9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond}
		replayed := scenario.Phase{
			Name: "replayed", Replay: &scenario.Replay{File: file, Calls: 5}, For: 2 * time.Second,
			Rate: scenario.Rate{Value: 2.5, Unit: scenario.Calls}, To: 2.5, Arrivals: "replay", Measured: true,
		}
		w := execute(t, t.Context(), Config{Plan: plan(7, replayed, steady(2, scenario.Calls, time.Second)), Endpoint: node})
		var got []time.Duration
		for _, at := range node.times[2:] { // the canaries came first
			got = append(got, at-2*node.latency)
		}
		ms := time.Millisecond
		if want := []time.Duration{0, 500 * ms, 500 * ms, 750 * ms, 1250 * ms, 2000 * ms, 2500 * ms}; !slices.Equal(got, want) {
			t.Errorf("sent at %v, want %v", got, want)
		}
		if w.Phases()[0].Calls != 5 || w.total().Lateness.Max() != 0 {
			t.Errorf("%d calls, lateness up to %d us", w.Phases()[0].Calls, w.total().Lateness.Max())
		}
	})
}

func TestReplayThatCannotBeReadEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(1, scenario.Phase{Replay: &scenario.Replay{File: filepath.Join(t.TempDir(), "gone.txt")}, For: time.Hour})
		r := runner{wait: timerWaiter{}, Config: Config{Plan: p, Endpoint: &fakeNode{}}}
		if _, err := r.run(t.Context()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	})
}
