package report

import (
	"time"

	"volley/results"
	"volley/results/correlate"
)

// Run is a stored run with what its intervals tell, ready to be written in any form.
type Run struct {
	Summary *results.Summary
	Plan    []byte // the effective plan; nil: not known

	run      *results.Run // for what is read interval by interval
	meta     *results.Meta
	timeline *timeline
	measured results.PhaseSlice // merged
	node     []correlate.Interval
	notes    []string // on what could not be read
}

// OfRun reads a stored run's intervals. They are read one by one: the memory it takes
// does not grow with the run's length.
func OfRun(run *results.Run) (*Run, error) {
	r := &Run{Summary: &run.Summary, Plan: run.Meta.Plan, run: run, meta: &run.Meta, timeline: newTimeline(lengthOf(&run.Summary))}
	for s, err := range run.Snapshots() {
		if err != nil {
			return nil, err
		}
		r.timeline.add(s)
	}
	r.finish()
	if run.Summary.Correlation != nil {
		c, err := run.Correlator()
		if err != nil {
			r.notes = append(r.notes, "the node's side over time is left out: "+err.Error())
		} else {
			r.node = c.Intervals()
		}
	}
	return r, nil
}

// finish ends the timeline.
func (r *Run) finish() {
	r.timeline.end()
	phases := r.meta.Phases
	r.measured = r.timeline.total.Total(func(i int) bool { return i < len(phases) && phases[i].Measured })
}

// lengthOf is about how long a run was.
func lengthOf(s *results.Summary) time.Duration {
	if s.Finished != nil && s.Finished.After(s.Started) {
		return s.Finished.Sub(s.Started)
	}
	seconds := 0.0
	for i := range s.Phases {
		seconds += s.Phases[i].ElapsedS
	}
	return time.Duration(seconds * float64(time.Second))
}
