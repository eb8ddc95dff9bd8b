package loadgen

import (
	"strings"
	"time"

	"volley/results"
)

// resets finds out when counters began anew.
type resets struct {
	last map[string]float64
	at   []time.Duration // the first samples after it, as many as mostResets
}

const mostResets = 10

// processStart is the series of Prometheus' client libraries that tells when a process
// began.
const processStart = "process_start_time_seconds"

// see takes the next sample and tells whether counters were reset before it: the
// process has another start, or a series whose name only counters may have fell.
func (r *resets) see(n results.NodeSample) bool {
	last := r.last
	r.last = n.Series
	if last == nil {
		return false
	}
	began, ok := n.Series[processStart]
	reset := ok && last[processStart] != began && last[processStart] != 0
	for series, v := range n.Series {
		if reset {
			break
		}
		name, _, _ := strings.Cut(series, "{")
		if counts := strings.HasSuffix(name, "_total") || strings.HasSuffix(name, "_bucket"); counts && v < last[series] {
			reset = true
		}
	}
	if reset && len(r.at) < mostResets {
		r.at = append(r.at, n.At)
	}
	return reset
}
