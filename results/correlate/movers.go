package correlate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Bounds of what is said of series that move with the tail.
const (
	fewestIntervals = 20 // pairs of values
	fewestEffective = 8  // of which independent
	fewestCalls     = 20 // in an Interval, for a percentile of it
	mostLag         = 3  // Intervals
	mostMovers      = 5
	movesMissed     = 0.05 // the chance that any series at all is named which does not move
	tail            = 0.99
)

// Movers are the node's series that move with the client's tail.
//
// Each name of a series is one candidate, summed over its labels: of what counts its
// rate, of a histogram its mean, of what else there is its value. (What counts goes by
// its name, _total, _count or _sum; a value that never falls is taken to count too.)
// Buckets are left out, so is what never changes, and of series with the same ranks
// throughout all but one. Spearman's rank correlation with the p99 of the client's
// response times is taken over the Intervals, with the series 0 to 3 Intervals ahead,
// from at least 20 pairs worth at least 8 independent ones; ranks are those among all
// Intervals.
//
// A series is named when its confidence interval leaves out 0. The intervals hold all
// at once, at 95%: each is at 1 - 0.05/Tests (Bonferroni), Tests being the number of
// correlations taken. Of the lags the one with the farthest interval from 0 stands.
//
// That two move together does not say which moves which, nor that nothing else moves
// both, as the asked rate does.
type Movers struct {
	Intervals int     `json:"intervals"` // with a p99 and no reset
	Series    int     `json:"series"`    // that were tried
	Tests     int     `json:"tests"`
	Silent    string  `json:"silent,omitempty"` // why nothing is said; "" where Top is the answer
	Top       []Mover `json:"top"`              // the strongest, at most 5
	Note      string  `json:"note,omitempty"`
}

// Mover is one of them.
type Mover struct {
	Series    string  `json:"series"`
	What      string  `json:"what"` // "rate", "mean" or "value"
	Same      int     `json:"same"` // other series with the same ranks
	Rho       float64 `json:"rho"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Lag       int     `json:"lag"`       // Intervals that the series is ahead
	N         int     `json:"n"`         // pairs
	Effective float64 `json:"effective"` // independent ones that they are worth
}

// Movers looks for them.
func (g *Grid) Movers() Movers {
	m := Movers{Top: []Mover{}}
	y := make([]float64, len(g.intervals))
	for i := range g.intervals {
		y[i] = math.NaN()
		if p, n := g.intervals[i].Client.Times.Quantile(tail); n >= fewestCalls && !g.intervals[i].Node.Reset {
			y[i] = float64(p)
			m.Intervals++
		}
	}
	if m.Intervals < fewestIntervals {
		m.Silent = fmt.Sprintf("%d intervals have a p99 (at least %d calls); %d are needed", m.Intervals, fewestCalls, fewestIntervals)
		return m
	}
	ranks, varies := rankedOf(y)
	if !varies {
		m.Silent = "the p99 never changed"
		return m
	}
	all := g.candidates(ranks)
	m.Series = len(all)
	for _, c := range all {
		m.Tests += len(c.found)
	}
	for _, c := range all {
		if best, ok := c.best(movesMissed / float64(m.Tests)); ok {
			m.Top = append(m.Top, best)
		}
	}
	slices.SortFunc(m.Top, func(a, b Mover) int {
		return cmp.Or(cmp.Compare(strength(&b), strength(&a)), cmp.Compare(a.Series, b.Series))
	})
	m.Top = m.Top[:min(len(m.Top), mostMovers)]
	if g.meter.catalog.skipped {
		m.Note = fmt.Sprintf("the node exposes more names of series than are followed (%d)", mostFamilies)
	}
	return m
}

// strength is how far from 0 a correlation certainly is.
func strength(m *Mover) float64 { return max(m.Low, -m.High) }

// candidate is a series with its correlations by lag.
type candidate struct {
	series, what string
	values       []float64 // by Interval, NaN where there is none
	same         int
	found        []correlation
}

type correlation struct {
	lag, n         int
	rho, effective float64
}

// best is the correlation that leaves out 0 by most.
func (c *candidate) best(missed float64) (best Mover, ok bool) {
	for _, f := range c.found {
		m := Mover{Series: c.series, What: c.what, Same: c.same, Rho: f.rho, Lag: f.lag, N: f.n, Effective: f.effective}
		m.Low, m.High = interval(f.rho, f.effective, missed)
		if strength(&m) > 0 && (!ok || strength(&m) > strength(&best)) {
			best, ok = m, true
		}
	}
	return best, ok
}

// candidates gives the series that change, each with its correlations with y.
func (g *Grid) candidates(y *ranked) []*candidate {
	var all []*candidate
	seen := map[uint64]*candidate{}
	for place, name := range g.meter.catalog.names {
		c := g.series(place, name)
		x, varies := rankedOf(c.values)
		if !varies {
			continue
		}
		c.correlate(x, y)
		if c.found == nil {
			continue
		}
		key := x.fingerprint()
		if first := seen[key]; first != nil {
			first.same++
			if less := cmp.Or(cmp.Compare(len(c.series), len(first.series)), cmp.Compare(c.series, first.series)); less < 0 {
				first.series, first.what = c.series, c.what
			}
			continue
		}
		seen[key] = c
		all = append(all, c)
	}
	return all
}

// ranked is a series as the ranks of its values, NaN where it has none.
type ranked struct {
	ranks           []float64
	autocorrelation []float64
}

// rankedOf is false where there are too few values, or all are equal.
func rankedOf(values []float64) (*ranked, bool) {
	there := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	r, varies := ranks(there)
	if !varies || len(r) < fewestIntervals {
		return nil, false
	}
	x := &ranked{make([]float64, 0, len(values)), autocorrelation(r)}
	for _, v := range values {
		if math.IsNaN(v) {
			x.ranks = append(x.ranks, v)
			continue
		}
		x.ranks, r = append(x.ranks, r[0]), r[1:]
	}
	return x, true
}

// fingerprint is that of series with the same ranks and gaps (FNV-1a).
func (x *ranked) fingerprint() uint64 {
	h := uint64(14695981039346656037)
	for _, r := range x.ranks {
		h = (h ^ math.Float64bits(r)) * 1099511628211
	}
	return h
}

// series gives a family's values by Interval, NaN where there is none.
func (g *Grid) series(place int, name string) *candidate {
	c := &candidate{series: name, what: "value", values: make([]float64, len(g.intervals))}
	catalog := &g.meter.catalog
	of, isSum := strings.CutSuffix(name, "_sum")
	counts, paired := -1, false
	if isSum {
		counts, paired = catalog.find(of + "_count")
	}
	switch {
	case paired:
		c.series, c.what = of, "mean"
	case catalog.counts[place]:
		c.what = "rate"
	}
	rises, last := true, math.Inf(-1)
	for k := range g.intervals {
		i := &g.intervals[k]
		v := i.Node.families.at(place)
		switch {
		case paired:
			v /= i.Node.families.at(counts) // 0/0 is none
		case c.what == "rate":
			v /= i.NodeSeconds()
		}
		if i.Node.Reset || math.IsInf(v, 0) {
			v = math.NaN()
		}
		c.values[k] = v
		if !math.IsNaN(v) {
			rises, last = rises && v >= last, v
		}
	}
	if c.what == "value" && rises {
		c.differences(g.intervals)
	}
	return c
}

// differences makes rates of values that never fall.
func (c *candidate) differences(intervals []Interval) {
	c.what = "rate"
	before := math.NaN()
	for k, v := range c.values {
		c.values[k] = (v - before) / intervals[k].NodeSeconds()
		before = v
	}
}

// find gives the place of a name.
func (c *catalog) find(name string) (int, bool) {
	i, ok := c.places[name]
	return i, ok
}

// correlate takes the correlations of the series' ranks with those of y, with the
// series ahead by 0 to 3.
func (c *candidate) correlate(x, y *ranked) {
	for lag := range mostLag + 1 {
		var a, b []float64
		for i := lag; i < len(y.ranks); i++ {
			if !math.IsNaN(y.ranks[i]) && !math.IsNaN(x.ranks[i-lag]) {
				a, b = append(a, x.ranks[i-lag]), append(b, y.ranks[i])
			}
		}
		if len(a) < fewestIntervals {
			continue
		}
		n := effectivePairs(len(a), x.autocorrelation, y.autocorrelation)
		if rho := pearson(a, b); n >= fewestEffective && !math.IsNaN(rho) {
			c.found = append(c.found, correlation{lag, len(a), rho, n})
		}
	}
}
