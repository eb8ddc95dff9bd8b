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
	unit := results.Escape(a.Unit)
	h := a.Head
	if h.Status == study.Finished && a.Answer == search.Unfinished {
		h.Status = "ended before it had an answer"
	}
	p.title(&h, "search")
	p.line("")
	p.line("%s", wrap("", results.Escape(a.Sentence)))
	if a.ConditionalThroughput != nil && a.Lower != nil {
		p.line("%s", wrap("  ", fmt.Sprintf("At %s %s %s come back good.", results.Rate(*a.Lower), unit, results.Rate(*a.ConditionalThroughput))))
	}
	if a.Lower != nil && a.Upper != nil {
		p.line("%s", wrap("  ", fmt.Sprintf("The interval is %s wide%s.", percent(1 - *a.Lower / *a.Upper), confirmation(a))))
	}
	if a.LimitedBy != "" {
		p.line("%s", wrap("  ", "Limited by "+results.Escape(a.LimitedBy)+"."))
	}
	for i := range a.Goals {
		p.goal(&a.Goals[i], a)
	}
	p.warnings(a.Warnings)
	p.line("")
	p.provenance(&a.Head)
	about := fmt.Sprintf("%s, %s under load", plural(uint64(len(a.Trials)), "trial"), results.Seconds(a.LoadedS))
	if a.Saturated != nil {
		about += fmt.Sprintf("; before them a closed loop of %d callers reached %s %s", a.Saturated.Callers, results.Rate(a.Saturated.Achieved), unit)
	}
	p.line("%s", wrap("  ", about))
	_, err := w.Write(p.Bytes())
	return err
}

// confirmation tells how sure the lower end is.
func confirmation(a *study.Search) string {
	for i := range a.Goals {
		if g := &a.Goals[i]; g.Goal.Name == a.Limiting && g.Confirmed {
			return ", and a long trial confirmed its lower end"
		}
	}
	return ", and no long trial confirmed its lower end"
}

// title writes the first line of an experiment's page.
func (p *page) title(h *study.Head, what string) {
	status := results.Escape(h.Status)
	if h.Status == study.Void {
		status = "VOID"
	}
	p.line("%s", wrap("", fmt.Sprintf("%s: %s %s", results.Escape(h.Name), what, status)))
}

// provenance says what was measured, by what, and where it is stored.
func (p *page) provenance(h *study.Head) {
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

// experiment writes the first lines of an experiment's page.
func (p *page) experiment(h *study.Head, what string) {
	p.title(h, what)
	p.provenance(h)
}

func (p *page) goal(r *search.Result, a *study.Search) {
	if len(a.Goals) > 1 {
		text := r.Sentence
		if r.Goal.Name == a.Limiting {
			text = r.Goal.Name + ", the objective that gives way first:"
		}
		p.line("")
		p.line("%s", wrap("", results.Escape(text)))
	}
	if len(r.Loads) == 0 {
		return
	}
	p.line("")
	p.line("  %14s  %-12s%8s%8s%10s%8s%10s", results.Escape(a.Unit), "class", "good", "bad", "unproven", "void", "time")
	for _, l := range r.Loads {
		p.line("  %14s  %-12s%8d%8d%10d%8d%10s", results.Rate(l.Load), results.Escape(string(l.Class)), l.Good, l.Bad, l.Unproven, l.Void, results.Seconds(l.Time.Seconds()))
	}
}
