package selfcheck

import (
	"math"
	"time"
)

// Process is the kind of arrivals that was asked for, in the scenario's words.
type Process string

// The processes.
const (
	Constant Process = "constant" // paced: calls leave when due
	Uniform  Process = "uniform"  // gaps uniform on (0, 2 means)
	Poisson  Process = "poisson"  // gaps exponential
)

// Limits of inter-arrival fidelity. They are sizes of an effect and not levels of
// significance: over millions of gaps a test rejects a timer's harmless grain.
const (
	MaxDistance   = 0.02 // of the gaps' distribution from the asked one (KS)
	MaxDispersion = 0.1  // of the index of dispersion from the asked one

	// voidDistance is where the asked process can't be recognised any more: uniform
	// gaps are 0.153 from exponential ones, paced ones 0.632.
	voidDistance = 0.1
)

const (
	minGaps    = 1000 // for a distance
	minWindows = 20   // for a dispersion
	// chance is the level at which a deviation is more than chance: 1%.
	chance  = 0.01
	chanceZ = 2.5758293035489004 // its two-sided normal quantile
)

// Gaps judges, from the instants at which calls were sent, whether they came as
// the asked process would have them. One Gaps is for one phase. It holds about
// 70 KB whatever the number of sends. Make it with NewGaps.
type Gaps struct {
	process  Process
	expected func(time.Duration) float64

	n        int64 // gaps taken
	ignored  int64
	waited   int64
	started  bool
	due      time.Duration // of the send before
	sent     time.Duration
	position float64 // expected(sent)
	farthest time.Duration

	dist   ecdf
	sample thinned
	plan   planCounts
	paced  dueCounts
}

// NewGaps judges sends of a phase with process p. expected gives the number of
// calls that the plan expects by an instant after the phase's start; it never
// falls, and rises as far as sends are added. Gaps are measured on its scale, on
// which a Poisson process has rate 1 however its rate varies in time (the
// time-change theorem), so a ramp is judged as a steady phase is. A constant
// process is held to its due times instead and needs no expected.
func NewGaps(p Process, expected func(at time.Duration) float64) *Gaps {
	return &Gaps{process: p, expected: expected}
}

// Add takes one measured send, due and sent being offsets from the phase's start.
// Sends must come in the order in which they were sent. A send that is earlier
// than the one before, negative, or where expected doesn't rise to a finite
// number has no gap: it is ignored and counted, and too many of them leave the
// verdict open.
func (g *Gaps) Add(due, sent time.Duration) {
	const ages = 1 << 62
	if due < 0 || sent < 0 || due > ages || sent > ages || (g.started && sent < g.sent) {
		g.ignored++
		return
	}
	switch {
	case g.process == Constant:
		g.addPaced(due, sent)
	case g.expected != nil && (g.process == Poisson || g.process == Uniform):
		g.addRandom(sent)
	default:
		g.ignored++
		return
	}
	g.due, g.sent = due, sent
}

// Skip counts a send that others than the generator held up, such as a node that
// all callers wait for. It has no gap, nor has the one after it, and the counts of
// windows begin anew.
func (g *Gaps) Skip() {
	g.waited++
	g.started, g.plan.started = false, false
}

func (g *Gaps) addPaced(due, sent time.Duration) {
	g.paced.add(due, sent)
	if g.started {
		g.n++
		planned := due - g.due
		g.farthest = max(g.farthest, (sent - g.sent - planned).Abs())
	}
	g.started = true
}

func (g *Gaps) addRandom(sent time.Duration) {
	at := g.expected(sent)
	if !finite(at) || (g.started && (at < g.position || (at == g.position && sent > g.sent))) {
		g.ignored++
		return
	}
	g.plan.add(sent, g.expected)
	if g.started {
		gap := at - g.position
		g.n++
		if g.process == Poisson {
			g.dist.add(-math.Expm1(-gap))
			g.sample.add(gap)
		} else {
			g.dist.add(min(gap/2, 1))
		}
	}
	g.started, g.position = true, at
}

// Fidelity is what Gaps measured. What was not measured is 0.
type Fidelity struct {
	Process Process
	Gaps    int64
	Ignored int64
	Waited  int64 // sends that were skipped
	// Distance is the Kolmogorov-Smirnov distance of the gaps from the planned
	// distribution with the planned mean, from above by at most 1/4096.
	// DistanceChance is what chance alone exceeds once in a hundred:
	// sqrt(ln(2/0.01)/(2n)) (P. Massart, "The Tight Constant in the Dvoretzky-
	// Kiefer-Wolfowitz Inequality", Annals of Probability 18, 1990).
	Distance, DistanceChance float64
	// Dispersion is the index of dispersion of counts per 100 ms window about the
	// plan: sum (sent - expected)^2 / sum expected. It is 1 for Poisson at any
	// rate, steady or not, and 0 for a paced process, whose expected counts are
	// those of its due times. (At a steady rate that is met it is variance over
	// mean: D. R. Cox, P. A. W. Lewis, The Statistical Analysis of Series of
	// Events, 1966.) DispersionChance is what chance alone exceeds once in a
	// hundred for Poisson: 2.58 sqrt(2/windows + 1/sends).
	Dispersion, DispersionChance float64
	Windows                      int64
	// AndersonDarling is A2* over Sampled gaps spread evenly over the run.
	AndersonDarling float64
	Sampled         int
	// Farthest is the most that a gap differed from the gap of the due times, for
	// a constant process.
	Farthest time.Duration
}

// Fidelity measures what was added so far.
func (g *Gaps) Fidelity() Fidelity {
	f := Fidelity{Process: g.process, Gaps: g.n, Ignored: g.ignored, Waited: g.waited}
	if g.n == 0 {
		return f
	}
	if g.process == Constant {
		squares, windows := g.paced.totals()
		f.Windows = windows
		f.Dispersion = squares / float64(g.paced.sends)
		f.Farthest = g.farthest
		return f
	}
	f.Distance = g.dist.distance()
	f.DistanceChance = math.Sqrt(math.Log(2/chance) / (2 * float64(g.n)))
	if g.process == Poisson {
		if f.Windows = g.plan.windows; g.plan.expected > 0 {
			f.Dispersion = g.plan.squares / g.plan.expected
			f.DispersionChance = chanceZ * math.Sqrt(2/float64(f.Windows)+1/g.plan.expected)
		}
		if a2, ok := AndersonDarling(g.sample.values[:g.sample.kept]); ok {
			f.AndersonDarling, f.Sampled = a2, g.sample.kept
		}
	}
	return f
}
