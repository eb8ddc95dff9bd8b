package results

import "time"

// Health is the load generator's own state over one interval. Its zero value says
// that nothing is known: an older run did not keep it.
type Health struct {
	// CPUFraction is the process's CPU time over wall time and the CPUs it may use: 1
	// is all of them busy. Time that the pacer spends awake before a call is due is none.
	CPUFraction float64
	// GCPauseMax is the longest the garbage collector stopped the process, and SchedP99
	// the 99th percentile of how long goroutines waited for a CPU: the upper edges of
	// the runtime's histogram buckets; 0 when there was nothing to tell.
	GCPauseMax, SchedP99 time.Duration
	GCCycles             uint64 // of the garbage collector, ended in the interval
	Connections          uint64 // opened in the interval
	HeapBytes            uint64 // of objects, at the interval's end
}
