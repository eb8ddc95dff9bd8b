package report

import (
	"fmt"
	"time"

	"volley/results"
	"volley/results/selfcheck"
)

// calibration tells what the generator reached against a server that does nothing,
// before the run.
func (p *page) calibration(c *results.Calibration) {
	if c == nil {
		return
	}
	text := results.Escape(c.Missing)
	if c.Missing == "" {
		text = fmt.Sprintf("the generator kept its schedule up to %s calls/s", results.Rate(c.Held))
		if c.NotHeld > 0 {
			text += fmt.Sprintf(" (no longer at %s)", results.Rate(c.NotHeld))
		}
		if time.Duration(c.LateLimitUS)*time.Microsecond > selfcheck.MaxLateness(0) {
			text += fmt.Sprintf(", if %s late at most, as the machine paused it", results.Micros(float64(c.LateLimitUS)))
		}
		if c.Asked > 0 {
			text += fmt.Sprintf(", asked were %s at most", results.Rate(c.Asked))
		}
		text += fmt.Sprintf("; its floor is a response p50 of %s, p99 %s", results.Micros(float64(c.FloorP50US)), results.Micros(float64(c.FloorP99US)))
	}
	p.line("%s", wrap("Calibration: ", text))
}
