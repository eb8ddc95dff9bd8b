package target

import (
	"container/heap"
	"context"
	"runtime"
	"sync"
	"time"
)

// Wait lets a duration pass without spending processor time, by the runtime's
// timers: on an idle machine they come up to a millisecond late. It returns
// early only when the context ends, with the context's error.
func Wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// KernelWaiter waits as the function Wait does, but some ten microseconds late
// where that is hundreds. The zero value is ready for use; Close ends it. Safe
// for concurrent use.
//
// Where nothing runs, the runtime sleeps in its network poller until the next
// timer, in whole milliseconds. So all waits stand in one queue, and an alarm
// of the kernel's, which the poller watches as it does a socket, is set for the
// first of them. Three things were added because measurement asked for them:
//
//   - The kernel takes some forty microseconds to wake a processor. The alarm is
//     set so much earlier, as it learns, and what is left is passed at work, up to
//     a third of one processor's time.
//   - Where all processors are busy the poller is looked at every ten
//     milliseconds, but timers whenever one call gives way to another. So a timer
//     of the runtime's stands beside the alarm.
//   - One queue costs less than an alarm a wait, and wakes in order. A thread that
//     sleeps in clock_nanosleep was no earlier and kept a processor from those that
//     it had just woken.
//
// Where the kernel has no such alarm, the runtime's timer is all there is.
type KernelWaiter struct {
	mu     sync.Mutex // guards what follows
	queue  dueQueue
	came   uint64
	timer  *time.Timer // at the first due time, while there is one
	alarm  *alarm      // ahead of it; nil: there is none to be had
	set    time.Duration
	lead   lead
	spins  spins
	state  waiterState
	base   time.Time     // due times count from it
	quit   chan struct{} // closed: wait elsewhere
	rounds sync.WaitGroup
}

type waiterState uint8

const (
	unstarted waiterState = iota
	started
	closed
)

// handOver is how long it takes from a waiter's release until it runs; it is
// released so much before it is due.
const handOver = 10 * time.Microsecond

// Wait lets a duration pass. It returns early only when the context ends, with
// the context's error. After Close it is the function Wait.
func (k *KernelWaiter) Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	w := sleepers.Get().(*sleeper)
	if !k.enter(w, d) {
		sleepers.Put(w)
		return Wait(ctx, d)
	}
	select {
	case <-w.released:
		for k.now() < w.due { // handOver is longer than it took
			runtime.Gosched()
		}
	case <-ctx.Done():
		k.leave(w)
	case <-k.quit:
		k.leave(w)
		d = w.due - k.now()
		sleepers.Put(w)
		return Wait(ctx, d)
	}
	sleepers.Put(w)
	return ctx.Err()
}

// Close ends what the waiter runs and waits for it. Waits that are not over go
// on by the runtime's timers.
func (k *KernelWaiter) Close() {
	k.mu.Lock()
	if k.state == started {
		close(k.quit)
		k.alarm.close()
	}
	k.state = closed
	k.mu.Unlock()
	k.rounds.Wait()
}

func (k *KernelWaiter) now() time.Duration { return time.Since(k.base) }

// start begins to release waiters, on two goroutines that end with Close.
func (k *KernelWaiter) start(base time.Time, a *alarm) {
	k.state, k.base, k.alarm, k.quit = started, base, a, make(chan struct{})
	k.timer = time.NewTimer(time.Hour)
	k.rounds.Go(func() {
		for {
			select {
			case <-k.timer.C:
				k.release(false)
			case <-k.quit:
				k.timer.Stop()
				return
			}
		}
	})
	if a != nil {
		k.rounds.Go(func() {
			for a.ring() == nil {
				k.release(true)
			}
		})
	}
}

// enter puts a wait into the queue; false: the waiter is closed.
func (k *KernelWaiter) enter(w *sleeper, d time.Duration) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state == unstarted {
		base := time.Now()
		k.start(base, newAlarm(base))
	}
	if k.state == closed {
		return false
	}
	w.due, w.came = k.now()+d, k.came
	if w.due < d {
		return false // later than can be told
	}
	k.came++
	heap.Push(&k.queue, w)
	if w.place == 0 {
		k.arm()
	}
	return true
}

// leave takes a wait out of the queue, or its release, which nobody awaits.
func (k *KernelWaiter) leave(w *sleeper) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if w.place >= 0 {
		heap.Remove(&k.queue, w.place)
		return
	}
	<-w.released
}

// release lets those go that are due, at work through what is left until the
// next if that is no more than the alarm's lead.
func (k *KernelWaiter) release(byAlarm bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if byAlarm {
		k.lead.learn(now - k.set)
	}
	for len(k.queue) > 0 {
		until := k.queue[0].due - handOver
		if until <= now {
			w := heap.Pop(&k.queue).(*sleeper)
			w.released <- struct{}{}
			continue
		}
		if !byAlarm || until-now > k.lead.time || !k.spins.allowed(now) {
			break
		}
		k.mu.Unlock()
		spun := k.spin(until)
		k.mu.Lock()
		now = k.now()
		k.spins.spent(now, spun)
	}
	k.arm()
}

// spin passes the time until an instant at work, but first of all gives way to
// whom was just released. What it gives, its own part of that time, is without
// theirs.
func (k *KernelWaiter) spin(until time.Duration) (own time.Duration) {
	for now := k.now(); now < until; {
		runtime.Gosched()
		next := k.now()
		if next-now < ownTurn {
			own += next - now
		}
		now = next
	}
	return own
}

// ownTurn is longer than it takes to give way when nobody is there to take it.
const ownTurn = 2 * time.Microsecond

// arm sets the alarm and the timer for the first in the queue.
func (k *KernelWaiter) arm() {
	if len(k.queue) == 0 || k.state == closed {
		return
	}
	now, due := k.now(), k.queue[0].due
	k.timer.Reset(due - handOver - now)
	if k.alarm == nil {
		return
	}
	k.set = due - handOver
	if k.spins.allowed(now) {
		k.set -= k.lead.time
	}
	k.alarm.at(k.set)
}

// sleeper is one wait.
type sleeper struct {
	due      time.Duration
	came     uint64        // waits due at once are released in this order
	place    int           // in the queue; -1: released
	released chan struct{} // holds one
}

var sleepers = sync.Pool{New: func() any { return &sleeper{released: make(chan struct{}, 1)} }}

// dueQueue is a heap of waits, the first due first.
type dueQueue []*sleeper

func (q dueQueue) Len() int { return len(q) }

func (q dueQueue) Less(i, j int) bool {
	if q[i].due != q[j].due {
		return q[i].due < q[j].due
	}
	return q[i].came < q[j].came
}

func (q dueQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push is for container/heap.
func (q *dueQueue) Push(x any) {
	w := x.(*sleeper)
	w.place = len(*q)
	*q = append(*q, w)
}

// Pop is for container/heap.
func (q *dueQueue) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	w.place = -1
	return w
}

// lead is how much before its time an alarm is set: what three of four alarms
// take to be noticed.
type lead struct{ time time.Duration }

const (
	mostLead = 80 * time.Microsecond
	// An alarm as late as this found the processors busy, not asleep.
	busyLate = 500 * time.Microsecond
	leadStep = time.Microsecond
)

// learn takes how long after the time that it was set for an alarm was noticed.
// Three steps up balance three times as many steps down.
func (l *lead) learn(late time.Duration) {
	switch {
	case late < 0 || late > busyLate: // set anew meanwhile, or no fault of the kernel's
	case late > l.time:
		l.time = min(l.time+3*leadStep, mostLead)
	default:
		l.time = max(l.time-leadStep, 0)
	}
}

// spins bounds the time that is passed at work to a third, over some
// milliseconds.
type spins struct{ paid time.Duration } // when what was spent is a third of the time

const (
	spinShare  = 3
	spinWindow = 4 * time.Millisecond
)

func (s *spins) allowed(now time.Duration) bool { return s.paid <= now }

func (s *spins) spent(now, d time.Duration) {
	s.paid = max(s.paid, now-spinWindow) + spinShare*d
}
