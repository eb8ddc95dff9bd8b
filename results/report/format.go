package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// width is the page's, in columns.
const width = 80

// latency gives microseconds in a unit that people read, to three digits.
func latency(us float64) string {
	switch {
	case us < 1000:
		return strconv.FormatFloat(us, 'f', 0, 64) + " us"
	case us < 999_500:
		return digits3(us/1e3) + " ms"
	}
	return digits3(us/1e6) + " s"
}

// digits3 gives a number of at least 1 to three significant digits, but all the
// digits before the point.
func digits3(v float64) string {
	switch {
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// rate gives a number per second.
func rate(v float64) string {
	if v >= 1000 {
		return count(uint64(v + 0.5))
	}
	return digits3(v)
}

// count gives a number with its thousands apart.
func count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// share gives n as a part of all.
func share(n, all uint64) string {
	if all == 0 {
		return ""
	}
	p := 100 * float64(n) / float64(all)
	if n > 0 && p < 0.01 {
		return "<0.01%"
	}
	return fmt.Sprintf("%.2f%%", p)
}

// seconds gives a time in seconds, to a hundredth.
func seconds(s float64) string {
	return strconv.FormatFloat(math.Round(s*100)/100, 'f', -1, 64) + " s"
}

// pad fills s up with spaces on its right.
func pad(s string, to int) string {
	return s + strings.Repeat(" ", max(0, to-utf8.RuneCountInString(s)))
}

// wrap breaks text between words so that it fits the page; first begins the first
// line, and as many spaces every other.
func wrap(first, text string) string {
	var b strings.Builder
	b.WriteString(first)
	indent := utf8.RuneCountInString(first)
	at := indent
	for i, word := range strings.Fields(text) {
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
