package selfcheck

import "math"

// maxIgnored is the share of sends without a gap above which gaps say nothing.
const maxIgnored = 0.001

// Checks judges f. A process with chance in it is void only when the deviation is
// over its limit by more than chance gives once in a hundred, so that a short run
// of an honest generator isn't condemned; over the limit by less, it is open.
func (f Fidelity) Checks() []Check {
	switch f.Process {
	case Poisson:
		return []Check{f.distance(), f.poissonDispersion(), f.anderson()}
	case Uniform:
		return []Check{f.distance()}
	case Constant:
		return []Check{f.pacedDispersion(), f.deviation()}
	}
	c := Check{Name: "arrivals", Unit: pure}
	return []Check{c.unknown("The arrivals follow no process that could be checked.")}
}

// disordered is whether too many sends had no gap for the rest to be judged.
func (f Fidelity) disordered() bool {
	return float64(f.Ignored) > maxIgnored*float64(f.Gaps+f.Ignored)
}

const disorderedSentence = "%d of %d sends came out of order or outside of the plan, so the gaps between sends can't be told."

func (f Fidelity) distance() Check {
	c := Check{Name: "arrival gaps", Limit: MaxDistance, Unit: pure}
	asked := "exponential"
	if f.Process == Uniform {
		asked = "uniform"
	}
	switch {
	case f.disordered():
		return c.unknown(disorderedSentence, f.Ignored, f.Gaps+f.Ignored)
	case f.Gaps < minGaps:
		return c.unknown("%d gaps between sends are too few to hold against the %s distribution: it takes %d.", f.Gaps, asked, minGaps)
	case f.Distance <= MaxDistance:
		return c.judged(OK, f.Distance, "Gaps between sends are %s as asked: largest distance %.4f over %d gaps (limit %.2g).", asked, f.Distance, f.Gaps, MaxDistance)
	case f.Distance-f.DistanceChance <= MaxDistance:
		return c.judged(NotEnough, f.Distance, "Gaps between sends differ from the %s distribution by %.4f (limit %.2g), which chance can do with only %d gaps.", asked, f.Distance, MaxDistance, f.Gaps)
	}
	return c.judged(Void, f.Distance, "Gaps between sends are not %s as asked: largest distance %.4f over %d gaps (limit %.2g). The load was not the asked one.", asked, f.Distance, f.Gaps, MaxDistance)
}

func (f Fidelity) poissonDispersion() Check {
	c := Check{Name: "arrival dispersion", Limit: 1 + MaxDispersion, Unit: pure}
	if f.Dispersion < 1 {
		c.Limit = 1 - MaxDispersion
	}
	off := math.Abs(f.Dispersion - 1)
	switch {
	case f.disordered():
		return c.unknown(disorderedSentence, f.Ignored, f.Gaps+f.Ignored)
	case f.Windows < minWindows || f.Gaps < minGaps:
		return c.unknown("%d sends in %d windows of 100 ms are too few for an index of dispersion: it takes %d in %d.", f.Gaps, f.Windows, minGaps, minWindows)
	case off <= MaxDispersion:
		return c.judged(OK, f.Dispersion, "Sends cluster as Poisson arrivals do: index of dispersion %.3f over %d windows of 100 ms (asked 0.9 to 1.1).", f.Dispersion, f.Windows)
	case off-f.DispersionChance <= MaxDispersion:
		return c.judged(NotEnough, f.Dispersion, "The index of dispersion is %.3f (asked 0.9 to 1.1), which chance can do in only %d windows of 100 ms.", f.Dispersion, f.Windows)
	case f.Dispersion < 1:
		return c.judged(Void, f.Dispersion, "Sends are more even than Poisson arrivals: index of dispersion %.3f over %d windows of 100 ms (asked 0.9 to 1.1). Queues would look shorter than they are.", f.Dispersion, f.Windows)
	}
	return c.judged(Void, f.Dispersion, "Sends are burstier than Poisson arrivals, or their rate is not the asked one: index of dispersion %.3f over %d windows of 100 ms (asked 0.9 to 1.1).", f.Dispersion, f.Windows)
}

func (f Fidelity) anderson() Check {
	c := Check{Name: "arrival gaps (Anderson-Darling)", Limit: anderson1, Unit: pure}
	switch {
	case f.disordered():
		return c.unknown(disorderedSentence, f.Ignored, f.Gaps+f.Ignored)
	case f.Gaps < minGaps:
		return c.unknown("%d gaps between sends are too few for an Anderson-Darling test: it takes %d.", f.Gaps, minGaps)
	case f.Sampled == 0:
		return c.unknown("The gaps sampled for an Anderson-Darling test are all 0.")
	case f.AndersonDarling <= anderson5:
		return c.judged(OK, f.AndersonDarling, "For information: Anderson-Darling on %d gaps is %.2f, below the 5%% critical value %.3f.", f.Sampled, f.AndersonDarling, anderson5)
	case f.AndersonDarling <= anderson1:
		return c.judged(OK, f.AndersonDarling, "For information: Anderson-Darling on %d gaps is %.2f, between the critical values at 5%% (%.3f) and 1%% (%.3f).", f.Sampled, f.AndersonDarling, anderson5, anderson1)
	}
	return c.judged(Warn, f.AndersonDarling, "For information: Anderson-Darling on %d gaps is %.2f, above the 1%% critical value %.3f: a deviation that can be told, whose size the other checks judge.", f.Sampled, f.AndersonDarling, anderson1)
}

func (f Fidelity) pacedDispersion() Check {
	c := Check{Name: "arrival dispersion", Limit: MaxDispersion, Unit: pure}
	switch {
	case f.disordered():
		return c.unknown(disorderedSentence, f.Ignored, f.Gaps+f.Ignored)
	case f.Windows < minWindows || f.Gaps < minWindows:
		return c.unknown("%d sends in %d windows of 100 ms are too few to tell whether they were paced: it takes %d.", f.Gaps, f.Windows, minWindows)
	case f.Dispersion <= MaxDispersion:
		return c.judged(OK, f.Dispersion, "Sends were paced as asked: index of dispersion about the due times %.3f over %d windows of 100 ms (limit %.2g).", f.Dispersion, f.Windows, MaxDispersion)
	}
	return c.judged(Void, f.Dispersion, "Sends were not paced as asked but came in bunches: index of dispersion about the due times %.3f over %d windows of 100 ms (limit %.2g).", f.Dispersion, f.Windows, MaxDispersion)
}

// deviation only warns: one pause of the machine is in it.
func (f Fidelity) deviation() Check {
	limit := max(lateGrace, f.MeanGap)
	c := Check{Name: "arrival deviation", Limit: inMicros(limit), Unit: micros}
	switch {
	case f.disordered():
		return c.unknown(disorderedSentence, f.Ignored, f.Gaps+f.Ignored)
	case f.Gaps < minWindows:
		return c.unknown("%d gaps between sends are too few to tell whether they were paced: it takes %d.", f.Gaps, minWindows)
	case f.Farthest <= limit:
		return c.judged(OK, inMicros(f.Farthest), "No gap between sends was more than %s from its planned length.", brief(f.Farthest))
	}
	return c.judged(Warn, inMicros(f.Farthest), "A gap between sends was %s from its planned length, more than %s: calls bunched there at least once.", brief(f.Farthest), brief(limit))
}
