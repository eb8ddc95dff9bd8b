package tui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"volley/results"
	"volley/results/selfcheck"
)

// drawOverview: the plan, the rates, outcomes, latencies, objectives and two charts.
func drawOverview(c canvas, v *view, l look, f *figures) {
	if c.w < 64 || c.h < 15 {
		drawBrief(c, v, l, f)
		return
	}
	drawPlan(c.rows(0, 2), v)
	c = c.rows(2, c.h-2)

	classes := outcomes(f)
	top := max(min(len(classes)+1, c.h-13, 12), 5)
	left, gap := 44, 2
	wide := c.w >= 116
	if wide && len(v.meta.Objectives) > 0 {
		top = max(top, min(len(v.meta.Objectives)+1, 8))
		third := (c.w - left - 2*gap) / 2
		drawObjectives(c.part(left+gap, 0, third, top), v)
		drawOutcomes(c.part(left+2*gap+third, 0, c.w, top), classes, f)
	} else {
		drawOutcomes(c.part(left+gap, 0, c.w, top), classes, f)
	}
	drawRates(c.part(0, 0, left, top), v, l, f)
	c = c.rows(top, c.h-top)

	drawLatencies(c.rows(0, 4), v, f)
	c = c.rows(4, c.h-4)
	if n := len(v.meta.Objectives); !wide && n > 0 && c.h > 8 {
		rows := drawObjectiveLines(c.rows(0, max(1, min(n, c.h-9))), v, l)
		c = c.rows(rows, c.h-rows)
	}

	half := (c.w - gap) / 2
	if c.h >= 24 {
		upper := c.h / 2
		drawHistogram(c.rows(0, upper), "Response time", "calls", f.response)
		drawPercentiles(c.part(0, upper, half, c.h), v, l)
		drawRateCurves(c.part(half+gap, upper, c.w, c.h), v, l)
		return
	}
	drawHistogram(c.part(0, 0, half, c.h), "Response time", "calls", f.response)
	drawPercentiles(c.part(half+gap, 0, c.w, c.h), v, l)
}

// drawPlan shows the phases, as long as they take, and how far the run is.
func drawPlan(c canvas, v *view) {
	total := v.span()
	if total <= 0 || c.w < 4 {
		return
	}
	columns := make([]int, len(v.meta.Phases)+1) // where each phase starts
	var since time.Duration
	for i, p := range v.meta.Phases {
		columns[i] = int(math.Round(since.Seconds() / total.Seconds() * float64(c.w)))
		since += p.For
	}
	columns[len(columns)-1] = c.w
	now := v.now.Seconds() / total.Seconds() * float64(c.w)
	for i := range v.meta.Phases {
		p := &v.meta.Phases[i]
		from, to := columns[i], columns[i+1]
		st, full := in(dim), in(dim)
		if p.Measured {
			full = in(first)
		}
		if i == v.current {
			st = style{attr: bold}
		}
		for x := from; x < to; x++ {
			switch done := now - float64(x); {
			case done >= 1:
				c.put(x, 1, "━", full)
			case done > 0 && v.now < total:
				c.put(x, 1, "╸", full)
			default:
				c.put(x, 1, "─", in(track))
			}
		}
		if i > 0 {
			c.put(from, 1, "┿", in(dim))
			if now < float64(from) {
				c.put(from, 1, "┼", in(track))
			}
		}
		if to-from >= 4 {
			name := results.Escape(results.Brief(p.Name))
			room := to - from - 1
			at := c.text(from, 0, fit(name, room), st)
			if asked := askedWord(p); from+room-at >= width(asked)+1 {
				c.text(at+1, 0, asked, in(dim))
			}
		}
	}
}

func askedWord(p *results.PhaseMeta) string {
	s := results.Number(p.Value)
	if p.To != p.Value && p.Unit != unitCallers {
		s += ".." + results.Number(p.To)
	}
	return s + " " + p.Unit
}

func drawRates(c canvas, v *view, l look, f *figures) {
	const each = 10
	body := heading(c, "Rates a second", "")
	column := func(i int) int { return c.w - (2-i)*each }
	for i, name := range [...]string{"calls", "entries", "items"} {
		columnName(c, column(i), name)
	}
	row := func(y int, name string, st style, values [3]string) {
		body.text(0, y, name, st)
		for i, s := range values {
			body.right(column(i), y, s, st)
		}
	}
	word := func(n uint64) string {
		if rate, ok := f.perSecond(n); ok {
			return results.Rate(rate)
		}
		return "-"
	}
	row(0, "asked", in(dim), askedWords(v, l, f))
	row(1, "achieved", style{}, [3]string{word(f.Calls), word(f.Entries), word(f.Items)})
	row(2, "goodput", in(good).bold(), [3]string{"", word(f.GoodEntries()), word(f.GoodItems)})
	at := body.text(0, 3, "in flight ", in(dim))
	at = body.text(at, 3, itoa(v.flying), style{})
	if f.OverBound > 0 {
		at = body.text(at, 3, "  over bound ", in(dim))
		body.text(at, 3, results.Count(f.OverBound), in(caution).bold())
	} else if v.factor() != 1 {
		at = body.text(at, 3, "  rate x ", in(dim))
		body.text(at, 3, results.Rate(v.factor()), in(caution).bold())
	}
}

// columnName sets a column's name into a heading's line, so that it ends before x.
func columnName(c canvas, x int, name string) {
	c.put(x, 0, " ", style{})
	c.right(x, 0, " "+name, in(dim))
}

// askedWords gives what the plan asks for, in its own unit.
func askedWords(v *view, l look, f *figures) (words [3]string) {
	rate, unit := v.askedOf(l.window, f)
	for i, u := range [...]string{"calls/s", "entries/s", "items/s"} {
		if unit == u {
			words[i] = results.Rate(rate)
		}
	}
	if unit == unitCallers {
		words[0] = results.Number(rate) + " callers"
	}
	return words
}

func drawLatencies(c canvas, v *view, f *figures) {
	rows := [...]struct {
		name string
		d    dist
		st   style
	}{{"response", f.response, style{attr: bold}}, {"service", f.service, style{}}, {"lateness", f.lateness, in(dim)}}
	body := heading(c, "Latency", "")
	names := [...]string{"calls", "mean", "p50", "p90", "p99", "p99.9", "max"}
	each := min((c.w-9)/len(names), 16)
	column := func(i int) int { return 9 + (i+1)*each - 1 }
	for i, name := range names {
		columnName(c, column(i), name)
	}
	for y, r := range rows {
		body.text(0, y, r.name, r.st)
		n := r.d.count()
		body.right(column(0), y, results.Count(n), in(dim))
		if n == 0 {
			continue
		}
		body.right(column(1), y, results.Micros(r.d.mean()), r.st)
		for i, q := range shown {
			body.right(column(2+i), y, results.Micros(float64(r.d.quantile(q.q))), r.st)
			if int64(n) < results.NeededFor(q.q) {
				body.put(column(2+i), y, "?", in(caution))
			}
		}
		body.right(column(6), y, results.Micros(float64(r.d.greatest())), r.st)
	}
}

// outcome is a line of the outcomes: a class of entries, or an error code among them.
type outcome struct {
	name string
	n    uint64
	st   style
	code bool
}

func outcomes(f *figures) (lines []outcome) {
	for class, n := range f.ByClass {
		if n == 0 {
			continue
		}
		k := results.Class(class)
		st := in(good)
		switch {
		case k.Failed():
			st = in(bad)
		case k != results.OK:
			st = in(dim)
		}
		lines = append(lines, outcome{name: k.String(), n: n, st: st})
	}
	slices.SortStableFunc(lines, func(a, b outcome) int { return -cmp.Compare(a.n, b.n) })
	var codes []outcome
	for code, n := range f.ByCode {
		codes = append(codes, outcome{name: fmt.Sprintf("code %d", code), n: n, st: in(dim), code: true})
	}
	slices.SortFunc(codes, func(a, b outcome) int {
		if c := -cmp.Compare(a.n, b.n); c != 0 {
			return c
		}
		return cmp.Compare(a.name, b.name)
	})
	return append(lines, codes...)
}

func drawOutcomes(c canvas, lines []outcome, f *figures) {
	body := heading(c, "Outcomes", results.Count(f.Entries)+" entries")
	if len(lines) > body.h {
		lines = codesInOne(lines)
	}
	if len(lines) == 0 {
		body.text(0, 0, "nothing yet", in(dim))
	}
	for y, o := range lines {
		if y == body.h-1 && len(lines) > body.h {
			body.text(0, y, fmt.Sprintf("and %d more", len(lines)-y), in(dim))
			break
		}
		if o.n == 0 { // the codes together
			body.text(0, y, fit(o.name, body.w), o.st)
			continue
		}
		share := results.Share(o.n, f.Entries)
		body.right(body.w, y, share, o.st)
		count := results.Count(o.n)
		body.right(body.w-8, y, count, style{})
		name := o.name
		if o.code {
			name = " " + name
		}
		room := body.w - 8 - max(width(count), 7) - 1
		body.text(0, y, fit(name, room), o.st)
		if barRoom := room - 23; barRoom >= 6 && !o.code && f.Entries > 0 {
			bar(body, 22, y, min(barRoom, 30), float64(o.n)/float64(f.Entries), o.st, in(track))
		}
	}
}

// codesInOne puts all error codes into one line.
func codesInOne(lines []outcome) []outcome {
	var words []string
	out := slices.DeleteFunc(slices.Clone(lines), func(o outcome) bool {
		if o.code {
			words = append(words, strings.TrimPrefix(o.name, "code ")+" "+results.Count(o.n))
		}
		return o.code
	})
	if words != nil {
		out = append(out, outcome{name: "codes " + strings.Join(words, ", "), st: in(dim), code: true})
	}
	return out
}

func objectiveWords(o *results.ObjectiveResult) (verdict, value string, st style) {
	switch {
	case o.Met:
		return "met", objectiveValue(o), in(good)
	case o.Value == nil && o.Unanswered == 0:
		return "-", "nothing measured", in(dim)
	}
	return "MISS", objectiveValue(o), in(bad).bold()
}

// objectiveValue gives what was found, in the objective's own unit.
func objectiveValue(o *results.ObjectiveResult) string {
	if o.Value == nil {
		return results.Share(o.Unanswered, o.N) + " unanswered"
	}
	switch v := *o.Value; o.Metric {
	case "response", "service", "lateness":
		if doubtful(o) {
			return results.Micros(v) + "?"
		}
		return results.Micros(v)
	case "entry errors", "call errors":
		return results.Rate(100*v) + "%"
	default:
		return results.Rate(v) + "/s"
	}
}

// doubtful tells that the calls do not prove what an objective's percentile says: at the
// end by the proof, before by their number.
func doubtful(o *results.ObjectiveResult) bool {
	if o.Proof != nil {
		return o.Proof.Decision == selfcheck.Undecided
	}
	q, err := strconv.ParseFloat(strings.TrimPrefix(o.Stat, "p"), 64)
	return err == nil && int64(o.N) < results.NeededFor(q/100)
}

// standing gives the objectives as they stand: at the end as the report has them.
func (v *view) standing() []results.ObjectiveResult {
	if v.summary != nil {
		return v.summary.Objectives
	}
	return v.objectives
}

func drawObjectives(c canvas, v *view) {
	body := heading(c, "Objectives", "measured phases")
	stand := v.standing()
	if stand == nil {
		for y, o := range v.meta.Objectives {
			body.text(0, y, "-", in(dim))
			body.text(5, y, fit(results.Escape(o.Text), body.w-5), in(dim))
		}
		return
	}
	for y := range stand {
		verdict, value, st := objectiveWords(&stand[y])
		body.text(0, y, verdict, st)
		body.right(body.w, y, value, style{attr: bold})
		body.text(5, y, fit(results.Escape(stand[y].Text), body.w-6-width(value)), style{})
	}
}

// drawObjectiveLines puts as many in a line as fit, and gives how many lines it took. They
// are of all measured phases, which is said where the figures above are not.
func drawObjectiveLines(c canvas, v *view, l look) (rows int) {
	stand := v.standing()
	if stand == nil {
		c.text(0, 0, "objectives: nothing measured yet", in(dim))
		return 1
	}
	x, y := 0, 0
	for i := range stand {
		verdict, value, st := objectiveWords(&stand[i])
		text := fit(results.Escape(stand[i].Text), max(c.w-width(verdict)-width(value)-3, 1))
		w := width(verdict) + 1 + width(text) + 1 + width(value)
		if x > 0 && x+w > c.w {
			if y+1 >= c.h {
				break
			}
			x, y = 0, y+1
		}
		at := c.text(x, y, verdict, st)
		at = c.text(at+1, y, text, in(dim))
		c.text(at+1, y, value, style{attr: bold})
		x += w + 3
	}
	if of := "of all measured"; l.window != allTime && x+width(of) <= c.w {
		c.text(x, y, of, in(dim))
	}
	return y + 1
}
