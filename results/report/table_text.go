package report

import (
	"strconv"
	"strings"

	"volley/results"
)

// csvText makes text that somebody else wrote one that a spreadsheet does not take for a
// formula: in front of =, +, -, @ and what it skips it sets an apostrophe.
func csvText(text string) string {
	text = results.Escape(text)
	if strings.ContainsAny(text[:min(len(text), 1)], "=+-@|%\t\r") {
		return "'" + text
	}
	return text
}

func csvFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func csvUint(n uint64) string { return strconv.FormatUint(n, 10) }

// csvBound gives an end of an interval; "" is not known.
func csvBound(v *float64) string {
	if v == nil {
		return ""
	}
	return csvFloat(*v)
}
