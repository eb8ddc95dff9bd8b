package loadgen

import (
	"reflect"
	"testing"
	"time"

	"volley/results"
)

// told gives the sentences of a run with these outcomes.
func told(outcomes ...results.Outcome) []string {
	rec := newRecorder(1)
	for i := range outcomes {
		rec.began(0)
		rec.ended(i, &outcomes[i])
	}
	rec.snapshot(time.Second, time.Time{}, 0)
	return rec.sentences(results.Escape)
}

func TestSentencesOfFailures(t *testing.T) {
	failed := func(class results.Class, words string) results.Outcome {
		return results.Outcome{Class: class, Detail: words}
	}
	missing := func(n, malformed int, words string) results.Outcome {
		o := failed(results.Missing, words)
		o.ByClass[results.Missing], o.MissingMalformed = n, malformed
		return o
	}
	for _, tt := range []struct {
		why      string
		outcomes []results.Outcome
		want     []string
	}{
		{"nothing failed", []results.Outcome{{Class: results.OK}}, nil},
		{"the first of each class, escaped",
			[]results.Outcome{failed(results.Timeout, "words\n1"), failed(results.RPCError, "words\n2"), failed(results.RPCError, "words\n2")},
			[]string{`calls with rpc error: 2; one of them: words\n2`, `calls with timeout: 1; one of them: words\n1`}},
		{"no words", []results.Outcome{failed(results.CutOff, "")}, []string{"calls with cut off: 1"}},
		{"batches refused as a whole",
			[]results.Outcome{failed(results.BatchError, "batch refused: batch too large (5,000 entries), code -32600"), failed(results.BatchError, "batch refused: batch too large (5,000 entries), code -32600")},
			[]string{"batch refused: batch too large (5,000 entries), code -32600; refused as a whole: 2 calls"}},
		{"answers missing to what was sent malformed",
			[]results.Outcome{missing(1, 1, "one"), missing(2, 2, "two")},
			[]string{"calls with missing entry: 2, and in all of them answers are missing only to entries sent malformed; one of them: one"}},
		{"and to requests, which comes first",
			[]results.Outcome{missing(1, 1, "one"), missing(2, 1, "two"), missing(3, 3, "three")},
			[]string{"calls with missing entry: 3, in 2 of which answers are missing only to entries sent malformed; one of the others: two"}},
		{"to requests alone", []results.Outcome{missing(2, 0, "two")}, []string{"calls with missing entry: 1; one of them: two"}},
	} {
		if got := told(tt.outcomes...); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.why, got, tt.want)
		}
	}
}

// Each deviation has a sentence of its own, and what is allowed has none.
func TestSentencesOfDeviations(t *testing.T) {
	seen := map[string]bool{}
	for d := range results.Deviation(results.NumDeviations) {
		o := results.Outcome{Class: results.OK}
		o.Deviations.Add(d)
		switch d {
		case results.ContentType, results.Huge, results.StatusOfNothing:
			o.Oddity = "an\x1bexample"
		}
		got := told(o)
		if d.Allowed() {
			if got != nil {
				t.Errorf("%s: %q", d, got)
			}
			continue
		}
		if len(got) != 1 || seen[got[0]] || got[0] == d.String()+": 1 call" {
			t.Errorf("%s: %q", d, got)
			continue
		}
		seen[got[0]] = true
	}
	o := results.Outcome{Class: results.OK, Oddity: "text/plain\x1b"}
	o.Deviations.Add(results.ContentType)
	o.Deviations.Add(results.Unwrapped)
	want := []string{
		"the node answers a batch of one with a bare object, not with an array of one: 2 calls",
		`the node answers under the content type text/plain\x1b, which is not JSON's: 2 calls`,
	}
	if got := told(o, o); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
