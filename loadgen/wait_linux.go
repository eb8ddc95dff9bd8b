package loadgen

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// sleepSlice bounds how long the end of a run can go unnoticed.
const sleepSlice = 50 * time.Millisecond

// kernelWaiter waits for a timer of the kernel's to become readable, as the
// runtime's network poller waits for a socket: it wakes within some fifty
// microseconds, where the runtime's own timers round up to a millisecond.
// Measured beside it on two busy cores, clock_nanosleep on a locked thread had the
// same median and a 99th percentile several times as long: it holds a processor while
// it sleeps, and with it the callers that it has just woken.
type kernelWaiter struct {
	fd    int
	file  *os.File  // nil: there is no such timer to be had
	base  time.Time // the same instant
	clock int64     // on CLOCK_MONOTONIC, in nanoseconds
}

func newWaiter() waiter { return &kernelWaiter{} }

func (w *kernelWaiter) begin() {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return
	}
	w.fd, w.file = fd, os.NewFile(uintptr(fd), "timer")
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		w.end()
		return
	}
	w.clock, w.base = ts.Nano(), time.Now()
}

func (w *kernelWaiter) end() {
	if w.file != nil {
		_ = w.file.Close() // a timer has nothing to lose
		w.file = nil
	}
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
		if w.file == nil || w.sleep(t.Add(-max(left-sleepSlice, 0))) != nil {
			return timerWaiter{}.until(t, quit)
		}
	}
}

func (w *kernelWaiter) sleep(t time.Time) error {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(w.clock + int64(t.Sub(w.base)))}
	if err := unix.TimerfdSettime(w.fd, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		return err
	}
	var expirations [8]byte
	_, err := w.file.Read(expirations[:])
	return err
}
