package correlate

import (
	"math"
	"strconv"
	"time"
)

// Scrape is one reading of a node's metrics: its series as the text format writes
// them. A reading that failed has none.
type Scrape struct {
	At     time.Duration
	Series map[string]float64
}

// kind is how a role's series is read.
type kind uint8

const (
	counter kind = iota
	gauge
	histogram
)

func (r Role) kind() kind {
	switch r {
	case BatchTime, BatchSize, BatchBytes, MethodTime:
		return histogram
	case BatchesInFlight, EntriesInFlight, Memory:
		return gauge
	}
	return counter
}

// meter makes Nodes of successive scrapes.
type meter struct {
	names Names
	known map[string]meaning // by series; bounded by what is exposed

	before  map[string]float64 // the last scrape that succeeded; nil: none yet
	at      time.Duration
	failed  int // scrapes since
	catalog catalog
}

// mostKnown bounds meter.known where series come and go: it is begun anew then.
const mostKnown = 1 << 20

// meaning is what one series says.
type meaning struct {
	parts  []part
	family int // its place in the catalog, -1: none
}

type part struct {
	role Role
	of   partKind
	le   float64
}

type partKind uint8

const (
	itself partKind = iota
	sum
	count
	bucket
)

func newMeter(n Names) *meter {
	return &meter{names: n, known: map[string]meaning{}}
}

// add takes a scrape. Of the first one, and of one that failed, there is no Node.
func (m *meter) add(s Scrape) (n Node, ok bool) {
	if s.Series == nil {
		m.failed++
		return Node{}, false
	}
	before := m.before
	if before != nil {
		n, ok = m.between(before, s.Series), true
		n.Start, n.End, n.Scrapes, n.Failed = m.at, s.At, 1, m.failed
	}
	m.before, m.at, m.failed = s.Series, s.At, 0
	return n, ok
}

func (m *meter) meaning(series string) meaning {
	if w, ok := m.known[series]; ok {
		return w
	}
	if len(m.known) >= mostKnown {
		clear(m.known)
	}
	w := meaning{family: -1}
	if parsed, err := ParseSeries(series); err == nil {
		for _, role := range Roles() {
			if p, ok := m.partOf(role, &parsed); ok {
				w.parts = append(w.parts, p)
			}
		}
		w.family = m.catalog.place(&parsed)
	}
	m.known[series] = w
	return w
}

// partOf tells which part of a role a series is.
func (m *meter) partOf(role Role, s *Series) (part, bool) {
	selector, named := m.names[role]
	if !named {
		return part{}, false
	}
	if role.kind() != histogram {
		return part{role: role}, selector.Matches(s)
	}
	switch {
	case selector.matches(s, "_sum"):
		return part{role: role, of: sum}, true
	case selector.matches(s, "_count"):
		return part{role: role, of: count}, true
	case selector.matches(s, "_bucket"):
		text, _ := s.Label("le")
		le, err := strconv.ParseFloat(text, 64)
		return part{role: role, of: bucket, le: le}, err == nil
	}
	return part{}, false
}

// between differences two scrapes. A counter that went down began anew at 0, as one
// that was not there before did.
func (m *meter) between(before, after map[string]float64) Node {
	n := Node{Counters: map[Role]float64{}, Histograms: map[Role]Histogram{}, Gauges: map[Role]Gauge{}}
	values := map[Role]float64{} // of gauges
	gatherings := map[Role]*gathering{}
	for series, v := range after {
		delta := v - before[series]
		if math.IsNaN(delta) || math.IsInf(delta, 0) {
			continue // no count, and no sample
		}
		w := m.meaning(series)
		reset := delta < 0
		if reset {
			delta = v
		}
		for _, p := range w.parts {
			switch p.role.kind() {
			case gauge:
				values[p.role] += v
			case counter:
				n.Counters[p.role] += delta
				n.Reset = n.Reset || reset
			case histogram:
				g := gatherings[p.role]
				if g == nil {
					g = new(gathering)
					gatherings[p.role] = g
				}
				g.add(p, delta)
				n.Reset = n.Reset || reset && p.of != sum // a sum of what may be negative may fall
			}
		}
		n.families = m.catalog.take(n.families, w.family, v, delta)
	}
	n.Reset = n.Reset || m.gone(before, after)
	for role, g := range gatherings {
		if h, ok := g.histogram(); ok {
			n.Histograms[role] = h
		}
	}
	for role, v := range values {
		n.Gauges[role] = Gauge{1, v, v * v, v, v}
	}
	batches, exposed := values[BatchesInFlight]
	entries, both := values[EntriesInFlight]
	if exposed && both && batches > 0 {
		n.Slots = Slots{1, batches, entries, batches * batches, batches * entries, entries * entries}
	}
	return n
}

func (g *gathering) add(p part, delta float64) {
	switch p.of {
	case sum:
		g.sum += delta
		g.summed = true
	case count:
		g.count += delta
		g.counted = true
	case bucket:
		g.bucket(p.le, delta)
	}
}

// gone tells whether a counter that had counted is no longer there.
func (m *meter) gone(before, after map[string]float64) bool {
	for series, v := range before {
		if _, still := after[series]; still || v <= 0 {
			continue
		}
		for _, p := range m.meaning(series).parts {
			if p.role.kind() != gauge {
				return true
			}
		}
	}
	return false
}
