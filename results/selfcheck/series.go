package selfcheck

// seriesCap is the most windows that a Series holds.
const seriesCap = 4096

// Series is one value per window of time, in order, in fixed memory: when it is
// full, neighbouring windows merge in pairs, by their mean, and a window spans
// twice as many of those added. The zero value is empty and ready.
//
// A merged p50 or p99 is the mean of windows' percentiles: fit for seeing a
// drift, not for quoting.
type Series struct {
	values  []float64
	every   int // added windows in one held; 0 counts as 1
	sum     float64
	pending int // added windows in sum
	skipped int64
}

// Add appends one window's value. One that isn't a finite number, as of a window
// without calls, is skipped.
func (s *Series) Add(v float64) {
	if !finite(v) {
		s.skipped++
		return
	}
	s.sum += v / float64(s.Span())
	if s.pending++; s.pending < s.Span() {
		return
	}
	s.values = append(s.values, s.sum)
	s.sum, s.pending = 0, 0
	if len(s.values) == seriesCap {
		s.values = pairs(s.values[:0], s.values)
		s.every = 2 * s.Span()
	}
}

// Values are the windows so far, up to the last whole one: the caller's to read
// until the next Add.
func (s *Series) Values() []float64 { return s.values }

// Span is how many added windows one of Values stands for.
func (s *Series) Span() int { return max(s.every, 1) }

// Skipped is how many added windows had no value.
func (s *Series) Skipped() int64 { return s.skipped }

// pairs appends the means of neighbours to dst, which may share from's memory; a
// last value without a neighbour is left out.
func pairs(dst, from []float64) []float64 {
	for i := 0; i+1 < len(from); i += 2 {
		dst = append(dst, from[i]/2+from[i+1]/2)
	}
	return dst
}

func mean(series []float64) float64 {
	m := 0.0
	for i, v := range series {
		m += (v - m) / float64(i+1)
	}
	return m
}

// squares is the sum of squared deviations from the mean.
func squares(series []float64) float64 {
	m, s := mean(series), 0.0
	for _, v := range series {
		s += (v - m) * (v - m)
	}
	return s
}
