package results

import (
	"strconv"
	"strings"
)

// delta is what a counter family did between two scrapes.
type delta struct {
	total   float64
	exposed bool
	reset   bool // some series of the family went down or away: the node was restarted
}

// familyDelta sums the family's series over every label but the one asked for,
// which must have that value; an empty label sums them all. A family without the
// label at all does not expose it. A series that is not in before began at 0.
func familyDelta(before, after map[string]float64, family, label, value string) (d delta) {
	for series, v := range after {
		name, labels := splitSeries(series)
		if name != family {
			continue
		}
		d.reset = d.reset || v < before[series]
		have, labelled := labelValue(labels, label)
		if label == "" || labelled {
			d.exposed = true
		}
		if label == "" || labelled && have == value {
			d.total += v - before[series]
		}
	}
	for series, v := range before {
		if name, _ := splitSeries(series); name == family && v > 0 {
			if _, still := after[series]; !still {
				d.exposed, d.reset = true, true
			}
		}
	}
	return d
}

func splitSeries(series string) (name, labels string) {
	name, labels, _ = strings.Cut(series, "{")
	return name, strings.TrimSuffix(labels, "}")
}

// labelValue finds a label in the inside of `{a="b",c="d"}`.
func labelValue(labels, name string) (string, bool) {
	for labels != "" {
		key, rest, ok := strings.Cut(labels, "=")
		if !ok {
			return "", false
		}
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", false
		}
		if key == name {
			value, err := strconv.Unquote(quoted)
			return value, err == nil
		}
		labels = strings.TrimPrefix(rest[len(quoted):], ",")
	}
	return "", false
}

func sumCodes(by map[int64]uint64, only func(code int64) bool) (n uint64) {
	for code, count := range by {
		if only(code) {
			n += count
		}
	}
	return n
}
