package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"volley/results"
	"volley/results/selfcheck"
)

func (p *page) objectives(s *results.Summary) {
	if len(s.Objectives) == 0 {
		return
	}
	p.line("")
	p.line("Objectives, over the measured phases")
	texts, wide := make([]string, len(s.Objectives)), 0
	for i, o := range s.Objectives {
		texts[i] = results.Escape(o.Text)
		wide = max(wide, min(40, utf8.RuneCountInString(texts[i])))
	}
	soFar, column := "", 7
	if s.Partial() {
		soFar, column = " so far", 14
	}
	for i, o := range s.Objectives {
		verdict := "MISSED"
		if o.Met {
			verdict = "met"
		}
		line := fmt.Sprintf("  %s %s  ", pad(verdict+soFar, column), pad(texts[i], wide))
		if v := value(o); utf8.RuneCountInString(line+v) <= width {
			p.line("%s%s", line, v)
		} else {
			p.line("%s", strings.TrimRight(line, " "))
			p.line("%s", wrap(strings.Repeat(" ", column+3), v))
		}
	}
}

// value gives what was found, in the objective's own unit.
func value(o results.ObjectiveResult) string {
	switch {
	case o.Value == nil && o.Unanswered > 0:
		return "no value: " + results.Share(o.Unanswered, o.N) + " unanswered"
	case o.Value == nil:
		return "nothing measured"
	}
	v := *o.Value
	switch o.Metric {
	case "response", "service", "lateness":
		if o.Proof != nil && o.Proof.Decision == selfcheck.Undecided {
			return results.Micros(v) + " (not proven)"
		}
		return results.Micros(v)
	case "entry errors", "call errors":
		return percent(v)
	case "goodput":
		return results.Rate(v) + " entries/s"
	}
	return results.Rate(v) + " " + results.Escape(o.Metric) + "/s"
}

func (p *page) reconciliation(rows []results.Row) {
	if len(rows) == 0 {
		return
	}
	p.line("")
	p.line("%-44s%14s%14s", "Reconciliation with the node's own counters", "client", "node")
	zeros := uint64(0)
	for _, r := range rows {
		mark := "-"
		if r.Match != nil && *r.Match {
			if r.Client == 0 && *r.Node == 0 && r.Note == "" {
				zeros++
				continue
			}
			mark = "match"
		} else if r.Match != nil {
			mark = "DIFFER"
		}
		node, note := "-", r.Note
		if r.Node == nil && utf8.RuneCountInString(note) <= 12 { // it fits the column
			node, note = results.Escape(note), ""
		}
		if r.Node != nil {
			node = results.Number(*r.Node)
		}
		p.line("  %-6s %s%14s%14s", mark, pad(results.Escape(r.What), 35), results.Count(r.Client), node)
		if note != "" {
			p.line("%s", wrap(strings.Repeat(" ", 11), results.Escape(note)))
		}
	}
	if zeros > 0 {
		p.line("  match  %s of nothing on either side", plural(zeros, "count"))
	}
}

func (p *page) generator(s *results.Summary) {
	g := &s.Generator
	verdict := results.Escape(g.Verdict)
	if verdict == "" {
		verdict = "not judged"
	}
	words := []string{verdict}
	if g.Reason != "" && len(s.Checks) == 0 { // else it is among them
		words[0] += " (" + results.Escape(g.Reason) + ")"
	}
	if g.CPUFraction > 0 {
		cpus := ""
		if g.CPUs > 0 {
			cpus = fmt.Sprintf(" of %d CPUs", g.CPUs)
		}
		words = append(words, fmt.Sprintf("CPU %.0f%%%s", 100*g.CPUFraction, cpus))
		if whole, busiest := fmt.Sprintf("%.0f%%", 100*g.CPUFraction), fmt.Sprintf("%.0f%%", 100*g.CPUBusiest); g.CPUBusiest > g.CPUFraction && busiest != whole {
			words[len(words)-1] += " (" + busiest + " in the busiest measured phase)"
		}
	}
	words = append(words, fmt.Sprintf("planned %s calls, sent %s", results.Count(g.Planned), results.Count(g.Sent)))
	if g.MaxInFlight > 0 {
		words = append(words, fmt.Sprintf("at most %d in flight", g.MaxInFlight))
	}
	if g.Connections > 0 {
		words = append(words, results.Count(g.Connections)+" connections")
		if g.ConnectMaxUS > 0 {
			words[len(words)-1] += fmt.Sprintf(" (p50 %s, longest %s to connect)", results.Micros(g.ConnectP50US), results.Micros(g.ConnectMaxUS))
		}
	}
	if g.GCPauseMaxUS > 0 {
		words = append(words, "longest GC pause "+results.Micros(g.GCPauseMaxUS))
		if g.GCPauses >= 100 { // else its p99 is the longest
			words[len(words)-1] += " (p99 " + results.Micros(g.GCPauseP99US) + ")"
		}
	}
	if g.SchedWaits > 0 {
		words = append(words, "p99 of waits for a CPU "+results.Micros(g.SchedP99US))
	}
	p.line("")
	p.line("%s", wrap("Generator: ", strings.Join(words, ", ")))
}

func (p *page) warnings(all []string) {
	if len(all) == 0 {
		return
	}
	p.line("")
	p.line("Warnings")
	for _, w := range all {
		p.line("%s", wrap("  - ", results.Escape(w)))
	}
}

func (p *page) environment(s *results.Summary) {
	var words []string
	for _, m := range []map[string]string{s.Environment, s.Pinned} {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			words = append(words, results.Escape(k)+"="+results.Escape(m[k]))
		}
	}
	if len(words) > 0 {
		p.line("")
		p.line("%s", wrap("Environment: ", strings.Join(words, ", ")))
	}
}
