package results

import "time"

// Aggregate is what is known of a run since its start: the sum of its snapshots,
// per phase. Its zero value is ready for use. It is not safe for concurrent use.
type Aggregate struct {
	// Plan are the phases, for what is kept of each second of the measured ones: without
	// it a run's stationarity and the dependence of its calls can't be told. It is to be
	// set before the first Add.
	Plan []PhaseMeta
	// End is the end of the last interval added, as an offset from the run's start.
	End time.Duration
	// Wall is the wall time at End.
	Wall time.Time
	// Planned counts the calls that became due.
	Planned uint64
	// MaxInFlight is the most calls under way at the end of an interval.
	MaxInFlight int

	// RateSteps are the changes of the rate by hand, in order.
	RateSteps []RateStep
	// Breakdown adds up those of the intervals.
	Breakdown Breakdown
	// Health is the last interval's.
	Health Health

	phases  []PhaseSlice  // by phase index
	windows []*windows    // by phase index; nil: none
	flying  int           // calls under way at End
	current int           // the latest Snapshot.Current
	since   time.Duration // the end of the first interval with that Current
}

// Add adds one interval. It keeps nothing of s.
func (a *Aggregate) Add(s *Snapshot) {
	if s.End >= a.End {
		a.End, a.Wall = s.End, s.Wall
		a.Health = s.Health
	}
	a.RateSteps = append(a.RateSteps, s.RateSteps...)
	a.Breakdown.Merge(&s.Breakdown)
	a.Planned += s.Planned
	a.MaxInFlight = max(a.MaxInFlight, s.InFlight)
	if s.Current > a.current {
		a.current, a.since = s.Current, s.End
	}
	a.watch(s)
	for i := range s.Phases {
		a.phase(s.Phases[i].Phase).Merge(&s.Phases[i])
	}
}

// stopped is when sending was over in a plan of that many phases, as near as the
// intervals tell: the end of the first one that found the plan draining, or of
// the last one.
func (a *Aggregate) stopped(phases int) time.Duration {
	if a.current >= phases && a.since > 0 {
		return a.since
	}
	return a.End
}

func (a *Aggregate) phase(i int) *PhaseSlice {
	for len(a.phases) <= i {
		a.phases = append(a.phases, PhaseSlice{Phase: len(a.phases), Latency: NewLatency()})
	}
	return &a.phases[i]
}

// Phases gives every phase up to the last one with something to tell, by index.
// The slice and its histograms are the Aggregate's own: to be read, until the
// next Add.
func (a *Aggregate) Phases() []PhaseSlice { return a.phases }

// Total merges the phases that pass the filter, all of them when it is nil. Its
// histograms are merged ones, so percentiles may be read from them; its Phase
// means nothing.
func (a *Aggregate) Total(filter func(phase int) bool) PhaseSlice {
	total := PhaseSlice{Phase: -1, Latency: NewLatency()}
	for i := range a.phases {
		if filter == nil || filter(i) {
			total.Merge(&a.phases[i])
		}
	}
	return total
}
