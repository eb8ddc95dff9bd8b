package compare

import (
	"fmt"
	"slices"
	"strings"

	"volley/results"
	"volley/results/paired"
)

// Metric is what can be compared of runs. All are of the measured phases, but CPU,
// which is of the whole run.
type Metric struct {
	Name, Unit string
	Better     paired.Better
	// quantile is of the response time's percentiles; 0 for what is none.
	quantile float64
	// share tells that it may be 0, so that differences are compared, and not ratios.
	share bool
	of    func(*source) *float64 // nil where the run has none
}

// source is what a run's metrics are taken from.
type source struct {
	summary *results.Summary
	slice   *results.PhaseSlice
}

// Primary is the metric that is judged by itself unless another is chosen.
const Primary = "p99"

var metrics = []Metric{
	{Name: "p99", Unit: "us", Better: paired.LessIsBetter, quantile: .99, of: response("p99")},
	{Name: "p50", Unit: "us", Better: paired.LessIsBetter, quantile: .5, of: response("p50")},
	{Name: "goodput", Unit: "entries/s", Better: paired.MoreIsBetter, of: func(s *source) *float64 { return over0(s.summary.Measured.Achieved.GoodputEntriesPerS) }},
	{Name: "errors", Unit: "of entries", Better: paired.LessIsBetter, share: true, of: func(s *source) *float64 {
		return results.Objective{Metric: "entry errors"}.Evaluate(s.slice, 0).Value
	}},
	{Name: "cpu", Unit: "us of CPU/entry", Better: paired.LessIsBetter, of: cpu},

	{Name: "items", Unit: "items/s", Better: paired.MoreIsBetter, of: func(s *source) *float64 { return over0(s.summary.Measured.Achieved.GoodputItemsPerS) }},
	{Name: "mean", Unit: "us", Better: paired.LessIsBetter, of: response("mean")},
	{Name: "p90", Unit: "us", Better: paired.LessIsBetter, quantile: .9, of: response("p90")},
	{Name: "p99.9", Unit: "us", Better: paired.LessIsBetter, quantile: .999, of: response("p99.9")},
}

// shown are how many of the metrics every comparison has; the others are compared
// when they are asked for.
const shown = 5

// Names are those of all metrics.
func Names() []string {
	names := make([]string, len(metrics))
	for i := range metrics {
		names[i] = metrics[i].Name
	}
	return names
}

// chosen gives the metrics to compare, the one that is judged by itself first, and
// those that rules need.
func chosen(primary string, rules []Rule) ([]*Metric, error) {
	if primary == "" {
		primary = Primary
	}
	names := []string{primary}
	for _, r := range rules {
		names = append(names, r.Metric)
	}
	for i := range metrics[:shown] {
		names = append(names, metrics[i].Name)
	}
	var all []*Metric
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		m, err := metric(name)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func metric(name string) (*Metric, error) {
	for i := range metrics {
		if metrics[i].Name == name {
			return &metrics[i], nil
		}
	}
	return nil, fmt.Errorf("%.40q is no metric: want one of %s", name, strings.Join(Names(), ", "))
}

// response gives a statistic over all calls, those without an answer being slower
// than any other.
func response(stat string) func(*source) *float64 {
	return func(s *source) *float64 {
		v := results.Objective{Metric: "response", Stat: stat}.Evaluate(s.slice, 0).Value
		if v != nil && *v < 1 {
			return new(1.0) // the least that is told apart from 0
		}
		return v
	}
}

func cpu(s *source) *float64 {
	c := s.summary.Correlation
	if c == nil || c.Usage == nil || c.Usage.PerEntry == nil {
		return nil
	}
	return over0(*c.Usage.PerEntry * 1e6)
}

// over0 is v where a ratio can be made of it.
func over0(v float64) *float64 {
	if !(v > 0) {
		return nil
	}
	return &v
}
