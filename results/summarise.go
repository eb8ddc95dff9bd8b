package results

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results/correlate"
	"volley/results/selfcheck"
)

// End is what is known of a run when it is over, besides its snapshots.
type End struct {
	Finished time.Time
	// Stopped is when sending was over, as an offset from the run's start; 0: as the
	// snapshots tell, which is up to one interval late.
	Stopped time.Duration
	// Interrupted: the run was told to stop before its plan was through.
	Interrupted bool
	// Status overrides what follows from the rest; for Running and Cut.
	Status string
	// Before and After are scrapes that enclose all of the run's calls; both zero
	// when the node's metrics were not asked for.
	Before, After NodeSample
	// Reset: scrapes in between show that the node's counters began anew.
	Reset bool
	// Left: the run was left at once, so that After was not read.
	Left bool
	// Shared: other load of ours went to the node at the same time, so that its counters
	// hold more than this run.
	Shared    bool
	Generator Generator
	// Arrivals are, by phase index, the checks that the generator made of when it sent its
	// calls, while it sent them; none of a phase that is not measured or has no rate.
	Arrivals [][]selfcheck.Check
	Warnings []string // of the generator, or of reading a cut run
	Pinned   map[string]string
	// Correlation is a Correlator's report on the whole run; nil when the node's metrics
	// were not asked for.
	Correlation *correlate.Report
}

// Summarise says what came of a run. It is pure and changes none of its arguments.
func Summarise(m Meta, a *Aggregate, e End) Summary {
	total := a.Total(nil)
	s := Summary{
		Format: Format, Volley: m.Volley, Name: m.Name, Seed: m.Seed,
		Dialect: m.Dialect, URL: m.URL, Bundled: m.Bundled,
		Started: stamp(m.Started), Status: e.Status,
		Totals:     total.Totals(),
		Phases:     []PhaseSummary{},
		Objectives: []ObjectiveResult{}, Reconciliation: []Row{}, Warnings: []string{},
		Environment: map[string]string{},
		Generator:   account(e.Generator, a, &total.Counts),
		Pinned:      e.Pinned,
		Correlation: e.Correlation,
	}
	if s.Correlation == nil && s.Status == Running {
		s.Correlation = NewCorrelator(m.Correlation()).Report() // it names the series
	}
	for k, v := range m.Environment {
		s.Environment[k] = v
	}
	if !e.Finished.IsZero() {
		finished := stamp(e.Finished)
		s.Finished = &finished
	}

	stopped := e.Stopped
	if stopped == 0 {
		stopped = a.stopped(len(m.Phases))
	}
	var start, measured time.Duration
	var together *taus
	for i, p := range m.Phases {
		hand := p.changedByHand(start, min(p.For, stopped-start), a.RateSteps)
		known := a.taus(i, p, hand != nil || p.open() && !a.slice(i).kept())
		span := s.addPhase(p, a.slice(i), known, start, stopped)
		if p.Measured && a.slice(i).Calls > 0 {
			together = known.and(together)
		}
		s.Phases[i].Target.ByHand = hand
		a.weigh(&s.Phases[i].Span, i)
		if p.Measured {
			measured += span
		}
		start += p.For
	}
	if together == nil {
		together = &taus{}
	}
	all := a.Total(func(i int) bool { return i < len(m.Phases) && m.Phases[i].Measured })
	s.Measured = spanOf(&all, together, measured)
	a.weigh(&s.Measured, m.measured()...)
	s.Form, s.Rows, s.Breakdown, s.RateSteps = m.Form, m.Rows, a.BreakdownRows(&m), a.RateSteps
	for _, o := range m.Objectives {
		r := o.Evaluate(&all, measured)
		r.Proof = o.prove(&all, together)
		s.Objectives = append(s.Objectives, r)
	}
	if e.scraped() && !e.Left && s.Status != Running && s.Status != Cut {
		s.Reconciliation = Reconcile(&total.Counts, e.Before, e.After, ReconcileOptions{Dialect: m.Dialect, Names: m.Names, Reset: e.Reset, Alone: m.Bundled && !e.Shared})
	}
	s.check(a, &e)
	s.judge(e.Interrupted)
	s.warn(e, a.End)
	return s
}

func (e *End) scraped() bool {
	return e.Before.Series != nil || e.Before.Err != "" || e.After.Series != nil || e.After.Err != ""
}

// stamp makes a time that comes back from JSON as it went in.
func stamp(t time.Time) time.Time { return t.UTC().Round(0) }

// account fills in what the counts tell anyway.
func account(g Generator, a *Aggregate, c *Counts) Generator {
	if g.Planned == 0 {
		g.Planned = a.Planned
	}
	g.MaxInFlight = max(g.MaxInFlight, a.MaxInFlight)
	g.Sent, g.Overrun, g.Unsent, g.OverBound, g.Clipped = c.Calls, c.Overrun, c.Unsent, c.OverBound, c.Clipped
	return g
}

func (a *Aggregate) slice(i int) *PhaseSlice {
	if i < len(a.phases) {
		return &a.phases[i]
	}
	return &PhaseSlice{Phase: i}
}

// addPhase adds a phase that was to start at start, and gives the time that its
// rates are over. A closed loop begins late when an open loop before it has not yet
// sent all that it owed: its time is counted from its first call.
func (s *Summary) addPhase(p PhaseMeta, slice *PhaseSlice, known *taus, start, stopped time.Duration) time.Duration {
	span := min(p.For, max(0, stopped-start))
	switch {
	case p.open() && slice.Calls > 0:
		span = max(span, slice.LastSent-start)
	case slice.Calls > 0:
		span = max(0, min(start+p.For, stopped)-max(start, slice.FirstSent))
	}
	ps := PhaseSummary{
		Name: p.Name, Measured: p.Measured, Arrivals: p.Arrivals, ForS: p.For.Seconds(),
		Target: Target{Value: p.Value, Unit: p.Unit},
		Span:   spanOf(slice, known, span),
	}
	if p.To != p.Value && p.open() {
		ps.Target.To = &p.To
	}
	s.Phases = append(s.Phases, ps)
	return span
}

// open tells whether calls come by the clock, and not by the answers.
func (p *PhaseMeta) open() bool { return p.Unit != unitCallers }

const unitCallers = "callers"

func spanOf(p *PhaseSlice, known *taus, span time.Duration) Span {
	return Span{
		ElapsedS: span.Seconds(),
		Totals:   p.Totals(),
		Achieved: Achieved{
			CallsPerS:          perSecond(p.Calls, span),
			EntriesPerS:        perSecond(p.Entries, span),
			ItemsPerS:          perSecond(p.Items, span),
			GoodputEntriesPerS: perSecond(p.GoodEntries(), span),
			GoodputItemsPerS:   perSecond(p.GoodItems, span),
		},
		Distributions: Distributions{
			Response: distribution(p.Response, known.response),
			Service:  distribution(p.Service, known.response), // which it is most of
			Lateness: distribution(p.Lateness, known.lateness),
		},
	}
}

// perSecond is rounded to a thousandth.
func perSecond(n uint64, span time.Duration) float64 {
	if span <= 0 {
		return 0
	}
	return math.Round(float64(n)/span.Seconds()*1000) / 1000
}

// distribution gives h's figures, with their intervals where tau is not nil.
func distribution(h *hdrhistogram.Histogram, tau dependence) Distribution {
	if h == nil || h.TotalCount() == 0 {
		return Distribution{}
	}
	d := Distribution{
		N:    h.TotalCount(),
		Mean: math.Round(h.Mean()*10) / 10,
		P50:  atPercentile(h, 50), P90: atPercentile(h, 90), P99: atPercentile(h, 99), P999: atPercentile(h, 99.9),
		Max: h.Max(),
	}
	if tau != nil {
		d.CI, d.Independent = intervals(h, tau)
	}
	return d
}
