package correlate

import (
	"fmt"
	"math"
	"strings"
)

// Verdict is what can be said of a question.
type Verdict string

// The verdicts.
const (
	Agrees    Verdict = "agrees"
	Differs   Verdict = "differs"
	Binds     Verdict = "the limit binds"
	BindsNot  Verdict = "does not bind"
	NotEnough Verdict = "not enough samples"
	Unknown   Verdict = "unknown"
)

// littleTolerance is the share by which two means of one number in flight may differ.
const littleTolerance = 0.10

// fewestGauge is the fewest samples of a gauge that its mean is taken of.
const fewestGauge = 5

// Little is Little's law, L = X R (J. D. C. Little, "A Proof for the Queuing Formula
// L = lambda W", Operations Research 9, 1961), for the mean number of batches in
// flight, in four ways:
//
//	Client    the client's batches per second times their mean service time:
//	          in flight from sent to done
//	RateOfSum increase of the processing time's _sum per second, which is the
//	          integral of the number in the node over time, so its exact mean but for
//	          the batches at the two edges
//	Gauge     the mean of the scraped in-flight gauge, with its standard error: that
//	          of its samples, and at least sqrt(RateOfSum/samples), which it would be
//	          if the number in flight were Poisson distributed, as with Poisson arrivals
//	          that do not wait for each other (M/G/inf). Few samples of a small number
//	          are mostly zeros and show too little spread
//	XNode     the client's batches per second times the node's mean processing time
//
// The last three are of the node and must agree with RateOfSum, within 10% or, for
// Gauge, two standard errors; XNode differs from it only where the node counted other
// batches than the client. Client also holds what is outside the node's measure, so
// it may be more; Outside is by how much. It must not be less. All are over the
// client's time: a scrape before the load or after the drain may lie far from it.
type Little struct {
	Client    float64  `json:"client"`
	RateOfSum float64  `json:"rate_of_sum"`
	Gauge     *float64 `json:"gauge"` // nil: not exposed, or fewer than 5 samples
	GaugeSE   *float64 `json:"gauge_se"`
	GaugeN    int      `json:"gauge_n"`
	XNode     float64  `json:"rate_times_node"`
	Outside   float64  `json:"outside"` // Client - RateOfSum
	Verdict   Verdict  `json:"verdict"`
	Reason    string   `json:"reason"` // one sentence
	Suspects  []string `json:"suspects,omitempty"`
}

// Little compares the four for one Interval, or why that cannot be done. One Interval
// alone has no standard error of its gauge, so that this is not compared.
func (i *Interval) Little(n Names) (*Little, string) { return littleOf(i, nil, n) }

// littleOf takes the whole and its parts, from which the standard error comes.
func littleOf(total *Interval, parts []Interval, n Names) (*Little, string) {
	c, h := &total.Client, total.Node.Histograms[BatchTime]
	_, exposed := total.Node.Histograms[BatchTime]
	seconds := total.ClientSeconds()
	mean, measured := h.Mean()
	switch {
	case c.Batches == 0:
		return nil, "no batch was sent, and the node's gauges and times are of batches"
	case c.Batches < c.Calls:
		return nil, "batches and single calls are mixed: the client's times are of both, the node's of batches"
	case !exposed:
		return nil, "the node exposes no " + missing(n, BatchTime)
	case !measured || !(seconds > 0):
		return nil, "the node measured no batch"
	}
	l := &Little{
		Client: c.Service / seconds, RateOfSum: h.Sum / seconds,
		XNode:   float64(c.Batches) / seconds * mean,
		Verdict: Agrees,
	}
	l.Outside = l.Client - l.RateOfSum
	gauge := total.Node.Gauges[BatchesInFlight]
	l.GaugeN = gauge.N
	if m, ok := gauge.Mean(); ok && gauge.N >= fewestGauge {
		if se, ok := gaugeError(parts, BatchesInFlight); ok {
			se = math.Max(se, math.Sqrt(l.RateOfSum/float64(gauge.N)))
			l.Gauge, l.GaugeSE = &m, &se
		}
	}
	l.judge(total, h.Count)
	return l, ""
}

// judge compares. Some slack is due to what the edges cut: at most the batches in
// flight there, for as long as they were.
func (l *Little) judge(total *Interval, counted float64) {
	var off, within []string
	edge := float64(total.Client.InFlight) * total.Client.Service / math.Max(float64(total.Client.Timed), 1) / total.ClientSeconds()
	limit := littleTolerance*l.RateOfSum + edge
	tell := func(what string, v, slack float64) bool {
		if math.Abs(v-l.RateOfSum) <= slack {
			within = append(within, fmt.Sprintf("%s %.3g", what, v))
			return true
		}
		off = append(off, fmt.Sprintf("%s %.3g", what, v))
		return false
	}
	if !tell("the client's rate times the node's mean", l.XNode, limit) {
		ours := float64(total.Client.Batches)
		if counted > ours {
			l.Suspects = append(l.Suspects, fmt.Sprintf("other traffic: the node measured %.0f batches more than the client sent", counted-ours))
		} else {
			l.Suspects = append(l.Suspects, fmt.Sprintf("batches that the node did not measure: %.0f of the client's", ours-counted))
		}
	}
	switch {
	case l.Gauge == nil:
	case !tell("the gauge", *l.Gauge, math.Max(limit, 2**l.GaugeSE)):
		l.Suspects = append(l.Suspects, fmt.Sprintf("how the gauge was sampled, %d times: %s", l.GaugeN, l.unevenly()))
	}
	if l.Client < l.RateOfSum-limit {
		off = append(off, fmt.Sprintf("the client's rate times its service time %.3g", l.Client))
		if l.Suspects == nil {
			l.Suspects = append(l.Suspects, "a clock: the node had more in flight than the client", fmt.Sprintf("the alignment of scrapes (%v off at most)", total.Skew))
		}
	}
	if total.Node.Reset {
		l.Suspects = append(l.Suspects, "the node's counters were reset: what they held is lost")
	}
	if off == nil {
		l.Suspects = nil
		l.Reason = fmt.Sprintf("the node had %.3g batches in flight by its processing time, and %s agree", l.RateOfSum, strings.Join(within, " and "))
		if len(within) == 1 {
			l.Reason = fmt.Sprintf("the node had %.3g batches in flight by its processing time, and %s agrees", l.RateOfSum, within[0])
		}
		return
	}
	l.Verdict = Differs
	l.Reason = fmt.Sprintf("the node had %.3g batches in flight by its processing time, but by %s", l.RateOfSum, strings.Join(off, ", and by "))
}

// unevenly says how a gauge can be sampled more often at some numbers than at others.
func (l *Little) unevenly() string {
	const inStep = "arrivals at a constant rate may be in step with the scrapes"
	if *l.Gauge > l.RateOfSum {
		return "a pause of the machine holds up a scrape and the batches that it then finds, or " + inStep
	}
	return inStep
}

// gaugeError is the standard error of the mean of a gauge's samples, sd/sqrt(n*), with
// the spread of the Intervals' means and their effective number n* (effective); false
// where they are too few.
func gaugeError(parts []Interval, role Role) (float64, bool) {
	var means []float64
	for k := range parts {
		if m, ok := parts[k].Node.Gauges[role].Mean(); ok {
			means = append(means, m)
		}
	}
	if len(means) < fewestGauge {
		return 0, false
	}
	m, squares := 0.0, 0.0
	for _, v := range means {
		m += v / float64(len(means))
	}
	for _, v := range means {
		squares += (v - m) * (v - m)
	}
	return math.Sqrt(squares / float64(len(means)-1) / effective(means)), true
}
