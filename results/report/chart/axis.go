package chart

import (
	"math"
	"strconv"
)

// Axis is one of a picture's two. Its zero value is linear, from the least to the
// greatest of the figures.
type Axis struct {
	Label string
	Log   bool // values of 0 and less lie on its lower edge
	Zero  bool // a linear axis begins at 0
	// From and To are its ends; both 0: those of the figures.
	From, To float64
	// Ticks are where it has labels; nil: at round numbers, with Format's words.
	Ticks  []Tick
	Format func(float64) string // nil: as few digits as tell the number
}

// Tick is a labelled place on an axis.
type Tick struct {
	At    float64
	Label string
	minor bool // its label gives way to others
}

// scale is an axis with its place in the picture: from lies at start, to at end.
type scale struct {
	Axis
	from, to   float64
	start, end float64
}

// scale fits the axis to values.
func (a Axis) scale(values []float64, start, end float64) scale {
	s := scale{Axis: a, from: a.From, to: a.To, start: start, end: end}
	if s.from == 0 && s.to == 0 {
		s.from, s.to = reach(values, a.Log)
		if a.Zero && !a.Log {
			s.from, s.to = min(s.from, 0), max(s.to, 0)
		}
		s.widen()
	}
	return s
}

// reach gives the least and the greatest of what is finite, and above 0 on a log axis.
func reach(values []float64, log bool) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) && (!log || v >= 1e-100) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return 1, 1
	}
	return low, high
}

// widen makes a linear axis end at round numbers, and one of a single value have a length.
func (s *scale) widen() {
	if s.Log {
		if s.to/s.from < 4 {
			middle := math.Sqrt(s.to) * math.Sqrt(s.from)
			s.from, s.to = min(s.from, middle/2), max(s.to, middle*2)
		}
		s.from, s.to = s.from/1.08, s.to*1.08
		return
	}
	if s.from == s.to {
		off := max(math.Abs(s.from)/2, 0.5)
		if s.Zero {
			s.to = s.from + 2*off
		} else {
			s.from, s.to = s.from-off, s.to+off
		}
	}
	step := roundStep(s.to-s.from, 5)
	if s.Zero || s.from >= 0 && s.from < step/2 {
		s.from = math.Floor(s.from/step) * step
	} else {
		s.from -= (s.to - s.from) / 20
	}
	s.to += (s.to - s.from) / 20
}

// at gives a value's place.
func (s *scale) at(v float64) float64 {
	if s.Log {
		if !(v >= s.from) {
			return s.start
		}
		return s.start + (s.end-s.start)*(math.Log(v)-math.Log(s.from))/(math.Log(s.to)-math.Log(s.from))
	}
	return s.start + (s.end-s.start)*(v-s.from)/(s.to-s.from)
}

// clip gives a value's place within the axis.
func (s *scale) clip(v float64) float64 {
	return min(max(s.at(v), min(s.start, s.end)), max(s.start, s.end))
}

// inside tells whether a value is on the axis.
func (s *scale) inside(v float64) bool { return v >= s.from && v <= s.to }

func (s *scale) ticks() []Tick {
	all := s.Ticks
	if all == nil {
		for _, v := range s.round() {
			all = append(all, Tick{v, s.text(v), s.Log && !powerOfTen(v)})
		}
	}
	var on []Tick
	for _, t := range all {
		if s.inside(t.At) {
			on = append(on, t)
		}
	}
	return on
}

func (s *scale) text(v float64) string {
	if s.Format != nil {
		return s.Format(v)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// round gives the round numbers that get a label.
func (s *scale) round() (all []float64) {
	if !s.Log {
		step := roundStep(s.to-s.from, 5)
		for k := math.Ceil(s.from/step - 1e-9); k*step <= s.to*(1+1e-12)+1e-12 && len(all) < 20; k++ {
			all = append(all, k*step+0) // and no negative zero
		}
		return all
	}
	digits, every := []float64{1}, 1
	switch decades := math.Log10(s.to / s.from); {
	case decades <= 1.5:
		digits = []float64{1, 2, 3, 5, 7}
	case decades <= 3:
		digits = []float64{1, 2, 5}
	case decades > 8:
		every = int(math.Ceil(decades / 8))
	}
	first := int(math.Floor(math.Log10(s.from)))
	for e := first; math.Pow10(e) <= s.to && len(all) < 30; e += every {
		for _, d := range digits {
			all = append(all, d*math.Pow10(e))
		}
	}
	return all
}

// roundStep is the least step of 1, 2 or 5 of some power of ten that cuts a length into
// so many at most.
func roundStep(length float64, parts float64) float64 {
	if !(length > 0) || math.IsInf(length, 0) {
		return 1
	}
	raw := length / parts
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	switch f := raw / power; {
	case f <= 1:
		return power
	case f <= 2:
		return 2 * power
	case f <= 5:
		return 5 * power
	}
	return 10 * power
}

func powerOfTen(v float64) bool {
	e := math.Log10(v)
	return math.Abs(e-math.Round(e)) < 1e-9
}

// finite tells whether a number can be drawn.
func finite(v float64) bool { return math.Abs(v) <= 1e100 }
