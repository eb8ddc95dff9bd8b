package search

import (
	"fmt"
	"time"
)

// Status is what kind of answer a goal has.
type Status string

// The statuses.
const (
	Found      Status = "found"      // an interval
	AtLeast    Status = "at least"   // every load that could be tried meets the goal
	NoLoad     Status = "no load"    // not even the lowest meets it
	AllVoid    Status = "all void"   // nothing but void trials
	Unclear    Status = "undecided"  // trials too short to show anything, even of the lowest load
	Unfinished Status = "unfinished" // no bound on one side, or the interval is still wide
)

// Load is what is known of one load for one goal.
type Load struct {
	Load     float64       `json:"load"`
	Class    Class         `json:"class"`
	Good     int           `json:"good"` // trials
	Bad      int           `json:"bad"`
	Unproven int           `json:"unproven"`
	Void     int           `json:"void"`
	Time     time.Duration `json:"time"` // of trials that count
}

// Result is the answer for one goal.
type Result struct {
	Goal   Goal   `json:"goal"`
	Status Status `json:"status"`
	// Lower and Upper are the relevant bounds; 0 is none.
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper,omitempty"`
	// ConditionalThroughput is that of Lower.
	ConditionalThroughput float64 `json:"conditional_throughput"`
	Confirmed             bool    `json:"confirmed"` // by a long trial at Lower
	// Irregular says that there is no upper bound, or a lower bound above it.
	Irregular bool          `json:"irregular"`
	Loads     []Load        `json:"loads"` // ascending
	Trials    int           `json:"trials"`
	Voids     int           `json:"voids"`
	Time      time.Duration `json:"time"` // of trials that count
	Sentence  string        `json:"sentence"`
	Warnings  []string      `json:"warnings,omitempty"`
}

// Results are the answers as the trials so far give them, in the goals' order.
func (s *Search) Results(trials []Trial) []Result {
	st := s.replay(trials)
	out := make([]Result, len(s.o.Goals))
	for i := range out {
		out[i] = st.result(i)
	}
	return out
}

func (s *state) result(goal int) Result {
	g := s.o.Goals[goal]
	b := s.bracket(goal, g)
	r := Result{Goal: g, Lower: b.lower, Upper: b.upper}
	highest := 0.0 // lower bound of all
	for _, l := range s.loads {
		known := Load{Load: l.load, Class: g.Classify(g.Tally(goal, l.trials))}
		for _, t := range l.trials {
			switch t.verdict(goal, g) {
			case Good:
				known.Good++
			case Bad:
				known.Bad++
			case Unproven:
				known.Unproven++
			default:
				known.Void++
				continue
			}
			known.Time += t.Duration
		}
		if known.Class == Lower {
			highest = l.load
		}
		r.Loads = append(r.Loads, known)
		r.Trials += len(l.trials)
		r.Voids += known.Void
		r.Time += known.Time
	}
	if b.lower > 0 {
		r.ConditionalThroughput = g.ConditionalThroughput(goal, b.lower, s.find(b.lower).trials)
		r.Confirmed = s.confirmed(goal, g, b.lower)
	}
	r.Irregular = b.lower > 0 && b.upper == 0 || b.upper > 0 && highest > b.upper
	s.judge(&r, b, highest)
	s.warn(&r, b)
	return r
}

func (s *state) judge(r *Result, b bracket, highest float64) {
	g := r.Goal
	dark := b.darkLow != 0
	top, bottom := s.o.Max*(1-1e-9), s.o.Min*(1+1e-9)
	switch {
	case r.Trials == 0:
		r.Status, r.Sentence = Unfinished, "No trial was run."
	case r.Trials == r.Voids:
		r.Status, r.Sentence = AllVoid, fmt.Sprintf("All %d trials were void: the generator, not the node, set the limit, and nothing can be said of %s.", r.Trials, g.Name)
	case b.lower == 0 && b.upper > 0 && b.upper <= bottom:
		r.Status, r.Sentence = NoLoad, fmt.Sprintf("No load meets %s: even %s, the lowest allowed, does not.", g.Name, s.say(b.upper))
	case b.lower == 0 && dark && b.darkLow <= bottom:
		r.Status, r.Sentence = Unclear, fmt.Sprintf("The trials are too short to show whether even %s, the lowest load allowed, meets %s: run longer ones.", s.say(b.darkLow), g.Name)
	case b.lower >= top:
		r.Status, r.Sentence = AtLeast, fmt.Sprintf("%s is met at %s at least, limited by the highest load allowed.", g.Name, s.say(b.lower))
	case b.lower > 0 && b.upper == 0 && b.limit > 0:
		r.Status, r.Sentence = AtLeast, fmt.Sprintf("%s is met at %s at least, limited by the generator: trials at %s were void.", g.Name, s.say(b.lower), s.say(b.limit))
	case b.lower > 0 && b.upper > 0:
		r.Status = Found
		if !dark && !s.late && width(b.lower, b.upper) > g.Width+1e-9 {
			r.Status = Unfinished
		}
		r.Sentence = fmt.Sprintf("%s is met up to a load between %s and %s.", g.Name, s.say(b.lower), s.say(b.upper))
	case b.lower > 0:
		r.Status, r.Sentence = Unfinished, fmt.Sprintf("%s is met at %s; no higher load is known to fail.", g.Name, s.say(b.lower))
	default:
		r.Status, r.Sentence = Unfinished, fmt.Sprintf("No load is known to meet %s.", g.Name)
	}
	if highest > b.upper && b.upper > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("irregular: %s meets %s although %s does not; the node may have changed between the trials", s.say(highest), g.Name, s.say(b.upper)))
	}
}

func (s *state) warn(r *Result, b bracket) {
	add := func(format string, a ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, a...)) }
	switch {
	case r.Status == AtLeast || b.lower == 0 || b.upper != 0:
	case s.late:
		add("the time allowed was over before a load was decided that misses %s", r.Goal.Name)
	default:
		add("irregular: no load was found that misses %s", r.Goal.Name)
	}
	if b.darkLow != 0 && b.lower > 0 {
		where := fmt.Sprintf("between %s and %s", s.say(b.darkLow), s.say(b.darkHigh))
		if sameLoad(b.darkLow, b.darkHigh) {
			where = "at " + s.say(b.darkLow)
		}
		add("the trials show neither that %s is met nor that it is missed %s: longer ones narrow the interval", r.Goal.Name, where)
	}
	if s.late && !(b.lower > 0 && b.upper > 0 && width(b.lower, b.upper) <= r.Goal.Width+1e-9) {
		add("the time allowed was over before the interval was as narrow as asked (%.3g%%)", 100*r.Goal.Width)
	}
	if r.Status == Found && !r.Confirmed && s.confirmLength(r.Goal) > 0 {
		add("the lower bound was not confirmed by a trial of %s", s.confirmLength(r.Goal))
	}
	for _, l := range r.Loads {
		if l.Class == Lower && l.Load <= b.lower && l.Bad > 0 {
			add("at %s %d of %d trials were bad: a lower bound by its share of good ones", s.say(l.Load), l.Bad, l.Good+l.Bad+l.Unproven)
		}
	}
	if r.Voids > 0 {
		add("%d of %d trials were void and count nowhere", r.Voids, r.Trials)
	}
}
