package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"volley/results"
	"volley/results/study"
)

// Sweep writes a sweep's cells as a table for people, as Text does a run.
func Sweep(w io.Writer, a *study.Sweep) error {
	var p page
	p.experiment(&a.Head, "sweep")
	p.line("  %s", plural(uint64(a.Repeats), "repeat"))
	if a.Probe != nil {
		p.line("  beside the load a probe of %s bare requests a second", results.Number(a.Probe.CallsPerS))
	}
	p.line("")
	p.cells(a)
	p.recommendation(a.Recommendation)
	for i := range a.Models {
		p.model(&a.Models[i])
	}
	p.warnings(a.Warnings)
	_, err := w.Write(p.Bytes())
	return err
}

// column is one of a table's.
type column struct {
	head, metric string
	show         func(float64) string
	spread       bool // its 95% interval beside it
}

// The two tables of a sweep.
var (
	timing = []column{
		{"entries/s", study.EntriesPerS, results.Rate, false},
		{"p99", study.ResponseP99, results.Micros, true},
		{"probe p99", study.ProbeP99, results.Micros, true},
	}
	costs = []column{
		{"items/s", study.ItemsPerS, results.Rate, false},
		{"p50", study.ResponseP50, results.Micros, false},
		{"CPU/entry", study.CPUPerEntry, results.Micros, false},
		{"CPU/item", study.CPUPerItem, results.Micros, false},
		{"bytes/item", study.BytesPerItem, results.Rate, false},
		{"errors", study.ErrorsPerItem, percent, false},
	}
)

func (p *page) cells(a *study.Sweep) {
	for i, table := range [][]column{timing, costs} {
		if i > 0 {
			p.line("")
		}
		shown := slices.DeleteFunc(slices.Clone(table), func(c column) bool {
			return !slices.ContainsFunc(a.Cells, func(cell study.Cell) bool { _, ok := cell.Metric(c.metric); return ok })
		})
		line := "  "
		for _, v := range a.Varied {
			line += pad(results.Escape(v.Name), wide(v)) + "  "
		}
		for _, c := range shown {
			line += fmt.Sprintf("%11s", c.head)
			if c.spread && a.Repeats > 1 {
				line += fmt.Sprintf("%16s", "95%")
			}
		}
		p.line("%s", line)
		for i := range a.Cells {
			p.cell(a, &a.Cells[i], shown)
		}
	}
}

// wide is the width of a setting's column.
func wide(v study.Varied) int {
	n := utf8.RuneCountInString(results.Escape(v.Name))
	for _, value := range v.Values {
		n = max(n, utf8.RuneCountInString(results.Escape(value)))
	}
	return n
}

func (p *page) cell(a *study.Sweep, c *study.Cell, shown []column) {
	line := "  "
	for _, v := range a.Varied {
		line += pad(results.Escape(c.Setting(v.Name)), wide(v)) + "  "
	}
	if c.Missing {
		why := "not run"
		if c.Voids > 0 {
			why = plural(uint64(c.Voids), "void trial")
		}
		p.line("%s no trial that counts: %s", line, why)
		return
	}
	for _, col := range shown {
		m, ok := c.Metric(col.metric)
		text := "-"
		if ok {
			text = col.show(m.Value)
		}
		// The mark takes the column's gap, so that numbers stay in line.
		mark := " "
		if m.Few {
			mark = "?"
		}
		line += fmt.Sprintf("%10s%s", text, mark)
		if col.spread && a.Repeats > 1 {
			line += fmt.Sprintf("%15s", spread(m, col.show))
		}
	}
	p.line("%s", strings.TrimRight(line, " "))
}

// mostSpread is the ratio of an interval's ends beyond which it says nothing.
const mostSpread = 100

// spread writes an interval, its unit once where both ends have the same.
func spread(m study.Metric, show func(float64) string) string {
	if m.Low == nil || m.High == nil {
		return ""
	}
	if *m.Low <= 0 && *m.High > 0 && m.Value > 0 || *m.High > mostSpread**m.Low {
		return "unknown"
	}
	low, high := show(*m.Low), show(*m.High)
	if number, unit, ok := strings.Cut(low, " "); ok && strings.HasSuffix(high, " "+unit) {
		low = number
	}
	return low + "-" + high
}

func (p *page) recommendation(r *study.Recommendation) {
	if r == nil {
		return
	}
	p.line("")
	p.line("%s", wrap("Recommended ", results.Escape(r.Setting)+": "+results.Escape(r.Sentence)))
	p.line("%s", wrap("  rule: ", results.Escape(r.Rule)))
	for _, w := range r.Why {
		p.line("%s", wrap("  - ", results.Escape(w)))
	}
	for _, w := range r.Warnings {
		p.line("%s", wrap("  ! ", results.Escape(w)))
	}
}

func (p *page) model(m *study.Model) {
	p.line("")
	p.line("%s", wrap("Model ", results.Escape(m.Name)+": "+results.Escape(m.Of)))
	if m.Sentence != "" {
		p.line("%s", wrap("  ", results.Escape(m.Sentence)))
	}
	for _, v := range m.Parameters {
		interval := ""
		if v.Low != nil && v.High != nil {
			interval = fmt.Sprintf("  95%% %s to %s", results.Rate(*v.Low), results.Rate(*v.High))
		}
		p.line("  %s%12s %s%s", pad(results.Escape(v.Name), 34), results.Rate(v.Value), results.Escape(v.Unit), interval)
	}
	for _, w := range m.Warnings {
		p.line("%s", wrap("  ! ", results.Escape(w)))
	}
}
