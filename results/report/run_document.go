package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"volley/results"
	"volley/results/selfcheck"
)

// document says what there is to say of a run.
func (r *Run) document() *document {
	s := r.Summary
	d := &document{Title: s.Name, Kind: "Run", Facts: facts(s), Lead: lead(s), Cautions: cautions(s), Cards: cards(s)}
	if d.Title == "" {
		d.Title = "(no name)"
	}
	d.Title = short(d.Title, 200)
	d.Verdict, d.Mood = judged(s)
	d.add(objectivesSection(s))
	d.add(r.latencySection())
	d.add(r.timeSection())
	d.add(r.nodeSection())
	d.add(reconciliationSection(s))
	d.add(breakdownSection(s))
	d.add(outcomesSection(&s.Totals))
	d.add(checksSection(s))
	d.add(generatorSection(s))
	d.add(r.warningsSection())
	d.add(environmentSection(s.Environment, s.Pinned))
	d.add(r.planSection())
	return d
}

func objectivesSection(s *results.Summary) section {
	sec := section{ID: "objectives", Title: "Objectives", Short: true}
	if len(s.Objectives) == 0 {
		return sec
	}
	t := &table{Columns: headings("Verdict", "Objective", "#Found", "#Calls or entries", "What the calls prove")}
	for _, o := range s.Objectives {
		verdict, m := "missed", bad
		if o.Met {
			verdict, m = "met", good
		}
		if s.Partial() {
			verdict += " so far"
		}
		t.add(verdict, short(o.Text, 300), value(o), results.Count(o.N), proof(&o))
		t.mark(0, m)
	}
	t.drop(4)
	t.Note = "Over the measured phases. A call without an answer counts as slower than any limit."
	t.atMost(mostRows, "run.json")
	sec.table(t)
	return sec
}

func proof(o *results.ObjectiveResult) string {
	if o.Proof == nil {
		return ""
	}
	switch o.Proof.Decision {
	case selfcheck.Undecided:
		return "too few calls to prove either"
	case selfcheck.Met:
		return "proven met (95%)"
	case selfcheck.Missed:
		return "proven missed (95%)"
	}
	return string(o.Proof.Decision)
}

func reconciliationSection(s *results.Summary) section {
	sec := section{ID: "reconciliation", Title: "Our account against the node's"}
	if len(s.Reconciliation) == 0 {
		return sec
	}
	t := &table{Columns: headings("Verdict", "What was counted", "#By volley", "#By the node", "Note")}
	for _, row := range s.Reconciliation {
		verdict, m := "no claim", plain
		switch {
		case row.Match == nil:
		case *row.Match:
			verdict, m = "match", good
		default:
			verdict, m = "differ", bad
		}
		node := "–"
		if row.Node != nil {
			node = results.Number(*row.Node)
		}
		t.add(verdict, row.What, results.Count(row.Client), node, short(row.Note, 300))
		t.mark(0, m)
	}
	t.atMost(mostRows, "run.json")
	sec.table(t)
	return sec
}

func breakdownSection(s *results.Summary) section {
	sec := section{ID: "breakdown", Title: "By method and size of call", Short: true}
	if len(s.Breakdown) == 0 {
		return sec
	}
	t := &table{Columns: headings("Method", "Form", "#Size", "#Calls", "#Entries", "#Failed", "#p50", "#p90", "#p99")}
	for i := range s.Breakdown {
		b := &s.Breakdown[i]
		var failed uint64
		for name, n := range b.ByClass {
			if class, ok := results.ParseClass(name); !ok || class.Failed() {
				failed += n
			}
		}
		text := func(q float64, v int64) string { return strings.TrimSpace(cell(b, q, v)) }
		t.add(short(b.Method, 120), b.Form, b.Band, results.Count(b.Calls), results.Count(b.Entries), results.Share(failed, b.Entries),
			text(.5, b.Response.P50), text(.9, b.Response.P90), text(.99, b.Response.P99))
	}
	t.Note = "Entries of the measured phases; times are those of the entry's call, once for every entry. ? marks a percentile with too few calls behind it."
	t.atMost(mostRows, "run.json")
	sec.table(t)
	return sec
}

func outcomesSection(all *results.Totals) section {
	sec := section{ID: "outcomes", Title: "What became of everything sent"}
	if all.Calls == 0 {
		return sec
	}
	sec.text(fmt.Sprintf("Warm-up included: %s calls, %s entries, %s items, %s notifications; %s bytes out, %s bytes in.",
		results.Count(all.Calls), results.Count(all.Entries), results.Count(all.Items), results.Count(all.Notifications), results.Count(all.BytesOut), results.Count(all.BytesIn)))
	sec.table(classTable("Entries by class", all.ByClass, all.Entries))
	sec.table(codeTable("Error codes of entries", "Code", all.ByCode))
	sec.table(classTable("Calls by class", all.CallsByClass, all.Calls))
	sec.table(codeTable("Calls by HTTP status", "Status", all.ByHTTPStatus))
	var p page
	p.odd(all)
	var odd []string
	for line := range strings.Lines(p.String()) {
		odd = append(odd, strings.TrimSpace(line))
	}
	sec.text(strings.Join(odd, " "))
	return sec
}

func classTable(title string, by map[string]uint64, all uint64) *table {
	t := &table{Title: title, Columns: headings("Class", "#Count", "#Share")}
	rest := maps.Clone(by)
	add := func(name string) {
		t.add(short(name, 120), results.Count(by[name]), results.Share(by[name], all))
		if class, ok := results.ParseClass(name); !ok || class.Failed() {
			t.mark(0, bad)
		}
		delete(rest, name)
	}
	for class := range results.NumClasses {
		if name := results.Class(class).String(); by[name] > 0 {
			add(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		add(name)
	}
	t.atMost(mostRows, "run.json")
	return t
}

func codeTable[K int | int64](title, what string, by map[K]uint64) *table {
	t := &table{Title: title, Columns: headings(what, "#Count")}
	for _, code := range slices.Sorted(maps.Keys(by)) {
		t.add(fmt.Sprint(code), results.Count(by[code]))
	}
	t.atMost(mostRows, "run.json")
	return t
}

func checksSection(s *results.Summary) section {
	sec := section{ID: "checks", Title: "Self-checks: can these figures be trusted?"}
	t := &table{Columns: headings("Verdict", "Check", "Phase", "#Value", "#Limit", "What was found")}
	for _, c := range s.Checks {
		value, limit := "–", "–"
		if c.Verdict != selfcheck.NotEnough {
			value, limit = measure(c.Value, c.Unit), measure(c.Limit, c.Unit)
		}
		t.add(string(c.Verdict), c.Name, results.Brief(c.Phase), value, limit, short(c.Sentence, 400))
		t.mark(0, checkMood(c.Verdict))
	}
	slices.SortStableFunc(t.Rows, func(a, b []field) int { return severity(b[0].Text) - severity(a[0].Text) })
	t.atMost(2*mostRows, "run.json")
	sec.table(t)
	return sec
}

func severity(verdict string) int {
	return slices.Index([]string{string(selfcheck.OK), string(selfcheck.NotEnough), string(selfcheck.Warn), string(selfcheck.Void)}, verdict)
}

func checkMood(v selfcheck.Verdict) mood {
	switch v {
	case selfcheck.OK:
		return good
	case selfcheck.NotEnough:
		return plain
	case selfcheck.Warn:
		return wary
	}
	return bad
}

// measure gives a number with its unit.
func measure(v float64, unit string) string {
	switch unit {
	case "us":
		return results.Micros(v)
	case "1", "":
		return results.Rate(v)
	}
	return results.Rate(v) + " " + unit
}

func generatorSection(s *results.Summary) section {
	sec := section{ID: "generator", Title: "The load generator itself"}
	var p page
	p.generator(s)
	p.calibration(s.Generator.Calibration)
	sec.text("Its verdict on itself: " + oneLine(p.String(), "Calibration: "))
	return sec
}

// oneLine undoes the line breaks of the page for a terminal; a sentence begins at each
// of the words given.
func oneLine(text string, begins ...string) string {
	text = strings.TrimPrefix(strings.Join(strings.Fields(text), " "), "Generator: ")
	for _, b := range begins {
		text = strings.Replace(text, " "+b, ". "+b, 1)
	}
	return text + "."
}

func (r *Run) warningsSection() section {
	sec := section{ID: "warnings", Title: "Warnings", Short: true}
	var all []string
	for _, w := range append(slices.Clone(r.Summary.Warnings), r.notes...) {
		all = append(all, short(w, mostText))
	}
	sec.list(shorter(all, "run.json"))
	return sec
}

func environmentSection(of ...map[string]string) section {
	sec := section{ID: "environment", Title: "Where it ran"}
	t := &table{Columns: headings("What", "Value")}
	for _, m := range of {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			t.add(short(k, 120), short(m[k], 300))
		}
	}
	t.atMost(mostRows, "run.json")
	sec.table(t)
	return sec
}

func (r *Run) planSection() section {
	sec := section{ID: "plan", Title: "The effective plan"}
	if len(r.Plan) > 0 {
		sec.Blocks = append(sec.Blocks, block{Listing: &listing{"plan.yaml", short(string(r.Plan), mostListing)}})
	}
	return sec
}

// rateSteps tells of changes of the rate by hand.
func rateSteps(s *results.Summary) string {
	if len(s.RateSteps) == 0 {
		return ""
	}
	var words []string
	for _, step := range s.RateSteps[:min(len(s.RateSteps), 20)] {
		words = append(words, fmt.Sprintf("x%s at %s", results.Number(step.Factor), results.Seconds(step.At.Round(10*time.Millisecond).Seconds())))
	}
	if left := len(s.RateSteps) - len(words); left > 0 {
		words = append(words, fmt.Sprintf("%d more", left))
	}
	return "The rate was changed by hand: " + strings.Join(words, ", ") + "."
}
