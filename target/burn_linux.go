package target

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// workSlice spends so much processor time, as the kernel counts it for the
// thread, which it stays on: waiting for a processor does not count.
func workSlice(d time.Duration) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun, err := threadTime()
	if err != nil {
		return workByClock(d)
	}
	for x := uint64(1); ; {
		x = spin(x)
		now, err := threadTime()
		if err != nil {
			return workByClock(d)
		}
		if spent := now - begun; spent >= d {
			return spent
		}
	}
}

func threadTime() (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err
}
