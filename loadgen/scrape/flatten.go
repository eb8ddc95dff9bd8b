package scrape

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
)

// flattener gathers the series of metrics.
type flattener struct {
	series  map[string]float64
	untyped bool // buckets and quantiles come as plain samples, their bounds as written
}

func (f flattener) metric(name string, m *dto.Metric) error {
	labels := make([]label, 0, len(m.GetLabel())+1)
	for _, l := range m.GetLabel() {
		value := l.GetValue()
		if f.untyped && (l.GetName() == model.QuantileLabel || l.GetName() == model.BucketLabel && strings.HasSuffix(name, "_bucket")) {
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				value = number(v)
			}
		}
		labels = append(labels, label{l.GetName(), value})
	}
	switch {
	case m.Counter != nil:
		return f.add(name, labels, m.Counter.GetValue())
	case m.Gauge != nil:
		return f.add(name, labels, m.Gauge.GetValue())
	case m.Untyped != nil:
		return f.add(name, labels, m.Untyped.GetValue())
	case m.Summary != nil:
		return f.summary(name, labels, m.Summary)
	case m.Histogram != nil:
		return f.histogram(name, labels, m.Histogram)
	}
	return nil
}

func (f flattener) summary(name string, labels []label, s *dto.Summary) error {
	for _, q := range s.GetQuantile() {
		if err := f.add(name, append(labels, label{model.QuantileLabel, number(q.GetQuantile())}), q.GetValue()); err != nil {
			return err
		}
	}
	var count *float64
	if s.SampleCount != nil {
		count = new(float64(s.GetSampleCount()))
	}
	return f.totals(name, labels, s.SampleSum, count)
}

func (f flattener) histogram(name string, labels []label, h *dto.Histogram) error {
	for _, b := range h.GetBucket() {
		value := float64(b.GetCumulativeCount())
		if b.CumulativeCountFloat != nil {
			value = b.GetCumulativeCountFloat()
		}
		if err := f.add(name+"_bucket", append(labels, label{model.BucketLabel, number(b.GetUpperBound())}), value); err != nil {
			return err
		}
	}
	count := h.SampleCountFloat
	if count == nil && h.SampleCount != nil {
		count = new(float64(h.GetSampleCount()))
	}
	return f.totals(name, labels, h.SampleSum, count)
}

// totals adds the sum and the count of a summary or a histogram, each if the
// exposition told it.
func (f flattener) totals(name string, labels []label, sum, count *float64) error {
	if sum != nil {
		if err := f.add(name+"_sum", labels, *sum); err != nil {
			return err
		}
	}
	if count != nil {
		return f.add(name+"_count", labels, *count)
	}
	return nil
}

func (f flattener) add(name string, labels []label, value float64) error {
	key := seriesName(name, labels)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	if _, twice := f.series[key]; twice {
		return fmt.Errorf("it tells series %.200q twice", key)
	}
	f.series[key] = value
	return nil
}

type label struct{ name, value string }

// seriesName writes a series as the text format does. Names beyond the classic
// alphabet are quoted, a metric's then within the braces.
func seriesName(name string, labels []label) string {
	quoted := !model.LegacyValidation.IsValidMetricName(name)
	if len(labels) == 0 && !quoted {
		return name
	}
	labels = slices.Clone(labels)
	slices.SortFunc(labels, func(a, b label) int { return cmp.Compare(a.name, b.name) })
	var s strings.Builder
	if quoted {
		s.WriteByte('{')
		writeQuoted(&s, name)
	} else {
		s.WriteString(name)
		s.WriteByte('{')
	}
	for i, l := range labels {
		if i > 0 || quoted {
			s.WriteByte(',')
		}
		if model.LegacyValidation.IsValidLabelName(l.name) {
			s.WriteString(l.name)
		} else {
			writeQuoted(&s, l.name)
		}
		s.WriteByte('=')
		writeQuoted(&s, l.value)
	}
	s.WriteByte('}')
	return s.String()
}

var escapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func writeQuoted(s *strings.Builder, text string) {
	s.WriteByte('"')
	escapes.WriteString(s, text)
	s.WriteByte('"')
}

func number(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
