package target

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// burnCPU spends so much processor time, as the kernel counts it for the
// thread: waiting for a processor does not count. It ends early with the
// context, with the context's error.
func burnCPU(ctx context.Context, d time.Duration) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, err := threadTime()
	if err != nil {
		return burnWall(ctx, d)
	}
	for x := uint64(1); ; {
		x = spin(x)
		now, err := threadTime()
		if err != nil || now-start >= d {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

func threadTime() (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err
}
