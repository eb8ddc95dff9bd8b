package loadgen

import (
	"fmt"

	"volley/results"
)

// mute is what is kept of calls whose reply is good but for entries that were sent
// malformed and were not answered: many nodes pass over those in silence, and a call in
// which a request has no answer must not be taken for one of them.
type mute struct {
	calls uint64
	words string // the first Outcome.Detail
}

func (m *mute) add(o *results.Outcome) {
	if m.calls++; m.words == "" {
		m.words = o.Detail
	}
}

// oddity keeps the first example of a deviation.
func (s *shard) oddity(o *results.Outcome) {
	d := results.StatusOfNothing
	switch {
	case o.Deviations.Has(results.ContentType):
		d = results.ContentType
	case o.Deviations.Has(results.Huge):
		d = results.Huge
	}
	if s.odd[d] == "" {
		s.odd[d] = o.Oddity
	}
}

// sentences tells, for each class that calls failed with, how many did and what
// the node or the system said of one of them, and then of the deviations. It is for
// after the last snapshot.
func (r *recorder) sentences(printable func(string) string) (lines []string) {
	for class, calls := range r.total.CallsByClass {
		if calls > 0 && results.Class(class).Failed() {
			lines = append(lines, r.failures(results.Class(class), calls, printable))
		}
	}
	for d, calls := range r.total.Deviations {
		if d := results.Deviation(d); calls > 0 && !d.Allowed() {
			lines = append(lines, fmt.Sprintf("%s: %s", r.deviation(d, printable), inCalls(calls)))
		}
	}
	return lines
}

func (r *recorder) failures(class results.Class, calls uint64, printable func(string) string) string {
	words := printable(r.example(func(s *shard) string { return s.words[class] }))
	line := fmt.Sprintf("calls with %s: %s", class, results.Count(calls))
	switch {
	case class == results.BatchError && words != "":
		return fmt.Sprintf("%s; refused as a whole: %s", words, inCalls(calls))
	case class == results.Missing:
		return line + r.missing(calls, words, printable)
	case words != "":
		return line + "; one of them: " + words
	}
	return line
}

// missing says which calls lack answers to entries that were sent malformed alone.
func (r *recorder) missing(calls uint64, words string, printable func(string) string) string {
	mute := uint64(0)
	for i := range r.shards {
		mute += r.shards[i].mute.calls
	}
	said := printable(r.example(func(s *shard) string { return s.mute.words }))
	switch {
	case mute == 0:
		return "; one of them: " + words
	case mute == calls:
		return ", and in all of them answers are missing only to entries sent malformed; one of them: " + said
	}
	return fmt.Sprintf(", in %s of which answers are missing only to entries sent malformed; one of the others: %s", results.Count(mute), words)
}

// example gives the first words that a shard kept.
func (r *recorder) example(words func(*shard) string) string {
	for i := range r.shards {
		if w := words(&r.shards[i]); w != "" {
			return w
		}
	}
	return ""
}

// deviation says in plain words what a node does otherwise, and fails nothing by.
func (r *recorder) deviation(d results.Deviation, printable func(string) string) string {
	example := printable(r.example(func(s *shard) string { return s.odd[d] }))
	switch d {
	case results.OutOfOrder:
		return "the node answers in another order than it was asked in, and the plan expects that one"
	case results.Unwrapped:
		return "the node answers a batch of one with a bare object, not with an array of one"
	case results.StatusOfNothing:
		return "where no answer was due the node answers with the status " + example + ", and the plan expects another"
	case results.NotificationAnswered:
		return "the node answers notifications, which are owed no answer"
	case results.ContentType:
		return "the node answers under the content type " + example + ", which is not JSON's"
	case results.Wrapped:
		return "the node answers a bare request with an array of one"
	case results.NoContinue:
		return "the node does not say 100 (Continue) when it is asked to: bodies were sent when the wait for it was over, and that wait is in the service times"
	case results.Huge:
		return "the node sends bodies over 10 MiB, one of them of " + example
	}
	return d.String()
}

func inCalls(n uint64) string {
	if n == 1 {
		return "1 call"
	}
	return results.Count(n) + " calls"
}
