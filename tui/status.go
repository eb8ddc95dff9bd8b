package tui

import (
	"fmt"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
)

// StatusLine tells one interval in one line of at most width runes (0: no
// bound): where the plan is, what was sent and how it was answered in the
// interval's calls, and percentiles of their response time and lateness. It is
// what a run shows without a terminal.
func StatusLine(s *results.Snapshot, phases []results.PhaseMeta, width int) string {
	interval := (s.End - s.Start).Seconds()
	var counts results.Counts
	response, lateness := newLike(s, pickResponse), newLike(s, pickLateness)
	for i := range s.Phases {
		counts.Add(&s.Phases[i].Counts)
		merge(response, s.Phases[i].Response)
		merge(lateness, s.Phases[i].Lateness)
	}

	parts := []string{fmt.Sprintf("%4.0fs %s", s.End.Seconds(), phaseWord(phaseOf(s), phases))}
	switch {
	case interval < sliver:
		parts = append(parts, fmt.Sprintf("%d calls %d entries", counts.Calls, counts.Entries))
	default:
		parts = append(parts, fmt.Sprintf("%.0f calls/s %.0f entries/s", float64(counts.Calls)/interval, float64(counts.Entries)/interval))
	}
	if counts.Entries > 0 {
		var failed uint64
		for c, n := range counts.ByClass {
			if results.Class(c).Failed() {
				failed += n
			}
		}
		parts = append(parts, fmt.Sprintf("failed %.2f%%", 100*float64(failed)/float64(counts.Entries)))
	}
	if response != nil && response.TotalCount() > 0 {
		parts = append(parts, fmt.Sprintf("response p50 %s p99 %s", results.Micros(float64(response.ValueAtQuantile(50))), results.Micros(float64(response.ValueAtQuantile(99)))))
	}
	if lateness != nil && lateness.TotalCount() > 0 {
		parts = append(parts, "late p99 "+results.Micros(float64(lateness.ValueAtQuantile(99))))
	}
	parts = append(parts, fmt.Sprintf("in flight %d", s.InFlight))
	if counts.OverBound > 0 {
		parts = append(parts, fmt.Sprintf("over bound %d", counts.OverBound))
	}
	return cut(strings.Join(parts, "  "), width)
}

// phaseOf gives the phase that most of the interval's calls belong to; without any
// the one that the plan is in at its end.
func phaseOf(s *results.Snapshot) int {
	phase, most := s.Current, uint64(0)
	for i := range s.Phases {
		if n := s.Phases[i].Calls; n > 0 && n >= most {
			phase, most = s.Phases[i].Phase, s.Phases[i].Calls
		}
	}
	return phase
}

func phaseWord(current int, phases []results.PhaseMeta) string {
	if current < 0 || current >= len(phases) {
		return "draining"
	}
	p := phases[current]
	asked := results.Number(p.Value) + " " + p.Unit
	if p.To != p.Value && p.Unit != "callers" {
		asked = results.Number(p.Value) + " to " + results.Number(p.To) + " " + p.Unit
	}
	word := fmt.Sprintf("%s (asked %s)", results.Escape(results.Brief(p.Name)), asked)
	if !p.Measured {
		word += " not measured"
	}
	return word
}

func pickResponse(p *results.PhaseSlice) *hdrhistogram.Histogram { return p.Response }
func pickLateness(p *results.PhaseSlice) *hdrhistogram.Histogram { return p.Lateness }

// newLike gives an empty histogram of the shape that the snapshot's own have,
// so that merging them loses nothing; nil when the snapshot holds none.
func newLike(s *results.Snapshot, pick func(*results.PhaseSlice) *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	for i := range s.Phases {
		if h := pick(&s.Phases[i]); h != nil {
			return hdrhistogram.New(h.LowestTrackableValue(), h.HighestTrackableValue(), int(h.SignificantFigures()))
		}
	}
	return nil
}

func merge(into, from *hdrhistogram.Histogram) {
	if into != nil && from != nil {
		into.Merge(from)
	}
}

func cut(s string, width int) string {
	if width <= 0 {
		return s
	}
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	if width == 1 {
		return string(r[:1])
	}
	return string(r[:width-1]) + "…"
}
