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

// flattener gathers the series of metrics whose types are not told.
type flattener struct{ series map[string]float64 }

func (f flattener) metric(name string, m *dto.Metric) error {
	labels := make([]label, 0, len(m.GetLabel()))
	for _, l := range m.GetLabel() {
		labels = append(labels, label{l.GetName(), bound(name, l.GetName(), l.GetValue())})
	}
	if m.Untyped == nil {
		return nil
	}
	return f.add(name, labels, m.Untyped.GetValue())
}

// bound writes the number that a bucket or a quantile is told apart by as short as
// it can be, for writers differ.
func bound(metric, name, value string) string {
	if name != model.QuantileLabel && (name != model.BucketLabel || !strings.HasSuffix(metric, "_bucket")) {
		return value
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	return number(v)
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
