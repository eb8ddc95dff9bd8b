package tui

import (
	"strings"
	"sync"
	"testing"

	"github.com/muesli/termenv"

	"volley/results"
	"volley/results/correlate"
	"volley/results/selfcheck"
)

var sampleView = sync.OnceValue(func() *view { return sampleStore(33).view(true) })

// nodeFrame draws the node's screen of a report.
func nodeFrame(change func(*correlate.Report), w, h int) string {
	shown := *sampleView()
	v := &shown
	v.node = &nodeSide{sampleReport(), v.node.intervals}
	v.node.report.Surplus, v.node.report.Failed = nil, 0
	change(v.node.report)
	f := v.figuresOf(allTime)
	return render(v, goldenLook(nodeScreen), &f, w, h, NewTheme(termenv.Ascii, true))
}

// shared is a report of a node with another client.
func shared(r *correlate.Report) {
	r.Surplus = []correlate.Surplus{{What: "HTTP requests", Client: 898, Node: 1315}, {What: "batches", Client: 898, Node: 1315}}
	r.Split.Shared, r.Split.Note = true, "the node's mean, 7.63 ms, is over 1315 batches, of which 417 are other traffic"
	r.Little.Verdict, r.Little.Reason = correlate.Differs, "the node had 0.456 batches in flight by its processing time, but by the client's rate times the node's mean 0.312"
	r.Little.Suspects = []string{"other traffic: the node measured 417 batches more than the client sent"}
}

// What must be known before the node's figures stands in every size.
func TestNodeWarnings(t *testing.T) {
	for _, tt := range []struct {
		why    string
		change func(*correlate.Report)
		want   []string
		never  []string
	}{
		{"nothing to say", func(*correlate.Report) {}, []string{"network and admission", "node processing"}, []string{"other traffic", "scrapes failed", "began anew", "suspect"}},
		// How network and node share the service time of ours alone is not known.
		{"another client", shared, []string{"other traffic: 417 HTTP req", "network and node"}, []string{"network and admission", "node processing  "}},
		{"failed scrapes", func(r *correlate.Report) { r.Failed = 3 }, []string{"3 of 35 scrapes failed"}, nil},
		{"a reset", func(r *correlate.Report) { r.Reset = true }, []string{"the node's counters began anew"}, nil},
	} {
		for _, size := range sizes {
			frame := nodeFrame(tt.change, size.w, size.h)
			if wrong := fits(frame, size.w, size.h); wrong != "" {
				t.Errorf("%s at %dx%d: %s", tt.why, size.w, size.h, wrong)
			}
			for _, words := range tt.want {
				if !strings.Contains(frame, words) {
					t.Errorf("%s at %dx%d: no %q in\n%s", tt.why, size.w, size.h, words, frame)
				}
			}
			for _, words := range tt.never {
				if strings.Contains(frame, words) {
					t.Errorf("%s at %dx%d: %q in\n%s", tt.why, size.w, size.h, words, frame)
				}
			}
		}
	}
}

// Why Little's law does not hold is said before what does not agree.
func TestLittleNamesTheSuspect(t *testing.T) {
	for _, size := range sizes[1:] {
		if frame := nodeFrame(shared, size.w, size.h); !strings.Contains(frame, "suspect other traffic: the node") {
			t.Errorf("%dx%d:\n%s", size.w, size.h, frame)
		}
	}
}

func TestReasonIsOfWhatIsAsked(t *testing.T) {
	r := &correlate.Report{Notes: []string{"where the time goes: batches and single calls are mixed", "slots: no\x1bbatch was sent"}}
	for what, want := range map[string]string{
		"where the time goes": "batches and single calls are mixed",
		"slots":               `no\x1bbatch was sent`,
		"Little's law":        "the node does not say enough",
	} {
		if got := reason(r, what); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

// A sentence that is cut off says so.
func TestCutSentencesSaySo(t *testing.T) {
	const text = "batches of 20 entries hold 3.99 slots on average"
	for h, want := range map[int]string{
		1: "batches of …", 2: "batches of\n20 entries …", 5: "batches of\n20 entries\nhold 3.99\nslots on\naverage", 9: "batches of\n20 entries\nhold 3.99\nslots on\naverage\n\n\n\n",
	} {
		c := newCanvas(12, h)
		lines(c, 0, style{}, text)
		got := strings.ReplaceAll(c.render(NewTheme(termenv.Ascii, true)), " \n", "\n")
		if got != want {
			t.Errorf("in %d lines:\n%s\nwant\n%s", h, got, want)
		}
	}
}

// The node's figures are of the whole run, whatever window is chosen for the others.
func TestNodeFiguresAreOfTheWholeRun(t *testing.T) {
	v := sampleView()
	for window := range windows {
		l := goldenLook(nodeScreen)
		l.window = window
		head, _, _ := strings.Cut(draw(v, l, 80, 24, NewTheme(termenv.Ascii, true)), "\n")
		if !strings.Contains(head, "whole run") {
			t.Errorf("window %s: %s", windows[window].name, head)
		}
	}
}

func TestReconciledWord(t *testing.T) {
	yes, no := true, false
	rows := func(matches ...*bool) (all []results.Row) {
		for _, m := range matches {
			all = append(all, results.Row{Match: m})
		}
		return all
	}
	for want, of := range map[string][]results.Row{
		"": nil, "all match": rows(&yes, &yes), "1 DIFFER": rows(&yes, &no, nil), "1 match, 2 not comparable": rows(nil, &yes, nil),
	} {
		if got, _ := reconciledWord(of); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An objective's percentile that the calls do not prove is marked.
func TestObjectiveValues(t *testing.T) {
	objective := func(metric, stat string, value float64, n uint64, proof *selfcheck.Proof) *results.ObjectiveResult {
		return &results.ObjectiveResult{Metric: metric, Stat: stat, Value: &value, N: n, Proof: proof}
	}
	for _, tt := range []struct {
		of   *results.ObjectiveResult
		want string
	}{
		{objective("response", "p99", 250e3, 367, nil), "250 ms?"},
		{objective("response", "p99", 250e3, 368, nil), "250 ms"},
		{objective("service", "p99.9", 250e3, 3687, nil), "250 ms?"},
		{objective("response", "max", 250e3, 3, nil), "250 ms"},
		{objective("response", "p99", 250e3, 5000, &selfcheck.Proof{Decision: selfcheck.Undecided}), "250 ms?"},
		{objective("response", "p99", 250e3, 300, &selfcheck.Proof{Decision: selfcheck.Missed}), "250 ms"},
		{objective("entry errors", "", .01, 3, nil), "1.00%"},
	} {
		if got := objectiveValue(tt.of); got != tt.want {
			t.Errorf("%s %s of %d: %q, want %q", tt.of.Metric, tt.of.Stat, tt.of.N, got, tt.want)
		}
	}
}

// A run without objectives whose calls failed is not shown as if all were well.
func TestEndOfARunThatFailed(t *testing.T) {
	s := sampleSummary(40)
	s.Status, s.Objectives = results.Finished, nil
	if word, st := endWord(s); word != "■ finished" || st != in(good).bold() {
		t.Errorf("%q in %v", word, st)
	}
	s.Totals.ByClass["refused"] += s.Totals.Entries
	s.Totals.Entries *= 2
	if word, st := endWord(s); word != "■ finished, failures" || st != in(bad).bold() {
		t.Errorf("of half: %q in %v", word, st)
	}
}

// What is compared can be told apart in a window of 80 columns, however large the numbers.
func TestReconciliationInLittleRoom(t *testing.T) {
	s := sampleStore(33)
	summary, ok, node := sampleSummary(33), true, 2_352_086.0
	summary.Reconciliation = nil
	for _, what := range []string{"HTTP exchanges", "batches", "batch entries", "batch entries: ok", "batch entries: error", "bytes of batch answers"} {
		summary.Reconciliation = append(summary.Reconciliation, results.Row{What: what, Client: 2_352_086, Node: &node, Match: &ok})
	}
	s.finish(summary)
	c := newCanvas(39, 9)
	drawReconciliation(c, s.view(true))
	seen := map[string]bool{}
	rows := strings.Split(c.render(NewTheme(termenv.Ascii, true)), "\n")[1:7]
	for _, row := range rows {
		words := strings.TrimSpace(row[:strings.Index(row, "2,352")])
		if seen[words] || words == "match" {
			t.Errorf("%q is not told apart:\n%s", words, strings.Join(rows, "\n"))
		}
		seen[words] = true
	}
}

// A series is named with its figures, or not at all.
func TestMoversEndWithTheirFigures(t *testing.T) {
	r := sampleReport()
	for h := 2; h < 8; h++ {
		c := newCanvas(39, h)
		drawMovers(c, r)
		rows := strings.Split(strings.TrimRight(c.render(NewTheme(termenv.Ascii, true)), "\n "), "\n")
		if last := rows[len(rows)-1]; len(rows) > 1 && !strings.Contains(last, "] n ") {
			t.Errorf("%d rows end with %q", h, last)
		}
	}
}

// Objectives are of all measured phases, which is said beside the figures of a window where there is room.
func TestObjectivesBesideAWindow(t *testing.T) {
	for window := range windows {
		l := goldenLook(overview)
		l.window = window
		frame := draw(sampleView(), l, 110, 24, NewTheme(termenv.Ascii, true))
		if said := strings.Contains(frame, "of all measured"); said != (window != allTime) {
			t.Errorf("window %s: %v\n%s", windows[window].name, said, frame)
		}
	}
}
