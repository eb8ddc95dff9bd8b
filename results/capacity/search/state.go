package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// at is one load with its trials.
type at struct {
	load   float64
	trials []Trial
}

// state is a search replayed up to some trial.
type state struct {
	o     Options
	loads []at // ascending
	count int  // trials
	goal  int  // which is searched for; len(o.Goals) when all are answered
	round int  // of the goal's coarser rounds
	prev  bracket
	outs  int // steps outside prev in this round
	asked Step
	// took and counted are the trials' times, by Took and by Duration; late says that the
	// budget ended the search.
	took, counted time.Duration
	late          bool
}

func newState(o Options) *state { return &state{o: o} }

func (s *state) observe(t Trial) {
	i, found := slices.BinarySearchFunc(s.loads, t.Load, func(a at, load float64) int {
		switch {
		case sameLoad(a.load, load):
			return 0
		case a.load < load:
			return -1
		}
		return 1
	})
	if !found {
		s.loads = slices.Insert(s.loads, i, at{load: t.Load})
	}
	s.loads[i].trials = append(s.loads[i].trials, t)
	s.count++
	s.counted += t.Duration
	if t.Took > 0 {
		s.took += t.Took
	} else {
		s.took += t.Duration
	}
}

// lasts is how long a trial of that length at a load will take in all. Where that is not
// told, what trials take beside their length is taken from those before.
func (s *state) lasts(load float64, length time.Duration) time.Duration {
	if s.o.Lasts != nil {
		return s.o.Lasts(load, length)
	}
	if s.counted == 0 {
		return length
	}
	return time.Duration(max(1, float64(s.took)/float64(s.counted)) * float64(length))
}

// fits tells whether what takes so long is within the budget.
func (s *state) fits(d time.Duration) bool { return s.o.Budget == 0 || s.took+d <= s.o.Budget }

// target is the goal as the current round asks it: in coarser rounds one shorter
// trial decides, to a wider interval.
func (s *state) target() Goal {
	g := s.o.Goals[s.goal]
	coarser := max(s.o.Coarse, 0) - s.round
	if coarser <= 0 {
		return g
	}
	// Trials grow geometrically from a tenth of the final length, but not below a second.
	shortest := max(float64(time.Second), float64(g.Final)/10)
	share := float64(s.round) / float64(max(s.o.Coarse, 1))
	length := shortest * math.Pow(max(1, float64(g.Final)/shortest), share)
	g.Final = min(g.Final, time.Duration(length).Round(time.Millisecond))
	g.Sum = g.Final
	g.Width = 1 - math.Pow(1-g.Width, math.Pow(2, float64(coarser)))
	return g
}

func (s *state) final() bool { return s.round >= max(s.o.Coarse, 0) }

// bracket is what is known of one goal.
type bracket struct {
	lower, upper float64 // relevant bounds; 0 is none
	// dark are the lowest and highest load between them that stayed undecided
	// although their time is spent; 0 is none.
	darkLow, darkHigh float64
	limit             float64 // lowest undecided load above lower where trials stay void; 0 is none
	open              float64 // a load between the bounds that wants more trials; 0 is none
}

func (s *state) bracket(goal int, g Goal) bracket {
	classes := make([]Class, len(s.loads))
	var b bracket
	for i, l := range s.loads {
		classes[i] = g.Classify(g.Tally(goal, l.trials))
		if classes[i] == Upper && b.upper == 0 {
			b.upper = l.load
		}
	}
	for i, l := range s.loads {
		if classes[i] == Lower && (b.upper == 0 || l.load < b.upper) {
			b.lower = l.load
		}
	}
	for i, l := range s.loads {
		if classes[i] != Undecided || l.load < b.lower || (b.upper > 0 && l.load > b.upper) {
			continue
		}
		switch t := g.Tally(goal, l.trials); {
		case s.voided(goal, g, l):
			if b.limit == 0 {
				b.limit = l.load
			}
		case g.spent(t) && b.limit == 0:
			b.darkHigh = l.load
			if b.darkLow == 0 {
				b.darkLow = l.load
			}
		case t.FullGood+t.FullBad+t.FullUnproven > 0:
			b.open = l.load
		}
	}
	return b
}

// voided says that the load's last trials were void more often than one is
// repeated.
func (s *state) voided(goal int, g Goal, l at) bool {
	voids := 0
	for _, t := range l.trials {
		if t.verdict(goal, g) == Void {
			voids++
		} else {
			voids = 0
		}
	}
	return voids > max(s.o.Retries, 0)
}

// ask sets the next step, moving on through rounds and goals as they are done.
func (s *state) ask() {
	last := s.asked
	for ; s.goal < len(s.o.Goals); s.nextGoal() {
		for {
			if s.count >= s.o.MaxTrials {
				s.asked = Step{Done: true, Why: fmt.Sprintf("%d trials were run, the most allowed.", s.count)}
				return
			}
			g := s.target()
			b := s.bracket(s.goal, g)
			if step, more := s.want(g, b, last); more {
				if step, more = s.inTime(step); !more {
					s.late = true
					s.asked = Step{Done: true, Goal: s.goal, Why: fmt.Sprintf("The time allowed, %s, is over.", s.o.Budget)}
					return
				}
				step.Goal, step.Left = s.goal, s.left(b, step)
				if s.o.Budget > 0 {
					step.Left = max(step.Duration, min(step.Left, s.o.Budget-s.took))
				}
				s.asked = step
				return
			}
			if s.final() {
				break
			}
			s.round, s.prev, s.outs = s.round+1, b, 0
		}
	}
	s.asked = Step{Done: true, Goal: len(s.o.Goals) - 1, Why: "Every goal is answered."}
}

// inTime is the step if it is within the budget together with the confirmation after it,
// and with what decides another load should that fail; else the confirmation of what is
// known by then. Bounds on both sides go before all else.
func (s *state) inTime(step Step) (Step, bool) {
	g := s.o.Goals[s.goal]
	b := s.bracket(s.goal, g)
	reserve := time.Duration(0)
	if b.lower > 0 && b.upper > 0 && step.Purpose != Confirm {
		another := float64(s.lasts(b.lower, g.Final)) * float64(g.Sum) / float64(g.Final)
		reserve = s.lasts(b.lower, s.confirmLength(g)) + time.Duration(another)
	}
	if s.fits(s.lasts(step.Load, step.Duration) + reserve) {
		return step, true
	}
	s.round = max(s.o.Coarse, 0)
	confirm, more := s.confirm(g, b)
	s.late = true
	return confirm, more && s.fits(s.lasts(confirm.Load, confirm.Duration))
}

func (s *state) nextGoal() {
	s.goal, s.round, s.prev, s.outs = s.goal+1, 0, bracket{}, 0
}

func (s *state) want(g Goal, b bracket, last Step) (Step, bool) {
	if step, again := s.repeat(g, last); again {
		return step, true
	}
	if step, again := s.revisit(g, b, last); again {
		return step, true
	}
	if load, purpose, why := s.choose(g, b); purpose != "" {
		return Step{Load: load, Duration: g.Final, Purpose: purpose, Why: why}, true
	}
	return s.confirm(g, b)
}

// repeat asks for a void trial's load again.
func (s *state) repeat(g Goal, last Step) (Step, bool) {
	l := s.find(last.Load)
	if l == nil || last.Goal != s.goal || s.voided(s.goal, g, *l) {
		return Step{}, false
	}
	t := l.trials[len(l.trials)-1]
	if t.verdict(s.goal, g) != Void {
		return Step{}, false
	}
	return Step{Load: last.Load, Duration: last.Duration, Purpose: Repeat,
		Why: fmt.Sprintf("The trial at %s was void.", s.say(last.Load))}, true
}

func (s *state) find(load float64) *at {
	for i := range s.loads {
		if sameLoad(s.loads[i].load, load) {
			return &s.loads[i]
		}
	}
	return nil
}

// revisit asks for one of the lower bounds again, at random: a node that drifts
// is not found out by going upwards only.
func (s *state) revisit(g Goal, b bracket, last Step) (Step, bool) {
	if !s.final() || b.lower == 0 || b.open != 0 || last.Purpose == Revisit || last.Purpose == Confirm || !(s.o.Revisit > 0) {
		return Step{}, false
	}
	rng := rand.New(rand.NewPCG(s.o.Seed, uint64(s.count)))
	if rng.Float64() >= s.o.Revisit {
		return Step{}, false
	}
	var lowers []float64
	for _, l := range s.loads {
		if l.load <= b.lower && g.Classify(g.Tally(s.goal, l.trials)) == Lower {
			lowers = append(lowers, l.load)
		}
	}
	load := lowers[rng.IntN(len(lowers))]
	return Step{Load: load, Duration: g.Final, Purpose: Revisit,
		Why: fmt.Sprintf("%s is tried again, to notice a drift.", s.say(load))}, true
}

// confirm asks for one long trial at the lower bound of a goal otherwise done.
func (s *state) confirm(g Goal, b bracket) (Step, bool) {
	length := s.confirmLength(g)
	if !s.final() || b.lower == 0 || length == 0 || s.confirmed(s.goal, g, b.lower) {
		return Step{}, false
	}
	if l := s.find(b.lower); s.voided(s.goal, g, *l) {
		return Step{}, false
	}
	return Step{Load: b.lower, Duration: length, Purpose: Confirm,
		Why: fmt.Sprintf("%s holds in trials of %s; a long one confirms it.", s.say(b.lower), g.Final)}, true
}

func (s *state) confirmLength(g Goal) time.Duration {
	switch {
	case s.o.Confirm < 0:
		return 0
	case s.o.Confirm == 0:
		return 10 * g.Final
	}
	return s.o.Confirm
}

// confirmed says that a good trial of the confirmation's length, or nearly so, was
// run at the load.
func (s *state) confirmed(goal int, g Goal, load float64) bool {
	need := s.confirmLength(g) * 99 / 100
	l := s.find(load)
	return need > 0 && l != nil && slices.ContainsFunc(l.trials, func(t Trial) bool {
		return t.Duration >= need && t.verdict(goal, g) == Good
	})
}

func (s *state) say(load float64) string {
	text := fmt.Sprintf("%.4g", load)
	if load >= 1000 && load < 1e15 {
		text = grouped(strconv.FormatFloat(load, 'f', 0, 64))
	}
	return strings.TrimSuffix(text+" "+s.o.Unit, " ")
}

// grouped puts commas between thousands.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
