package results

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results/selfcheck"
)

// windows is what an Aggregate keeps of a measured phase's whole intervals, each of
// which is one window, so that the run can be checked at its end. Its memory is
// bounded.
type windows struct {
	p50      selfcheck.Series // of the response time, in microseconds
	inFlight selfcheck.Series // mean calls under way
	response selfcheck.Spread
	lateness selfcheck.Spread

	// For Little's law, over the windows whose mean number of calls under way is known.
	span        time.Duration
	calls       uint64
	untimed     uint64  // of calls, those without a service time
	serviceUS   float64 // the sum of the others'
	callSeconds float64 // the integral of calls under way
	first, last int     // calls under way at the start and at the end

	// The generator's own CPU time, over the windows whose Health is known.
	cpuSpan    time.Duration
	cpuSeconds float64 // of all its CPUs together: 1 a second is all of them busy
}

// leastWindow is the shortest interval that is taken for a window: what a run's end
// leaves of a second holds too little.
const leastWindow = 500 * time.Millisecond

// watch adds the interval to the windows of the measured phase that it lies in, if it
// lies in one.
func (a *Aggregate) watch(s *Snapshot) {
	var from time.Duration
	for i, p := range a.Plan {
		to := from + p.For
		if p.Measured && from <= s.Start && s.End <= to && s.End-s.Start >= leastWindow {
			for len(a.windows) <= i {
				a.windows = append(a.windows, nil)
			}
			if a.windows[i] == nil {
				a.windows[i] = &windows{}
			}
			a.windows[i].add(s, i, a.flying)
		}
		from = to
	}
	a.flying = s.InFlight
}

// add adds an interval of a phase that begins with so many calls under way.
func (w *windows) add(s *Snapshot, phase, flying int) {
	var done *PhaseSlice
	for i := range s.Phases {
		if s.Phases[i].Phase == phase {
			done = &s.Phases[i]
		}
	}
	if s.InFlightMean != nil {
		w.inFlight.Add(*s.InFlightMean)
		if w.span == 0 {
			w.first = flying
		}
		w.last = s.InFlight
		w.span += s.End - s.Start
		w.callSeconds += *s.InFlightMean * (s.End - s.Start).Seconds()
		if done != nil {
			w.calls += done.Calls
			if h := done.Service; h != nil {
				w.untimed += done.Calls - min(done.Calls, uint64(h.TotalCount()))
				w.serviceUS += h.Mean() * float64(h.TotalCount())
			}
		}
	}
	if s.Health != (Health{}) {
		w.cpuSpan += s.End - s.Start
		w.cpuSeconds += s.Health.CPUFraction * (s.End - s.Start).Seconds()
	}
	if done == nil {
		return
	}
	if done.Response != nil && done.Response.TotalCount() > 0 {
		w.p50.Add(float64(atPercentile(done.Response, 50)))
		spread(&w.response, done.Response)
	}
	if done.Lateness != nil && done.Lateness.TotalCount() > 0 {
		spread(&w.lateness, done.Lateness)
	}
}

func spread(s *selfcheck.Spread, h *hdrhistogram.Histogram) {
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			s.Count(bar.To, bar.Count)
		}
	}
	s.End()
}

// busiest gives the measured phase in which the generator used the most of its CPUs,
// among those that it is known of; false: of one that calls were sent in it is not.
func (a *Aggregate) busiest(phases []PhaseSummary) (at *PhaseSummary, fraction float64, ok bool) {
	for i := range phases {
		p := &phases[i]
		if !p.Measured || p.Calls == 0 {
			continue
		}
		w := a.window(i)
		if w == nil || w.cpuSpan <= 0 {
			return nil, 0, false
		}
		if f := w.cpuSeconds / w.cpuSpan.Seconds(); at == nil || f > fraction {
			at, fraction = p, f
		}
	}
	return at, fraction, at != nil
}

// worth is how many independent calls those of the phases are worth together, about a
// response time. Those of a phase that is too short to tell are taken to be as dependent as
// the most dependent of the others; 0 where none tells.
func (a *Aggregate) worth(us int64, phases ...int) (n float64) {
	var untold int64
	greatest := 0.0
	for _, i := range phases {
		h := a.slice(i).Response
		if h == nil {
			continue
		}
		tau, ok := 0.0, false
		if w := a.window(i); w != nil {
			tau, ok = w.response.Tau(us)
		}
		if !ok {
			untold += h.TotalCount()
			continue
		}
		greatest = max(greatest, tau)
		n += selfcheck.EffectiveN(h.TotalCount(), tau)
	}
	return math.Round(n + selfcheck.EffectiveN(untold, greatest))
}

// weigh tells what the calls of those phases are worth: for the service time, which most
// of the response time is, too.
func (a *Aggregate) weigh(s *Span, phases ...int) {
	for _, d := range []*Distribution{&s.Response, &s.Service} {
		if d.N > 0 {
			d.Worth = a.worth(s.Response.P99, phases...)
		}
	}
}

// measured gives the indices of the measured phases.
func (m *Meta) measured() (phases []int) {
	for i := range m.Phases {
		if m.Phases[i].Measured {
			phases = append(phases, i)
		}
	}
	return phases
}

// little holds the phase's account to Little's law.
func (w *windows) little() selfcheck.Check {
	timed := w.calls - w.untimed
	if w.span <= 0 || timed == 0 || w.untimed*100 > w.calls {
		return selfcheck.Little(-1, -1, -1, 0) // not known
	}
	seconds := w.serviceUS / 1e6 / float64(timed)
	slack := float64(w.first+w.last) * seconds / w.span.Seconds()
	return selfcheck.Little(float64(w.calls)/w.span.Seconds(), seconds, w.callSeconds/w.span.Seconds(), slack)
}
