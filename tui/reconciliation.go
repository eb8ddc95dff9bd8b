package tui

import (
	"fmt"
	"strings"

	"volley/results"
	"volley/results/correlate"
)

// drawReconciliation sets the client's account against the node's counters: exactly at
// the end, and as far as both were read before.
func drawReconciliation(c canvas, v *view) {
	if rows := v.reconciled(); len(rows) > 0 {
		drawRows(c, rows)
		return
	}
	if v.summary != nil {
		lines(heading(c, "Reconciliation", ""), 0, in(dim), "nothing was reconciled")
		return
	}
	body := heading(c, "Client and node so far", "")
	columnName(c, c.w-10, "client")
	columnName(c, c.w, "node")
	var client, node [2]float64
	var known [2]bool
	for i := range v.node.intervals {
		one := &v.node.intervals[i]
		for n, role := range [...]correlate.Role{correlate.Batches, correlate.Entries} {
			count, ok := one.Node.Counters[role]
			known[n] = known[n] || ok
			node[n] += count
		}
		client[0] += float64(one.Client.Batches)
		client[1] += float64(one.Client.BatchEntries)
	}
	for y, name := range [...]string{"batches", "batch entries"} {
		body.text(0, y, name, style{})
		body.right(body.w-10, y, results.Count(uint64(client[y])), style{})
		word := "-"
		if known[y] {
			word = results.Number(node[y])
		}
		body.right(body.w, y, word, style{})
	}
	y := 2
	for i := range v.node.report.Surplus {
		s := &v.node.report.Surplus[i]
		y = lines(body, y, in(caution), fmt.Sprintf("other traffic: %s %s more than ours", results.Number(s.More()), results.Escape(s.What)))
	}
	lines(body, y, in(dim), "what is under way counts on one side only; at the end both are held against each other")
}

// shortened has the words of a reconciliation that differ in what is seen of them where
// there is little room.
var shortened = strings.NewReplacer("batch entries: ", "entries: ", "bytes of batch answers", "answer bytes", "HTTP exchanges", "exchanges", "batch entries", "entries", "singletons: ", "single: ")

func drawRows(c canvas, rows []results.Row) {
	body := heading(c, "Reconciliation", "")
	node := func(r *results.Row) string {
		if r.Node == nil {
			return "-"
		}
		return results.Number(*r.Node)
	}
	ours, theirs := len(" client"), len(" node")
	for i := range rows {
		ours, theirs = max(ours, width(results.Count(rows[i].Client))+1), max(theirs, width(node(&rows[i]))+1)
	}
	columnName(c, c.w-theirs, "client")
	columnName(c, c.w, "node")
	y, nothing := 0, 0
	for i := range rows {
		r := &rows[i]
		mark, st := "-", in(dim)
		switch {
		case r.Match != nil && *r.Match && r.Client == 0 && r.Note == "":
			nothing++
			continue
		case r.Match != nil && *r.Match:
			mark, st = "match", in(good)
		case r.Match != nil:
			mark, st = "DIFFER", in(bad).bold()
		case strings.HasSuffix(r.Note, "other traffic"):
			mark, st = "others", in(caution)
		}
		body.text(0, y, mark, st)
		body.right(body.w, y, node(r), style{})
		body.right(body.w-theirs, y, results.Count(r.Client), style{})
		what, room := results.Escape(r.What), body.w-theirs-ours-7
		if width(what) > room {
			what = shortened.Replace(what)
		}
		if r.Note != "" {
			what += ": " + results.Escape(r.Note)
		}
		body.text(7, y, fit(what, room), style{})
		y++
	}
	if nothing > 0 {
		body.text(0, min(y, body.h-1), "match ", in(good))
		body.text(7, min(y, body.h-1), fit(plural(nothing, "count")+" of nothing on either side", body.w-7), in(dim))
	}
}
