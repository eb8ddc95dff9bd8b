package target

import (
	"context"
	"time"
)

// burnWall works until a time has passed by the clock.
func burnWall(ctx context.Context, d time.Duration) error {
	x := uint64(1)
	for start := time.Now(); time.Since(start) < d; {
		x = spin(x)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
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
