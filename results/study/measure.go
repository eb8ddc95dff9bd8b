package study

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"volley/results"
	"volley/results/selfcheck"
)

// Measured is what a stored run's measured phases came to, its histograms whole, so
// that repeats can be merged.
type Measured struct {
	Slice results.PhaseSlice
	Span  time.Duration
	// Probe is the run beside it; nil without one.
	Probe *results.PhaseSlice
	// NodeCPU is the node's CPU time over Calls, Entries and Items: all that it was
	// sent, warm-up and probe included. ok is false where it is not known.
	NodeCPU  float64
	KnowsCPU bool
	// Late is the p99 of the generator's lateness where a self-check warns of it: the
	// machine paused, and what it measured is partly its own; 0 else.
	Late                  time.Duration
	Calls, Entries, Items uint64
}

// Measure reads a finished trial's runs.
func Measure(t *Trial) (*Measured, error) {
	m := &Measured{}
	run, err := results.Open(t.Dir)
	if err != nil {
		return nil, err
	}
	all, err := measuredSlice(run)
	if err != nil {
		return nil, err
	}
	m.Slice, m.Span = all, time.Duration(run.Summary.Measured.ElapsedS*float64(time.Second))
	m.count(&run.Summary.Totals)
	if slices.ContainsFunc(run.Summary.Checks, late) && all.Lateness != nil {
		m.Late = time.Duration(results.AtPercentile(all.Lateness, 99)) * time.Microsecond
	}
	if t.Probe {
		run, err := results.Open(ProbeDir(t.Dir))
		if err != nil {
			return nil, fmt.Errorf("the probe beside trial %d: %w", t.N, err)
		}
		probe, err := measuredSlice(run)
		if err != nil {
			return nil, err
		}
		m.Probe = &probe
		m.count(&run.Summary.Totals)
	}
	if c := t.NodeCPUS; c != nil && !(*c >= 0 && *c < math.MaxInt32) {
		return nil, fmt.Errorf("%s: node_cpu_s %g is no time", t.Dir, *c)
	}
	if t.NodeCPUS != nil {
		m.NodeCPU, m.KnowsCPU = *t.NodeCPUS, true
	}
	return m, nil
}

func late(c selfcheck.Check) bool { return c.Name == "lateness" && c.Verdict == selfcheck.Warn }

func (m *Measured) count(t *results.Totals) {
	m.Calls += t.Calls
	m.Entries += t.Entries
	m.Items += t.Items
}

func measuredSlice(run *results.Run) (results.PhaseSlice, error) {
	all, err := run.Whole()
	if err != nil {
		return results.PhaseSlice{}, err
	}
	phases := run.Meta.Phases
	return all.Total(func(i int) bool { return i < len(phases) && phases[i].Measured }), nil
}

// merge adds o to m.
func (m *Measured) merge(o *Measured) {
	m.Slice.Merge(&o.Slice)
	m.Span += o.Span
	if o.Probe != nil {
		if m.Probe == nil {
			m.Probe = &results.PhaseSlice{Latency: results.NewLatency()}
		}
		m.Probe.Merge(o.Probe)
	}
	m.NodeCPU += o.NodeCPU
	m.KnowsCPU = m.KnowsCPU && o.KnowsCPU
	m.Calls, m.Entries, m.Items = m.Calls+o.Calls, m.Entries+o.Entries, m.Items+o.Items
}

// figure is a metric's definition.
type figure struct {
	name, unit string
	// of gives the value; false where there is none.
	of func(*Measured) (float64, bool)
	// few tells whether there is too little behind it; may be nil.
	few func(*Measured) bool
}

var figures = []figure{
	{CallsPerS, "calls/s", rate(func(m *Measured) uint64 { return m.Slice.Calls }), nil},
	{EntriesPerS, "entries/s", rate(func(m *Measured) uint64 { return m.Slice.Entries }), nil},
	{ItemsPerS, "items/s", rate(func(m *Measured) uint64 { return m.Slice.Items }), nil},
	{GoodItemsPerS, "items/s", rate(func(m *Measured) uint64 { return m.Slice.GoodItems }), nil},
	{ResponseMean, "us", latencyMean(func(m *Measured) *results.PhaseSlice { return &m.Slice }, false), nil},
	{ResponseP50, "us", latency(load, 50), few(load, .50)},
	{ResponseP99, "us", latency(load, 99), few(load, .99)},
	{ServiceMean, "us", latencyMean(load, true), nil},
	{ProbeP50, "us", latency(probe, 50), few(probe, .50)},
	{ProbeP99, "us", latency(probe, 99), few(probe, .99)},
	{CPUPerCall, "us", cpu(func(m *Measured) uint64 { return m.Calls }), littleCPU},
	{CPUPerEntry, "us", cpu(func(m *Measured) uint64 { return m.Entries }), littleCPU},
	{CPUPerItem, "us", cpu(func(m *Measured) uint64 { return m.Items }), littleCPU},
	{BytesPerItem, "bytes", share(func(m *Measured) (float64, uint64) {
		return float64(m.Slice.BytesOut + m.Slice.BytesIn), m.Slice.Items
	}), nil},
	{ErrorsPerItem, "1", share(func(m *Measured) (float64, uint64) {
		return float64(m.Slice.Items - min(m.Slice.GoodItems, m.Slice.Items)), m.Slice.Items
	}), nil},
}

func load(m *Measured) *results.PhaseSlice  { return &m.Slice }
func probe(m *Measured) *results.PhaseSlice { return m.Probe }

func rate(n func(*Measured) uint64) func(*Measured) (float64, bool) {
	return func(m *Measured) (float64, bool) {
		return float64(n(m)) / m.Span.Seconds(), m.Span > 0
	}
}

func share(of func(*Measured) (float64, uint64)) func(*Measured) (float64, bool) {
	return func(m *Measured) (float64, bool) {
		v, n := of(m)
		return v / float64(n), n > 0
	}
}

func cpu(n func(*Measured) uint64) func(*Measured) (float64, bool) {
	return func(m *Measured) (float64, bool) {
		return m.NodeCPU * 1e6 / float64(n(m)), m.KnowsCPU && n(m) > 0
	}
}

// littleCPU: counters of CPU time go in steps of 10 ms on Linux, 20 of which are an error
// of 5%.
func littleCPU(m *Measured) bool { return m.NodeCPU < 0.2 }

func latency(of func(*Measured) *results.PhaseSlice, p float64) func(*Measured) (float64, bool) {
	return func(m *Measured) (float64, bool) {
		s := of(m)
		if s == nil || s.Response == nil || s.Response.TotalCount() == 0 {
			return 0, false
		}
		return float64(results.AtPercentile(s.Response, p)), true
	}
}

func latencyMean(of func(*Measured) *results.PhaseSlice, service bool) func(*Measured) (float64, bool) {
	return func(m *Measured) (float64, bool) {
		h := of(m).Response
		if service {
			h = of(m).Service
		}
		if h == nil || h.TotalCount() == 0 {
			return 0, false
		}
		return h.Mean(), true
	}
}

func few(of func(*Measured) *results.PhaseSlice, q float64) func(*Measured) bool {
	return func(m *Measured) bool {
		return of(m).Response.TotalCount() < results.NeededFor(q)
	}
}

// Metrics are the figures of a cell's repeats. It leaves its arguments as they are.
func Metrics(repeats []*Measured) []Metric {
	whole := &Measured{Slice: results.PhaseSlice{Latency: results.NewLatency()}, KnowsCPU: true}
	for _, m := range repeats {
		whole.merge(m)
	}
	metrics := []Metric{}
	if len(repeats) == 0 {
		return metrics
	}
	for _, f := range figures {
		v, ok := f.of(whole)
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		m := Metric{Name: f.name, Unit: f.unit, Value: v, Repeats: []float64{}}
		for _, r := range repeats {
			if v, ok := f.of(r); ok {
				m.Repeats = append(m.Repeats, v)
			}
		}
		if m.Low, m.High = interval(m.Repeats); m.Low != nil {
			// What all repeats come to together may lie beyond the interval of their mean.
			m.Low, m.High = new(min(*m.Low, v)), new(max(*m.High, v))
			if f.unit == "1" { // a share
				m.High = new(min(1, *m.High))
			}
		}
		m.Few = f.few != nil && f.few(whole)
		metrics = append(metrics, m)
	}
	return metrics
}

// interval is Student's 95% interval of the values' mean; where all are above 0, of
// their logarithms' mean: what differs from one repeat to the next does so by a factor.
// It is cut off at 0: none of what is measured here can be less.
func interval(values []float64) (low, high *float64) {
	if !slices.ContainsFunc(values, func(v float64) bool { return v <= 0 }) {
		logs := make([]float64, len(values))
		for i, v := range values {
			logs[i] = math.Log(v)
		}
		if low, high = student(logs); low != nil {
			*low, *high = math.Exp(*low), math.Exp(*high)
		}
		return low, high
	}
	if low, high = student(values); low != nil {
		*low = max(0, *low)
	}
	return low, high
}

// student is the 95% interval of the values' mean; nil with fewer than two.
func student(values []float64) (low, high *float64) {
	n := float64(len(values))
	if n < 2 {
		return nil, nil
	}
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	half := t * math.Sqrt(squares/(n-1)/n)
	return new(mean - half), new(mean + half)
}
