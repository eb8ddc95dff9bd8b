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

// Sweep writes a sweep's answer and its cells as a page for people, as Text does a run.
func Sweep(w io.Writer, a *study.Sweep) error {
	var p page
	p.title(&a.Head, "sweep")
	p.recommendation(a.Recommendation)
	p.warnings(a.Warnings)
	p.front(a.Recommendation)
	if len(a.Cells) > 0 {
		p.line("")
		p.cells(a)
	}
	for i := range a.Models {
		if i == 0 || !tellsSame(&a.Models[i-1], &a.Models[i]) {
			p.model(&a.Models[i])
		}
	}
	p.line("")
	p.provenance(&a.Head)
	var names []string
	for _, v := range a.Varied {
		names = append(names, results.Escape(v.Name))
	}
	about := plural(uint64(a.Repeats), "trial") + " of each setting of " + strings.Join(names, ", ")
	if a.Probe != nil {
		about += fmt.Sprintf(", beside the load a probe of %s bare requests a second", results.Number(a.Probe.CallsPerS))
	}
	p.line("%s", wrap("  ", about))
	_, err := w.Write(p.Bytes())
	return err
}

// column is one of a table's.
type column struct {
	head, metric string
	show         func(float64) string
	spread       bool // its 95% interval beside it
}

// The columns of a sweep, those that answer a question before the others.
var columns = []column{
	{"entries/s", study.EntriesPerS, results.Rate, false},
	{"p50", study.ResponseP50, results.Micros, false},
	{"p99", study.ResponseP99, results.Micros, true},
	{"probe p99", study.ProbeP99, results.Micros, true},
	{"items/s", study.ItemsPerS, results.Rate, false},
	{"CPU/item", study.CPUPerItem, results.Micros, true},
	{"CPU/entry", study.CPUPerEntry, results.Micros, false},
	{"bytes/item", study.BytesPerItem, results.Rate, false},
	{"errors", study.ErrorsPerItem, percent, false},
}

// The columns' widths: a number with its mark, an interval.
const (
	numberWide = 11
	spreadWide = 15
)

// cells writes the table of cells, in as many parts as fit the page.
func (p *page) cells(a *study.Sweep) {
	var shown []column
	var without []string // intervals that say nothing
	few := false
	for _, c := range columns {
		has := slices.ContainsFunc(a.Cells, func(cell study.Cell) bool {
			m, ok := cell.Metric(c.metric)
			few = few || ok && m.Few
			return ok
		})
		if !has {
			continue
		}
		if c.spread && !slices.ContainsFunc(a.Cells, func(cell study.Cell) bool {
			m, ok := cell.Metric(c.metric)
			return ok && tells(m)
		}) {
			c.spread = false
			without = append(without, c.head)
		}
		shown = append(shown, c)
	}
	first := 2
	for _, v := range a.Varied {
		first += wide(v) + 2
	}
	if len(shown) == 0 {
		p.table(a, nil)
	}
	for len(shown) > 0 {
		n, at := 0, first
		for n < len(shown) && (n == 0 || at+shown[n].wide() <= width) {
			at += shown[n].wide()
			n++
		}
		p.table(a, shown[:n])
		if shown = shown[n:]; len(shown) > 0 {
			p.line("")
		}
	}
	if few {
		p.line("  ? too few calls for that percentile, or too little of the node's CPU time for\n    its counter's steps")
	}
	if len(without) > 0 {
		why := "the trials of a setting differ too much for one that says anything"
		if a.Repeats < fewestForInterval {
			why = fmt.Sprintf("it takes %d trials of each setting (--repeats)", fewestForInterval)
		}
		p.line("%s", wrap("  ", fmt.Sprintf("no 95%% interval of %s: %s", strings.Join(without, ", "), why)))
	}
}

// fewestForInterval is the number of repeats from which Student's interval is of use: of
// two it is 13 times as wide as they are apart.
const fewestForInterval = 3

func (c *column) wide() int {
	if c.spread {
		return numberWide + spreadWide
	}
	return numberWide
}

func (p *page) table(a *study.Sweep, shown []column) {
	line := "  "
	for _, v := range a.Varied {
		line += pad(shortName(v.Name), wide(v)) + "  "
	}
	for _, c := range shown {
		line += fmt.Sprintf("%*s", numberWide-1, c.head) + " "
		if c.spread {
			line += fmt.Sprintf("%*s", spreadWide, "95%")
		}
	}
	p.line("%s", strings.TrimRight(line, " "))
	for i := range a.Cells {
		p.cell(a, &a.Cells[i], shown)
	}
}

// shortName is a setting's name as a table has room for it: the last part of a path.
func shortName(name string) string {
	if name == "batch_concurrency_limit" {
		return "limit"
	}
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		name = name[at+1:]
	}
	return results.Escape(name)
}

// wide is the width of a setting's column.
func wide(v study.Varied) int {
	n := utf8.RuneCountInString(shortName(v.Name))
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
		line += fmt.Sprintf("%*s%s", numberWide-1, text, mark)
		if col.spread {
			line += fmt.Sprintf("%*s", spreadWide, spread(m, col.show))
		}
	}
	p.line("%s", strings.TrimRight(line, " "))
}

// mostSpread is the ratio of an interval's ends beyond which it says nothing.
const mostSpread = 100

// tells is whether the metric has an interval that says something.
func tells(m study.Metric) bool {
	return m.Low != nil && m.High != nil && !(*m.Low <= 0 && *m.High > 0 && m.Value > 0) && *m.High <= mostSpread**m.Low
}

// spread writes an interval, its unit once where both ends have the same.
func spread(m study.Metric, show func(float64) string) string {
	if m.Low == nil || m.High == nil {
		return ""
	}
	if !tells(m) {
		return "too wide"
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
	text := "Recommended " + results.Escape(r.Setting) + ": " + results.Escape(r.Sentence)
	if r.Value == "" {
		text = results.Escape(r.Setting) + ": " + results.Escape(r.Sentence)
	}
	p.line("%s", wrap("", text))
	for _, w := range r.Warnings {
		p.line("%s", wrap("  ! ", results.Escape(w)))
	}
	p.line("%s", wrap("  rule: ", results.Escape(r.Rule)))
	for _, w := range r.Why {
		p.line("%s", wrap("  - ", results.Escape(w)))
	}
}

// barWide is the width of a picture's longest bar.
const barWide = 20

// front draws what each limit gives batches, and what it costs everyone else.
func (p *page) front(r *study.Recommendation) {
	if r == nil || r.GuardUS <= 0 {
		return
	}
	value := func(c *study.Candidate, name string) float64 {
		for _, m := range c.Metrics {
			if m.Name == name {
				return m.Value
			}
		}
		return 0
	}
	batch, probe := 0.0, r.GuardUS
	for i := range r.Front {
		batch = max(batch, value(&r.Front[i], study.ResponseP99))
		probe = max(probe, value(&r.Front[i], study.ProbeP99))
	}
	p.line("")
	p.line("  %6s  %s   %s", shortName(r.Setting), pad("p99 of batches", barWide+9), "p99 of the probe (| the guard, "+results.Micros(r.GuardUS)+")")
	for i := range r.Front {
		c := &r.Front[i]
		b, q := value(c, study.ResponseP99), value(c, study.ProbeP99)
		if b == 0 || q == 0 {
			continue
		}
		mark := " "
		if c.Chosen {
			mark = "*"
		}
		over := ""
		if !c.Allowed {
			over = "  over"
		}
		p.line("%s %6s  %s %8s   %s %8s%s", mark, results.Escape(c.Value), pad(bar(b, batch, 0), barWide), results.Micros(b), pad(bar(q, probe, r.GuardUS), barWide), results.Micros(q), over)
	}
	p.line("  the medians of each limit's trials; the tables are of all its trials together")
}

// bar is a bar in proportion to most, with a stroke at a limit.
func bar(v, most, limit float64) string {
	at := func(v float64) int { return min(int(v/most*barWide+0.5), barWide) }
	b := []rune(strings.Repeat("#", max(at(v), 1)))
	if limit > 0 {
		for len(b) < max(at(limit), 1) {
			b = append(b, ' ')
		}
		b[max(at(limit), 1)-1] = '|'
	}
	return string(b)
}

// tellsSame is whether two models have nothing to tell but the same parameters, as that
// of a pool has for batches and for the probe.
func tellsSame(a, b *study.Model) bool {
	return a.Name == b.Name && b.Sentence == "" && len(b.Warnings) == 0 &&
		slices.EqualFunc(a.Parameters, b.Parameters, func(x, y study.Parameter) bool { return x.Name == y.Name && x.Value == y.Value })
}

// parameter gives a model's figure: shares, which are small, to four digits.
func parameter(v float64) string {
	if v > -1 && v < 1 {
		return number(v)
	}
	return results.Rate(v)
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
			interval = fmt.Sprintf("  95%% %s to %s", parameter(*v.Low), parameter(*v.High))
		}
		p.line("%s", strings.TrimRight(fmt.Sprintf("  %s%12s %s%s", pad(results.Escape(v.Name), 34), parameter(v.Value), results.Escape(v.Unit), interval), " "))
	}
	for _, w := range m.Warnings {
		p.line("%s", wrap("  ! ", results.Escape(w)))
	}
}
