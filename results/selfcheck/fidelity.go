package selfcheck

import (
	"fmt"
	"math"
)

// maxIgnored is the share of sends without a gap above which gaps say nothing.
const maxIgnored = 0.001

// maxWaited is the share of sends held up by others than the generator from which
// on the rest are no fair sample of its work.
const maxWaited = 0.01

// Checks judges f. Only the distance of the gaps voids, and only from voidDistance
// on, by more than chance gives once in a hundred: a distance over MaxDistance tells
// a timer's grain on a busy machine from none, which is to be known, while the node
// still met Poisson arrivals. The index of dispersion only warns: two windows
// out of order, which one pause of 100 ms of the machine makes, move it by as much as a
// process with twice the variance does. A paced process is void, when it is, by the
// lateness of its calls; its farthest gap, which is one pause, is told and not judged.
func (f Fidelity) Checks() []Check {
	switch f.Process {
	case Poisson:
		return []Check{f.distance(), f.poissonDispersion()}
	case Uniform:
		return []Check{f.distance()}
	case Constant:
		return []Check{f.pacedDispersion()}
	}
	c := Check{Name: "arrivals", Unit: pure}
	return []Check{c.unknown("The arrivals follow no process that could be checked.")}
}

// unfit is why f's sends can't be judged; "" when they can.
func (f Fidelity) unfit() string {
	all := f.Gaps + f.Ignored + f.Waited
	switch {
	case float64(f.Waited) > maxWaited*float64(all):
		return fmt.Sprintf("%d of %d sends waited for the node or for a ceiling, so the gaps between sends are not the generator's doing.", f.Waited, all)
	case float64(f.Ignored) > maxIgnored*float64(all):
		return fmt.Sprintf("%d of %d sends came out of order or outside of the plan, so the gaps between sends can't be told.", f.Ignored, all)
	}
	return ""
}

func (f Fidelity) distance() Check {
	c := Check{Name: "arrival gaps", Limit: MaxDistance, Unit: pure}
	asked := "exponential"
	if f.Process == Uniform {
		asked = "uniform"
	}
	switch {
	case f.unfit() != "":
		return c.unknown("%s", f.unfit())
	case f.Gaps < minGaps:
		return c.unknown("%d gaps between sends are too few to hold against the %s distribution: it takes %d.", f.Gaps, asked, minGaps)
	case f.Distance <= MaxDistance:
		return c.judged(OK, f.Distance, "Gaps between sends are %s as asked: largest distance %.4f over %d gaps (limit %.2g%s).", asked, f.Distance, f.Gaps, MaxDistance, f.anderson())
	case f.Distance-f.DistanceChance <= MaxDistance:
		return c.judged(NotEnough, f.Distance, "Gaps between sends differ from the %s distribution by %.4f (limit %.2g), which chance can do with only %d gaps.", asked, f.Distance, MaxDistance, f.Gaps)
	}
	if f.Distance-f.DistanceChance > voidDistance {
		return c.judged(Void, f.Distance, "Gaps between sends are not %s as asked: largest distance %.4f over %d gaps (limit %.2g, void from %.2g). The load was not the asked one.", asked, f.Distance, f.Gaps, MaxDistance, voidDistance)
	}
	return c.judged(Warn, f.Distance, "Gaps between sends are %s but for a largest distance of %.4f over %d gaps (limit %.2g%s).", asked, f.Distance, f.Gaps, MaxDistance, f.anderson())
}

func (f Fidelity) poissonDispersion() Check {
	c := Check{Name: "arrival dispersion", Limit: 1 + MaxDispersion, Unit: pure}
	if f.Dispersion < 1 {
		c.Limit = 1 - MaxDispersion
	}
	off := math.Abs(f.Dispersion - 1)
	switch {
	case f.unfit() != "":
		return c.unknown("%s", f.unfit())
	case f.Windows < minWindows || f.Gaps < minGaps:
		return c.unknown("%d sends in %d windows of 100 ms are too few for an index of dispersion: it takes %d in %d.", f.Gaps, f.Windows, minGaps, minWindows)
	case off <= MaxDispersion:
		return c.judged(OK, f.Dispersion, "Sends cluster as Poisson arrivals do: index of dispersion %.3f over %d windows of 100 ms (asked 0.9 to 1.1).", f.Dispersion, f.Windows)
	case off-f.DispersionChance <= MaxDispersion:
		return c.judged(NotEnough, f.Dispersion, "The index of dispersion is %.3f (asked 0.9 to 1.1), which chance can do in only %d windows of 100 ms.", f.Dispersion, f.Windows)
	case f.Dispersion < 1:
		return c.judged(Warn, f.Dispersion, "Sends are more even than Poisson arrivals: index of dispersion %.3f over %d windows of 100 ms (asked 0.9 to 1.1). Queues would look shorter than they are.", f.Dispersion, f.Windows)
	}
	return c.judged(Warn, f.Dispersion, "Sends are burstier than Poisson arrivals, or their rate is not the asked one: index of dispersion %.3f over %d windows of 100 ms (asked 0.9 to 1.1).", f.Dispersion, f.Windows)
}

// anderson tells the Anderson-Darling statistic, for information: at so many gaps it
// rejects what harms nobody.
func (f Fidelity) anderson() string {
	if f.Sampled == 0 {
		return ""
	}
	return fmt.Sprintf("; Anderson-Darling %.2f on %d of them, 1%% critical value %.3f", f.AndersonDarling, f.Sampled, anderson1)
}

func (f Fidelity) pacedDispersion() Check {
	c := Check{Name: "arrival dispersion", Limit: MaxDispersion, Unit: pure}
	switch {
	case f.unfit() != "":
		return c.unknown("%s", f.unfit())
	case f.Windows < minWindows || f.Gaps < minWindows:
		return c.unknown("%d sends in %d windows of 100 ms are too few to tell whether they were paced: it takes %d.", f.Gaps, f.Windows, minWindows)
	case f.Dispersion <= MaxDispersion:
		return c.judged(OK, f.Dispersion, "Sends were paced as asked: index of dispersion about the due times %.3f over %d windows of 100 ms (limit %.2g); no gap was more than %s from its planned length.", f.Dispersion, f.Windows, MaxDispersion, brief(f.Farthest))
	}
	return c.judged(Warn, f.Dispersion, "Sends were not paced as asked but came in bunches: index of dispersion about the due times %.3f over %d windows of 100 ms (limit %.2g); a gap was %s from its planned length.", f.Dispersion, f.Windows, MaxDispersion, brief(f.Farthest))
}
