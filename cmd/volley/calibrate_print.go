package main

import (
	"bytes"
	"fmt"
	"io"

	"volley/results"
	"volley/results/selfcheck"
)

// print writes the calibration for people. asked is the plan's own highest rate in
// calls/s, 0 for none; where says where it is stored.
func (c *calibration) print(w io.Writer, asked float64, where string) error {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s: what the generator reaches against a null server", results.Escape(c.Scenario))
	line("  %s, form %s: %s entries and %s bytes a call, %s arrivals", "HTTP/1.1", c.Shape.Form, results.Rate(c.EntriesPerCall), results.Rate(c.Shape.BytesPerCall), c.Shape.Arrivals)
	line("  generator on CPUs %s, null server on %s of %s (%s)", orUnknown(c.Environment["generator_cpus"]), orUnknown(c.Environment["node_cpus"]), c.Environment["cpus"], orUnknown(c.Environment["cpu"]))
	line("")
	line("%14s  %14s  %9s  %9s  %5s", "calls/s", "entries/s", "sent", "late p99", "CPU")
	line("%14s  %14s  %9s  %9s  %4.0f%%  closed loop, %d callers", results.Rate(c.Closed.CallsPerS), results.Rate(c.Closed.EntriesPerS), "", "", 100*c.Closed.CPUFraction, c.Closed.Callers)
	for _, t := range c.Trials {
		verdict := "held"
		if !t.Held {
			verdict = "not held"
		}
		line("%14s  %14s  %8.1f%%  %9s  %4.0f%%  %s", results.Rate(t.CallsPerS), results.Rate(t.CallsPerS*c.EntriesPerCall), 100*t.SentShare, results.Micros(float64(t.LatenessP99)), 100*t.CPUFraction, verdict)
	}
	line("")
	c.printCeiling(line, asked)
	f := &c.Floor
	line("Floor    at %s calls/s: response p50 %s, p99 %s; late p50 %s, p99 %s (%s calls)", results.Rate(f.CallsPerS),
		results.Micros(float64(f.Response.P50)), marked(f.Response.P99, f.Response.N), results.Micros(float64(f.Lateness.P50)), marked(f.Lateness.P99, f.Lateness.N), results.Count(uint64(f.Response.N)))
	if few := results.NeededFor(0.99); f.Response.N < few {
		line("         ? too few calls for p99 (%d needed): may be > max", few)
	}
	if allowed := selfcheck.MaxLateness(0).Microseconds(); c.LateLimitUS > allowed {
		line("Warning  this machine pauses: %s late, as at the floor's rate, was not held against a", results.Micros(float64(c.LateLimitUS)))
		line("         rate (else it is %s); calibrate again when nothing else runs", results.Micros(float64(allowed)))
	}
	if length := c.trialSeconds(); length > 0 && length < 1 {
		line("Warning  trials of %s are short: one pause of the machine decides them, and the ceiling", results.Seconds(length))
		line("         may be several times higher; give --for 20s or more")
	}
	line("Stored   %s", tilde(where))
	_, err := w.Write(b.Bytes())
	return err
}

func (c *calibration) printCeiling(line func(string, ...any), asked float64) {
	l := &c.Ceiling
	switch {
	case l.Held == 0:
		line("Ceiling  none found: not even %s calls/s were held; see why above, or give --for more", results.Rate(l.NotHeld))
		return
	case l.NotHeld == 0:
		line("Ceiling  over %s calls/s (%s entries/s): no trial was not held", results.Rate(l.Held), results.Rate(l.HeldEntries))
	default:
		line("Ceiling  %s calls/s held, %s not: between %s and %s entries/s", results.Rate(l.Held), results.Rate(l.NotHeld), results.Rate(l.HeldEntries), results.Rate(l.NotHeldEntries))
	}
	if asked > 0 {
		line("         the scenario asks for %s calls/s at most, %.3g%% of it", results.Rate(asked), 100*asked/l.Held)
	}
}

// marked shows a p99, with the mark of too few samples.
func marked(us, n int64) string {
	if n < results.NeededFor(0.99) {
		return results.Micros(float64(us)) + "?"
	}
	return results.Micros(float64(us))
}

func orUnknown(text string) string {
	if text == "" {
		return "(unknown)"
	}
	return text
}
