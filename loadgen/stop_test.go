package loadgen

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"volley/results"
	"volley/scenario"
)

func TestDrainCutsOffWhatIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond, freeze: func(at time.Duration) time.Duration {
			if at > time.Second {
				return time.Hour
			}
			return 0
		}}
		p := plan(10, steady(10, scenario.Calls, 2*time.Second))
		p.InFlight, p.Drain, p.Timeout = 5, 3*time.Second, time.Hour
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		total := w.total()
		if total.ByClass[results.CutOff] != 50 || total.CallsByClass[results.CutOff] != 5 {
			t.Errorf("%d entries and %d calls cut off, want 50 and 5", total.ByClass[results.CutOff], total.CallsByClass[results.CutOff])
		}
		if total.Calls != 15 || total.Unsent != 5 {
			t.Errorf("%d calls, %d unsent, want 15 and 5", total.Calls, total.Unsent)
		}
		if w.Elapsed != 5*time.Second || w.Interrupted {
			t.Errorf("elapsed %v, interrupted %v", w.Elapsed, w.Interrupted)
		}
		if last := w.snaps[len(w.snaps)-1]; last.Current != 1 {
			t.Errorf("the last snapshot is of phase %d, want the drain", last.Current)
		}
	})
}

func TestTimeoutsAreOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{freeze: func(at time.Duration) time.Duration { return min(at, time.Nanosecond) * time.Duration(time.Hour) }}
		p := plan(3, steady(1, scenario.Calls, 3*time.Second))
		p.Timeout = 250 * time.Millisecond
		// The canary takes no time, and so does the first call of the load.
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node})
		total := w.total()
		if total.ByClass[results.Timeout] != 6 || total.ByClass[results.OK] != 3 || total.Service.Max() < 250_000 || total.Service.Max() > 250_500 {
			t.Errorf("%d entries timed out, %d ok, service up to %d us", total.ByClass[results.Timeout], total.ByClass[results.OK], total.Service.Max())
		}
	})
}

func TestStopDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: 700 * time.Millisecond}
		stop := make(chan struct{})
		p := plan(1, steady(10, scenario.Calls, time.Hour), steady(10, scenario.Calls, time.Hour))
		time.AfterFunc(node.latency+2050*time.Millisecond, func() { close(stop) })
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node, Stop: stop})
		total := w.total()
		if !w.Interrupted || total.Calls != 21 || total.ByClass[results.OK] != 21 || total.Unsent != 0 {
			t.Errorf("interrupted %v, %d calls, %d ok, %d unsent", w.Interrupted, total.Calls, total.ByClass[results.OK], total.Unsent)
		}
		if w.Elapsed != 2700*time.Millisecond || w.Stopped != 2050*time.Millisecond {
			t.Errorf("elapsed %v, want the last call's end; stopped at %v", w.Elapsed, w.Stopped)
		}
	})
}

// What was due when the run was stopped, and could not be sent, is counted.
func TestStopCountsWhatWasOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{freeze: func(at time.Duration) time.Duration { return min(at, 1) * time.Duration(3*time.Second) }}
		stop := make(chan struct{})
		p := plan(1, steady(10, scenario.Calls, time.Hour))
		p.InFlight = 2
		time.AfterFunc(1050*time.Millisecond, func() { close(stop) })
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: node, Stop: stop})
		// Due at 0, 0.1, ... 1.0; the first took no time, two are under way.
		if total := w.total(); total.Calls != 3 || total.Unsent != 8 {
			t.Errorf("%d calls, %d unsent, want 3 and 8", total.Calls, total.Unsent)
		}
	})
}

// Where a stop is noticed late, what became due since was not owed.
func TestStopThatIsNoticedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Millisecond}
		stop := make(chan struct{})
		time.AfterFunc(node.latency+1001*time.Millisecond, func() { close(stop) })
		var all results.Aggregate
		r := runner{wait: deafWaiter{}, Config: Config{
			Plan: plan(1, steady(10, scenario.Calls, time.Hour)), Endpoint: node, Stop: stop,
			Snapshot: func(s *results.Snapshot) error { all.Add(s); return nil },
		}}
		if _, err := r.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if total := all.Total(nil); total.Calls != 11 || total.Unsent != 0 {
			t.Errorf("%d calls, %d unsent, want 11 and none", total.Calls, total.Unsent)
		}
	})
}

// deafWaiter hears of the end only when it wakes.
type deafWaiter struct{ timerWaiter }

func (deafWaiter) until(t time.Time, quit <-chan struct{}) bool {
	time.Sleep(time.Until(t))
	return !closed(quit)
}

func TestEndOfContextLeavesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: 700 * time.Millisecond}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(node.latency+2050*time.Millisecond, cancel)
		w := execute(t, ctx, Config{Plan: plan(1, steady(10, scenario.Calls, time.Hour)), Endpoint: node})
		total := w.total()
		if !w.Interrupted || w.Elapsed != 2050*time.Millisecond {
			t.Errorf("interrupted %v after %v", w.Interrupted, w.Elapsed)
		}
		if total.Calls != 21 || total.ByClass[results.CutOff] != 7 {
			t.Errorf("%d calls, %d entries cut off, want 21 and 7", total.Calls, total.ByClass[results.CutOff])
		}
	})
}

// Before the load there is nothing to drain: a silent node does not hold up the end.
func TestStopBeforeTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{latency: time.Hour}
		stop := make(chan struct{})
		p := plan(1, steady(10, scenario.Calls, time.Hour))
		p.Timeout = 10 * time.Second
		begin := time.Now()
		time.AfterFunc(time.Second, func() { close(stop) })
		_, err := Run(t.Context(), Config{Plan: p, Endpoint: node, Stop: stop})
		if !errors.Is(err, context.Canceled) || time.Since(begin) != time.Second {
			t.Errorf("%v after %v, want the interrupt at once", err, time.Since(begin))
		}
	})
}
