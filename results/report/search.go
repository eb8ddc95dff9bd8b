package report

import (
	"fmt"
	"io"

	"volley/results"
	"volley/results/capacity/search"
	"volley/results/study"
)

// Search writes a search's answer as a page for people, as Text does a run.
func Search(w io.Writer, a *study.Search) error {
	var p page
	p.experiment(&a.Head, "search")
	p.line("")
	p.line("%s", wrap("", results.Escape(a.Sentence)))
	if a.Lower != nil && a.Upper != nil {
		p.line("  interval     %s to %s %s (width %s)", results.Rate(*a.Lower), results.Rate(*a.Upper), results.Escape(a.Unit), percent(1 - *a.Lower / *a.Upper))
	}
	if a.ConditionalThroughput != nil {
		p.line("  throughput   %s %s with a good answer, at %s offered", results.Rate(*a.ConditionalThroughput), results.Escape(a.Unit), results.Rate(*a.Lower))
	}
	if a.LimitedBy != "" {
		p.line("%s", wrap("  ", "Limited by "+results.Escape(a.LimitedBy)+"."))
	}
	if a.Saturated != nil {
		p.line("%s", wrap("  ", fmt.Sprintf("A closed loop of %d callers reached %s %s.", a.Saturated.Callers, results.Rate(a.Saturated.Achieved), results.Escape(a.Unit))))
	}
	for i := range a.Goals {
		p.goal(&a.Goals[i], a.Unit)
	}
	p.searchTrials(a)
	p.warnings(a.Warnings)
	_, err := w.Write(p.Bytes())
	return err
}

// experiment writes the first lines of an experiment's page.
func (p *page) experiment(h *study.Head, what string) {
	status := results.Escape(h.Status)
	if h.Status == study.Void {
		status = "VOID"
	}
	p.line("%s", wrap("", fmt.Sprintf("%s: %s %s", results.Escape(h.Name), what, status)))
	node := "node of your own"
	if h.Bundled {
		node = "bundled node"
	}
	p.line("%s", wrap("  ", fmt.Sprintf("%s, dialect %s, seed %d, volley %s", node, results.Escape(h.Dialect), h.Seed, results.Escape(h.Volley))))
	p.line("  started %s", h.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	if h.Dir != "" {
		p.line("%s", wrap("  ", "directory "+results.Escape(h.Dir)))
	}
}

func (p *page) goal(r *search.Result, unit string) {
	p.line("")
	p.line("%s", wrap("Objective ", results.Escape(r.Goal.Name)))
	p.line("%s", wrap("  ", results.Escape(r.Sentence)))
	if len(r.Loads) == 0 {
		return
	}
	p.line("  %14s  %-12s%8s%8s%10s%8s%10s", results.Escape(unit), "class", "good", "bad", "unproven", "void", "time")
	for _, l := range r.Loads {
		p.line("  %14s  %-12s%8d%8d%10d%8d%10s", results.Rate(l.Load), l.Class, l.Good, l.Bad, l.Unproven, l.Void, results.Seconds(l.Time.Seconds()))
	}
}

func (p *page) searchTrials(a *study.Search) {
	if len(a.Trials) == 0 {
		return
	}
	p.line("")
	p.line("Trials, %s of load measured", results.Seconds(a.LoadedS))
	p.line("  %5s%12s%10s%12s%10s  %s", "", "asked", "for", "achieved", "p99", "verdicts")
	for _, t := range a.Trials {
		p.line("  %5d%12s%10s%12s%10s  %s", t.N, results.Rate(t.Load), results.Seconds(t.ForS), results.Rate(t.Achieved), results.Micros(float64(t.P99US)), verdicts(t))
	}
}

func verdicts(t study.SearchTrial) string {
	text := ""
	for i, v := range t.Verdicts {
		if i > 0 {
			text += ", "
		}
		text += results.Escape(string(v))
	}
	return text + " (" + results.Escape(t.Purpose) + ")"
}
