//go:build !unix

package loadgen

import "time"

// cpuTime is not known here; 0 leaves the generator without that verdict.
func cpuTime() time.Duration { return 0 }
