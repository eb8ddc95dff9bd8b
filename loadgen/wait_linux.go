package loadgen

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// sleepSlice bounds how long a stop can go unnoticed.
const sleepSlice = 50 * time.Millisecond

// kernelWaiter waits in clock_nanosleep on a thread of its own, to some ten
// microseconds, as the runtime's timers are only good for a millisecond.
type kernelWaiter struct {
	base  time.Time // the same instant
	clock int64     // on CLOCK_MONOTONIC, in nanoseconds
}

func newWaiter() waiter { return &kernelWaiter{} }

func (w *kernelWaiter) begin() {
	runtime.LockOSThread()
	// The kernel may group wake-ups within a thread's slack, 50 us unless set; a
	// kernel that refuses leaves us with that.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) == nil {
		w.clock = ts.Nano()
	}
	w.base = time.Now()
}

func (w *kernelWaiter) end() {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // 0: the default
	runtime.UnlockOSThread()
}

func (w *kernelWaiter) until(t time.Time, quit <-chan struct{}) bool {
	for {
		if closed(quit) {
			return false
		}
		left := time.Until(t)
		if left <= 0 {
			return true
		}
		if w.clock == 0 {
			return timerWaiter{}.until(t, quit)
		}
		wake := w.clock + int64(t.Sub(w.base))
		if left > sleepSlice {
			wake -= int64(left - sleepSlice)
		}
		ts := unix.NsecToTimespec(wake)
		// A signal ends the sleep early; the loop sees to that.
		_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil)
	}
}
