package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"volley/results"
)

// Text writes the run as a page for people: plain text without colour, 80 columns
// wide where names allow it. The error is that of writing to w.
func Text(w io.Writer, s *results.Summary) error {
	var p page
	p.head(s)
	for i := range s.Phases {
		p.phase(&s.Phases[i])
	}
	p.together(s)
	p.account(&s.Totals)
	p.objectives(s.Objectives)
	p.reconciliation(s.Reconciliation)
	p.generator(&s.Generator)
	p.warnings(s.Warnings)
	p.environment(s)
	_, err := w.Write(p.Bytes())
	return err
}

type page struct{ bytes.Buffer }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) head(s *results.Summary) {
	name := results.Escape(s.Name)
	if name == "" {
		name = "(no name)"
	}
	status := results.Escape(s.Status)
	switch s.Status {
	case results.Void:
		status = "VOID"
	case "":
		status = "(no status)"
	}
	p.line("%s: %s", name, status)
	if s.VoidReason != "" {
		p.line("%s", wrap("  ", results.Escape(s.VoidReason)+". These numbers say nothing about the node."))
	}
	node := "bundled node"
	switch {
	case s.Bundled:
	case s.URL != "":
		node = "node at " + results.Escape(s.URL)
	default:
		node = "node over stdio"
	}
	p.line("%s", wrap("  ", fmt.Sprintf("%s, dialect %s, seed %d, volley %s", node, results.Escape(s.Dialect), s.Seed, results.Escape(s.Volley))))
	took := ""
	if s.Finished != nil {
		took = ", took " + s.Finished.Sub(s.Started).Round(100*time.Millisecond).String()
	}
	p.line("  started %s%s", s.Started.UTC().Format("2006-01-02 15:04:05 UTC"), took)
	if s.Dir != "" {
		p.line("  run directory %s", results.Escape(s.Dir))
	}
}

func (p *page) phase(ph *results.PhaseSummary) {
	measured := ""
	if !ph.Measured {
		measured = " (not measured)"
	}
	p.line("")
	p.line("%s", wrap("", fmt.Sprintf("Phase %s%s: asked %s for %s", results.Escape(ph.Name), measured, asked(ph), seconds(ph.ForS))))
	p.span(&ph.Span)
}

func asked(ph *results.PhaseSummary) string {
	value := fmt.Sprintf("%g", ph.Target.Value)
	if ph.Target.To != nil {
		value += fmt.Sprintf(" to %g", *ph.Target.To)
	}
	value += " " + results.Escape(ph.Target.Unit)
	if ph.Arrivals == "" {
		return value + " (closed loop)"
	}
	return value + ", " + results.Escape(ph.Arrivals) + " arrivals,"
}

// together shows the measured phases as one, when there are several.
func (p *page) together(s *results.Summary) {
	measured := 0
	for i := range s.Phases {
		if s.Phases[i].Measured && s.Phases[i].Calls > 0 {
			measured++
		}
	}
	if measured > 1 {
		p.line("")
		p.line("All measured phases together, %s", seconds(s.Measured.ElapsedS))
		p.span(&s.Measured)
	}
}

func (p *page) span(s *results.Span) {
	if s.Calls == 0 {
		p.line("  nothing was sent")
		return
	}
	a := &s.Achieved
	p.line("  achieved  %s calls/s, %s entries/s, %s items/s", rate(a.CallsPerS), rate(a.EntriesPerS), rate(a.ItemsPerS))
	p.line("  goodput   %s entries/s", rate(a.GoodputEntriesPerS))
	p.line("  %-8s%10s%10s%10s%10s%10s%10s%10s", "", "calls", "mean", "p50", "p90", "p99", "p99.9", "max")
	p.distribution("response", &s.Response)
	p.distribution("service", &s.Service)
	p.distribution("lateness", &s.Lateness)
	if few := tooFew(s.Response.N); few != "" {
		p.line("%s", wrap("  ? ", few))
	}
}

// quantiles are those that a table shows, in its order.
var quantiles = [...]struct {
	name string
	q    float64
}{{"p50", .5}, {"p90", .9}, {"p99", .99}, {"p99.9", .999}}

func (p *page) distribution(name string, d *results.Distribution) {
	if d.N == 0 {
		p.line("  %-8s%10d", name, 0)
		return
	}
	fmt.Fprintf(p, "  %-8s%10s%10s", name, count(uint64(d.N)), latency(d.Mean))
	for i, v := range [...]int64{d.P50, d.P90, d.P99, d.P999} {
		// The mark takes the column's gap, so that numbers stay in line.
		mark := " "
		if d.N < results.NeededFor(quantiles[i].q) {
			mark = "?"
		}
		fmt.Fprintf(p, "%9s%s", latency(float64(v)), mark)
	}
	p.line("%9s", latency(float64(d.Max)))
}

// tooFew explains the mark "?".
func tooFew(n int64) string {
	var few []string
	for _, q := range quantiles {
		if need := results.NeededFor(q.q); n < need {
			few = append(few, fmt.Sprintf("%s (needs %s)", q.name, count(uint64(need))))
		}
	}
	if few == nil {
		return ""
	}
	return fmt.Sprintf("too few calls (n=%d) for %s: may be > max", n, strings.Join(few, ", "))
}

func (p *page) account(t *results.Totals) {
	p.line("")
	p.line("Everything sent, warm-up included")
	p.line("  %s calls, %s entries, %s items, %s notifications", count(t.Calls), count(t.Entries), count(t.Items), count(t.Notifications))
	p.line("  %s bytes out, %s bytes in", count(t.BytesOut), count(t.BytesIn))
	if t.Unsent+t.OverBound+t.Overrun+t.Surplus > 0 {
		p.line("  %s never sent, %s sent after their phase's end, %s waited for a caller", count(t.Unsent), count(t.Overrun), count(t.OverBound))
		p.line("  %s surplus answers", count(t.Surplus))
	}
	p.classes("Entries by class", t.ByClass, t.Entries)
	codes(p, "Error codes", t.ByCode)
	p.classes("Calls by class", t.CallsByClass, t.Calls)
	codes(p, "Calls by HTTP status", t.ByHTTPStatus)
}

func (p *page) classes(title string, by map[string]uint64, all uint64) {
	if len(by) == 0 {
		return
	}
	p.line("  %s", title)
	rest := maps.Clone(by)
	row := func(name string) {
		p.line("    %s%14s%9s", pad(results.Escape(name), 24), count(by[name]), share(by[name], all))
		delete(rest, name)
	}
	for class := range results.NumClasses {
		if name := results.Class(class).String(); by[name] > 0 {
			row(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		row(name)
	}
}

func codes[K cmp.Ordered](p *page, title string, by map[K]uint64) {
	if len(by) == 0 {
		return
	}
	p.line("  %s", title)
	for _, code := range slices.Sorted(maps.Keys(by)) {
		p.line("    %s%14s", pad(fmt.Sprint(code), 24), count(by[code]))
	}
}
