package scrape

import (
	"regexp"
	"strings"
)

// Bounds on the series of one sample. A node may expose hundreds of thousands;
// read every second, they would cost more than the load.
const (
	// MaxOthers is how many series are kept beside those that are asked for. Where
	// there are more, none of them is.
	MaxOthers = 2000
	// MaxKept is how many series may be asked for: more are an error.
	MaxKept = 20000
)

// Keep tells which series of a node are kept. Patterns are names of metrics in which
// * stands for any text and ? for any character; a histogram's series have names of
// their own, h_bucket, h_sum and h_count.
type Keep struct {
	Known []string // patterns: always kept
	// Chosen are patterns that are kept too. If there are none, all others are kept as
	// long as there are no more than MaxOthers.
	Chosen []string
}

// pattern gives the expression that matches the whole name; RE2's syntax is
// Prometheus' too.
func pattern(globs []string) string {
	var b strings.Builder
	for i, g := range globs {
		if i > 0 {
			b.WriteByte('|')
		}
		for _, r := range g {
			switch r {
			case '*':
				b.WriteString(".*")
			case '?':
				b.WriteByte('.')
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
	}
	return b.String()
}

// class is what becomes of the series of a name.
type class byte

const (
	skipped class = iota
	other
	known
)

// filter classes names. It is used by one goroutine at a time and remembers what it
// said.
type filter struct {
	wanted *regexp.Regexp // nil: everything
	others bool           // what is not wanted is kept as long as it is not too much
	said   map[string]class

	narrowed bool // it was too much
}

// mostNames bounds what a filter remembers.
const mostNames = 1 << 16

func newFilter(k Keep) *filter {
	wanted := append(append([]string(nil), k.Known...), k.Chosen...)
	return &filter{
		wanted: regexp.MustCompile(`^(?s:` + pattern(wanted) + `)$`),
		others: len(k.Chosen) == 0,
		said:   map[string]class{},
	}
}

// everything keeps all that there is.
func everything() *filter { return &filter{said: map[string]class{}} }

func (f *filter) class(name []byte) class {
	if f.wanted == nil {
		return known
	}
	if c, ok := f.said[string(name)]; ok {
		return c
	}
	c := skipped
	switch {
	case f.wanted.Match(name):
		c = known
	case f.others:
		c = other
	}
	if len(f.said) < mostNames {
		f.said[string(name)] = c
	}
	return c
}

// narrow gives up the others, for good: a set of series that came and went with
// their number would look like a node that was restarted.
func (f *filter) narrow() {
	f.others, f.narrowed = false, true
	f.said = map[string]class{}
}
