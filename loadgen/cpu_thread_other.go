//go:build !linux

package loadgen

import "time"

// threadCPU is not known here; 0 leaves the cadence of scrapes as it was asked for.
func threadCPU() time.Duration { return 0 }
