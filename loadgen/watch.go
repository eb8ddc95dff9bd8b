package loadgen

import (
	"time"

	"volley/results"
)

// snapshots hands out a snapshot at every whole second of the run, and the last
// one when done is closed. A receiver that takes long skips seconds, and loses
// nothing: the next snapshot covers them.
func (r *runner) snapshots(done <-chan struct{}) {
	for {
		next := r.line.now().Truncate(time.Second) + time.Second
		timer := time.NewTimer(time.Until(r.line.start.Add(next)))
		select {
		case <-timer.C:
			r.snapshot(next)
		case <-done:
			timer.Stop()
			r.snapshot(r.account.Elapsed)
			return
		}
	}
}

func (r *runner) snapshot(end time.Duration) {
	s := r.rec.snapshot(end, time.Now(), r.phaseAt(end))
	s.Health = r.monitor.health()
	r.asked(s)
	if r.Snapshot == nil || s.End == s.Start && len(s.Phases) == 0 && s.Planned == 0 {
		return
	}
	if err := r.Snapshot(s); err != nil {
		r.fail(err)
	}
	if r.Failed != nil {
		r.rec.firstFailures(func(class results.Class, words string) { r.Failed(class, r.printable(words)) })
	}
}

// asked tells a snapshot what rate was asked for.
func (r *runner) asked(s *results.Snapshot) {
	s.RateSteps = r.Rates.since(len(r.steps))
	r.steps = append(r.steps, s.RateSteps...)
	if s.Current < len(r.phases) {
		var begin time.Duration
		for i := range s.Current {
			begin += r.phases[i].For
		}
		s.Asked = r.phases[s.Current].Asked(begin, s.Start-begin, s.End-begin, r.steps)
	}
}

// phaseAt gives the phase that the plan is in; the number of phases when it is
// draining.
func (r *runner) phaseAt(at time.Duration) int {
	if r.line.over() {
		return len(r.Plan.Phases)
	}
	var end time.Duration
	for i := range r.Plan.Phases {
		if end += r.Plan.Phases[i].For; at < end {
			return i
		}
	}
	return len(r.Plan.Phases)
}
