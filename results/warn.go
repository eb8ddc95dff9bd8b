package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// NeededFor is the least number of samples with which the two-sided 95%
// confidence interval of the quantile q, 0 < q < 1, has a finite upper end: with
// fewer, even the greatest sample may lie below the true quantile. 368 for 0.99,
// 3,688 for 0.999 (exact binomial; the least n with q^n <= 0.025).
func NeededFor(q float64) int64 {
	if q <= 0 || q >= 1 {
		return 1
	}
	return int64(math.Ceil(math.Log(0.025) / math.Log(q)))
}

// A call sent later than this is sent late enough to be said, whatever the
// latencies are; sharper when it is more than lateShare of the median response,
// but never sharper than lateGrain, which timers alone can cause.
const (
	lateAlways = time.Millisecond
	lateShare  = 0.05
	lateGrain  = 100 * time.Microsecond
)

// warn adds, in plain sentences, what a reader must know before trusting the numbers.
func (s *Summary) warn(e End) {
	s.Warnings = append(s.Warnings, e.Warnings...)
	if s.Status == Cut {
		s.warnf("the run was cut off at %s, %s after its start: what follows is up to then, and calls then under way are not in it",
			when(s.Finished), sinceStart(s.Finished, s.Started))
	}
	for i := range s.Phases {
		s.warnPhase(&s.Phases[i])
	}
	for _, o := range s.Objectives {
		s.warnObjective(o)
	}
	t := &s.Totals
	if t.Surplus > 0 {
		s.warnf("the node sent %s more than were asked for", plural(t.Surplus, "answer"))
	}
	if t.Clipped > 0 {
		s.warnf("%s did not fit the histograms (0 to 1 h) and %s counted at their edge", plural(t.Clipped, "latency value"), were(t.Clipped))
	}
	if e.Left {
		s.warnf("the run was left before the node's counters were read, so nothing is reconciled")
	} else if e.Before.Err != "" || e.After.Err != "" {
		s.warnf("the node's metrics could not be read, so nothing is reconciled: %s", first(e.Before.Err, e.After.Err))
	}
	for _, r := range s.Reconciliation {
		if r.Match != nil && !*r.Match {
			s.warnf("reconciliation: %s: the client counts %d, the node %s%s", r.What, r.Client, nodeValue(r.Node), noted(r.Note))
		}
	}
}

func (s *Summary) warnPhase(p *PhaseSummary) {
	if p.OverBound > 0 {
		s.warnf("phase %q: %s found no free caller when due and had to wait for one", p.Name, plural(p.OverBound, "call"))
	}
	if p.Held > 0 {
		s.warnf("phase %q: the authorised ceiling held back %s", p.Name, plural(p.Held, "call"))
	}
	if p.Unsent > 0 {
		s.warnf("phase %q: %s due but never sent: the run ended first", p.Name, plural(p.Unsent, "call")+" "+were(p.Unsent))
	}
	if !p.Measured || p.Response.N == 0 {
		return
	}
	var few []string
	for _, q := range []struct {
		name string
		q    float64
	}{{"p50", .5}, {"p90", .9}, {"p99", .99}, {"p99.9", .999}} {
		if need := NeededFor(q.q); p.Response.N < need {
			few = append(few, fmt.Sprintf("%s (%d needed)", q.name, need))
		}
	}
	if len(few) > 0 {
		s.warnf("phase %q: too few calls (%d) for %s: the true value may lie above the greatest one seen", p.Name, p.Response.N, strings.Join(few, ", "))
	}
	late := time.Duration(p.Lateness.P99) * time.Microsecond
	response := time.Duration(p.Response.P50) * time.Microsecond
	if late > lateAlways || late > lateGrain && late.Seconds() > lateShare*response.Seconds() {
		// What waited for a caller or for the ceiling is among the late; with as many
		// of them as that, they explain the 99th percentile.
		why := "the generator was late"
		if 100*(p.OverBound+p.Held) >= p.Calls {
			why = "calls were sent late, most of them for want of a free caller or for the ceiling"
		}
		s.warnf("phase %q: %s: lateness p99 %s, response p50 %s", p.Name, why, late, response)
	}
}

func (s *Summary) warnObjective(o ObjectiveResult) {
	if o.Value == nil {
		s.warnf("objective %q: nothing was measured", o.Text)
		return
	}
	if p, ok := percentile(o.Stat); ok && p < 100 {
		if need := NeededFor(p / 100); int64(o.N) < need {
			s.warnf("objective %q: too few calls (%d) for %s (%d needed)", o.Text, o.N, o.Stat, need)
		}
	}
	if share := o.Metric == "entry errors" || o.Metric == "call errors"; share && o.Met && o.Limit > 0 {
		if need := NeededFor(1 - o.Limit); int64(o.N) < need {
			s.warnf("objective %q: too few %s (%d) to show so small a share (%d needed)", o.Text, strings.TrimSuffix(o.Metric, " errors")+" outcomes", o.N, need)
		}
	}
}

func (s *Summary) warnf(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

func when(t *time.Time) string {
	if t == nil {
		return "an unknown time"
	}
	return t.Format(time.RFC3339)
}

func sinceStart(t *time.Time, since time.Time) string {
	if t == nil {
		return "some time"
	}
	return t.Sub(since).Round(100 * time.Millisecond).String()
}

func plural(n uint64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func were(n uint64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func first(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

func nodeValue(v *float64) string {
	if v == nil {
		return "nothing"
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

func noted(note string) string {
	if note == "" {
		return ""
	}
	return " (" + note + ")"
}
