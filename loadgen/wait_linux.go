package loadgen

import (
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// sleepSlice bounds how long the end of a run can go unnoticed.
	sleepSlice = 50 * time.Millisecond
	// wakeEarly is how long before an instant the kernel is asked to wake us: what it
	// takes to do so is spent, and the rest is waited for awake.
	wakeEarly = 70 * time.Microsecond
	// keepCPU is how long before it the CPU is not offered to others any more. Where
	// none of ours wants it, it is not offered at all: whoever else took it would
	// keep it for milliseconds.
	keepCPU = 15 * time.Microsecond
	// othersTurn is what a look at the clock does not take: the CPU was another's.
	othersTurn = 5 * time.Microsecond
	// turn is how long we run before we let the runtime's scheduler have a look. After
	// ten milliseconds its monitor would interrupt us wherever we are, and from
	// then on take our place away in every system call.
	turn       = 4 * time.Millisecond
	shortSlice = 100 * time.Microsecond // the shortest that the kernel grants
	// spare is what a look of the scheduler's may take.
	spare = 20 * time.Microsecond
)

// kernelWaiter sleeps in the kernel until shortly before an instant, by an absolute
// clock, and waits for the rest awake. The runtime's timers come half a
// millisecond late; handing over to another goroutine costs another fifty
// microseconds. So whoever waits should also send.
type kernelWaiter struct {
	base  time.Time     // the same instant
	clock int64         // on CLOCK_MONOTONIC, in nanoseconds
	awake atomic.Int64  // nanoseconds
	began time.Duration // of this turn, since base

	others func() bool
}

func newWaiter() waiter { return &kernelWaiter{} }

func (w *kernelWaiter) begin(others func() bool) {
	w.others = others
	askShortSlices()
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) == nil {
		w.clock, w.base = ts.Nano(), time.Now()
	}
}

func (w *kernelWaiter) end() {}

func (w *kernelWaiter) spun() time.Duration { return time.Duration(w.awake.Load()) }

func (w *kernelWaiter) until(t time.Time, quit <-chan struct{}) bool {
	if w.base.IsZero() {
		return timerWaiter{}.until(t, quit)
	}
	at := t.Sub(w.base)
	for {
		if closed(quit) {
			return false
		}
		now := time.Since(w.base)
		left := at - now
		switch {
		case left <= 0:
			return true
		case now-w.began > turn && left > spare:
			runtime.Gosched()
			askShortSlices()
			w.began = now
		case left <= wakeEarly:
			w.stayAwake(at)
		case w.sleep(at-max(wakeEarly, left-sleepSlice)) != nil:
			return timerWaiter{}.until(t, quit)
		}
	}
}

// askShortSlices asks for a short slice of the CPU at a time, for the thread that this
// runs on. It takes nothing from others' share; but who asks for little at a time is
// served sooner after a wake-up (Linux 6.12 and later; before it, nothing changes).
func askShortSlices() {
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Runtime: uint64(shortSlice)}, 0)
}

// sleep ends at the given time since base, or before it when a signal comes.
func (w *kernelWaiter) sleep(at time.Duration) error {
	// Without it the kernel may add 50 microseconds. It is the thread's, which may be
	// another each time.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	ts := unix.NsecToTimespec(w.clock + int64(at))
	err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil)
	if err == unix.EINTR {
		err = nil
	}
	return err
}

// stayAwake looks at the clock again and again.
func (w *kernelWaiter) stayAwake(at time.Duration) {
	var awake time.Duration
	for last := time.Since(w.base); last < at; {
		if at-last > keepCPU && w.others() {
			unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		}
		now := time.Since(w.base)
		if now-last < othersTurn {
			awake += now - last
		}
		last = now
	}
	w.awake.Add(int64(awake))
}
