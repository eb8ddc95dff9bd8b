//go:build !linux

package target

import "time"

// workSlice works for a time by the clock, since the thread's own processor time
// is not to be had here: on a busy machine it spends less.
func workSlice(d time.Duration) time.Duration { return workByClock(d) }
