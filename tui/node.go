package tui

import (
	"volley/results"
)

// drawReconciliation sets the client's account against the node's counters.
func drawReconciliation(c canvas, v *view) {
	var rows []results.Row
	if v.summary != nil {
		rows = v.summary.Reconciliation
	}
	body := heading(c, "Reconciliation", "client      node")
	if len(rows) == 0 {
		word := "at the end of the run"
		if v.summary != nil {
			word = "nothing was reconciled"
		}
		body.text(0, 0, word, in(dim))
		return
	}
	y, nothing := 0, 0
	for _, r := range rows {
		mark, st := "-", in(dim)
		switch {
		case r.Match != nil && *r.Match && r.Client == 0 && r.Note == "":
			nothing++
			continue
		case r.Match != nil && *r.Match:
			mark, st = "match", in(good)
		case r.Match != nil:
			mark, st = "DIFFER", in(bad).bold()
		}
		node := "-"
		if r.Node != nil {
			node = results.Number(*r.Node)
		}
		body.text(0, y, mark, st)
		body.right(body.w, y, node, style{})
		body.right(body.w-10, y, results.Count(r.Client), style{})
		body.text(7, y, fit(results.Escape(r.What), body.w-28), style{})
		y++
	}
	if nothing > 0 {
		body.text(0, y, "match", in(good))
		body.text(7, y, itoa(nothing)+" counts of nothing on either side", in(dim))
	}
}
