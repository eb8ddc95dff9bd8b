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
		p.phase(&s.Phases[i], s.Partial())
	}
	p.together(s)
	p.breakdown(s.Breakdown)
	p.account(&s.Totals)
	p.objectives(s)
	p.reconciliation(s.Reconciliation)
	p.nodeSide(s.Correlation)
	p.generator(s)
	p.calibration(s.Generator.Calibration)
	p.checks(s)
	p.warnings(untold(s))
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
	took := ""
	if s.Finished != nil {
		took = results.Seconds(s.Finished.Sub(s.Started).Round(100 * time.Millisecond).Seconds())
	}
	first := name + ": " + status(s, took)
	if failures := s.Failures(); failures != "" {
		first += ", " + failures
	}
	p.line("%s", wrap("", first))
	if s.VoidReason != "" {
		p.line("%s", wrap("  ", strings.TrimSuffix(results.Escape(s.VoidReason), ".")+"."+closing(s.VoidCause)))
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
	if took != "" && !s.Partial() {
		took = ", took " + took
	} else {
		took = ""
	}
	p.line("  started %s%s", s.Started.UTC().Format("2006-01-02 15:04:05 UTC"), took)
	if s.Dir != "" {
		p.line("%s", wrap("  ", "run directory "+results.Escape(s.Dir)))
	}
}

func status(s *results.Summary, took string) string {
	switch s.Status {
	case results.Void:
		return "VOID"
	case results.Running:
		return "still running"
	case results.Cut:
		return "cut off after " + took
	case "":
		return "(no status)"
	}
	return results.Escape(s.Status)
}

// closing says what a void run's numbers are worth.
func closing(cause string) string {
	switch cause {
	case results.VoidRate:
		return " The percentiles hold for the rate that was achieved, not for the one asked."
	case results.VoidGenerator:
		return " These numbers say more about the generator than about the node."
	}
	return ""
}

func (p *page) phase(ph *results.PhaseSummary, partial bool) {
	measured := ""
	if !ph.Measured {
		measured = " (not measured)"
	}
	p.line("")
	p.line("%s", wrap("", fmt.Sprintf("Phase %s%s: asked %s for %s", results.Brief(results.Escape(ph.Name)), measured, asked(ph), results.Seconds(ph.ForS))))
	switch off := ph.ElapsedS - ph.ForS; {
	case ph.ElapsedS == 0 && ph.Calls == 0:
		p.line("  not begun")
		return
	case partial || off < -0.01*ph.ForS:
		p.line("  ran %s of %s", results.Seconds(ph.ElapsedS), results.Seconds(ph.ForS))
	case off > 0.01*ph.ForS:
		p.line("  took %s to send", results.Seconds(ph.ElapsedS))
	}
	p.span(&ph.Span, ph.Target.Unit == itemRate)
}

const itemRate = "items/s"

func asked(ph *results.PhaseSummary) string {
	value := results.Number(ph.Target.Value)
	if ph.Target.To != nil {
		value += " to " + results.Number(*ph.Target.To)
	}
	value += " " + results.Escape(ph.Target.Unit)
	if h := ph.Target.ByHand; h != nil {
		value += fmt.Sprintf(" (changed by hand: %s on average)", results.Rate(h.Mean))
	}
	if ph.Arrivals == "" {
		return value + " (closed loop)"
	}
	return value + ", " + results.Escape(ph.Arrivals) + " arrivals,"
}

// together shows the measured phases as one, when there are several.
func (p *page) together(s *results.Summary) {
	measured, items := 0, true
	for i := range s.Phases {
		if s.Phases[i].Measured && s.Phases[i].Calls > 0 {
			measured++
			items = items && s.Phases[i].Target.Unit == itemRate
		}
	}
	if measured > 1 {
		p.line("")
		p.line("All measured phases together, %s", results.Seconds(s.Measured.ElapsedS))
		p.span(&s.Measured, items)
	}
}

// span shows an account over some time; items: the rate asked was one of items.
func (p *page) span(s *results.Span, items bool) {
	if s.Calls == 0 {
		p.line("  nothing was sent")
		return
	}
	a := &s.Achieved
	p.line("  achieved  %s calls/s, %s entries/s, %s items/s", results.Rate(a.CallsPerS), results.Rate(a.EntriesPerS), results.Rate(a.ItemsPerS))
	if items {
		p.line("  goodput   %s items/s", results.Rate(a.GoodputItemsPerS))
	} else {
		p.line("  goodput   %s entries/s", results.Rate(a.GoodputEntriesPerS))
	}
	p.line("  %-8s%10s%10s%10s%10s%10s%10s%10s", "", "calls", "mean", "p50", "p90", "p99", "p99.9", "max")
	p.distribution("response", &s.Response)
	p.distribution("service", &s.Service)
	p.distribution("lateness", &s.Lateness)
	p.intervals(&s.Response)
	inVain := s.CallsByClass[results.Timeout.String()] + s.CallsByClass[results.CutOff.String()]
	if atOnce := s.Unanswered - min(s.Unanswered, inVain); atOnce > 0 {
		are := "are"
		if atOnce == 1 {
			are = "is"
		}
		p.line("%s", wrap("  ", fmt.Sprintf("%s without an answer %s not in these figures, save in lateness", plural(atOnce, "call"), are)))
	}
	if inVain > 0 {
		count := "counts"
		if inVain > 1 {
			count = "count"
		}
		p.line("%s", wrap("  ", fmt.Sprintf("%s that waited in vain (timeout, cut off) %s with the time waited", plural(inVain, "call"), count)))
	}
	if few := s.Response.TooFew(); few != "" {
		p.line("%s", wrap("  ? ", few+": may be > max"))
	}
}

func (p *page) distribution(name string, d *results.Distribution) {
	if d.N == 0 {
		p.line("  %-8s%10d", name, 0)
		return
	}
	fmt.Fprintf(p, "  %-8s%10s%10s", name, callsShown(uint64(d.N)), results.Micros(d.Mean))
	unbounded := d.Unbounded()
	for i, v := range [...]int64{d.P50, d.P90, d.P99, d.P999} {
		// The mark takes the column's gap, so that numbers stay in line.
		mark := " "
		if unbounded[i] {
			mark = "?"
		}
		fmt.Fprintf(p, "%9s%s", results.Micros(float64(v)), mark)
	}
	p.line("%9s", results.Micros(float64(d.Max)))
}

// callsShown fits a column of ten: what needs all of it is told in millions, and
// exactly among what was sent.
func callsShown(n uint64) string {
	if text := results.Count(n); len(text) < 10 {
		return text
	}
	return fmt.Sprintf("%.1f M", float64(n)/1e6)
}

func (p *page) account(t *results.Totals) {
	p.line("")
	p.line("Everything sent, warm-up included")
	p.line("  %s calls, %s entries, %s items, %s notifications", results.Count(t.Calls), results.Count(t.Entries), results.Count(t.Items), results.Count(t.Notifications))
	p.line("  %s bytes out, %s bytes in", results.Count(t.BytesOut), results.Count(t.BytesIn))
	p.odd(t)
	p.classes("Entries by class", t.ByClass, t.Entries)
	codes(p, "Error codes", t.ByCode)
	p.classes("Calls by class", t.CallsByClass, t.Calls)
	codes(p, "Calls by HTTP status", t.ByHTTPStatus)
}

// odd tells of calls and answers that were not as they should be.
func (p *page) odd(t *results.Totals) {
	var words []string
	for _, o := range []struct {
		n    uint64
		what string
	}{
		{t.Unanswered, "without an answer"},
		{t.Unsent, "due but never sent"},
		{t.Overrun, "sent after their phase's end"},
		{t.OverBound, "that waited for a free caller"},
		{t.Held, "held back by the authorised ceiling"},
	} {
		if o.n > 0 {
			n := results.Count(o.n)
			if words == nil {
				n = plural(o.n, "call")
			}
			words = append(words, n+" "+o.what)
		}
	}
	if words != nil {
		p.line("%s", wrap("  ", strings.Join(words, ", ")))
	}
	if t.Surplus > 0 {
		p.line("  %s", plural(t.Surplus, "surplus answer"))
	}
	p.deviations(t.Deviations)
}

// deviations tells of replies that departed from the protocol and failed nothing.
func (p *page) deviations(by map[string]uint64) {
	var all, allowed []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		words := fmt.Sprintf("%s in %s", results.Escape(name), plural(by[name], "call"))
		if d, ok := results.ParseDeviation(name); ok && d.Allowed() {
			allowed = append(allowed, words)
		} else {
			all = append(all, words)
		}
	}
	if all != nil {
		p.line("%s", wrap("  deviations: ", strings.Join(all, ", ")))
	}
	if allowed != nil {
		p.line("%s", wrap("  also seen, and no fault: ", strings.Join(allowed, ", ")))
	}
}

func (p *page) classes(title string, by map[string]uint64, all uint64) {
	if len(by) == 0 {
		return
	}
	p.line("  %s", title)
	rest := maps.Clone(by)
	row := func(name string) {
		p.line("    %s%14s%9s", pad(results.Escape(name), 24), results.Count(by[name]), results.Share(by[name], all))
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
		p.line("    %s%14s", pad(fmt.Sprint(code), 24), results.Count(by[code]))
	}
}
