//go:build !linux

package target

import (
	"context"
	"time"
)

// burnCPU works for a time by the clock, since the thread's own processor time
// is not to be had here: on a busy machine it spends less.
func burnCPU(ctx context.Context, d time.Duration) error { return burnWall(ctx, d) }
