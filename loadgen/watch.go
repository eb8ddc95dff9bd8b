package loadgen

import (
	"context"
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
	if r.Snapshot == nil || s.End == s.Start && len(s.Phases) == 0 && s.Planned == 0 {
		return
	}
	if err := r.Snapshot(s); err != nil {
		r.fail(err)
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

// sampled is one sample of the node's metrics and the middle of its exchange.
type sampled struct {
	results.NodeSample
	middle time.Time
}

// scrapeTimeout bounds one scrape.
const scrapeTimeout = 3 * time.Second

// sample reads the node's metrics; a failure is a sample too. Without metrics it
// is empty.
func (r *runner) sample(ctx context.Context) sampled {
	if r.fetch == nil {
		return sampled{}
	}
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	begin := time.Now()
	s, err := r.fetch(ctx)
	if err != nil {
		s.Series = nil
		s.Err = r.printable(err.Error())
	}
	return sampled{NodeSample: s, middle: begin.Add(time.Since(begin) / 2)}
}

// from sets the sample's time in a run that starts then.
func (s sampled) from(start time.Time) results.NodeSample {
	if !s.middle.IsZero() {
		s.At = s.middle.Sub(start)
	}
	return s.NodeSample
}

// scrapes hands out a sample at every multiple of every, until ctx ends.
func (r *runner) scrapes(ctx context.Context, every time.Duration) {
	var w timerWaiter
	for {
		next := r.line.now().Truncate(every) + every
		if !w.until(r.line.start.Add(next), ctx.Done()) {
			return
		}
		s := r.sample(ctx)
		if ctx.Err() != nil {
			return
		}
		if r.Node == nil {
			continue
		}
		if err := r.Node(s.from(r.line.start)); err != nil {
			r.fail(err)
			return
		}
	}
}
