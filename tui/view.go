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
	steps      []results.RateStep
	summary    *results.Summary
	node       *nodeSide // nil: not known, or not asked for
}

// figures are an account and the time that it is over.
type figures struct {
	results.Counts
	latencies
	took    time.Duration
	planned uint64 // calls; 0: not known
	cells   []cellPart
}

// view gives what the store holds; with the node's side only where it is asked for, as
// that takes some time.
func (s *store) view(node bool) *view {
	v := &view{
		meta: s.meta, now: s.now, current: s.current, flying: s.flying, planned: s.planned,
		points: slices.Clone(s.history.latest), whole: s.history.all(), recent: s.recent,
		phases: slices.Clone(s.phases), cells: slices.Clone(s.cells), broken: s.anyCell,
		log: slices.Clone(s.log), dropped: s.dropped, steps: s.steps, summary: s.summary,
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
	if node {
		v.node = s.nodeSide()
	}
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

// asked gives the rate that is asked for at that time, changes by hand included, in its
// phase's unit.
func (v *view) asked(at time.Duration) (rate float64, unit string) {
	i, since := v.phaseAt(at)
	if i >= len(v.meta.Phases) {
		return 0, ""
	}
	p := &v.meta.Phases[i]
	if p.Unit == unitCallers {
		return p.Value, p.Unit
	}
	return p.Asked(since, at-since, at-since, v.steps), p.Unit
}

// askedOf gives the rate that was asked for over the time of a window's figures, in one
// unit; "" where there is none.
func (v *view) askedOf(window int, f *figures) (rate float64, unit string) {
	if window != allTime || !v.measuring {
		i, since := v.phaseAt(max(v.now-1, 0))
		if v.current >= len(v.meta.Phases) || i >= len(v.meta.Phases) {
			return 0, ""
		}
		p := &v.meta.Phases[i]
		if p.Unit == unitCallers {
			return p.Value, p.Unit
		}
		return p.Asked(since, v.now-f.took-since, v.now-since, v.steps), p.Unit
	}
	var sum, seconds float64
	var since time.Duration
	for i := range v.meta.Phases {
		p := &v.meta.Phases[i]
		begin, took := since, min(p.For, max(v.now-since, 0))
		since += p.For
		if !p.Measured || took <= 0 {
			continue
		}
		if p.Unit == unitCallers || unit != "" && unit != p.Unit {
			return 0, ""
		}
		unit, sum, seconds = p.Unit, sum+p.Asked(begin, 0, took, v.steps)*took.Seconds(), seconds+took.Seconds()
	}
	if seconds == 0 {
		return 0, ""
	}
	return sum / seconds, unit
}

// factor is that of the plan's rate which is in force.
func (v *view) factor() float64 {
	if n := len(v.steps); n > 0 {
		return v.steps[n-1].Factor
	}
	return 1
}
