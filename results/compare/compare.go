package compare

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"volley/results/paired"
	"volley/results/study"
)

// Options are how two sides are compared.
type Options struct {
	Metric   string  // judged by itself; "" for Primary
	Margin   float64 // the relative change that does not matter, such as 0.02; 0: none
	Unpaired bool    // though there are as many runs on either side
	Rules    []Rule
}

// Sides compares B with A. Whether they may be compared is for Check to say. The
// answer's Head says no more of where it comes from than the runs do.
func Sides(a, b *Side, o Options) (*study.Compare, error) {
	all, err := chosen(o.Metric, o.Rules)
	if err != nil {
		return nil, err
	}
	if len(a.Runs) == 0 || len(b.Runs) == 0 {
		return nil, errors.New("a side without runs cannot be compared")
	}
	c := &study.Compare{A: a.Label, B: b.Label, Margin: o.Margin, Differ: []study.Setting{}, Metrics: []study.Comparison{}}
	c.Head = head(a, b)
	m := match(a, b, o.Unpaired)
	if n := shared(a.Runs, b.Runs); n > 0 {
		m.warn("%d of the runs of A are runs of B too: they say nothing of a difference", n)
	}
	c.Within, c.Warnings = m.within, append(c.Warnings, m.warnings...)
	if m.paired {
		c.Pairs = len(m.a)
	}
	for _, r := range m.a {
		c.RunsA = append(c.RunsA, r.Dir)
	}
	for _, r := range m.b {
		c.RunsB = append(c.RunsB, r.Dir)
	}
	measured := make([]measure, len(all))
	for i, metric := range all {
		measured[i] = m.measure(metric)
	}
	judge(measured[:1], o.Margin)
	judge(measured[1:], o.Margin)
	for i := range measured {
		measured[i].out.Primary = i == 0
		c.Metrics = append(c.Metrics, measured[i].out)
	}
	for i := range o.Rules {
		at := slices.IndexFunc(c.Metrics, func(m study.Comparison) bool { return m.Name == o.Rules[i].Metric })
		c.Rules = append(c.Rules, o.Rules[i].hold(&c.Metrics[at]))
	}
	return c, nil
}

// shared counts the runs of a that are runs of b too.
func shared(a, b []*Run) (n int) {
	for _, r := range a {
		if r.Dir != "" && slices.ContainsFunc(b, func(o *Run) bool { return filepath.Clean(o.Dir) == filepath.Clean(r.Dir) }) {
			n++
		}
	}
	return n
}

func head(a, b *Side) study.Head {
	first := a.Runs[0].summary
	h := study.Head{
		Format: study.Format, Volley: first.Volley, Name: first.Name, Seed: first.Seed, Dialect: first.Dialect, Bundled: first.Bundled,
		Status: study.Finished, Warnings: []string{}, Environment: first.Environment, Started: first.Started,
	}
	for _, r := range slices.Concat(a.Runs, b.Runs) {
		if r.Started.Before(h.Started) {
			h.Started = r.Started
		}
		if f := r.summary.Finished; f != nil && f.After(h.Finished) {
			h.Finished = *f
		}
	}
	return h
}

// matched are runs as they are compared.
type matched struct {
	a, b     []*Run
	paired   bool // the i-th of a and of b belong together
	within   bool // one of each
	warnings []string
}

func (m *matched) warn(format string, a ...any) {
	m.warnings = append(m.warnings, fmt.Sprintf(format, a...))
}

// match pairs the runs: those of one experiment by its blocks, others by their order
// where there are as many on either side.
func match(a, b *Side, unpaired bool) *matched {
	m := &matched{a: a.Runs, b: b.Runs}
	switch {
	case len(m.a) == 1 && len(m.b) == 1:
		m.within = true
		m.warn("one run of each: the intervals are of these two runs and know nothing of how runs of one setting differ")
	case unpaired:
	case a.Experiment != "" && a.Experiment == b.Experiment:
		m.paired = true
		m.a, m.b = blocks(a.Runs, b.Runs)
		if lost := max(len(a.Runs), len(b.Runs)) - len(m.a); lost > 0 {
			m.warn("%d runs have no counterpart in their block and are left out", lost)
		}
	case len(m.a) == len(m.b):
		m.paired = true
	default:
		m.warn("%d runs of A and %d of B are no pairs, and are compared as two groups", len(m.a), len(m.b))
	}
	if !m.within && apart(m.a, m.b) {
		m.warn("all runs of one side were made before all of the other: what the machine did in between counts as a difference; --live makes them in turn")
	}
	if m.paired || m.within {
		differ := 0
		for i := range m.a {
			if m.a[i].Seed != m.b[i].Seed {
				differ++
			}
		}
		if differ > 0 {
			m.warn("in %d of %d pairs the two runs have different seeds, so that chance gave them other arrivals and sizes", differ, len(m.a))
		}
	}
	return m
}

// blocks pairs the runs that were made in the same block.
func blocks(a, b []*Run) (inA, inB []*Run) {
	for _, r := range a {
		if i := slices.IndexFunc(b, func(o *Run) bool { return o.Block == r.Block }); i >= 0 {
			inA, inB = append(inA, r), append(inB, b[i])
		}
	}
	return inA, inB
}

// apart tells whether one side was over before the other began.
func apart(a, b []*Run) bool {
	if len(a)+len(b) < 3 {
		return false
	}
	start := func(r *Run, o *Run) int { return r.Started.Compare(o.Started) }
	return slices.MaxFunc(a, start).Started.Before(slices.MinFunc(b, start).Started) ||
		slices.MaxFunc(b, start).Started.Before(slices.MinFunc(a, start).Started)
}

// measure is a metric's comparison while it is made.
type measure struct {
	metric   *Metric
	out      study.Comparison
	estimate *paired.Estimate // nil: there is none to be judged
	error    standardError    // of the change: a ratio's logarithm, or a difference
	hopeless bool             // so few runs cannot show a difference among so many metrics
}

// alpha is the chance of calling a metric, or one of those judged together, different
// when none is.
const alpha = 0.05

// values are the metric's, of the runs that have it; pairs of which one lacks it are
// left out.
func (m *matched) values(metric *Metric, out *study.Comparison) {
	has := func(r *Run) bool { _, ok := r.values[metric.Name]; return ok }
	lacking := 0
	take := func(r *Run, into *[]float64, ok bool) {
		if ok {
			*into = append(*into, r.values[metric.Name])
		} else {
			lacking++
		}
	}
	if m.paired || m.within {
		for i := range m.a {
			ok := has(m.a[i]) && has(m.b[i])
			take(m.a[i], &out.A, ok)
			take(m.b[i], &out.B, ok)
		}
	} else {
		for _, r := range m.a {
			take(r, &out.A, has(r))
		}
		for _, r := range m.b {
			take(r, &out.B, has(r))
		}
	}
	if lacking > 0 && len(out.A) > 0 && len(out.B) > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s: %d of %d runs are left out, as they or their counterparts have none", metric.Name, lacking, len(m.a)+len(m.b)))
	}
}

func (m *matched) measure(metric *Metric) measure {
	out := study.Comparison{Name: metric.Name, Unit: metric.Unit, Better: string(metric.Better), Verdict: string(paired.Inconclusive), A: []float64{}, B: []float64{}}
	m.values(metric, &out)
	c := measure{metric: metric, out: out}
	if len(out.A) == 0 || len(out.B) == 0 {
		c.out.Sentence = metric.absent()
		return c
	}
	c.out.MidA, c.out.MidB = new(median(out.A)), new(median(out.B))
	m.few(&c)
	switch {
	case none(&c.out):
		c.out.Sentence = fmt.Sprintf("%s: none on either side.", metric.Name)
	case m.within:
		m.resample(&c)
	case metric.share:
		m.shift(&c)
	default:
		m.ratio(&c)
	}
	return c
}

// none tells of a share that it is 0 in every run of both sides.
func none(c *study.Comparison) bool {
	m, err := metric(c.Name)
	return err == nil && m.share && len(c.A) > 0 && len(c.B) > 0 && slices.Max(c.A) == 0 && slices.Max(c.B) == 0
}

// Unsteady warns of a comparison of a setting with itself that called a metric different.
func Unsteady(c *study.Compare) (warnings []string) {
	for i := range c.Metrics {
		if m := &c.Metrics[i]; m.Verdict == string(paired.Faster) || m.Verdict == string(paired.Slower) {
			warnings = append(warnings, fmt.Sprintf("%s of the same setting was called %s: by chance, as once in 20 times, or because this machine is not steady; repeat this before another comparison is believed", m.Name, m.Verdict))
		}
	}
	return warnings
}

// few warns of percentiles of too few calls.
func (m *matched) few(c *measure) {
	need := c.metric.needed()
	if need == 0 {
		return
	}
	least := int64(math.MaxInt64)
	for _, r := range slices.Concat(m.a, m.b) {
		least = min(least, r.calls)
	}
	if least < need {
		c.warn("%s: a run has only %d calls; %d are needed for a percentile that far out", c.metric.Name, least, need)
	}
}

func (c *measure) warn(format string, a ...any) {
	c.out.Warnings = append(c.out.Warnings, fmt.Sprintf(format, a...))
}

// ratio estimates B/A over runs.
func (m *matched) ratio(c *measure) {
	f := paired.Unpaired
	if m.paired {
		f = paired.Ratios
	}
	e, err := f(c.out.A, c.out.B)
	if err != nil {
		c.out.Sentence = fmt.Sprintf("%s: %v.", c.metric.Name, err)
		return
	}
	if e.SD < 1e-12 && c.metric.Better == paired.MoreIsBetter {
		e.Warnings = nil // a rate that was asked for and kept does not vary
	}
	c.estimate = &e
	c.out.Ratio, c.out.P, c.out.Cliff = &e.Ratio, &e.P, &e.Cliff
	if e.Bounded {
		c.out.Low, c.out.High = &e.Low, &e.High
	}
	c.error.df, c.error.se = float64(e.N-1), e.SD/math.Sqrt(float64(e.N))
	if !m.paired {
		c.error.se, c.error.df = pooled(logarithms(c.out.A), logarithms(c.out.B))
	}
}

// shift estimates B-A over runs, of a share that may be 0.
func (m *matched) shift(c *measure) {
	a, b := c.out.A, c.out.B
	test := func(conf float64) (paired.Test, error) { return paired.MannWhitney(a, b, conf) }
	c.error.se, c.error.df = pooled(a, b)
	if m.paired {
		d := make([]float64, len(a))
		for i := range d {
			d[i] = b[i] - a[i]
		}
		test = func(conf float64) (paired.Test, error) { return paired.SignedRank(d, conf) }
		c.error.se, c.error.df = deviation(d)/math.Sqrt(float64(len(d))), float64(len(d)-1)
	}
	t, err := test(0.95)
	if err != nil {
		c.out.Sentence = fmt.Sprintf("%s: %v.", c.metric.Name, err)
		return
	}
	s := &study.Shift{Value: t.Centre}
	if t.Bounded() {
		s.Low, s.High = &t.Low, &t.High
	}
	c.out.Shift, c.out.P, c.out.Cliff = s, &t.P, new(paired.Cliff(a, b))
	// Judged by p and the direction alone.
	c.estimate = &paired.Estimate{N: min(len(a), len(b)), Pairs: m.paired, P: t.P, SD: c.error.se, Ratio: math.Exp(t.Centre), LeastP: leastP(len(a), len(b), m.paired)}
}

func leastP(a, b int, paired bool) float64 {
	if paired {
		return math.Exp2(float64(1 - a))
	}
	ways := 1.0
	for i := range a {
		ways *= float64(a+b-i) / float64(i+1)
	}
	return min(1, 2/ways)
}

// detectable tells the change that such an error would show at that chance of error.
func (c *measure) detectable(e standardError, alpha float64) {
	mde := e.detectable(alpha)
	if !c.metric.share {
		mde = math.Expm1(mde)
	}
	if mde > 0 && mde < 1e9 {
		c.out.MDE = &mde
	}
}

// resamples of a run within itself; the seed makes the same comparison say the same.
const resamples, resampleSeed = 2000, 0x70a1

// resample compares two single runs.
func (m *matched) resample(c *measure) {
	a, b := m.a[0], m.b[0]
	va, vb := c.out.A[0], c.out.B[0]
	if c.metric.share {
		c.out.Shift = &study.Shift{Value: vb - va}
		c.out.Sentence = fmt.Sprintf("%s: %.4g%% and %.4g%%; two single runs give no interval.", c.metric.Name, 100*va, 100*vb)
		return
	}
	c.out.Ratio = new(vb / va)
	if c.metric.quantile == 0 {
		c.out.Sentence = fmt.Sprintf("%s changes by %s; two single runs give no interval.", c.metric.Name, percent(vb/va))
		return
	}
	block := max(a.block(va), b.block(vb))
	boot, err := paired.BootstrapRatio(a.windows, b.windows, c.metric.quantile, block, resamples, rand.New(rand.NewPCG(resampleSeed, 1)))
	if err != nil {
		c.out.Sentence = fmt.Sprintf("%s changes by %s; there is no interval: %v.", c.metric.Name, percent(vb/va), err)
		return
	}
	c.out.Ratio, c.out.Low, c.out.High = &boot.Ratio, &boot.Low, &boot.High
	c.out.Warnings = append(c.out.Warnings, boot.Warnings...)
	change := fmt.Sprintf("%s changes by %s (95%%: %s to %s)", c.metric.Name, percent(boot.Ratio), percent(boot.Low), percent(boot.High))
	switch {
	case boot.Low > 1 || boot.High < 1:
		c.out.Verdict = string(direction(boot.Ratio, c.metric.Better))
		c.out.Sentence = fmt.Sprintf("%s: %s within these two runs.", change, c.out.Verdict)
	default:
		c.detectable(standardError{se: math.Log(boot.High/boot.Low) / 2 / 1.96, df: math.Inf(1)}, alpha)
		c.out.Sentence = change + ": no difference shown within these two runs" + c.couldShow() + "."
	}
}

func direction(ratio float64, better paired.Better) paired.Verdict {
	if (ratio < 1) == (better == paired.LessIsBetter) {
		return paired.Faster
	}
	return paired.Slower
}
