package tui

import (
	"cmp"
	"fmt"
	"slices"

	"volley/results"
)

// sorts are the orders of the breakdown.
var sorts = [...]string{"row", "size", "entries", "failed", "p50", "p99", "max"}

// tableRow is a line of the breakdown.
type tableRow struct {
	*cellPart
	label string
	p50   int64
	p99   int64
	max   int64
}

func (v *view) rowName(row int) string {
	switch {
	case row == results.RowMalformed:
		return "(malformed on purpose)"
	case row < len(v.meta.Rows):
		return results.Escape(v.meta.Rows[row])
	}
	return fmt.Sprintf("row %d", row+1)
}

func tableRows(v *view, f *figures, cells []cellPart, by int) []tableRow {
	var rows []tableRow
	for i := range cells {
		c := &cells[i]
		rows = append(rows, tableRow{c, v.rowName(c.row), c.response.quantile(.5), c.response.quantile(.99), c.response.greatest()})
	}
	slices.SortStableFunc(rows, func(a, b tableRow) int {
		switch sorts[by%len(sorts)] {
		case "size":
			return cmp.Or(cmp.Compare(a.band, b.band), cmp.Compare(a.row, b.row))
		case "entries":
			return cmp.Compare(b.entries, a.entries)
		case "failed":
			return cmp.Compare(float64(b.failed())/float64(b.entries), float64(a.failed())/float64(a.entries))
		case "p50":
			return cmp.Compare(b.p50, a.p50)
		case "p99":
			return cmp.Compare(b.p99, a.p99)
		case "max":
			return cmp.Compare(b.max, a.max)
		}
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.band, b.band))
	})
	return rows
}

// drawBreakdown tells the account apart by row of the mix and by size of the call,
// with the response time of every entry.
func drawBreakdown(c canvas, v *view, l look, f *figures) {
	title := "By method and size"
	if v.meta.Form != "" {
		title += ", form " + results.Escape(v.meta.Form)
	}
	body := heading(c, title, "sorted by "+sorts[l.sort%len(sorts)])
	switch {
	case !v.broken && len(f.cells) == 0 && v.now > 0:
		for y, line := range wrap("This run has no breakdown: it was stored by an older volley, or nothing was sent yet.", body.w) {
			body.text(0, y, line, in(dim))
		}
		return
	case len(f.cells) == 0:
		body.text(0, 0, "nothing yet", in(dim))
		return
	}
	t := table{by: sorts[l.sort%len(sorts)], f: f, rows: tableRows(v, f, f.cells, l.sort)}
	room := body.w
	if room >= 110 {
		room -= max(stripWidth, (body.w-110)/2) // a picture says more than the last columns
	}
	t.columns = breakdownColumns(room, t.rows)
	for _, col := range t.columns {
		t.w += col.w
	}
	// What is left of the width shows each row's distribution, all on one axis.
	if room := body.w - t.w - 2; room >= 16 && body.h >= 4 {
		var all []dist
		for _, r := range t.rows {
			all = append(all, r.response)
		}
		t.scale = scaleOf(mergeAll(all), min(room, 100))
	}
	methods := tableRows(v, f, bySize(f.cells), l.sort)
	const head = 3 // of a table: its columns' names, and an axis below
	room = body.h - head - 2 - head
	t.tall = 1
	if t.scale.n > 0 { // with room to spare the distributions are drawn higher
		t.tall = min(max(room/(len(t.rows)+len(methods)), 1), 4)
	}
	used := t.draw(body, l.scroll)
	if t.rows = methods; room >= t.tall*len(methods)+used-head {
		t.draw(heading(body.rows(used+1, body.h), "By method, all sizes", ""), 0)
	}
}

// bySize adds up each row's cells over all sizes: a call is of one size.
func bySize(cells []cellPart) []cellPart {
	sum := slices.Clone(cells)
	for i := range sum {
		sum[i].band = results.AnyBand
	}
	return mergeCells(sum)
}

// table is how cells are shown.
type table struct {
	rows    []tableRow
	columns []tableColumn
	w       int
	scale   logScale // of the distributions beside the columns; n is 0 without them
	tall    int      // lines that a row takes
	by      string
	f       *figures
}

// draw gives how many lines it took. What does not fit scrolls.
func (t *table) draw(c canvas, scroll int) (used int) {
	x := 0
	for i, col := range t.columns {
		x += col.w
		drawColumnHead(c, x, col, i > 0, t.by)
	}
	room := c.h - 1 // lines that there are for rows
	if t.scale.n > 0 {
		room = c.h - 3
	}
	n := min(len(t.rows), room/t.tall)
	body := c.rows(1, n*t.tall)
	strip := c.part(t.w+2, 1, t.scale.n, body.h+2)
	if t.scale.n > 0 {
		c.text(t.w+2, 0, fit("response time, by entry", strip.w), in(dim))
		axisBelow(strip, strip.h-2, t.scale)
	}
	first := min(scroll, max(len(t.rows)-n, 0))
	for i, r := range t.rows[first : first+n] {
		y := (i+1)*t.tall - 1
		if i == n-1 && len(t.rows)-first > n {
			body.text(0, y, fit(fmt.Sprintf("%d more: down scrolls", len(t.rows)-first-i), t.w), in(dim))
			break
		}
		x := t.columns[0].w
		body.text(0, y, fit(r.label, x-1), style{})
		for _, col := range t.columns[1:] {
			x += col.w
			word, st := col.of(&r, t.f)
			body.right(x, y, word, st)
		}
		switch {
		case t.scale.n == 0:
		case t.tall == 1:
			drawShades(strip.rows(y, 1), t.scale, r.response)
		default:
			drawBars(strip.rows(y-t.tall+1, t.tall), t.scale, r.response)
		}
	}
	if t.scale.n > 0 {
		return body.h + 3
	}
	return body.h + 1
}

// stripWidth is the least width of the distributions beside the table.
const stripWidth = 42

// drawShades draws a distribution in one row of shades.
func drawShades(c canvas, s logScale, d dist) {
	bins := d.bins(s.low, s.high, s.n)
	most := slices.Max(append(bins, 0))
	for x, n := range bins {
		if i := level(n, max(most, 2), len(shades)); i >= 0 {
			c.put(x, 0, shades[i], in(shadeColour(i)))
		}
	}
}

type tableColumn struct {
	name string
	w    int
	of   func(r *tableRow, f *figures) (string, style)
}

func drawColumnHead(c canvas, x int, col tableColumn, right bool, by string) {
	st := in(dim)
	if by == col.name {
		st = in(accent).bold()
	}
	if right {
		c.right(x, 0, col.name, st)
		return
	}
	c.text(x-col.w, 0, col.name, st)
}

// breakdownColumns gives the columns that fit into w, the first of them the row's name.
func breakdownColumns(w int, rows []tableRow) []tableColumn {
	widest := 3
	for _, r := range rows {
		widest = max(widest, width(r.label))
	}
	latency := func(q float64) func(r *tableRow, _ *figures) (string, style) {
		return func(r *tableRow, _ *figures) (string, style) {
			if len(r.response) == 0 {
				return "-", in(dim)
			}
			// Entries of one call share its time: so many calls stand behind the value.
			s := results.Micros(float64(r.response.quantile(q)))
			if int64(r.calls) < results.NeededFor(q) {
				return s + "?", in(dim)
			}
			return s + " ", style{}
		}
	}
	all := []tableColumn{
		{"size", 9, func(r *tableRow, _ *figures) (string, style) { return r.band.String(), style{} }},
		{"entries", 10, func(r *tableRow, _ *figures) (string, style) { return results.Count(r.entries), style{} }},
		{"failed", 8, func(r *tableRow, _ *figures) (string, style) {
			if n := r.failed(); n > 0 {
				return results.Share(n, r.entries), in(bad).bold()
			}
			return "0%", in(dim)
		}},
		{"p99", 10, latency(.99)},
		{"p50", 10, latency(.5)},
		{"share", 8, func(r *tableRow, f *figures) (string, style) { return results.Share(r.entries, f.Entries), in(dim) }},
		{"p90", 10, latency(.9)},
		{"max", 10, func(r *tableRow, _ *figures) (string, style) {
			return results.Micros(float64(r.max)), style{}
		}},
		{"p99.9", 10, latency(.999)},
		{"calls", 10, func(r *tableRow, _ *figures) (string, style) { return results.Count(r.calls), in(dim) }},
	}
	order := map[string]int{"size": 0, "calls": 1, "entries": 2, "share": 3, "failed": 4, "p50": 5, "p90": 6, "p99": 7, "p99.9": 8, "max": 9}
	name := min(widest+1, 32, max(w/3, 10))
	chosen, used := []tableColumn{}, name
	for _, col := range all {
		if used+col.w <= w {
			chosen, used = append(chosen, col), used+col.w
		}
	}
	slices.SortFunc(chosen, func(a, b tableColumn) int { return cmp.Compare(order[a.name], order[b.name]) })
	return append([]tableColumn{{name: "row", w: name}}, chosen...)
}
