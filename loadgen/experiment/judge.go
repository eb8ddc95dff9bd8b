package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
	"volley/results/capacity/search"
	"volley/results/selfcheck"
	"volley/results/study"
	"volley/scenario"
)

// proof is the confidence with which a trial must show that a percentile objective
// was met, or that it was missed; see selfcheck.MeetsEffective.
const proof = 0.95

// leastDone is the share of the planned calls that the node must have answered.
const leastDone = 0.99

// verdict is what one trial shows.
type verdict struct {
	verdicts []search.Verdict // by objective
	why      []string
	loss     float64 // share of the planned entries without a good answer
	achieved float64 // in the unit asked for
	p99US    int64
	forS     float64 // measured
}

// judge says what a finished trial shows of each objective: void when the generator
// failed. Of a percentile of the response or service time it is good or bad when a
// binomial test over the trial's effective number of calls proves it so, and unproven
// else; of any other objective what was measured decides. Whatever the objective, a
// trial is bad whose calls were not answered, or behind which a backlog grew.
func judge(t *study.Trial, unit string) (*verdict, error) {
	run, err := results.Open(t.Dir)
	if err != nil {
		return nil, &Damaged{t.Dir, err}
	}
	m, err := measure(t)
	if err != nil {
		return nil, err
	}
	s := &run.Summary
	v := &verdict{
		achieved: inUnit(s.Measured.Achieved, unit),
		p99US:    s.Measured.Response.P99,
		forS:     asked(s),
		loss:     loss(&m.Slice),
	}
	w, err := windowsOf(run)
	if err != nil {
		return nil, &Damaged{t.Dir, err}
	}
	common := whole(s, &m.Slice, w)
	for i, o := range run.Meta.Objectives {
		verdict, why := objective(o, &s.Objectives[i], &m.Slice, w)
		if verdict != search.Good {
			if late := spoiled(o, s, &m.Slice); late != "" {
				verdict, why = search.Void, late
			}
		}
		switch {
		case t.Void:
			verdict, why = search.Void, t.Reason
		case common != "":
			verdict, why = search.Bad, common
		}
		v.verdicts = append(v.verdicts, verdict)
		v.why = append(v.why, why)
	}
	return v, nil
}

// shows says what the trial shows of each objective, in one sentence.
func (v *verdict) shows(objectives []scenario.Objective) string {
	var all []string
	for i, o := range objectives {
		all = append(all, fmt.Sprintf("%s for %s: %s", v.verdicts[i], o.Text, v.why[i]))
	}
	return strings.Join(all, "; ")
}

// asked is the length of the measured phases as the plan had it, in seconds.
func asked(s *results.Summary) (length float64) {
	for i := range s.Phases {
		if s.Phases[i].Measured {
			length += s.Phases[i].ForS
		}
	}
	return length
}

// whole says what makes the trial bad for every objective; "" for nothing.
func whole(s *results.Summary, all *results.PhaseSlice, w *windows) string {
	if overwhelmed(s) {
		return s.VoidReason
	}
	planned := all.Calls + all.Unsent
	if done := all.Calls - min(all.Calls, all.Unanswered); planned > 0 && float64(done) < leastDone*float64(planned) {
		return fmt.Sprintf("%s of %s planned calls were answered (%.0f%% needed)", results.Count(done), results.Count(planned), 100*leastDone)
	}
	if stationary := selfcheck.Stationary(nil, w.inFlight); stationary.Growing {
		for _, c := range stationary.Checks {
			if c.Name == "backlog" {
				return strings.TrimSuffix(c.Sentence, ".")
			}
		}
	}
	return ""
}

// loss is the share of what was planned that came to no good end: of entries, and of
// calls that were never sent.
func loss(all *results.PhaseSlice) float64 {
	planned := float64(all.Calls + all.Unsent)
	if planned == 0 || all.Entries == 0 {
		return 1
	}
	sent := float64(all.Calls) / planned
	return 1 - sent*float64(all.GoodEntries())/float64(all.Entries)
}

// windows are a run's intervals in its measured phases.
type windows struct {
	slices   []results.PhaseSlice
	inFlight []float64
}

func windowsOf(run *results.Run) (*windows, error) {
	w := &windows{}
	measured := func(i int) bool { return i < len(run.Meta.Phases) && run.Meta.Phases[i].Measured }
	for s, err := range run.Snapshots() {
		if err != nil {
			return nil, err
		}
		if measured(s.Current) {
			w.inFlight = append(w.inFlight, float64(s.InFlight))
		}
		for i := range s.Phases {
			if measured(s.Phases[i].Phase) {
				w.slices = append(w.slices, s.Phases[i])
			}
		}
	}
	return w, nil
}

// objective judges one objective by itself.
func objective(o results.Objective, r *results.ObjectiveResult, all *results.PhaseSlice, w *windows) (search.Verdict, string) {
	q, ok := quantile(o)
	if !ok {
		return plain(r)
	}
	limit := int64(o.Limit)
	var d selfcheck.Overdispersion
	for i := range w.slices {
		d.Add(over(&w.slices[i], o.Metric, limit), int64(w.slices[i].Calls))
	}
	tau, known := d.Tau()
	if !known {
		tau = 1
	}
	n, missing := int64(all.Calls), over(all, o.Metric, limit)
	p := selfcheck.MeetsEffective(missing, n, tau, q, proof)
	why := fmt.Sprintf("%s of %s calls over %s", results.Count(uint64(missing)), results.Count(uint64(n)), results.Micros(o.Limit))
	if tau >= 1.05 {
		why += fmt.Sprintf(", worth %.0f independent ones", selfcheck.EffectiveN(n, tau))
	}
	switch p.Decision {
	case selfcheck.Met:
		return search.Good, why
	case selfcheck.Missed:
		return search.Bad, why
	}
	return search.Unproven, why + ": proves neither"
}

// spoiledFrom is the share of an objective's limit, and of what is missing to it, from
// which the generator's own lateness is no longer small beside them.
const spoiledFrom = 0.1

// spoiled says that a percentile objective may have been missed by the generator's
// doing, whose pauses, too few for the trial to be void, made calls late; "" when not.
// A node on the same machine stood still with it. What was met was met all the same.
func spoiled(o results.Objective, s *results.Summary, all *results.PhaseSlice) string {
	q, ok := quantile(o)
	if !ok || all.Lateness == nil || all.OverBound+all.Held > 0 {
		return ""
	}
	warned := slices.ContainsFunc(s.Checks, func(c selfcheck.Check) bool {
		return c.Name == "lateness" && c.Verdict == selfcheck.Warn
	})
	h := all.Response
	if o.Metric == "service" {
		h = all.Service
	}
	late := float64(results.AtPercentile(all.Lateness, 100*q))
	missing := float64(results.AtPercentile(h, 100*q)) - o.Limit
	if !warned || late < spoiledFrom*o.Limit || late < spoiledFrom*missing {
		return ""
	}
	return fmt.Sprintf("the machine paused: calls were sent up to %s late (%s), and whether the node would have missed %s without that is not known",
		results.Micros(late), o.Stat, results.Micros(o.Limit))
}

// plain takes an objective as it was evaluated.
func plain(r *results.ObjectiveResult) (search.Verdict, string) {
	why := "nothing was measured"
	if r.Value != nil {
		why = fmt.Sprintf("%s %s %.4g", r.Metric, r.Stat, *r.Value)
	}
	if r.Met {
		return search.Good, why
	}
	return search.Bad, why
}

// quantile takes an upper limit of a percentile of the response or service time apart.
func quantile(o results.Objective) (float64, bool) {
	if o.Metric != "response" && o.Metric != "service" || o.Op != "<=" && o.Op != "<" || !strings.HasPrefix(o.Stat, "p") {
		return 0, false
	}
	p, err := strconv.ParseFloat(o.Stat[1:], 64)
	return p / 100, err == nil && p > 0 && p < 100
}

// over counts the calls beyond the limit in microseconds, those without an answer
// among them.
func over(p *results.PhaseSlice, metric string, limit int64) int64 {
	h := p.Response
	if metric == "service" {
		h = p.Service
	}
	if h == nil {
		return int64(p.Calls)
	}
	// Of the calls that waited in vain, which are in the histogram too, the timed-out
	// are taken to be beyond the limit and the cut-off within, as objectives do.
	within := h.TotalCount() - above(h, limit) - int64(p.CallsByClass[results.CutOff])
	return int64(p.Calls) - max(0, min(within, int64(p.Calls)))
}

func above(h *hdrhistogram.Histogram, limit int64) (n int64) {
	for _, bar := range h.Distribution() {
		if bar.From > limit {
			n += bar.Count
		}
	}
	return n
}

// inUnit gives the rate achieved in a unit of scenarios.
func inUnit(a results.Achieved, unit string) float64 {
	switch unit {
	case "calls/s":
		return a.CallsPerS
	case "items/s":
		return a.ItemsPerS
	}
	return a.EntriesPerS
}
