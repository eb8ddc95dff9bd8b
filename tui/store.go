package tui

import (
	"cmp"
	"slices"
	"time"

	"volley/results"
)

// store adds up a run, interval by interval, in memory that does not grow with its
// length. It is not safe for concurrent use.
type store struct {
	meta    results.Meta
	now     time.Duration // the end of the last interval
	current int
	flying  int
	planned uint64
	history history
	recent  []*interval // those of the last longest window
	phases  []phasePart // sums
	cells   []cellPart  // sums, by row and band; of the phases that count
	anyCell bool        // a breakdown was seen
	log     []Entry
	dropped int
	steps   []results.RateStep
	summary *results.Summary
	scratch results.Latency
	// correlator is fed by others; nil: the node's metrics are not read.
	correlator *results.Correlator
}

// Entry is a line of the log screen.
type Entry struct {
	At   time.Duration // from the run's start
	Kind Kind
	Text string
}

// Kind is what a log entry is.
type Kind int

// The kinds of log entries.
const (
	Note Kind = iota
	Warning
	Failure // the first example of a class of failures
)

// mostEntries bounds the log; the oldest go first.
const mostEntries = 1000

// windows are the spans that figures are of; the last is of all.
var windows = [...]struct {
	name string
	span time.Duration
}{{"1 s", time.Second}, {"10 s", 10 * time.Second}, {"60 s", time.Minute}, {"all", 0}}

const (
	longest = time.Minute
	allTime = len(windows) - 1
)

func newStore(meta results.Meta) *store {
	return &store{meta: meta, scratch: results.NewLatency()}
}

func (s *store) add(i *interval) {
	s.now = max(s.now, i.end)
	s.current, s.flying = i.current, i.inFlight
	s.planned += i.planned
	s.history.add(pointOf(i))
	s.recent = append(s.recent, i)
	old := 0
	for old < len(s.recent) && s.recent[old].end <= s.now-longest {
		old++
	}
	s.recent = slices.Clone(s.recent[old:])
	if len(i.steps) > 0 {
		s.steps = slices.Concat(s.steps, i.steps)
		for _, step := range i.steps {
			s.tell(Entry{At: step.At, Kind: Note, Text: "rate changed by hand: " + results.Rate(step.Factor) + " times the plan's"})
		}
	}
	for n := range i.phases {
		s.addPhase(&i.phases[n])
	}
	if len(i.cells) > 0 {
		s.anyCell = true
		counting := slices.Clone(i.cells)
		if s.measuring() {
			counting = slices.DeleteFunc(counting, func(c cellPart) bool { return !s.measured(c.phase) })
		}
		s.cells = mergeCells(slices.Concat(s.cells, counting))
	}
}

func (s *store) addPhase(p *phasePart) {
	for len(s.phases) <= p.phase {
		s.phases = append(s.phases, phasePart{phase: len(s.phases)})
	}
	began := s.measuring()
	to := &s.phases[p.phase]
	if to.Calls == 0 || p.Calls > 0 && p.firstSent < to.firstSent {
		to.firstSent = p.firstSent
	}
	to.lastSent = max(to.lastSent, p.lastSent)
	to.Counts.Add(&p.Counts)
	to.latencies = to.latencies.merge(p.latencies)
	if !began && s.measuring() {
		s.cells = nil // what went before was warm-up
	}
}

func (s *store) measured(phase int) bool {
	return phase < len(s.meta.Phases) && s.meta.Phases[phase].Measured
}

// measuring tells whether a measured phase has sent something: from then on figures
// of the whole run are of the measured phases.
func (s *store) measuring() bool {
	return slices.ContainsFunc(s.phases, func(p phasePart) bool { return s.measured(p.phase) && p.Calls > 0 })
}

// mostText is how much of a message is kept: a server may say anything, at any length.
const mostText = 600

// tell adds a line to the log, escaped and cut.
func (s *store) tell(e Entry) {
	e.Text = printable(e.Text)
	s.log = append(s.log, e)
	if over := len(s.log) - mostEntries; over > 0 {
		s.log, s.dropped = slices.Clone(s.log[over:]), s.dropped+over
	}
}

func printable(text string) string {
	// What is left out here would be cut off below: a column takes four bytes at most,
	// and more only in clusters of several characters.
	return fit(results.Escape(text[:min(len(text), 4*mostText)]), mostText)
}

// mergeCells adds up the cells of the same row and band, over all phases.
func mergeCells(cells []cellPart) []cellPart {
	cells = slices.Clone(cells)
	slices.SortStableFunc(cells, func(a, b cellPart) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.band, b.band)) })
	sum := cells[:0]
	for i := range cells {
		if n := len(sum); n > 0 && sum[n-1].row == cells[i].row && sum[n-1].band == cells[i].band {
			sum[n-1].add(&cells[i])
			continue
		}
		sum = append(sum, cells[i])
	}
	return sum
}

// total is the sum of the phases that count, and the time that they took.
func (s *store) total() (sum figures, ok bool) {
	measuring := s.measuring()
	for i := range s.phases {
		p := &s.phases[i]
		if measuring && !s.measured(i) {
			continue
		}
		sum.Counts.Add(&p.Counts)
		sum.latencies = sum.latencies.merge(p.latencies)
		sum.took += s.took(i)
	}
	return sum, measuring
}

// took gives the time that a phase's rates are over, as the report has it: from its
// start to its end, or to now, or to its last call if that was later; that of a
// closed loop begins with its first call.
func (s *store) took(phase int) time.Duration {
	if phase >= len(s.meta.Phases) {
		return 0
	}
	var start time.Duration
	for _, p := range s.meta.Phases[:phase] {
		start += p.For
	}
	p, sums := &s.meta.Phases[phase], &s.phases[phase]
	took := min(p.For, max(0, s.now-start))
	switch {
	case sums.Calls == 0:
	case p.Unit == unitCallers:
		took = max(0, min(start+p.For, s.now)-max(start, sums.firstSent))
	default:
		took = max(took, sums.lastSent-start)
	}
	return took
}

// unitCallers is the unit of a closed loop.
const unitCallers = "callers"

func (s *store) objectives(all *figures, measuring bool) []results.ObjectiveResult {
	if len(s.meta.Objectives) == 0 || !measuring {
		return nil
	}
	s.scratch.Response.Reset()
	s.scratch.Service.Reset()
	s.scratch.Lateness.Reset()
	all.latencies.addTo(&s.scratch)
	slice := results.PhaseSlice{Counts: all.Counts, Latency: s.scratch}
	var stand []results.ObjectiveResult
	for _, o := range s.meta.Objectives {
		stand = append(stand, o.Evaluate(&slice, all.took))
	}
	return stand
}

// finish takes in the summary. Warnings that were told while the run went on are not
// told again.
func (s *store) finish(summary *results.Summary) {
	s.summary = summary
	told := map[string]bool{}
	for _, e := range s.log {
		told[e.Text] = true
	}
	for _, w := range summary.Warnings {
		if !told[printable(w)] {
			s.tell(Entry{At: s.now, Kind: Warning, Text: w})
		}
	}
	if summary.VoidReason != "" && !told[printable(summary.VoidReason)] {
		s.tell(Entry{At: s.now, Kind: Failure, Text: "void: " + summary.VoidReason})
	}
}
