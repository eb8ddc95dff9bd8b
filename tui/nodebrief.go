package tui

import (
	"fmt"
	"strings"

	"volley/results"
	"volley/results/correlate"
)

// nodeWarnings are what a reader of the node's figures must know before them.
func nodeWarnings(r *correlate.Report) (all []string) {
	if r.Reset {
		all = append(all, "the node's counters began anew on the way")
	}
	var more []string
	for i := range r.Surplus {
		more = append(more, results.Number(r.Surplus[i].More())+" "+results.Escape(r.Surplus[i].What))
	}
	if more != nil {
		all = append(all, "other traffic: "+strings.Join(more, ", ")+" more than ours")
	}
	if r.Failed > 0 {
		all = append(all, fmt.Sprintf("%d of %d scrapes failed", r.Failed, r.Failed+r.Scrapes))
	}
	return all
}

// reason is why a report does not know something.
func reason(r *correlate.Report, what string) string {
	for _, n := range r.Notes {
		if why, of := strings.CutPrefix(n, what+": "); of {
			return results.Escape(why)
		}
	}
	return "the node does not say enough"
}

// reconciledWord sums the reconciliation up; "" where there is none.
func reconciledWord(rows []results.Row) (word string, st style) {
	var match, differ, open int
	for _, r := range rows {
		switch {
		case r.Match == nil:
			open++
		case *r.Match:
			match++
		default:
			differ++
		}
	}
	switch {
	case len(rows) == 0:
		return "", style{}
	case differ > 0:
		return itoa(differ) + " DIFFER", in(bad).bold()
	case open > 0:
		return fmt.Sprintf("%d match, %d not comparable", match, open), in(caution)
	}
	return "all match", in(good)
}

// drawNodeBrief gives verdicts and numbers for small windows.
func drawNodeBrief(c canvas, v *view, r *correlate.Report) {
	y := 0
	row := func(name, value string, st style) {
		at := c.text(0, y, fit(name, c.w), in(dim))
		c.right(c.w, y, fit(value, c.w-at-1), st)
		y++
	}
	for _, w := range nodeWarnings(r) {
		lines(c.rows(y, 1), 0, in(caution).bold(), w)
		y++
	}
	if s := r.Split; s != nil && s.Response > 0 {
		for _, p := range splitParts(s) {
			row(p.name, seconds(p.seconds)+" "+percent(p.seconds/s.Response), style{})
		}
	}
	if o := r.Occupancy; o != nil {
		if held, ok := o.Value(); ok {
			word := results.Rate(held)
			if o.Limit > 0 {
				word += " of " + itoa(o.Limit)
			}
			row("slots of a batch", word, style{attr: bold})
		}
		row("limit", strings.TrimPrefix(string(o.Verdict), "the limit "), verdictStyle(o.Verdict))
	}
	if l := r.Little; l != nil {
		row("Little's law", string(l.Verdict), verdictStyle(l.Verdict))
	}
	if word, st := reconciledWord(v.reconciled()); word != "" {
		row("reconciliation", word, st)
	}
	if len(r.Movers.Top) > 0 {
		row("with the p99", results.Escape(r.Movers.Top[0].Series), style{})
	}
	if v.now > 0 && y < c.h {
		row("scrapes", fmt.Sprintf("%d, %d failed", r.Scrapes, r.Failed), in(dim))
	}
}
