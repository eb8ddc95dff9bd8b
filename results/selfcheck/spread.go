package selfcheck

import (
	"math"
	"sort"
)

// The ladder of limits that a Spread counts against: four an octave, from 4 to
// 2^26, which are 4 us and 67 s.
const (
	rungs     = 97
	firstRung = 4.0
	perOctave = 4
)

// ladder holds the limits in ascending order.
var ladder = func() (l [rungs]int64) {
	for i := range l {
		l[i] = int64(math.Round(firstRung * math.Exp2(float64(i)/perOctave)))
	}
	return l
}()

// spreadCap is the most windows that a Spread holds.
const spreadCap = 512

// Spread is how values such as latencies spread in each window of time, as counts
// over a ladder of limits: what Tau needs to tell, for any percentile, how many
// independent values the dependent ones are worth. Memory is fixed: when it is full,
// neighbouring windows merge in pairs. The zero value is empty and ready. A window's
// values are added in groups by Count, and the window ended by End.
type Spread struct {
	windows []spreadWindow
	every   int // ended windows in one held; 0 counts as 1
	open    spreadWindow
	pending int // ended windows in open
}

// spreadWindow counts values by the first rung that they do not exceed.
type spreadWindow struct {
	under [rungs + 1]uint32
}

// Count adds n values of that size to the window that the next End ends.
func (s *Spread) Count(value, n int64) {
	at := sort.Search(rungs, func(i int) bool { return value <= ladder[i] })
	s.open.under[at] += uint32(min(max(n, 0), math.MaxInt32))
}

// End ends a window. One without values tells nothing and is not kept.
func (s *Spread) End() {
	if s.open == (spreadWindow{}) {
		return
	}
	if s.pending++; s.pending < max(s.every, 1) {
		return
	}
	s.windows = append(s.windows, s.open)
	s.open, s.pending = spreadWindow{}, 0
	if len(s.windows) < spreadCap {
		return
	}
	half := s.windows[:0]
	for i := 0; i+1 < len(s.windows); i += 2 {
		w := s.windows[i]
		for j, n := range s.windows[i+1].under {
			w.under[j] += n
		}
		half = append(half, w)
	}
	s.windows, s.every = half, 2*max(s.every, 1)
}

// Tau is Overdispersion's estimate at the rung nearest to limit over which some of the
// values lie, but not all; see there for what it means and when ok is false.
func (s *Spread) Tau(limit int64) (tau float64, ok bool) {
	best, off := -1, math.Inf(1)
	for i, rung := range ladder {
		over, all := s.counts(i)
		if d := math.Abs(math.Log(float64(rung) / float64(max(limit, 1)))); over > 0 && over < all && d < off {
			best, off = i, d
		}
	}
	if best < 0 {
		return 0, false
	}
	var d Overdispersion
	for i := range s.windows {
		d.Add(s.windows[i].over(best))
	}
	return d.Tau()
}

func (s *Spread) counts(rung int) (over, all int64) {
	for i := range s.windows {
		o, n := s.windows[i].over(rung)
		over, all = over+o, all+n
	}
	return over, all
}

// over is how many of the window's n values exceed a rung.
func (w *spreadWindow) over(rung int) (over, n int64) {
	for i, k := range w.under {
		n += int64(k)
		if i > rung {
			over += int64(k)
		}
	}
	return over, n
}
