package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The words in which warnings, reports and views give numbers: one way for each.

// Micros gives a time in microseconds in a unit that people read, to three
// significant digits but all those before the point: "152 us", "3.85 ms", "1.06 s".
func Micros(us float64) string {
	switch {
	case math.Abs(us) < 999.5:
		return strconv.FormatFloat(us, 'f', 0, 64) + " us"
	case math.Abs(us) < 999_500:
		return digits(us/1e3) + " ms"
	}
	return Rate(us/1e6) + " s"
}

// Seconds gives a length of time that somebody chose or that was waited for:
// "30 s", "2.5 s", "500 ms", "3,600 s". It is exact to a hundredth of a second, or
// of a millisecond below one second.
func Seconds(s float64) string {
	if s != 0 && math.Abs(s) < 0.995 {
		return hundredths(1000*s) + " ms"
	}
	return hundredths(s) + " s"
}

func inSeconds(d time.Duration) string { return Seconds(d.Round(10 * time.Millisecond).Seconds()) }

func hundredths(v float64) string {
	return Number(math.Round(v*100) / 100)
}

// Number gives a number that somebody wrote, with its thousands apart: "10,000,000",
// "0.5", "1,234.5".
func Number(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	n, err := strconv.ParseUint(whole, 10, 64)
	if err != nil {
		return s // negative, too large or none
	}
	if fraction == "" {
		return Count(n)
	}
	return Count(n) + "." + fraction
}

// Rate gives a measured number, such as one per second, to three significant
// digits but all those before the point.
func Rate(v float64) string {
	if v >= 999.5 && v < 1<<63 {
		return Count(uint64(v + 0.5))
	}
	return digits(v)
}

// digits gives three significant digits, of a number below 1 at least one.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a < 0.01:
		return strconv.FormatFloat(v, 'g', 2, 64)
	case a < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// Count gives a number with its thousands apart.
func Count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Share gives n as a part of all, "" of nothing. Only all is "100%" and only
// none "0%".
func Share(n, all uint64) string {
	if all == 0 {
		return ""
	}
	switch p := 100 * float64(n) / float64(all); {
	case n == 0:
		return "0%"
	case n == all:
		return "100%"
	case p < 0.01:
		return "<0.01%"
	case p > 99.99:
		return ">99.99%"
	case p < 9.995 || p >= 99.95:
		return strconv.FormatFloat(p, 'f', 2, 64) + "%"
	default:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	}
}

// briefly is how much of a name stands in a sentence or a table.
const briefly = 40

// Brief cuts a name that is too long for a sentence or a table.
func Brief(name string) string {
	if utf8.RuneCountInString(name) <= briefly {
		return name
	}
	return string([]rune(name)[:briefly-1]) + "…"
}

// quoted sets a name in a sentence. It escapes nothing: that is for whoever shows
// the sentence.
func quoted(name string) string { return `"` + Brief(name) + `"` }

func plural(n uint64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%s %ss", Count(n), word)
}

func were(n uint64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
