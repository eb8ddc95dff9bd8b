package results

import (
	"fmt"
	"strings"
	"time"

	"volley/results/selfcheck"
)

// warn adds, in plain sentences, what a reader must know before trusting the
// numbers; seen is the end of the last interval. Names stand in them as they are:
// who shows a warning escapes it.
func (s *Summary) warn(e End, seen time.Duration) {
	s.warnFailures()
	switch {
	case s.Status == Cut && seen == 0:
		s.warnf("the run was cut off before it wrote any figures")
	case s.Status == Cut:
		s.warnf("the run was cut off %s after its start%s: the figures are up to then, and calls then under way are not in them",
			inSeconds(seen), at(s.Finished))
	case s.Status == Running && seen == 0:
		s.warnf("the run is still going on; there are no figures yet")
	case s.Status == Running:
		s.warnf("the run is still going on; figures up to now, %s after its start", inSeconds(seen))
	}
	s.Warnings = append(s.Warnings, e.Warnings...)
	if s.Status == Running && s.Totals.Calls == 0 {
		return
	}
	for i := range s.Phases {
		s.warnByHand(&s.Phases[i])
		s.warnPhase(&s.Phases[i])
	}
	s.warnLimited()
	s.warnChecks()
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
			s.warnf("reconciliation: %s: the client counts %s, the node %s%s", r.What, Count(r.Client), nodeValue(r.Node), noted(r.Note))
		}
	}
}

func (s *Summary) warnPhase(p *PhaseSummary) {
	name := quoted(p.Name)
	if s.Status == Void && p.Measured && p.Target.Unit != unitCallers {
		if _, reason := s.slow(p); reason != "" && reason != s.VoidReason {
			s.warnf("%s", reason)
		}
	}
	waited := p.OverBound + p.Held
	// With so many of them, the calls that waited explain the 99th percentile.
	explained := waited > 0 && 100*waited >= p.Calls
	late := ""
	if explained && p.Lateness.N > 0 && p.Response.N > 0 {
		late = fmt.Sprintf(": lateness p99 %s, response p99 %s", Micros(float64(p.Lateness.P99)), Micros(float64(p.Response.P99)))
	}
	if p.OverBound > 0 {
		s.warnf("phase %s: %s (%s) waited for a free caller%s", name, plural(p.OverBound, "call"), Share(p.OverBound, p.Calls), late)
		late = ""
	}
	if p.Held > 0 {
		s.warnf("phase %s: the authorised ceiling held back %s (%s)%s", name, plural(p.Held, "call"), Share(p.Held, p.Calls), late)
	}
	if p.Unsent > 0 {
		s.warnf("phase %s: %s %s due but never sent: the run ended first", name, plural(p.Unsent, "call"), were(p.Unsent))
	}
}

// warnChecks tells of the self-checks that give cause to: of one that voids, when it is
// not said already why the run is void.
func (s *Summary) warnChecks() {
	said := ""
	if s.Status == Void && s.VoidCause == VoidGenerator {
		if c, ok := s.limiting(); ok {
			said = CheckWarning(c)
		}
	}
	for _, c := range s.Checks {
		if s.Status == Void && c.Name == selfcheck.SentName && c.Verdict == selfcheck.Warn {
			continue // it is why the run is void, or among the reasons
		}
		if words := CheckWarning(c); c.Verdict == selfcheck.Warn || c.Verdict == selfcheck.Void && words != said {
			s.warnf("%s", words)
		}
	}
}

func (s *Summary) warnObjective(o ObjectiveResult) {
	text := quoted(o.Text)
	switch {
	case o.Value == nil && o.Unanswered > 0:
		s.warnf("objective %s is missed: %s of %s (%s) had no answer, and each of them misses it",
			text, Count(o.Unanswered), plural(o.N, "call"), Share(o.Unanswered, o.N))
		return
	case o.Value == nil:
		s.warnf("objective %s: nothing was measured", text)
		return
	}
	if o.Proof != nil && o.Proof.Decision == selfcheck.Undecided {
		s.warnf("objective %s", strings.TrimSuffix(o.Proof.Sentence(text), "."))
	}
	if p, ok := percentile(o.Stat); ok && p < 100 && o.Proof == nil {
		if need := NeededFor(p / 100); int64(o.N) < need {
			s.warnf("objective %s: too few calls (%s) for %s (%s needed)", text, Count(o.N), o.Stat, Count(uint64(need)))
		}
	}
	if share := o.Metric == "entry errors" || o.Metric == "call errors"; share && o.Met && o.Limit > 0 {
		if need := NeededFor(1 - o.Limit); int64(o.N) < need {
			s.warnf("objective %s: too few %s outcomes (%s) to show so small a share (%s needed)",
				text, strings.TrimSuffix(o.Metric, " errors"), Count(o.N), Count(uint64(need)))
		}
	}
}

func (s *Summary) warnf(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

func at(t *time.Time) string {
	if t == nil {
		return ""
	}
	return ", at " + t.UTC().Format("2006-01-02 15:04:05 UTC")
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
	return Number(*v)
}

func noted(note string) string {
	if note == "" {
		return ""
	}
	return " (" + note + ")"
}
