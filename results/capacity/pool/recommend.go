package pool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Measure is a time in seconds with its 95% interval.
type Measure struct {
	Value, Low float64
	High       float64 // +Inf when there is no upper bound; null in JSON
}

type measureJSON struct {
	Value float64  `json:"value"`
	Low   float64  `json:"low"`
	High  *float64 `json:"high"`
}

// MarshalJSON writes {"value", "low", "high"}.
func (m Measure) MarshalJSON() ([]byte, error) {
	out := measureJSON{m.Value, m.Low, &m.High}
	if math.IsInf(m.High, 1) {
		out.High = nil
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Measure) UnmarshalJSON(b []byte) error {
	var in measureJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*m = Measure{in.Value, in.Low, math.Inf(1)}
	if in.High != nil {
		m.High = *in.High
	}
	return nil
}

func (m Measure) usable() bool {
	return m.Value > 0 && !math.IsInf(m.Value, 0) && m.Low >= 0 && m.Low <= m.Value && m.High >= m.Value
}

// Point is one setting on the front, measured or predicted.
type Point struct {
	Setting int     `json:"setting"` // slots a batch: batch_concurrency_limit
	Batch   Measure `json:"batch_p99"`
	Probe   Measure `json:"probe_p99"`
	// The means are for show; 0 is not known.
	BatchMean float64 `json:"batch_mean,omitempty"`
	ProbeMean float64 `json:"probe_mean,omitempty"`
	Trials    int     `json:"trials"`
	// Batches and Probes are the p99 of each repeat. When all points have equally
	// many, at least 3, the i-th of each came of the same block (the same arrivals, or
	// next to each other in time), and settings are compared by their ratios within
	// blocks, which shows smaller differences than intervals that overlap or not.
	Batches []float64 `json:"batch_p99s,omitempty"`
	Probes  []float64 `json:"probe_p99s,omitempty"`
	// Within says that the probe's p99 stays within the guard. Recommend sets it.
	Within bool `json:"within_guard"`
}

// NewPoint is a setting measured in repeats, the i-th of each setting in the same
// block: the p99 of batches and of probes, in seconds.
func NewPoint(setting int, batches, probes []float64) Point {
	return Point{Setting: setting, Batch: Over(batches), Probe: Over(probes), Batches: batches, Probes: probes, Trials: len(batches)}
}

// Guard is what singletons are worth. The zero value allows a probe p99 of twice
// that at one slot.
type Guard struct {
	// Limit is the highest probe p99 allowed, in seconds; 0 for none.
	Limit float64 `json:"limit,omitempty"`
	// Factor of the probe p99 at one slot is allowed when there is no Limit; 0 means 2.
	Factor float64 `json:"factor,omitempty"`
	// Tolerance is a relative difference of batch p99 that is worth nothing: a
	// smaller setting is taken if it may be within that of the best. 0 for none.
	Tolerance float64 `json:"tolerance,omitempty"`
}

// Recommendation is a setting and why.
type Recommendation struct {
	Setting int     `json:"setting"`
	Guard   float64 `json:"guard"`  // probe p99 allowed, in seconds
	Paired  bool    `json:"paired"` // settings were compared within blocks
	Reason  string  `json:"reason"`
	// NoDifference says that no two settings within the guard could be told apart.
	NoDifference bool `json:"no_difference"`
	// Detectable is the smallest relative difference of batch p99 from the best that
	// the measurement would have shown 4 times of 5, such as 0.12; 0 when there is
	// nothing to compare, and 1e9 when the intervals have no end.
	Detectable float64  `json:"minimal_detectable_effect,omitempty"`
	Front      []Point  `json:"front"` // ascending settings, all of them
	Warnings   []string `json:"warnings,omitempty"`
}

// Recommend chooses from a front: among the settings whose probe p99 stays within
// the guard, the smallest whose batch p99 interval overlaps that of the best, or,
// where repeats are paired, whose ratio to the best has an interval that holds 1. A
// small limit is preferred because what a higher one gains must be shown, while
// what it costs others is certain.
func Recommend(front []Point, g Guard) (Recommendation, error) {
	r := Recommendation{Front: slices.Clone(front)}
	slices.SortFunc(r.Front, func(a, b Point) int { return cmp.Compare(a.Setting, b.Setting) })
	for i, p := range r.Front {
		switch {
		case p.Setting < 1:
			return r, fmt.Errorf("pool: setting %d: a batch needs at least 1 slot", p.Setting)
		case i > 0 && p.Setting == r.Front[i-1].Setting:
			return r, fmt.Errorf("pool: setting %d is given twice: merge its trials first", p.Setting)
		case !p.Batch.usable():
			return r, fmt.Errorf("pool: the batch p99 at setting %d, %g s in [%g, %g], is no measured time", p.Setting, p.Batch.Value, p.Batch.Low, p.Batch.High)
		case !p.Probe.usable():
			return r, fmt.Errorf("pool: the probe p99 at setting %d, %g s in [%g, %g], is no measured time: run a stream of singletons beside the batches", p.Setting, p.Probe.Value, p.Probe.Low, p.Probe.High)
		}
	}
	if len(r.Front) < 2 {
		return r, fmt.Errorf("pool: %d settings leave nothing to choose: measure at least 2", len(r.Front))
	}
	if err := r.guard(g); err != nil {
		return r, err
	}
	var within []Point
	var unsure []string // settings whose interval holds the guard
	for i := range r.Front {
		p := &r.Front[i]
		if p.Within = p.Probe.Value <= r.Guard; p.Within {
			within = append(within, *p)
		}
		if p.Probe.Low <= r.Guard && p.Probe.High > r.Guard {
			unsure = append(unsure, strconv.Itoa(p.Setting))
		}
	}
	if len(unsure) > 0 {
		r.warn("whether the probe p99 stays within the guard of %s is not certain at %s: the interval holds it", seconds(r.Guard), strings.Join(unsure, ", "))
	}
	if len(within) == 0 {
		return r, fmt.Errorf("pool: no setting keeps the probe p99 within %s; the least is %s at %s: allow more, or lower the rate", seconds(r.Guard), seconds(quietest(r.Front).Probe.Value), slots(quietest(r.Front).Setting))
	}
	r.Paired = paired(r.Front)
	r.choose(within, g.Tolerance)
	return r, nil
}

func (r *Recommendation) warn(format string, a ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, a...))
}

func (r *Recommendation) guard(g Guard) error {
	if all := g.Limit + g.Factor + g.Tolerance; g.Limit < 0 || g.Factor < 0 || g.Tolerance < 0 || math.IsNaN(all) || math.IsInf(all, 0) {
		return errors.New("pool: a guard must be a time, or a factor, and a tolerance of 0 or above")
	}
	if g.Limit > 0 {
		r.Guard = g.Limit
		return nil
	}
	if g.Factor == 0 {
		g.Factor = 2
	}
	first := r.Front[0]
	if first.Setting != 1 {
		r.warn("one slot was not measured: the guard is %g times the probe p99 at %d slots, the fewest measured", g.Factor, first.Setting)
	}
	r.Guard = g.Factor * first.Probe.Value
	return nil
}

func quietest(front []Point) Point {
	return slices.MinFunc(front, func(a, b Point) int { return cmp.Compare(a.Probe.Value, b.Probe.Value) })
}

func (r *Recommendation) choose(within []Point, tolerance float64) {
	best := slices.MinFunc(within, func(a, b Point) int { return cmp.Compare(a.Batch.Value, b.Batch.Value) })
	chosen := best
	same := 0
	for _, p := range within {
		worse := r.compare(p, best)
		if worse.low <= math.Log1p(tolerance) {
			chosen = firstOf(chosen, p)
			same++
		}
		if p.Setting != best.Setting {
			r.Detectable = max(r.Detectable, worse.detectable())
		}
	}
	r.Setting = chosen.Setting
	r.NoDifference = len(within) > 1 && same == len(within)
	r.Reason = r.reason(within, best, chosen)
	last := r.Front[len(r.Front)-1]
	if chosen.Setting == last.Setting {
		r.warn("%d slots is the highest setting measured: a higher one may be better", last.Setting)
	}
	for _, p := range r.Front {
		if math.IsInf(p.Batch.High, 1) || math.IsInf(p.Probe.High, 1) {
			r.warn("at %d slots a p99 has no upper bound: too few repeats or samples", p.Setting)
		}
	}
}

// difference is how far a setting's batch p99 is above the best's, in logarithms:
// the lower end of its 95% interval, and its standard error.
type difference struct{ low, se float64 }

func (r *Recommendation) compare(p, best Point) difference {
	switch {
	case p.Setting == best.Setting:
		return difference{}
	case r.Paired:
		ratios := make([]float64, len(p.Batches))
		for i := range ratios {
			ratios[i] = p.Batches[i] / best.Batches[i]
		}
		m := Over(ratios)
		return difference{math.Log(m.Low), spread(m) / tQuantile(len(ratios)-1)}
	}
	// Intervals overlap if the lower end of the one is at most the upper of the other.
	return difference{math.Log(p.Batch.Low / best.Batch.High), math.Hypot(spread(p.Batch), spread(best.Batch)) / 1.959964}
}

func paired(front []Point) bool {
	n := len(front[0].Batches)
	for _, p := range front {
		if len(p.Batches) != n || n < 3 {
			return false
		}
		for _, x := range p.Batches {
			if !(x > 0) || math.IsInf(x, 0) {
				return false
			}
		}
	}
	return true
}

func firstOf(a, b Point) Point {
	if b.Setting < a.Setting {
		return b
	}
	return a
}

// detectable is the ratio shown with 80% power at 5%, less 1: exp(2.80 se) - 1,
// normal in the logarithm.
func (d difference) detectable() float64 {
	ratio := math.Expm1(2.80 * d.se)
	if math.IsNaN(ratio) || ratio > 1e9 {
		return 1e9
	}
	return ratio
}

func (r *Recommendation) reason(within []Point, best, chosen Point) string {
	var b strings.Builder
	limit := fmt.Sprintf("the guard of %s for the p99 of singletons", seconds(r.Guard))
	switch {
	case len(within) == 1:
		fmt.Fprintf(&b, "%s is the only setting within %s.", slots(chosen.Setting), limit)
	case r.NoDifference:
		fmt.Fprintf(&b, "No difference in batch p99 was shown among the %d settings within %s (%s); %s is the smallest.", len(within), limit, detectableText(r.Detectable), slots(chosen.Setting))
	case chosen.Setting == best.Setting:
		fmt.Fprintf(&b, "%s has the best batch p99, %s, within %s, and every smaller setting was shown to be worse.", slots(chosen.Setting), seconds(best.Batch.Value), limit)
	default:
		fmt.Fprintf(&b, "%s is the smallest setting within %s whose batch p99, %s, cannot be told from the best, %s at %d.", slots(chosen.Setting), limit, seconds(chosen.Batch.Value), seconds(best.Batch.Value), best.Setting)
	}
	if out := len(r.Front) - len(within); out > 0 {
		fmt.Fprintf(&b, " %d of %d settings are outside the guard.", out, len(r.Front))
	}
	return b.String()
}

func detectableText(d float64) string {
	if d >= 1e9 {
		return "the intervals have no end: no difference could have been shown"
	}
	if d > 10 {
		return "the repeats differ so much that one of many times would have been missed"
	}
	return fmt.Sprintf("one of %.0f%% would have been shown 4 times of 5", 100*d)
}

func slots(n int) string {
	if n == 1 {
		return "1 slot"
	}
	return fmt.Sprintf("%d slots", n)
}

// seconds writes a time as people read it.
func seconds(s float64) string {
	switch {
	case s >= 1:
		return fmt.Sprintf("%.3g s", s)
	case s >= 1e-3:
		return fmt.Sprintf("%.3g ms", 1e3*s)
	}
	return fmt.Sprintf("%.3g us", 1e6*s)
}

// StartingSlots is a rule of thumb for the first setting to look at: max(1, min(n,
// m(1-rho)(1+w/d))), with n entries, m workers at utilisation rho, and w/d the
// time an entry waits without a worker over the time it works. It lands near the
// optimum of batch p99 under processor sharing; a FIFO pool has none.
func StartingSlots(entries, workers int, utilisation, waitOverWork float64) int {
	c := float64(workers) * (1 - utilisation) * (1 + waitOverWork)
	if !(c >= 1) {
		return 1
	}
	return int(math.Round(min(c, max(1, float64(entries)))))
}

// Candidates are the settings to measure around a recommended one: half of it,
// itself and double, one slot for the guard, within 1..most.
func Candidates(setting, most int) []int {
	var out []int
	for _, c := range []int{1, setting / 2, setting, 2 * setting} {
		if c = min(c, most); c >= 1 {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
