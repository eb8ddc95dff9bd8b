package tui

import (
	"slices"
	"time"

	"volley/results"
)

// view is all that a screen can show of one moment. It is not changed once it is made.
type view struct {
	meta       results.Meta
	now        time.Duration // the end of the last interval
	current    int           // phase; len(meta.Phases) when draining
	flying     int
	planned    uint64   // calls
	points     []*point // the latest intervals
	whole      []*point // the whole run's, joined where they are many
	recent     []*interval
	total      figures // of all measured phases, or, before the first, of all
	measuring  bool
	phases     []phasePart
	cells      []cellPart
	broken     bool // there is a breakdown
	objectives []results.ObjectiveResult
	log        []Entry
	dropped    int
	factor     float64
	summary    *results.Summary
}

// figures are an account and the time that it is over.
type figures struct {
	results.Counts
	latencies
	took    time.Duration
	planned uint64 // calls; 0: not known
	cells   []cellPart
}

func (s *store) view() *view {
	v := &view{
		meta: s.meta, now: s.now, current: s.current, flying: s.flying, planned: s.planned,
		points: slices.Clone(s.history.latest), whole: s.history.all(), recent: s.recent,
		phases: slices.Clone(s.phases), cells: slices.Clone(s.cells), broken: s.anyCell,
		log: slices.Clone(s.log), dropped: s.dropped, factor: s.factor, summary: s.summary,
	}
	for i := range v.phases { // its maps are still being added to
		var c results.Counts
		c.Add(&v.phases[i].Counts)
		v.phases[i].Counts = c
	}
	v.total, v.measuring = s.total()
	if v.total.cells = v.cells; !v.measuring {
		v.total.planned = s.planned
	}
	v.objectives = s.objectives(&v.total, v.measuring)
	return v
}

// figuresOf gives the figures of a window, by its index.
func (v *view) figuresOf(window int) figures {
	if window == allTime {
		return v.total
	}
	var f figures
	var response, service, lateness []dist
	from := v.now - windows[window].span
	for n, i := range v.recent {
		// An interval that began before the window is in it when most of it is; the last
		// one always.
		if (i.start+i.end)/2 < from && n < len(v.recent)-1 {
			continue
		}
		f.took += i.end - i.start
		f.planned += i.planned
		for p := range i.phases {
			part := &i.phases[p]
			f.Counts.Add(&part.Counts)
			response, service, lateness = append(response, part.response), append(service, part.service), append(lateness, part.lateness)
		}
		f.cells = append(f.cells, i.cells...)
	}
	f.latencies = latencies{mergeAll(response), mergeAll(service), mergeAll(lateness)}
	f.cells = mergeCells(f.cells)
	return f
}

// perSecond gives n as a rate; ok is false where the time is too short for one.
func (f *figures) perSecond(n uint64) (rate float64, ok bool) {
	if f.took.Seconds() < sliver {
		return 0, false
	}
	return float64(n) / f.took.Seconds(), true
}

// span is how long the plan is to take.
func (v *view) span() (sum time.Duration) {
	for _, p := range v.meta.Phases {
		sum += p.For
	}
	return sum
}

// phaseAt gives the phase that the plan is in at that time, and since when.
func (v *view) phaseAt(at time.Duration) (phase int, since time.Duration) {
	for i, p := range v.meta.Phases {
		if at < since+p.For {
			return i, since
		}
		since += p.For
	}
	return len(v.meta.Phases), since
}

// asked gives the rate that the plan asks for at that time, in its phase's unit.
func (v *view) asked(at time.Duration) (rate float64, unit string) {
	i, since := v.phaseAt(at)
	if i >= len(v.meta.Phases) {
		return 0, ""
	}
	p := &v.meta.Phases[i]
	rate = p.Value
	if p.For > 0 {
		rate += (p.To - p.Value) * (at - since).Seconds() / p.For.Seconds()
	}
	if p.Unit == unitCallers {
		return p.Value, p.Unit
	}
	return rate * v.factor, p.Unit
}

// askedOf gives the rate that the plan asks for over the time of a window's figures,
// in one unit; "" where there is none.
func (v *view) askedOf(window int, f *figures) (rate float64, unit string) {
	if window != allTime || !v.measuring {
		if v.current >= len(v.meta.Phases) {
			return 0, ""
		}
		return v.asked(max(v.now-f.took/2, 0))
	}
	var calls, seconds float64
	var since time.Duration
	for i, p := range v.meta.Phases {
		took := min(p.For, max(v.now-since, 0)).Seconds()
		since += p.For
		if !p.Measured || took <= 0 || i > v.current {
			continue
		}
		if p.Unit == unitCallers || unit != "" && unit != p.Unit {
			return 0, ""
		}
		// A ramp is straight: its mean is the rate half way.
		reached := p.Value + (p.To-p.Value)*took/p.For.Seconds()
		unit, calls, seconds = p.Unit, calls+(p.Value+reached)/2*took, seconds+took
	}
	if seconds == 0 {
		return 0, ""
	}
	return calls / seconds, unit
}
