package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"volley/results"
)

// mostCells is how many rows of a breakdown the page shows.
const mostCells = 20

// breakdown shows the measured phases by method and size, when there is more than one
// of them: the rows with the most entries, where there are many.
func (p *page) breakdown(all []results.BreakdownRow) {
	if len(all) < 2 {
		return
	}
	shown := all
	if len(all) > mostCells {
		sorted := slices.SortedStableFunc(slices.Values(all), func(a, b results.BreakdownRow) int { return cmp.Compare(b.Entries, a.Entries) })
		least := sorted[mostCells-1].Entries
		shown = nil
		for _, r := range all {
			if r.Entries >= least && len(shown) < mostCells {
				shown = append(shown, r)
			}
		}
	}
	wide := utf8.RuneCountInString("method")
	for _, r := range shown {
		wide = max(wide, min(22, utf8.RuneCountInString(results.Escape(r.Method))))
	}
	p.line("")
	p.line("Entries of the measured phases by method and size of call")
	p.line("  %s%11s%9s%11s%7s%8s%9s", pad("method", wide), "size", "calls", "entries", "failed", "p50", "p99")
	for _, r := range shown {
		p.breakdownRow(&r, wide)
	}
	if left := len(all) - len(shown); left > 0 {
		var entries, of uint64
		for _, r := range all {
			of += r.Entries
		}
		for _, r := range shown {
			entries += r.Entries
		}
		p.line("%s", wrap("  ", plural(uint64(left), "row")+" more, with "+results.Share(of-entries, of)+" of the entries, in run.json"))
	}
}

func (p *page) breakdownRow(r *results.BreakdownRow, wide int) {
	var failed uint64
	for name, n := range r.ByClass {
		if class, ok := results.ParseClass(name); !ok || class.Failed() {
			failed += n
		}
	}
	line := fmt.Sprintf("  %s%11s%9s%11s%7s%9s%9s", pad(brief(results.Escape(r.Method), wide), wide), results.Escape(r.Band),
		results.Count(r.Calls), results.Count(r.Entries), results.Share(failed, r.Entries),
		cell(r, .5, r.Response.P50), cell(r, .99, r.Response.P99))
	p.line("%s", strings.TrimRight(line, " "))
}

// cell gives a percentile with the mark of one that too few calls are behind.
func cell(r *results.BreakdownRow, q float64, v int64) string {
	switch {
	case r.Response.N == 0:
		return "- "
	case int64(r.Calls) < results.NeededFor(q):
		return results.Micros(float64(v)) + "?"
	}
	return results.Micros(float64(v)) + " "
}

// brief cuts a name to a column, in its middle: names of one family differ at their end.
func brief(name string, to int) string {
	all := []rune(name)
	if len(all) <= to {
		return name
	}
	head := (to - 1) / 2
	return string(all[:head]) + "…" + string(all[len(all)-(to-1-head):])
}
