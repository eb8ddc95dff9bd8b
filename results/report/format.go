package report

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"volley/results"
)

// width is the page's, in columns.
const width = 80

// percent gives a measured share; unlike results.Share it keeps what is small, as
// an objective's limit may be smaller still.
func percent(v float64) string {
	p := 100 * v
	switch {
	case p != 0 && math.Abs(p) < 0.01:
		return strconv.FormatFloat(p, 'g', 2, 64) + "%"
	case p < 9.995 || p >= 99.95 && p < 100:
		return strconv.FormatFloat(p, 'f', 2, 64) + "%"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + "%"
}

func plural(n uint64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return results.Count(n) + " " + word + "s"
}

// pad fills s up with spaces on its right.
func pad(s string, to int) string {
	return s + strings.Repeat(" ", max(0, to-utf8.RuneCountInString(s)))
}

// wrap breaks text between words so that it fits the page; first begins the first
// line, and as many spaces every other. A number stays with its unit.
func wrap(first, text string) string {
	var b strings.Builder
	b.WriteString(first)
	indent := utf8.RuneCountInString(first)
	at := indent
	for i, word := range words(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// words are those that text may be broken between.
func words(text string) (all []string) {
	for _, word := range strings.Fields(text) {
		last := len(all) - 1
		if last >= 0 && isUnit(word) && all[last][0] >= '0' && all[last][0] <= '9' {
			all[last] += " " + word
			continue
		}
		all = append(all, word)
	}
	return all
}

func isUnit(word string) bool {
	switch strings.TrimRight(word, ".,:;") {
	case "us", "ms", "s":
		return true
	}
	return false
}
