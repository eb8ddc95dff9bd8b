package tui

import (
	"sync"

	"volley/results"
)

// Feed takes in a run as it goes on, for a screen to show. Its methods are safe for
// concurrent use and never wait for the screen: a snapshot costs whoever hands it over
// about a millisecond, drawing nothing. What nobody has looked at yet is added up, not
// lost.
type Feed struct {
	mu      sync.Mutex
	store   *store
	changed chan struct{} // holds one when there is something new
}

// NewFeed is for the run that meta describes.
func NewFeed(meta results.Meta) *Feed {
	return &Feed{store: newStore(meta), changed: make(chan struct{}, 1)}
}

// Snapshot adds an interval. It keeps nothing of s.
func (f *Feed) Snapshot(s *results.Snapshot) {
	i := intervalOf(s)
	f.change(func(s *store) { s.add(i) })
}

// Warn adds a line to the log, at the time of the last interval.
func (f *Feed) Warn(text string) {
	f.change(func(s *store) { s.tell(Entry{At: s.now, Kind: Warning, Text: text}) })
}

// Failed adds the first example of a class of failures to the log, with the node's or
// the system's own words.
func (f *Feed) Failed(class results.Class, words string) {
	text := "first call with " + class.String()
	if words != "" {
		text += ": " + words
	}
	f.change(func(s *store) { s.tell(Entry{At: s.now, Kind: Failure, Text: text}) })
}

// Note adds a line to the log that is no warning.
func (f *Feed) Note(text string) {
	f.change(func(s *store) { s.tell(Entry{At: s.now, Kind: Note, Text: text}) })
}

// End tells that the run is over, and what came of it. Its warnings join the log.
func (f *Feed) End(summary *results.Summary) {
	f.change(func(s *store) { s.finish(summary) })
}

func (f *Feed) change(do func(*store)) {
	f.mu.Lock()
	do(f.store)
	f.mu.Unlock()
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// Correlate has the node's side of the run shown as c has it, which others feed. It is
// for the run's start.
func (f *Feed) Correlate(c *results.Correlator) {
	f.change(func(s *store) { s.correlator = c })
}

func (f *Feed) view(node bool) *view {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.store.view(node)
}
