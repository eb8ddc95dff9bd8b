package report

import (
	"fmt"
	"io"
	"slices"

	"volley/results"
	"volley/results/study"
)

// Experiment is a stored experiment, ready to be written in any form.
type Experiment struct{ stored *study.Experiment }

// OfExperiment takes a stored experiment, with its answer or still without.
func OfExperiment(e *study.Experiment) *Experiment { return &Experiment{e} }

// HTML writes the experiment as Run.HTML does a run.
func (e *Experiment) HTML(w io.Writer) error { return e.document().html(w) }

// Markdown writes the experiment for a comment on a pull request.
func (e *Experiment) Markdown(w io.Writer) error { return e.document().markdown(w) }

// JSON writes the answer as it is stored: search.json, sweep.json or compare.json. Without
// one yet it is what was asked, and the trials so far.
func (e *Experiment) JSON(w io.Writer) error {
	switch s := e.stored; {
	case s.Search != nil:
		return writeJSON(w, s.Search)
	case s.Sweep != nil:
		return writeJSON(w, s.Sweep)
	case s.Compare != nil:
		return writeJSON(w, s.Compare)
	}
	return writeJSON(w, struct {
		Status     string        `json:"status"`
		Experiment study.Record  `json:"experiment"`
		Trials     []study.Trial `json:"trials"`
	}{"unfinished", e.stored.Record, e.stored.Trials})
}

// Text writes the experiment as a page for a terminal.
func (e *Experiment) Text(w io.Writer) error {
	switch s := e.stored; {
	case s.Search != nil:
		s.Search.Dir = s.Dir
		return Search(w, s.Search)
	case s.Sweep != nil:
		s.Sweep.Dir = s.Dir
		return Sweep(w, s.Sweep)
	case s.Compare != nil:
		s.Compare.Dir = s.Dir
		return Compare(w, s.Compare)
	}
	return e.document().text(w)
}

// text writes what a document says first, for those that have no page of their own.
func (d *document) text(w io.Writer) error {
	var p page
	p.line("%s", wrap("", results.Escape(d.Title)+": "+results.Escape(d.Kind)+", "+results.Escape(d.Verdict)))
	for _, f := range d.Facts {
		p.line("%s", wrap("  ", results.Escape(f)))
	}
	for _, l := range append(d.Cautions, d.Lead...) {
		p.line("%s", wrap("- ", results.Escape(l)))
	}
	_, err := w.Write(p.Bytes())
	return err
}

func (e *Experiment) document() *document {
	var d *document
	switch s := e.stored; {
	case s.Search != nil:
		d = searchDocument(s.Search)
	case s.Sweep != nil:
		d = sweepDocument(s.Sweep)
	case s.Compare != nil:
		d = compareDocument(s.Compare)
	default:
		d = e.unfinished()
	}
	if d.Title == "" {
		d.Title = "(no name)"
	}
	d.Title = short(d.Title, 200)
	d.add(e.trialsSection())
	d.add(e.askedSection())
	return d
}

// unfinished is the document of an experiment that has no answer yet.
func (e *Experiment) unfinished() *document {
	r := &e.stored.Record
	d := &document{Title: r.Name, Kind: kinds[r.Kind], Verdict: "No answer yet", Mood: wary}
	d.Facts = []string{fmt.Sprintf("Seed %d, volley %s", r.Seed, r.Volley), "Started " + r.Started.UTC().Format("2006-01-02 15:04:05 UTC")}
	trials := plural(uint64(len(e.stored.Trials)), "finished trial")
	if len(r.Order) > 0 {
		trials += fmt.Sprintf(" of %s", results.Count(uint64(len(r.Order))))
	}
	d.Cautions = []string{"This experiment goes on, or was cut off, with " + trials + ": there is no answer yet. The same command goes on with it."}
	return d
}

var kinds = map[study.Kind]string{study.SearchKind: "Search", study.SweepKind: "Sweep", study.CompareKind: "Comparison"}

// headed begins a document with what every answer begins with.
func headed(h *study.Head, kind study.Kind) *document {
	node := "a node of your own"
	if h.Bundled {
		node = "the bundled node"
	}
	d := &document{Title: h.Name, Kind: kinds[kind]}
	d.Facts = []string{
		fmt.Sprintf("Against %s, dialect %s, seed %d, volley %s", node, h.Dialect, h.Seed, h.Volley),
		"Started " + h.Started.UTC().Format("2006-01-02 15:04:05 UTC") + ", took " + results.Seconds(h.Finished.Sub(h.Started).Round(1e8).Seconds()),
	}
	switch h.Status {
	case study.Interrupted:
		d.Cautions = append(d.Cautions, "This experiment was interrupted: its answer is of the trials so far. The same command goes on with it.")
	case study.Void:
		d.Cautions = append(d.Cautions, "This experiment is void: the generator, and not the node, was the limit of some trials however often they were made. Where they stood, nothing is shown of the node.")
	}
	return d
}

// warned adds an answer's warnings and where it ran.
func (d *document) warned(h *study.Head, more ...string) {
	sec := section{ID: "warnings", Title: "Warnings", Short: true}
	var all []string
	for _, w := range append(more, h.Warnings...) {
		if w = short(w, mostText); !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	sec.list(shorter(all, "the experiment's directory"))
	d.add(sec)
	d.add(environmentSection(h.Environment))
}

func (e *Experiment) trialsSection() section {
	sec := section{ID: "all-trials", Title: "All trials"}
	t := &table{Columns: headings("#Trial", "Settings", "Purpose", "#Took", "State", "Note"), Folded: true, Note: "Each has its run directory below trials/, which volley report reads too."}
	for i := range e.stored.Trials {
		one := &e.stored.Trials[i]
		what := study.Text(one.Settings)
		if what == "" && one.Load > 0 {
			what = "load " + results.Rate(one.Load)
		}
		state, m := "counts", plain
		if one.Void {
			state, m = "void", bad
		}
		note := one.Reason
		if one.NotIdle {
			note += " The node was not at rest before it."
		}
		for _, n := range one.Notes {
			note += " " + n
		}
		t.add(fmt.Sprint(one.N), short(what, 200), short(one.Purpose, 80), results.Seconds(one.TookS), state, short(note, 300))
		t.mark(4, m)
	}
	t.atMost(5*mostRows, "the experiment's directory")
	sec.table(t)
	return sec
}

func (e *Experiment) askedSection() section {
	sec := section{ID: "asked", Title: "What was asked"}
	r := &e.stored.Record
	t := &table{Columns: headings("Option", "Value")}
	for _, o := range r.Options {
		value := o.Value
		if value == "" {
			value = "not given"
		}
		t.add(short(o.Name, 120), short(value, 300))
	}
	t.add("scenario, SHA-256 of the effective plan", r.Scenario)
	t.atMost(mostRows, "experiment.json")
	sec.table(t)
	return sec
}
