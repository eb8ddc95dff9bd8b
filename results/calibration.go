package results

import (
	"time"

	"volley/results/selfcheck"
)

// Calibration is what the generator reached with the same calls against a server that
// does nothing, on the same machine, before the run. It stands in run.json with the
// generator.
type Calibration struct {
	// Missing says why there is none; then all else is zero but Asked.
	Missing string     `json:"missing,omitempty"`
	Made    *time.Time `json:"made,omitempty"`
	// Asked is the highest rate of a measured phase in calls/s; 0 where none has a rate.
	Asked float64 `json:"asked_calls_per_s,omitempty"`
	// Held is the highest rate, in calls/s, at which it kept its schedule; NotHeld the
	// lowest at which it did not, 0 where none was met.
	Held    float64 `json:"ceiling_calls_per_s,omitempty"`
	NotHeld float64 `json:"not_held_calls_per_s,omitempty"`
	// LateLimitUS is the p99 of lateness up to which a schedule counted as kept: more than
	// a run is allowed where the machine paused the generator at any rate.
	LateLimitUS int64 `json:"late_limit_us,omitempty"`
	// The response time at a rate at which nothing waits: no run can measure less.
	FloorP50US int64 `json:"floor_p50_us,omitempty"`
	FloorP99US int64 `json:"floor_p99_us,omitempty"`
}

// Check judges the asked rate against the ceiling; ok is false where there is nothing
// to judge.
func (c *Calibration) Check() (check selfcheck.Check, ok bool) {
	if c == nil || c.Missing != "" || c.Asked == 0 {
		return selfcheck.Check{}, false
	}
	return selfcheck.Ceiling(c.Asked, c.Held), true
}
