package selfcheck

import "time"

// The limits of what a generator may do to its own numbers.
const (
	lateGrace = time.Millisecond       // a lateness that is never held against it
	lateShare = 0.05                   // of the times that are measured
	lateGrain = 100 * time.Microsecond // what timers alone can cause

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

// MaxLateness is the p99 of lateness that is allowed where times of that length are
// measured: the greater of 1 ms and 5% of it. A length of 0 is not known.
func MaxLateness(measured time.Duration) time.Duration {
	return max(lateGrace, time.Duration(lateShare*float64(measured)))
}

// Late is how late a phase's calls were sent (sent less due), and what is known
// beside it.
type Late struct {
	N        int64
	Waited   int64 // of N, calls that the node or a ceiling held up: not the generator's fault
	P50, P99 time.Duration
	AtLeast  time.Duration // what the p99 is at least, at 95%, with the calls' dependence counted; 0: not known
	Response time.Duration // the p99 of the response time; 0: not known
	SLO      time.Duration // the strictest objective for the response time; 0: none
}

// Limit is MaxLateness under the objective, or under the p99 of the response time
// where that is longer: of an answer that takes a second, 10 ms are nothing.
func (l Late) Limit() time.Duration { return MaxLateness(max(l.SLO, l.Response)) }

// Check judges l. A p99 over the limit voids the run only when it is no accident: its
// lower bound is over it too, or half of all calls were so late. Else it warns: a
// single pause of a busy machine makes more than one call in a hundred late in a
// short run, and the response times, which are counted from when calls were due,
// are then too long rather than too short. A p99 under the limit that makes more
// than half of the response's warns as well. Where one call in a hundred and more
// was held up by the node or a ceiling, the p99 over the limit is not the
// generator's doing and says nothing. Fewer than 100 calls are not enough.
func (l Late) Check() Check {
	limit := l.Limit()
	c := Check{Name: "lateness", Limit: inMicros(limit), Unit: micros}
	switch {
	case l.N < minForP99:
		return c.unknown("%d calls are too few for the p99 of lateness: it takes %d.", max(l.N, 0), minForP99)
	case l.P99 < 0:
		return c.unknown("The p99 of lateness is below 0: the clocks disagree.")
	case l.P99 > lateGrain && 2*l.P99 > l.Response && l.Response > 0 && l.P99 <= limit && !l.heldUp():
		return c.judged(Warn, inMicros(l.P99), "The generator was late: the p99 of lateness is %s, that of the response time only %s.", brief(l.P99), brief(l.Response))
	case l.P99 <= limit:
		return c.judged(OK, inMicros(l.P99), "Calls were sent on time: 99%% of %d at most %s after they were due (limit %s).", l.N, brief(l.P99), brief(limit))
	case l.heldUp():
		return c.unknown("How late the generator alone would have been can't be told: %d of %d calls waited for the node or for the authorised ceiling.", l.Waited, l.N)
	case l.P50 > limit:
		return c.judged(Void, inMicros(l.P99), "Calls were sent late: half of them by more than %s (p99 %s, limit %s), so response times are the generator's own.", brief(l.P50), brief(l.P99), brief(limit))
	case l.AtLeast > limit:
		return c.judged(Void, inMicros(l.P99), "Calls were sent late: the p99 of lateness is %s (at least %s, limit %s), so response times are partly the generator's own.", brief(l.P99), brief(l.AtLeast), brief(limit))
	}
	return c.judged(Warn, inMicros(l.P99), "The generator was late at times: the p99 of lateness is %s (limit %s), as a few pauses of the machine make it.", brief(l.P99), brief(limit))
}

func (l Late) heldUp() bool { return l.Waited > 0 && 100*l.Waited >= l.N }

// The names of checks that are told apart by them: Sent's, and that of the CPUs among
// Saturation's.
const (
	SentName = "sent"
	CPUName  = "generator cpu"
)

// Sent judges how many of the planned calls were sent in time. Below 99% the load
// was not the asked one; that voids here only where the generator is to blame, and
// warns where calls waited for the node or for a ceiling (the node's doing, which
// is for others to judge). No planned calls, or more sent than planned, are not
// enough.
func Sent(sent, planned int64, generator bool) Check {
	c := Check{Name: SentName, Limit: MinSent, Unit: pure}
	if planned < 1 || sent < 0 {
		return c.unknown("No calls were planned, so none can be missing.")
	}
	if sent > planned {
		return c.unknown("%d calls were sent though only %d were planned: the counts contradict each other.", sent, planned)
	}
	share := float64(sent) / float64(planned)
	switch {
	case share >= MinSent:
		return c.judged(OK, share, "%d of %d planned calls were sent in time.", sent, planned)
	case generator:
		return c.judged(Void, share, "Only %d of %d planned calls were sent in time (%.1f%%, at least %.0f%% needed) although callers were free: the load was not the asked one.", sent, planned, 100*share, 100*MinSent)
	}
	return c.judged(Warn, share, "Only %d of %d planned calls were sent in time (%.1f%%, at least %.0f%% needed): the others were held up.", sent, planned, 100*share, 100*MinSent)
}

// Vitals are the generator's own state over the measured time.
type Vitals struct {
	CPUs        int           // that the process may use; 0: not known
	CPUFraction float64       // of all of them that it used: 1 is all busy
	SchedP99    time.Duration // that a goroutine ready to run waited for a CPU
	Scheduled   int64         // how often one did; 0: not known
	GCPauseP99  time.Duration
	GCPauseMax  time.Duration
	GCPauses    int64 // 0: the collector did not run
	// Sockets
	Exhausted int64 // calls that failed for want of sockets, ports or memory of this machine
	Opened    int64 // connections
	Calls     int64 // that were made over them
}

// Saturation judges v where times of the length measured are at stake: CPU (warned
// of from 70%, void from 90%), the p99s of scheduler latency and of garbage
// collection pauses, held to MaxLateness(measured), and what the machine refused,
// any of which is void: such calls stand in the account as the node's failures.
// Latency and pauses only warn: what they did to a call's sending is judged by Late,
// and what they did to the noticing of its answer is part of the service time.
func Saturation(v Vitals, measured time.Duration) []Check {
	limit := MaxLateness(measured)
	return []Check{v.cpu(), v.scheduler(limit), v.collector(limit), v.sockets()}
}

func (v Vitals) sockets() Check {
	c := Check{Name: "sockets", Unit: "calls"}
	switch {
	case v.Calls < 1 || v.Exhausted < 0 || v.Opened < 0:
		return c.unknown("No calls were made, so no socket was wanted.")
	case v.Exhausted > 0:
		return c.judged(Void, float64(v.Exhausted), "%d calls could not be sent for want of sockets, ports or memory on this machine: raise its limits (ulimit -n) or lower in_flight.", v.Exhausted)
	case v.Opened == 0:
		return c.judged(OK, 0, "No call wanted for a socket.")
	case v.Opened >= v.Calls:
		return c.judged(OK, 0, "No call wanted for a socket: %d connections were opened, one and more for each call.", v.Opened)
	}
	return c.judged(OK, 0, "No call wanted for a socket: %d connections served %d calls.", v.Opened, v.Calls)
}

func (v Vitals) cpu() Check {
	c := Check{Name: CPUName, Limit: BusyCPU, Unit: pure}
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
	case v.GCPauses < minForP99 && v.GCPauseP99 > limit:
		return c.unknown("The generator's garbage collector paused it %d times, which are too few for a p99; the longest was %s (limit %s).", v.GCPauses, brief(v.GCPauseMax), brief(limit))
	case v.GCPauseP99 <= limit:
		return c.judged(OK, inMicros(v.GCPauseP99), "The generator's garbage collector paused it for at most %s, 99%% of %d times (limit %s, longest %s).", brief(v.GCPauseP99), v.GCPauses, brief(limit), brief(v.GCPauseMax))
	}
	return c.judged(Warn, inMicros(v.GCPauseP99), "The generator's garbage collector paused it for %s at the p99 of %d times (limit %s, longest %s).", brief(v.GCPauseP99), v.GCPauses, brief(limit), brief(v.GCPauseMax))
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
