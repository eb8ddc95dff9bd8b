package results

import (
	"time"

	"volley/results/selfcheck"
)

// Generator is what the load generator says of itself. It stands in run.json.
type Generator struct {
	// CPUFraction is the process's CPU time over wall time and the CPUs it may
	// use, over the whole run: 1 is all of them busy.
	CPUFraction float64 `json:"cpu_fraction"`
	// CPUBusiest is that of the measured phase in which it was greatest, which is what is
	// judged; 0 where that is not known. It is Summarise's to set.
	CPUBusiest float64 `json:"cpu_fraction_busiest_phase,omitempty"`
	// Verdict is "ok", or "limited" when a self-check found that the numbers say more of
	// the generator than of the node (Summary.Checks): then the run is void. Reason says
	// which. Both are Summarise's to set; Verdict is "" where the generator's own state
	// is not known.
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
	// Exhausted calls failed for want of sockets, ports or memory on this machine.
	Exhausted uint64 `json:"exhausted"`
	// Connections were opened over the whole run.
	Connections uint64 `json:"connections"`
	// How long that took, from the look-up of the host to the end of the TLS handshake.
	ConnectP50US float64 `json:"connect_p50_us,omitempty"`
	ConnectMaxUS float64 `json:"connect_max_us,omitempty"`
	// Clipped latencies did not fit the histograms.
	Clipped       uint64  `json:"clipped"`
	GCPauseMaxUS  float64 `json:"gc_pause_max_us"`
	GCPauseP99US  float64 `json:"gc_pause_p99_us"`
	GCPauses      uint64  `json:"gc_pauses"`
	GCCycles      uint64  `json:"gc_cycles"`
	SchedP99US    float64 `json:"sched_latency_p99_us"`
	SchedWaits    uint64  `json:"sched_waits"` // how often a goroutine waited for a CPU
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

// vitals are what selfcheck.Saturation judges.
func (g *Generator) vitals() selfcheck.Vitals {
	micros := func(us float64) time.Duration { return time.Duration(us * 1e3) }
	pauses := int64(g.GCPauses)
	if pauses == 0 && g.GCPauseMaxUS > 0 {
		pauses = -1 // an older run did not count them
	}
	return selfcheck.Vitals{
		CPUs: g.CPUs, CPUFraction: g.CPUFraction,
		SchedP99: micros(g.SchedP99US), Scheduled: int64(g.SchedWaits),
		GCPauseP99: micros(g.GCPauseP99US), GCPauseMax: micros(g.GCPauseMaxUS), GCPauses: pauses,
		Exhausted: int64(g.Exhausted), Opened: int64(g.Connections), Calls: int64(g.Sent),
	}
}
