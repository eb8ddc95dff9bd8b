package target

import (
	"context"
	"runtime"
	"time"
)

// burnSlice is how long a thread works before others may go on: calls that work
// share the processors in turns of it, and no wait ends later than a turn for
// their sake.
const burnSlice = 50 * time.Microsecond

// burnCPU spends so much processor time and says how much it was. It ends early
// with the context, with the context's error.
func burnCPU(ctx context.Context, d time.Duration) (spent time.Duration, err error) {
	for spent < d {
		if err := ctx.Err(); err != nil {
			return spent, err
		}
		spent += workSlice(min(d-spent, burnSlice))
		runtime.Gosched()
	}
	return spent, nil
}

// workByClock works until a time has passed by the clock.
func workByClock(d time.Duration) time.Duration {
	x := uint64(1)
	for begun := time.Now(); ; {
		x = spin(x)
		if spent := time.Since(begun); spent >= d {
			return spent
		}
	}
}

// spin is about a microsecond of arithmetic (Marsaglia's xorshift), whose result
// the caller carries on, so that it is not dropped.
//
//go:noinline
func spin(x uint64) uint64 {
	for range 500 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
