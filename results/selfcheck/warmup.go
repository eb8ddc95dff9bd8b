package selfcheck

// The shape of MSER-5.
const (
	mserBatch   = 5
	mserBatches = 10 // the fewest that are judged
)

// Warmup is what MSER5 found.
type Warmup struct {
	Enough  bool // false: nothing below means anything
	Warm    bool // the series settled within its first half
	Cut     int  // windows at its start to leave out
	Windows int  // that were judged
	// Shift: the median of what is left out differs from that of the rest by more than
	// chance, or the whole series has a trend. Without it a Cut is a stretch that happened
	// to vary more.
	Shift bool
}

// MSER5 finds where a series of windows' values stops being warm-up: with Y_1..Y_k
// the means of 5 consecutive windows, it leaves out the first d* batches, d*
// minimising sum_{i>d} (Y_i - mean_{i>d})^2 / (k-d)^2, the squared standard error
// of what remains (K. P. White, "An Effective Truncation Heuristic for Bias
// Reduction in Simulation Output", Simulation 69, 1997). A d* in the second half
// means that the series never warmed up and should be longer; so d is searched
// beyond the half, up to where a tenth and at least 5 batches remain, since fewer
// can be alike by chance. At least 50 windows are needed, all finite; windows
// after the last whole five are left out of account.
func MSER5(series []float64) Warmup {
	k := len(series) / mserBatch
	w := Warmup{Windows: k * mserBatch}
	if k < mserBatches || !allFinite(series) {
		return w
	}
	batches := make([]float64, k)
	for i := range batches {
		batches[i] = mean(series[i*mserBatch : (i+1)*mserBatch])
	}
	// Suffix means and sums of squares, by Welford's update from the end.
	least := max(5, k/10)
	best, cut := 0.0, -1
	m, s := 0.0, 0.0
	for d := k - 1; d >= 0; d-- {
		left := float64(k - d)
		delta := batches[d] - m
		m += delta / left
		s += delta * (batches[d] - m)
		if k-d < least {
			continue
		}
		if se := s / (left * left); cut < 0 || se <= best {
			best, cut = se, d
		}
	}
	if !finite(best) || !finite(m) || !finite(s) {
		return w
	}
	w.Enough, w.Warm, w.Cut = true, 2*cut <= k, cut*mserBatch
	w.Shift = cut > 0 && (shifted(series[:w.Cut], series[w.Cut:w.Windows]) || TheilSen(series).Significant())
	return w
}

// shifted tells whether the 95% intervals of the medians of what is cut and of what is
// kept do not overlap. Both take the dependence of what is kept: that of what settles is
// the settling itself.
func shifted(cut, kept []float64) bool {
	tau := tauOf(kept)
	_, before := medianCI(cut, tau)
	_, after := medianCI(kept, tau)
	return apart(before, after)
}

// Check judges w. Value is the windows to leave out, Limit half of all. A cut in the
// second half warns only with a Shift: of series that are stationary one in ten has
// such a cut, and one in three whose values are pauses now and then.
func (w Warmup) Check() Check {
	c := Check{Name: "warm-up", Limit: float64(w.Windows / 2), Unit: "windows"}
	switch {
	case !w.Enough:
		return c.unknown("Whether the node was warm can't be told: it takes %d windows, all with a value.", mserBatch*mserBatches)
	case !w.Warm && !w.Shift:
		return c.judged(NotEnough, float64(w.Cut), "Whether the node was warm can't be told: response times vary less after %d of %d windows, but are no other than chance makes them.", w.Cut, w.Windows)
	case !w.Warm:
		return c.judged(Warn, float64(w.Cut), "The node never warmed up: response times still settled after %d of %d windows. Warm up or run for longer.", w.Cut, w.Windows)
	case w.Cut == 0:
		return c.judged(OK, 0, "The node was warm from the first of %d windows.", w.Windows)
	}
	return c.judged(OK, float64(w.Cut), "The node was warm after the first %d of %d windows.", w.Cut, w.Windows)
}
