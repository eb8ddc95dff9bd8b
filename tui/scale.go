package tui

import (
	"math"
	"time"

	"volley/results"
)

// logScale maps latencies in microseconds onto n steps, by their logarithm.
type logScale struct {
	low, high float64
	n         int
}

// leastRatio keeps a scale from blowing up what hardly varies.
const leastRatio = 10

// newLogScale gives a scale from low to high, widened to numbers that people read
// (1, 2, 5, 10, ...).
func newLogScale(low, high float64, n int) logScale {
	low, high = max(low, 1), max(high, 1)
	if high/low < leastRatio {
		middle := math.Sqrt(low * high)
		low, high = max(middle/math.Sqrt(leastRatio), 1), max(middle*math.Sqrt(leastRatio), leastRatio)
	}
	return logScale{low: niceBelow(low), high: niceAbove(high), n: n}
}

// scaleOf gives a scale on which all of d is to be seen, save for the lowest
// thousandth part.
func scaleOf(d dist, n int) logScale {
	if len(d) == 0 {
		return newLogScale(100, 100_000, n)
	}
	return newLogScale(float64(d.quantile(.001)), float64(d.greatest()), n)
}

// at gives the place of a latency, from 0 to n; what lies outside is at an edge.
func (s logScale) at(us float64) float64 {
	if us <= s.low {
		return 0
	}
	return min(math.Log(us/s.low)/math.Log(s.high/s.low)*float64(s.n), float64(s.n))
}

// step gives the step that a latency falls into, from 0 to n-1.
func (s logScale) step(us float64) int { return min(int(s.at(us)), s.n-1) }

// ticks gives 1, 2 and 5 times every power of ten within the scale.
func (s logScale) ticks() (ticks []tick) {
	for decade := math.Pow(10, math.Floor(math.Log10(s.low))); decade <= s.high; decade *= 10 {
		for _, m := range [...]float64{1, 2, 5} {
			if us := m * decade; us >= s.low*0.999 && us <= s.high*1.001 {
				ticks = append(ticks, tick{us, m == 1})
			}
		}
	}
	return ticks
}

type tick struct {
	us    float64
	major bool
}

func niceBelow(v float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range [...]float64{5, 2} {
		if m*decade <= v*1.0001 {
			return m * decade
		}
	}
	return decade
}

func niceAbove(v float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range [...]float64{1, 2, 5} {
		if v <= m*decade*1.0001 {
			return m * decade
		}
	}
	return 10 * decade
}

// tickWord gives a tick's latency without zeros that say nothing: "5 ms".
func tickWord(us float64) string {
	switch {
	case us < 999.5:
		return results.Number(math.Round(us)) + " us"
	case us < 999_500:
		return results.Number(math.Round(us/1e3)) + " ms"
	}
	return results.Number(math.Round(us/1e6)) + " s"
}

// clock gives a length of time as a clock has it: "0:07", "12:34", "1:02:03".
func clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s >= 3600 {
		return itoa(s/3600) + ":" + two(s/60%60) + ":" + two(s%60)
	}
	return itoa(s/60) + ":" + two(s%60)
}

func itoa(n int) string { return results.Number(float64(n)) }

func two(n int) string { return string([]byte{byte('0' + n/10%10), byte('0' + n%10)}) }
