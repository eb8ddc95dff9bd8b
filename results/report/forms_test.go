package report_test

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"volley/results"
	"volley/results/report"
)

func TestFormsOfRun(t *testing.T) {
	for name, run := range map[string]*results.Run{"run-v1": openV1(t), "rich": storedRun(t, nil)} {
		run.Summary.Dir = "runs/" + name
		for _, f := range forms(ofRun(t, run)) {
			if f.name == "text" {
				continue // has goldens of its own
			}
			t.Run(name+" as "+f.name, func(t *testing.T) { goldenForm(t, name+"."+f.name, written(t, f.write)) })
		}
	}
}

// Whatever a scenario or a server says, a page holds only elements and attributes of its
// own, asks for nothing, and is under 1 MB; no text that somebody else wrote is a formula,
// mark-up, a link or a mention; and what machines read stays what they can read.
func TestEveryReport(t *testing.T) {
	for name, r := range everyReport(t) {
		t.Run(name, func(t *testing.T) {
			checkPage(t, written(t, r.HTML))
			checkTable(t, written(t, r.CSV))
			checkComment(t, written(t, r.Markdown))
			if !json.Valid([]byte(written(t, r.JSON))) {
				t.Error("the JSON is none")
			}
			checkState(t, name, r)
		})
	}
}

// everyReport is runs and experiments of all kinds and states, each also with hostile texts.
func everyReport(t *testing.T) map[string]reporting {
	t.Helper()
	all := map[string]reporting{"run-v1": ofRun(t, openV1(t)), "rich": ofRun(t, storedRun(t, nil)), "hostile": ofRun(t, hostileRun(t))}
	for state, run := range partialRuns(t) {
		all[state] = ofRun(t, run)
	}
	for name, e := range experiments() {
		all[name] = report.OfExperiment(e)
	}
	return all
}

func hostileRun(t *testing.T) *results.Run {
	run := storedRun(t, func(m *results.Meta) {
		m.Name, m.URL, m.Bundled, m.Dialect = strings.Join(hostile, " "), hostile[1], false, "near"
		m.Phases[1].Name, m.Phases[2].Name = hostile[3], hostile[0]
		m.Rows = []string{hostile[4], hostile[6]}
		m.Environment = map[string]string{hostile[0]: hostile[1], hostile[3]: strings.Repeat("x", 100_000)}
		m.Plan = []byte(strings.Join(hostile, "\n") + strings.Repeat("\nlong: line", 100_000))
	})
	s := &run.Summary
	for _, text := range hostile {
		s.Warnings = append(s.Warnings, text+strings.Repeat(" a word", 10_000))
		s.Objectives = append(s.Objectives, results.ObjectiveResult{Text: text, Metric: text, Op: "<=", Limit: 1})
		s.Reconciliation = append(s.Reconciliation, results.Row{What: text, Note: text})
		s.Totals.ByClass[text] = 3
		s.Pinned[text] = text
	}
	return run
}

// partialRuns are runs in all states, as they lie in their directories.
func partialRuns(t *testing.T) map[string]*results.Run {
	t.Helper()
	all := map[string]*results.Run{}
	open := func(name, dir string) {
		run, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = run
	}
	cut := storedRun(t, nil).Dir
	data, err := os.ReadFile(filepath.Join(cut, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	// What a killed run left: the summary of before it began.
	data = []byte(strings.Replace(string(data), `"status": "finished"`, `"status": "running"`, 1))
	if err := os.WriteFile(filepath.Join(cut, "run.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	open("cut off", cut)
	if all["cut off"].Summary.Status != results.Cut {
		t.Fatalf("the status of the run that was cut off is %q", all["cut off"].Summary.Status)
	}
	void := storedRun(t, nil)
	void.Summary.Status, void.Summary.VoidCause, void.Summary.VoidReason = results.Void, results.VoidGenerator, "the generator was the limit"
	all["void"] = void
	going := storedRun(t, nil)
	going.Summary.Status, going.Summary.Finished = results.Running, nil
	all["still running"] = going
	none := storedRun(t, func(m *results.Meta) {
		for i := range m.Phases {
			m.Phases[i].For = 0
		}
	})
	all["no calls at all"] = none
	second := storedRun(t, func(m *results.Meta) { m.Phases = m.Phases[1:2]; m.Phases[0].For = 1e9 })
	all["one second"] = second
	many := storedRun(t, func(m *results.Meta) {
		one := m.Phases[1]
		one.For = 1e8
		m.Phases = slices.Repeat([]results.PhaseMeta{one}, 400)
	})
	all["hundreds of phases"] = many
	return all
}

// checkState wants the state of a partial run, by which it is named, said in every form.
func checkState(t *testing.T, name string, r reporting) {
	t.Helper()
	said := map[string]string{"cut off": "cut off", "void": "void", "still running": "still running", "no calls at all": "nothing was", "unfinished": "no answer yet"}[name]
	for _, f := range []form{{"html", r.HTML}, {"md", r.Markdown}, {"text", r.Text}} {
		if text := strings.ToLower(written(t, f.write)); !strings.Contains(text, said) {
			t.Errorf("as %s it does not say that it is %s:\n%s", f.name, said, text[:min(len(text), 2000)])
		}
	}
	cases := parseJUnit(t, written(t, r.JUnit))
	if (name == "cut off" || name == "void") && cases.Failures == 0 {
		t.Error("no test case fails")
	}
	if (name == "cut off" || name == "unfinished") && cases.Skipped == 0 {
		t.Error("what is incomplete is judged as if it were complete")
	}
}

// allowed are the elements that a page is made of.
var allowed = strings.Fields("html head meta title style body header main footer section nav h1 h2 h3 p ul li dl dt dd div a figure figcaption details summary table thead tbody tr th td pre svg desc path text")

var allowedAttributes = strings.Fields("lang charset name content http-equiv class id href role aria-label aria-labelledby tabindex scope viewBox d x y text-anchor")

func checkPage(t *testing.T, page string) {
	t.Helper()
	if len(page) >= 1_000_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	in := xml.NewDecoder(strings.NewReader(page))
	in.Strict = true
	ids, links, described := map[string]bool{}, map[string]bool{}, 0
	for {
		token, err := in.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			line, column := in.InputPos()
			t.Fatalf("line %d, column %d: not well-formed: %v", line, column, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains(allowed, e.Name.Local) {
			t.Errorf("an element <%s>", e.Name.Local)
		}
		if e.Name.Local == "desc" {
			described++
		}
		for _, a := range e.Attr {
			if !slices.Contains(allowedAttributes, a.Name.Local) {
				t.Errorf("<%s> has an attribute %s=%q", e.Name.Local, a.Name.Local, a.Value)
			}
			switch a.Name.Local {
			case "id":
				if ids[a.Value] {
					t.Errorf("two elements have the id %q", a.Value)
				}
				ids[a.Value] = true
			case "href":
				if !strings.HasPrefix(a.Value, "#") {
					t.Errorf("a link leaves the page: %q", a.Value)
				}
				links[a.Value] = true
			case "aria-labelledby":
				for _, id := range strings.Fields(a.Value) {
					links["#"+id] = true
				}
			}
		}
	}
	for link := range links {
		if !ids[link[1:]] {
			t.Errorf("%s leads nowhere", link)
		}
	}
	if n := strings.Count(page, "<svg"); n != described {
		t.Errorf("%d pictures, %d descriptions", n, described)
	}
	style := page[strings.Index(page, "<style>"):strings.Index(page, "</style>")]
	for _, reference := range []string{"url(", "@import", "src:", "http"} {
		if strings.Contains(style, reference) {
			t.Errorf("the style sheet has %q", reference)
		}
	}
}

type junitResult struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Skipped  int `xml:"skipped,attr"`
	Suites   []struct {
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func parseJUnit(t *testing.T, text string) (r junitResult) {
	t.Helper()
	if err := xml.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	failures, skipped, cases := 0, 0, 0
	for _, s := range r.Suites {
		for _, c := range s.Cases {
			cases++
			if c.Failure != nil {
				failures++
			}
			if c.Skipped != nil {
				skipped++
			}
		}
	}
	if cases != r.Tests || failures != r.Failures || skipped != r.Skipped {
		t.Errorf("counted %d cases, %d failures, %d skipped; it says %d, %d, %d", cases, failures, skipped, r.Tests, r.Failures, r.Skipped)
	}
	return r
}

func checkTable(t *testing.T, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+@\t\r") || strings.ContainsAny(cell, "\x1b\x00\u202e") {
				t.Errorf("a spreadsheet takes this for more than text: %q", cell)
			}
		}
	}
}

func checkComment(t *testing.T, text string) {
	t.Helper()
	for _, mark := range []string{"<script", "<img", "<svg", "](javascript", "@everyone", "http://e", "www.e", "\x1b", "\u202e", " #1"} {
		if strings.Contains(text, mark) {
			t.Errorf("the comment has %q:\n%s", mark, text)
		}
	}
	bars := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			bars = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if bars > 0 && n != bars {
			t.Errorf("a row of %d bars in a table of %d: %s", n, bars, line)
		}
		bars = n
	}
}
