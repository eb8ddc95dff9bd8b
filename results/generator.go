package results

// Generator is what the load generator says of itself. It stands in run.json.
type Generator struct {
	// CPUFraction is the process's CPU time over wall time and the CPUs it may
	// use: 1 is all of them busy.
	CPUFraction float64 `json:"cpu_fraction"`
	// Verdict is "ok", or "limited" when the generator and not the node decided
	// the rate: then the run is void. Reason says why.
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	// Planned calls became due; Sent ones were sent; Overrun ones were sent
	// after their phase's end; Unsent ones never.
	Planned uint64 `json:"planned"`
	Sent    uint64 `json:"sent"`
	Overrun uint64 `json:"overrun"`
	Unsent  uint64 `json:"unsent"`
	// OverBound calls found no free caller when they were due.
	OverBound   uint64 `json:"over_bound"`
	MaxInFlight int    `json:"max_in_flight"`
	// Connections were opened over the whole run.
	Connections uint64 `json:"connections"`
	// How long that took, from the look-up of the host to the end of the TLS handshake.
	ConnectP50US float64 `json:"connect_p50_us,omitempty"`
	ConnectMaxUS float64 `json:"connect_max_us,omitempty"`
	// Clipped latencies did not fit the histograms.
	Clipped       uint64  `json:"clipped"`
	GCPauseMaxUS  float64 `json:"gc_pause_max_us"`
	GCCycles      uint64  `json:"gc_cycles"`
	SchedP99US    float64 `json:"sched_latency_p99_us"`
	LatenessP99US float64 `json:"lateness_p99_us"`
	CPUs          int     `json:"cpus"`
	// Calibration is nil in runs of before there was any.
	Calibration *Calibration `json:"calibration,omitempty"`
}

// The generator's verdicts.
const (
	GeneratorOK      = "ok"
	GeneratorLimited = "limited"
)
