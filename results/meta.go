package results

import (
	"time"

	"volley/results/correlate"
)

// Meta is what is known of a run before it starts. It stands in run.json from
// the first moment, so that a killed run can still be read.
type Meta struct {
	Volley      string // version of the program
	Name        string
	Seed        uint64
	Started     time.Time
	Dialect     string
	URL         string // of the node, without secrets; "" over stdio
	Bundled     bool   // the node was started for this run and is ours alone
	Phases      []PhaseMeta
	Objectives  []Objective
	Environment map[string]string
	// Rows name the rows of the mix: by the method, and by the request type where the
	// method has one; more than MaxRows share the last. nil: not known, as of older runs.
	Rows []string
	Form string // how work is put on the wire: "single", "batch", "array"; "": not known
	// Names say which of the node's series tell what, instead of the dialect's preset,
	// if they are not nil. BatchLimit is the node's batch_concurrency_limit and
	// LargestBatch the most entries that the plan has in a batch; 0: not known.
	Names                    correlate.Names
	BatchLimit, LargestBatch int

	Plan []byte // plan.yaml: the effective plan, without secrets
}

// PhaseMeta is one phase as it was asked for.
type PhaseMeta struct {
	Name     string
	Measured bool
	// Value and To are the asked rate, To differing in a ramp; Unit is "calls/s",
	// "entries/s", "items/s", or "callers" for a closed loop.
	Value, To float64
	Unit      string
	Arrivals  string // constant, uniform, poisson; "" for a closed loop
	For       time.Duration
}

// Objective is one line of the scenario's slo, taken apart.
type Objective struct {
	Text   string  // as it was written
	Metric string  // "response", "service", "lateness" (microseconds); "entry errors", "call errors" (share); "goodput", "calls", "entries", "items" (per second)
	Stat   string  // for a latency: "p50", "p99.9", "max", "mean"; else ""
	Op     string  // "<=", "<", ">=", ">"
	Limit  float64 // microseconds, share 0..1, or per second
}
