package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"volley/results"
	"volley/results/selfcheck"
)

// judged says a run's verdict in a few words.
func judged(s *results.Summary) (string, mood) {
	missed := 0
	for _, o := range s.Objectives {
		if !o.Met {
			missed++
		}
	}
	switch {
	case s.Status == results.Void:
		return "Void", bad
	case s.Status == results.Cut:
		return "Cut off", wary
	case s.Status == results.Running:
		return "Still running", wary
	case s.Status == results.Interrupted:
		return "Interrupted", wary
	case missed == 1:
		return "Objective missed", bad
	case missed > 1:
		return fmt.Sprintf("%d objectives missed", missed), bad
	case len(s.Objectives) == 0:
		return "Finished", plain
	case len(s.Objectives) == 1:
		return "Objective met", good
	}
	return "All objectives met", good
}

// facts are the lines under a run's title.
func facts(s *results.Summary) []string {
	node := "the bundled node"
	switch {
	case s.Bundled:
	case s.URL != "":
		node = "the node at " + s.URL
	default:
		node = "a node over stdio"
	}
	first := fmt.Sprintf("Against %s, dialect %s, seed %d, volley %s", node, s.Dialect, s.Seed, s.Volley)
	second := "Started " + s.Started.UTC().Format("2006-01-02 15:04:05 UTC")
	if s.Finished != nil {
		second += ", took " + results.Seconds(s.Finished.Sub(s.Started).Round(100*time.Millisecond).Seconds())
	}
	return []string{first, second}
}

// lead says in sentences what came of a run.
func lead(s *results.Summary) (sentences []string) {
	m := &s.Measured
	if m.Calls == 0 {
		what := "Nothing was sent in any measured phase"
		if s.Partial() {
			what += " so far"
		}
		return append(sentences, what+".", trust(s))
	}
	sentences = append(sentences, objectivesLead(s))
	rate := fmt.Sprintf("Over %s of measured load, %s entries/s were sent in %s calls/s", results.Seconds(m.ElapsedS), results.Rate(m.Achieved.EntriesPerS), results.Rate(m.Achieved.CallsPerS))
	if asked := askedOf(s); asked != "" {
		rate += " (asked: " + asked + ")"
	}
	sentences = append(sentences, rate+fmt.Sprintf("; %s entries/s came to a good end.", results.Rate(m.Achieved.GoodputEntriesPerS)))
	sentences = append(sentences, latencyLead(&m.Response)...)
	sentences = append(sentences, failedLead(m))
	if u := m.Unanswered; u > 0 {
		sentences = append(sentences, fmt.Sprintf("%s of the calls (%s) got no answer at all.", results.Share(u, m.Calls), results.Count(u)))
	}
	return append(sentences, trust(s))
}

func objectivesLead(s *results.Summary) string {
	var missed, unproven []string
	for _, o := range s.Objectives {
		switch {
		case !o.Met:
			missed = append(missed, o.Text+" ("+value(o)+")")
		case o.Proof != nil && o.Proof.Decision == selfcheck.Undecided:
			unproven = append(unproven, o.Text)
		}
	}
	all := plural(uint64(len(s.Objectives)), "objective")
	soFar := ""
	if s.Partial() || s.Status == results.Interrupted {
		soFar = " so far"
	}
	switch {
	case len(s.Objectives) == 0:
		return "No objective was set."
	case missed != nil:
		return fmt.Sprintf("%d of %s missed%s: %s.", len(missed), all, soFar, strings.Join(missed, "; "))
	case unproven != nil && len(s.Objectives) == 1:
		return "The objective was met" + soFar + ", but so few calls do not prove it."
	case unproven != nil:
		return fmt.Sprintf("All %s were met%s, but too few calls prove %s.", all, soFar, strings.Join(unproven, ", "))
	case len(s.Objectives) == 1:
		return "The objective was met" + soFar + "."
	case len(s.Objectives) == 2:
		return "Both objectives were met" + soFar + "."
	}
	return "All " + all + " were met" + soFar + "."
}

// askedOf tells the rate of the one measured phase.
func askedOf(s *results.Summary) string {
	text := ""
	for i := range s.Phases {
		ph := &s.Phases[i]
		if !ph.Measured || ph.Calls == 0 {
			continue
		}
		if text != "" {
			text += ", then "
		}
		text += results.Number(ph.Target.Value)
		if ph.Target.To != nil {
			text += " to " + results.Number(*ph.Target.To)
		}
		text += " " + ph.Target.Unit
		if len(text) > 120 {
			return ""
		}
	}
	return text
}

func latencyLead(d *results.Distribution) []string {
	if d.N == 0 {
		return []string{"There is no response time: no call was answered."}
	}
	text := fmt.Sprintf("Half of the answers came within %s of when they were due, 90%% within %s, 99%% within %s; the slowest took %s.",
		results.Micros(float64(d.P50)), results.Micros(float64(d.P90)), results.Micros(float64(d.P99)), results.Micros(float64(d.Max)))
	if few := d.TooFew(); few != "" {
		text += " There were " + few + ", which may lie above the slowest one."
	}
	return []string{text}
}

func failedLead(m *results.Span) string {
	type class struct {
		name string
		n    uint64
	}
	var failed []class
	all := uint64(0)
	for _, name := range slices.Sorted(maps.Keys(m.ByClass)) {
		if c, ok := results.ParseClass(name); (!ok || c.Failed()) && m.ByClass[name] > 0 {
			failed = append(failed, class{name, m.ByClass[name]})
			all += m.ByClass[name]
		}
	}
	if all == 0 {
		return "No entry failed."
	}
	slices.SortStableFunc(failed, func(a, b class) int { return cmp.Compare(b.n, a.n) })
	return fmt.Sprintf("%s of the entries failed (%s of %s), most of them as %s.", results.Share(all, m.Entries), results.Count(all), results.Count(m.Entries), failed[0].name)
}

// trust says whether the figures can be relied on.
func trust(s *results.Summary) string {
	if s.Status == results.Void {
		return "The run is void, so do not use its figures for the node: " + strings.TrimSuffix(s.VoidReason, ".") + "." + closing(s.VoidCause)
	}
	by := map[selfcheck.Verdict]int{}
	for _, c := range s.Checks {
		by[c.Verdict]++
	}
	text := ""
	switch all := len(s.Checks); {
	case all == 0:
		text = "No self-check was made of these figures"
	case by[selfcheck.OK] == all:
		text = fmt.Sprintf("The figures can be relied on: all %d self-checks passed", all)
	case by[selfcheck.Warn] == 0:
		text = fmt.Sprintf("No self-check found a fault: %d of %d passed, and for %d there was not enough data", by[selfcheck.OK], all, by[selfcheck.NotEnough])
	default:
		text = fmt.Sprintf("Read the figures with care: %s of %d self-checks, and %d passed", plural(uint64(by[selfcheck.Warn]), "warning"), all, by[selfcheck.OK])
	}
	return text + "."
}

// cautions are what must stand before any figure.
func cautions(s *results.Summary) (all []string) {
	switch s.Status {
	case results.Cut:
		all = append(all, "This run was cut off: all figures are of what it had written by then, and nothing is said of the rest.")
	case results.Running:
		all = append(all, "This run is still going on: all figures are of what it has written so far.")
	case results.Interrupted:
		all = append(all, "This run was told to stop before its plan was through: figures are of what was sent.")
	}
	if f := s.Failures(); f != "" {
		all = append(all, f+".")
	}
	return all
}

// cards are the figures that stand out.
func cards(s *results.Summary) []card {
	m := &s.Measured
	if m.Calls == 0 {
		return nil
	}
	unbounded := m.Response.Unbounded()
	mark := func(i int) string {
		if unbounded[i] {
			return "too few calls: may be more"
		}
		return ""
	}
	rate := card{Label: "Good entries", Value: results.Rate(m.Achieved.GoodputEntriesPerS) + "/s", Note: results.Rate(m.Achieved.EntriesPerS) + "/s sent"}
	all := []card{rate}
	if d := &m.Response; d.N > 0 {
		all = append(all,
			card{Label: "Response p50", Value: results.Micros(float64(d.P50)), Note: mark(0)},
			card{Label: "Response p99", Value: results.Micros(float64(d.P99)), Note: mark(2)},
			card{Label: "Response max", Value: results.Micros(float64(d.Max))})
	}
	c, err := m.Counts()
	if err == nil {
		failed := card{Label: "Entries failed", Value: results.Share(c.FailedEntries(), m.Entries), Note: results.Count(c.FailedEntries()) + " of " + results.Count(m.Entries)}
		all = append(all, failed)
	}
	return append(all, checksCard(s))
}

func checksCard(s *results.Summary) card {
	c := card{Label: "Self-checks", Value: "none"}
	if len(s.Checks) == 0 {
		return c
	}
	passed := 0
	for _, k := range s.Checks {
		if k.Verdict == selfcheck.OK {
			passed++
		}
	}
	c.Value = fmt.Sprintf("%d of %d", passed, len(s.Checks))
	switch selfcheck.Worst(s.Checks) {
	case selfcheck.OK:
		c.Note, c.Mood = "passed", good
	case selfcheck.NotEnough:
		c.Note, c.Mood = "passed; else not enough data", plain
	case selfcheck.Warn:
		c.Note, c.Mood = "passed; see the warnings", wary
	default:
		c.Note, c.Mood = "passed; the run is void", bad
	}
	return c
}
