package results

import "volley/results/correlate"

// delta is what a counter did between two scrapes, the sum over its labels.
type delta struct {
	total   float64
	exposed bool
	reset   bool // some series went down or away: the node was restarted
}

// twoScrapes are the series of two scrapes, each read once.
type twoScrapes []twoValues

type twoValues struct {
	correlate.Series
	before, after float64
	gone          bool // it is not in the second one
}

func read(before, after map[string]float64) (t twoScrapes) {
	for text, v := range after {
		if s, err := correlate.ParseSeries(text); err == nil {
			t = append(t, twoValues{s, before[text], v, false}) // one that is not in before began at 0
		}
	}
	for text, v := range before {
		if _, still := after[text]; !still {
			if s, err := correlate.ParseSeries(text); err == nil {
				t = append(t, twoValues{s, v, 0, true})
			}
		}
	}
	return t
}

// delta sums what a selector picks, or of a histogram its _sum. With an outcome only
// the series whose label "outcome" says so are summed; where none has that label the
// node does not expose it.
func (t twoScrapes) delta(s correlate.Selector, outcome string) (d delta) {
	for i := range t {
		series := &t[i]
		if !s.Matches(&series.Series) && !s.MatchesSum(&series.Series) {
			continue
		}
		if series.gone {
			if series.before > 0 {
				d.exposed, d.reset = true, true
			}
			continue
		}
		d.reset = d.reset || series.after < series.before
		have, labelled := series.Label("outcome")
		if outcome == "" || labelled {
			d.exposed = true
		}
		if outcome == "" || labelled && have == outcome {
			d.total += series.after - series.before
		}
	}
	return d
}

// processStart is the series by which Prometheus' client libraries tell when a process
// began.
const processStart = "process_start_time_seconds"

// restarted tells whether the two samples are of two processes.
func restarted(before, after map[string]float64) bool {
	then, told := before[processStart]
	now, still := after[processStart]
	return told && still && then != now
}

func sumCodes(by map[int64]uint64, only func(code int64) bool) (n uint64) {
	for code, count := range by {
		if only(code) {
			n += count
		}
	}
	return n
}
