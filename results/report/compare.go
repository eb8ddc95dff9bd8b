package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"volley/results"
	"volley/results/study"
)

// Compare writes a comparison as a page for people, as Text does a run.
func Compare(w io.Writer, a *study.Compare) error {
	var p page
	p.experiment(&a.Head, "comparison")
	p.line("%s", wrap("  A  ", results.Escape(a.A)+runsOf(a.RunsA)))
	p.line("%s", wrap("  B  ", results.Escape(a.B)+runsOf(a.RunsB)))
	switch {
	case a.Within:
		p.line("  one run of each")
	case a.Pairs > 0:
		p.line("  %s", plural(uint64(a.Pairs), "pair"))
	}
	if a.Same {
		p.line("  the same settings on both sides: what differs is noise")
	}
	if len(a.Differ) > 0 {
		p.line("")
		p.line("They differ in")
		for _, d := range a.Differ {
			p.line("%s", wrap("  ", results.Escape(d.Name)+": "+results.Escape(d.Value)))
		}
	}
	p.line("")
	for i := range a.Metrics {
		if a.Metrics[i].Primary {
			p.line("%s", wrap("", results.Escape(a.Metrics[i].Sentence)))
		}
	}
	if len(a.Metrics) > 0 {
		p.comparisons(a)
	} else {
		p.line("Not one pair of runs counts: there is nothing to compare.")
	}
	if len(a.Rules) > 0 {
		p.line("")
		p.line("Rules")
		for _, r := range a.Rules {
			p.line("%s", wrap("  ", results.Escape(r.Sentence)))
		}
	}
	p.warnings(compareWarnings(a))
	_, err := w.Write(p.Bytes())
	return err
}

func runsOf(dirs []string) string {
	if len(dirs) == 1 {
		return ""
	}
	return " (" + plural(uint64(len(dirs)), "run") + ")"
}

// compareWarnings are all, each once. A warning in spite of which they were compared
// stands first.
func compareWarnings(a *study.Compare) (all []string) {
	for _, d := range a.Despite {
		all = append(all, "compared in spite of: "+d)
	}
	all = append(all, a.Warnings...)
	for i := range a.Metrics {
		for _, w := range a.Metrics[i].Warnings {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

const row = "%-8s%8s%9s%8s  %-16s%7s  %s"

// comparisons is the table: what the runs of either side came to in the middle, the
// change with its interval, and what would have been shown where nothing was.
func (p *page) comparisons(a *study.Compare) {
	p.line("")
	p.line(row, "", "A", "B", "change", "95% interval", "p", "verdict")
	for i := range a.Metrics {
		m := &a.Metrics[i]
		if m.MidA == nil {
			continue
		}
		change, interval := changeOf(m)
		pv := ""
		if m.P != nil {
			pv = fmt.Sprintf("%.2g", *m.P)
		}
		p.line(row, results.Escape(m.Name), valueOf(m, *m.MidA), valueOf(m, *m.MidB), change, interval, pv, verdictOf(a, m))
	}
	var absent []string
	for i := range a.Metrics {
		if m := &a.Metrics[i]; m.MidA == nil {
			absent = append(absent, m.Sentence)
		}
	}
	if notes := p.tableNotes(a); notes != "" {
		p.line("%s", wrap("  ", notes))
	}
	for _, s := range absent {
		p.line("%s", wrap("  ", results.Escape(s)))
	}
}

// tableNotes explain the table.
func (p *page) tableNotes(a *study.Compare) string {
	notes := []string{"A and B: the median of the runs."}
	if a.Within {
		notes = nil
	}
	if len(a.Metrics) > 1 && !a.Within {
		notes = append(notes, results.Escape(a.Metrics[0].Name)+" is judged by itself, the others together (Holm).")
	}
	if slices.ContainsFunc(a.Metrics, func(m study.Comparison) bool { return m.MDE != nil && m.Verdict == "inconclusive" }) {
		notes = append(notes, "(x%): a change of x% would have been shown 4 times of 5.")
	}
	if slices.ContainsFunc(a.Metrics, func(m study.Comparison) bool { return m.Shift != nil }) {
		notes = append(notes, "pp: percentage points.")
	}
	return strings.Join(notes, " ")
}

func changeOf(m *study.Comparison) (change, interval string) {
	switch {
	case m.Shift != nil:
		change = fmt.Sprintf("%+.2gpp", 100*m.Shift.Value)
		if m.Shift.Low != nil && m.Shift.High != nil {
			interval = fmt.Sprintf("%+.2gpp to %+.2gpp", 100**m.Shift.Low, 100**m.Shift.High)
		}
	case m.Ratio != nil:
		change = signed(*m.Ratio)
		if m.Low != nil && m.High != nil {
			interval = signed(*m.Low) + " to " + signed(*m.High)
		}
	}
	return change, interval
}

// signed gives a ratio as a change.
func signed(ratio float64) string {
	c := 100 * (ratio - 1)
	if c >= 999.5 {
		return fmt.Sprintf("x%.3g", ratio)
	}
	return fmt.Sprintf("%+.1f%%", c)
}

func valueOf(m *study.Comparison, v float64) string {
	switch {
	case m.Unit == "us" || strings.HasPrefix(m.Unit, "us "):
		return results.Micros(v)
	case m.Name == "errors":
		return percent(v)
	}
	return results.Rate(v)
}

func verdictOf(a *study.Compare, m *study.Comparison) string {
	switch {
	case m.Verdict != "inconclusive":
		if a.Within {
			return results.Escape(m.Verdict) + " within these two runs"
		}
		return results.Escape(m.Verdict)
	case m.Name == "errors" && m.Shift == nil:
		return "none"
	case m.MDE != nil && m.Shift != nil:
		return fmt.Sprintf("inconclusive (%.2gpp)", 100**m.MDE)
	case m.MDE != nil && *m.MDE >= 1:
		return fmt.Sprintf("inconclusive (%.0f%%)", 100**m.MDE)
	case m.MDE != nil:
		return fmt.Sprintf("inconclusive (%.2g%%)", 100**m.MDE)
	}
	return "inconclusive"
}
