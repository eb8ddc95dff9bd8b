package loadgen

import (
	"errors"
	"io"
	"time"

	"volley/loadgen/arrival"
	"volley/scenario"
)

// dispatcher walks the plan's phases, which follow each other at fixed offsets
// from the run's start, and hands every arrival to a caller when it is due: never
// before. When the bound on calls under way is reached it waits, and what becomes
// due meanwhile is sent late, with the due time that it had. So nothing is ever
// dropped, and no queue grows: the schedule itself is the queue.
type dispatcher struct {
	*line
	plan *scenario.Plan
	pool *pool
	wait waiter
	last time.Duration // what is due can be sent up to then

	encoder *encoder
	message message // the next call, encoded before it is due

	stopped bool
	cutoff  time.Duration // when stopped: what was due later was not owed any more
	// held is when a call last got a caller after it had waited for one: what was
	// due up to then found none free either.
	held time.Duration
}

func newDispatcher(l *line, p *scenario.Plan, calls *pool, w waiter) *dispatcher {
	return &dispatcher{
		line: l, plan: p, pool: calls, wait: w, last: length(p) + p.Drain, held: -1,
		encoder: newEncoder(l.work),
	}
}

// length is the sum of the phases' lengths.
func length(p *scenario.Plan) (d time.Duration) {
	for i := range p.Phases {
		d += p.Phases[i].For
	}
	return d
}

// schedule gives the due times of a phase's calls, as offsets from its start.
type schedule interface {
	// Next gives the due time of a call that carries count of what the phase's rate
	// counts, mean being usual; false: no more are due.
	Next(count, mean float64) (due time.Duration, ok bool)
}

// scalable is a schedule whose rate can be changed.
type scalable interface{ Scale(factor float64) }

// replay is the schedule of a file of due times.
type replay struct {
	times *scenario.DueTimes
	end   time.Duration
	err   error // why the file could not be read to its end
}

func (r *replay) Next(_, _ float64) (time.Duration, bool) {
	due, err := r.times.Next()
	if err != nil && err != io.EOF {
		r.err = err
	}
	return due, err == nil && due < r.end
}

// run returns when the last phase is over and all that was due is sent or counted
// as unsent, or when the run may send no more.
// An error is that of a file that due times could not be read from.
func (d *dispatcher) run() error {
	d.wait.begin(d.rec.busy)
	defer d.wait.end()
	var at time.Duration
	for i := range d.plan.Phases {
		end := at + d.plan.Phases[i].For
		if d.plan.Phases[i].Callers > 0 {
			d.enter(i, at, errors.New("this phase is a closed loop, whose rate follows from its answers"))
			d.loop(i, at, end)
		} else {
			if err := d.open(i, at, end); err != nil {
				return err
			}
		}
		at = end
	}
	d.until(at)
	d.rates.enter(d.start, at, 1, errNoLoad)
	return nil
}

// enter tells the rates of a phase, and gives the factor that it begins with.
func (d *dispatcher) enter(phase int, at time.Duration, fixed error) float64 {
	p, limit := &d.plan.Phases[phase], mostFactor
	if d.ceiling != nil && p.Callers == 0 {
		z := &d.work.sizes
		entries := max(p.Rate.Value, p.To) / z.mean(p.Rate.Unit) * z.mean(scenario.Entries)
		limit = min(limit, max(1, float64(d.ceiling.Limit())/entries))
	}
	return d.rates.enter(d.start, at, limit, fixed)
}

// open runs an open-loop phase.
func (d *dispatcher) open(phase int, at, end time.Duration) error {
	p := &d.plan.Phases[phase]
	if p.Replay == nil {
		s := newStream()
		s.set(d.plan.Seed, uint64(phase), forArrivals)
		arrivals := arrival.New(arrival.Profile{Kind: p.Arrivals, Rate: p.Rate.Value, To: p.To, For: p.For}, s.rand)
		if factor := d.enter(phase, at, nil); factor != 1 {
			arrivals.Scale(factor)
			d.fidelity.byHand(phase, p.Arrivals)
		}
		d.follow(arrivals, phase, at, end)
		return nil
	}
	d.enter(phase, at, errors.New("this phase's due times are those of a file"))
	times, err := p.Replay.Open()
	if err != nil {
		return err
	}
	defer times.Close()
	r := &replay{times: times, end: p.For}
	d.follow(r, phase, at, end)
	return r.err
}

// follow sends what is due by a phase's schedule.
func (d *dispatcher) follow(s schedule, phase int, at, end time.Duration) {
	p := &d.plan.Phases[phase]
	mean := d.work.sizes.mean(p.Rate.Unit)
	arrivals, _ := s.(scalable)
	for last := at; ; {
		if arrivals != nil {
			if factor, changed := d.rates.after(last); changed {
				arrivals.Scale(factor)
				d.fidelity.byHand(phase, p.Arrivals)
			}
		}
		due, ok := s.Next(d.seq.peek().count(p.Rate.Unit), mean)
		if !ok {
			return
		}
		due += at
		last = due
		j := job{phase: phase, end: overrunAt(end, p.For), due: due, call: d.seq.take()}
		d.encoder.encode(&d.message, j.call.n, j.call.first, j.call.shape)
		sendable := d.until(due)
		if !sendable && due > d.cutoff {
			return
		}
		d.rec.planned.Add(1)
		if !sendable || !d.send(j) {
			d.rec.unsent(phase)
		}
	}
}

// send gives a call that is due to a caller; false says that the run may send no
// more.
func (d *dispatcher) send(j job) bool {
	var ok bool
	if j.held, ok = d.admit(j.call.shape.entries, d.wait); !ok {
		d.stop()
		return false
	}
	j.overBound = j.due <= d.held
	if d.now() < d.last {
		if d.pool.try(j, &d.message) {
			return true
		}
		j.overBound = true
		if d.pool.wait(j, &d.message, d.start.Add(d.last)) {
			d.held = d.now()
			return true
		}
	}
	d.stop()
	return false
}

// loop runs a closed-loop phase: each of its callers makes its next call when it
// has the answer to the one before.
func (d *dispatcher) loop(phase int, at, end time.Duration) {
	if !d.until(at) {
		return
	}
	for range d.plan.Phases[phase].Callers {
		d.pool.try(job{phase: phase, end: end, loop: true}, nil)
	}
	d.until(end)
}

// until waits for an offset; false says that the run may send no more.
func (d *dispatcher) until(at time.Duration) bool {
	if d.stopped {
		return false
	}
	if !d.wait.until(d.start.Add(at), d.quit.done) {
		d.stop()
	}
	return !d.stopped
}

func (d *dispatcher) stop() {
	if d.stopped {
		return
	}
	d.stopped, d.cutoff = true, d.now()
	if closed(d.quit.done) {
		d.cutoff = d.quit.at.Sub(d.start)
	}
	d.finished.Store(true)
}
