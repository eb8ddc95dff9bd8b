package report

import (
	"fmt"
	"slices"
	"strings"

	"volley/results"
	"volley/results/selfcheck"
)

// checks tells what the self-checks found: one line when all is well, else what is
// not. Why there was not enough for one stands in run.json.
func (p *page) checks(s *results.Summary) {
	if len(s.Checks) == 0 {
		return // an older run, or nothing that could be checked
	}
	by := make(map[selfcheck.Verdict]uint64)
	for _, c := range s.Checks {
		by[c.Verdict]++
	}
	p.line("")
	all := uint64(len(s.Checks))
	if by[selfcheck.OK] == all {
		p.line("Self-checks: all %d passed", all)
		return
	}
	words := []string{fmt.Sprintf("%d of %d passed", by[selfcheck.OK], all)}
	if n := by[selfcheck.Void]; n > 0 {
		words = append(words, fmt.Sprintf("%d void", n))
	}
	if n := by[selfcheck.Warn]; n > 0 {
		words = append(words, plural(n, "warning"))
	}
	if n := by[selfcheck.NotEnough]; n > 0 {
		words = append(words, fmt.Sprintf("%d without enough data", n))
	}
	p.line("%s", wrap("Self-checks: ", strings.Join(words, ", ")))
	for _, c := range s.Checks {
		switch text := results.CheckWarning(c); {
		case c.Verdict == selfcheck.Void && strings.Contains(s.VoidReason, text):
			p.line("%s", wrap("  VOID  ", results.Escape(c.Name)+": as said above"))
		case c.Verdict == selfcheck.Void:
			p.line("%s", wrap("  VOID  ", results.Escape(text)))
		case c.Verdict == selfcheck.Warn && c.Name == selfcheck.SentName && s.VoidCause == results.VoidRate && strings.Contains(s.VoidReason, `"`+results.Brief(c.Phase)+`"`):
			p.line("%s", wrap("  warn  ", results.Escape(c.Name)+": as said above"))
		case c.Verdict == selfcheck.Warn:
			p.line("%s", wrap("  warn  ", results.Escape(text)))
		}
	}
	if few := undecided(s.Checks); few != "" {
		p.line("%s", wrap("  ?     ", "not enough data: "+few))
	}
}

// undecided names the checks without enough data, those of a phase together.
func undecided(checks []selfcheck.Check) string {
	var phases []string
	names := make(map[string][]string)
	for _, c := range checks {
		if c.Verdict != selfcheck.NotEnough {
			continue
		}
		if !slices.Contains(phases, c.Phase) {
			phases = append(phases, c.Phase)
		}
		names[c.Phase] = append(names[c.Phase], results.Escape(c.Name))
	}
	var words []string
	for _, phase := range phases {
		text := strings.Join(names[phase], ", ")
		if phase != "" {
			text = results.Brief(results.Escape(phase)) + ": " + text
		}
		words = append(words, text)
	}
	return strings.Join(words, "; ")
}

// untold are the warnings that the self-checks' part of the page does not have.
func untold(s *results.Summary) []string {
	return slices.DeleteFunc(slices.Clone(s.Warnings), func(warning string) bool {
		return slices.ContainsFunc(s.Checks, func(c selfcheck.Check) bool {
			return (c.Verdict == selfcheck.Warn || c.Verdict == selfcheck.Void) && results.CheckWarning(c) == warning
		})
	})
}

// intervals tells between what the response time's percentiles lie.
func (p *page) intervals(d *results.Distribution) {
	if d.CI == nil || d.N == 0 {
		return
	}
	var words []string
	for _, q := range [...]struct {
		name string
		of   results.Interval
	}{{"p50", d.CI.P50}, {"p90", d.CI.P90}, {"p99", d.CI.P99}, {"p99.9", d.CI.P999}} {
		low, high := "0", "> max"
		if q.of.Low != nil {
			low = results.Micros(float64(*q.of.Low))
		}
		if q.of.High != nil {
			high = results.Micros(float64(*q.of.High))
		}
		if lowNumber, unit, ok := strings.Cut(low, " "); ok && strings.HasSuffix(high, " "+unit) {
			low = lowNumber
		}
		words = append(words, fmt.Sprintf("%s %s to %s", q.name, low, high))
	}
	if d.Independent {
		words[len(words)-1] += "; if calls are independent of each other, which so few seconds do not tell"
	}
	p.line("%s", wrap("  response, 95% sure: ", strings.Join(words, ", ")))
}
