package selfcheck

import "time"

// The limits of what a generator may do to its own numbers.
const (
	lateGrace = time.Millisecond // a lateness that is never held against it
	lateShare = 0.05             // of the objective

	// MinSent is the share of the planned calls that must have been sent.
	MinSent = 0.99
	// BusyCPU is the share of its CPUs from which a generator has no sure room
	// left; from FullCPU it has none, and decided the rate itself.
	BusyCPU = 0.70
	FullCPU = 0.90
	// MinCeiling is how many times the asked rate a generator must have reached
	// against a server that does nothing.
	MinCeiling = 2.0

	minForP99 = 100 // samples, below which the p99 is the maximum
)

// MaxLateness is the p99 of lateness that is allowed under an objective of slo for
// the response time: the greater of 1 ms and 5% of slo. An slo of 0 is none.
func MaxLateness(slo time.Duration) time.Duration {
	return max(lateGrace, time.Duration(lateShare*float64(slo)))
}

// Lateness judges the p99 of lateness (sent less due) over n measured sends. It
// voids a run in which more than one call in a hundred was sent so late that the
// generator and not the node made the percentile. slo is the strictest objective
// for the response time, 0 for none. Value and Limit are in microseconds. Fewer
// than 100 sends, or a p99 below 0, are not enough.
func Lateness(n int64, p99, slo time.Duration) Check {
	limit := MaxLateness(slo)
	c := Check{Name: "lateness", Limit: inMicros(limit), Unit: micros}
	switch {
	case n < minForP99:
		return c.unknown("%d sends are too few for the p99 of lateness: it takes %d.", max(n, 0), minForP99)
	case p99 < 0:
		return c.unknown("The p99 of lateness is below 0: the clocks disagree.")
	case p99 <= limit:
		return c.judged(OK, inMicros(p99), "Calls were sent on time: 99%% of %d at most %s after they were due (limit %s).", n, brief(p99), brief(limit))
	}
	return c.judged(Void, inMicros(p99), "Calls were sent late: the p99 of lateness is %s (limit %s), so response times are partly the generator's own.", brief(p99), brief(limit))
}

// Sent judges how many of the planned calls were sent: below 99% the run is void,
// as the load was not the asked one. No planned calls, or more sent than planned,
// are not enough.
func Sent(sent, planned int64) Check {
	c := Check{Name: "sent", Limit: MinSent, Unit: pure}
	if planned < 1 || sent < 0 {
		return c.unknown("No calls were planned, so none can be missing.")
	}
	if sent > planned {
		return c.unknown("%d calls were sent though only %d were planned: the counts contradict each other.", sent, planned)
	}
	share := float64(sent) / float64(planned)
	if share >= MinSent {
		return c.judged(OK, share, "%d of %d planned calls were sent.", sent, planned)
	}
	return c.judged(Void, share, "Only %d of %d planned calls were sent (%.1f%%, at least %.0f%% needed): the load was not the asked one.", sent, planned, 100*share, 100*MinSent)
}

// Vitals are the generator's own state over the measured time.
type Vitals struct {
	CPUs        int           // that the process may use; 0: not known
	CPUFraction float64       // of all of them that it used: 1 is all busy
	SchedP99    time.Duration // that a goroutine ready to run waited for a CPU
	Scheduled   int64         // how often one did; 0: not known
	GCPauseP99  time.Duration
	GCPauses    int64 // 0: the collector did not run
}

// Saturation judges v: CPU (warned of from 70%, void from 90%), and the p99s of
// scheduler latency and of garbage collection pauses, held to MaxLateness(slo).
// Those two only warn: what they did to a call's sending is judged by Lateness,
// and what they did to the noticing of its answer is part of the service time.
func Saturation(v Vitals, slo time.Duration) []Check {
	return []Check{v.cpu(), v.scheduler(MaxLateness(slo)), v.collector(MaxLateness(slo))}
}

func (v Vitals) cpu() Check {
	c := Check{Name: "generator cpu", Limit: BusyCPU, Unit: pure}
	switch {
	case v.CPUs < 1 || !(v.CPUFraction >= 0) || !finite(v.CPUFraction):
		return c.unknown("The generator's own CPU time is not known.")
	case v.CPUFraction < BusyCPU:
		return c.judged(OK, v.CPUFraction, "The generator used %.0f%% of its %d CPUs (limit %.0f%%).", 100*v.CPUFraction, v.CPUs, 100*BusyCPU)
	case v.CPUFraction < FullCPU:
		return c.judged(Warn, v.CPUFraction, "The generator used %.0f%% of its %d CPUs, over %.0f%%: answers may have been noticed late.", 100*v.CPUFraction, v.CPUs, 100*BusyCPU)
	}
	c.Limit = FullCPU
	return c.judged(Void, v.CPUFraction, "The generator used %.0f%% of its %d CPUs: it decided the rate itself, in place of the node.", 100*v.CPUFraction, v.CPUs)
}

func (v Vitals) scheduler(limit time.Duration) Check {
	c := Check{Name: "scheduler latency", Limit: inMicros(limit), Unit: micros}
	switch {
	case v.Scheduled < minForP99 || v.SchedP99 < 0:
		return c.unknown("How long the generator's goroutines waited for a CPU is not known.")
	case v.SchedP99 <= limit:
		return c.judged(OK, inMicros(v.SchedP99), "The generator's goroutines waited at most %s for a CPU, 99%% of the time (limit %s).", brief(v.SchedP99), brief(limit))
	}
	return c.judged(Warn, inMicros(v.SchedP99), "The generator's goroutines waited %s for a CPU at the p99 (limit %s): service times include such waits.", brief(v.SchedP99), brief(limit))
}

func (v Vitals) collector(limit time.Duration) Check {
	c := Check{Name: "gc pause", Limit: inMicros(limit), Unit: micros}
	switch {
	case v.GCPauses < 0 || v.GCPauseP99 < 0:
		return c.unknown("The generator's garbage collection pauses are not known.")
	case v.GCPauses == 0:
		return c.judged(OK, 0, "The generator's garbage collector did not pause it.")
	case v.GCPauseP99 <= limit:
		return c.judged(OK, inMicros(v.GCPauseP99), "The generator's garbage collector paused it for at most %s, 99%% of %d times (limit %s).", brief(v.GCPauseP99), v.GCPauses, brief(limit))
	}
	return c.judged(Warn, inMicros(v.GCPauseP99), "The generator's garbage collector paused it for %s at the p99 of %d times (limit %s).", brief(v.GCPauseP99), v.GCPauses, brief(limit))
}

// Ceiling judges the asked rate against the rate that this generator reached on
// this machine with the same plan against a server that does nothing, in one
// unit: below twice the asked rate the machine may be what is measured.
func Ceiling(asked, reached float64) Check {
	c := Check{Name: "generator ceiling", Limit: MinCeiling, Unit: pure}
	if !(asked > 0) || !(reached > 0) || !finite(asked) || !finite(reached) {
		return c.unknown("What this generator can reach on this machine is not known: calibrate it.")
	}
	times := reached / asked
	if times >= MinCeiling {
		return c.judged(OK, times, "The generator can send %.3g times the asked rate on this machine (at least %.0f needed).", times, MinCeiling)
	}
	return c.judged(Warn, times, "The generator can send only %.3g times the asked rate on this machine (at least %.0f needed): the machine may be what is measured.", times, MinCeiling)
}
