package correlate

import (
	"math"
	"strings"
)

// mostFamilies bounds how many names of series are followed besides the roles.
const mostFamilies = 512

// catalog knows the names of all the node's series that may move with the client's
// tail: each stands for the sum over its labels. Buckets and quantiles are left out,
// as their histogram's sum and count tell as much, and so is what tells only when a
// series began.
type catalog struct {
	names   []string
	counts  []bool // by place: it counts
	places  map[string]int
	skipped bool // there were names beyond mostFamilies
}

// place gives the place of a series' name, -1 when it is not followed.
func (c *catalog) place(s *Series) int {
	if strings.HasSuffix(s.Name, "_bucket") || strings.HasSuffix(s.Name, "_created") {
		return -1
	}
	if _, is := s.Label("quantile"); is {
		return -1
	}
	if i, ok := c.places[s.Name]; ok {
		return i
	}
	if len(c.names) >= mostFamilies {
		c.skipped = true
		return -1
	}
	if c.places == nil {
		c.places = map[string]int{}
	}
	i := len(c.names)
	c.names, c.counts, c.places[s.Name] = append(c.names, s.Name), append(c.counts, counting(s.Name)), i
	return i
}

// counting tells by its name whether a family counts: what the text format's
// conventions call a counter, or the sum and count of a histogram or summary.
func counting(name string) bool {
	return strings.HasSuffix(name, "_total") || strings.HasSuffix(name, "_count") || strings.HasSuffix(name, "_sum")
}

// families are the catalog's values over some time, by place: what a counting one
// added, the mean of another's samples; NaN where it was not exposed.
type families []float64

func (f families) upTo(n int) families {
	for len(f) < n {
		f = append(f, math.NaN())
	}
	return f
}

func (f families) at(i int) float64 {
	if i < len(f) {
		return f[i]
	}
	return math.NaN()
}

// take adds one series' value and increase.
func (c *catalog) take(f families, place int, value, delta float64) families {
	if place < 0 {
		return f
	}
	f = f.upTo(place + 1)
	if c.counts[place] {
		value = delta
	}
	if math.IsNaN(f[place]) {
		f[place] = 0
	}
	f[place] += value
	return f
}

// merge joins two stretches of time with that many samples each. What one of them
// lacks is absent from both.
func (c *catalog) merge(f, o families, n, m int) families {
	out := make(families, 0, max(len(f), len(o)))
	for i := range cap(out) {
		a, b := f.at(i), o.at(i)
		if c.counts[i] {
			out = append(out, a+b)
		} else {
			out = append(out, (a*float64(n)+b*float64(m))/float64(n+m))
		}
	}
	return out
}
