package compare

import (
	"fmt"

	"volley/results/paired"
)

// judge gives verdicts to those that have estimates, as one family. What is the same in
// every pair is no test, and takes no share of the family's chance of error.
func judge(all []measure, margin float64) {
	var tested, same []*measure
	for i := range all {
		switch c := &all[i]; {
		case c.estimate == nil:
		case c.estimate.SD < 1e-12 && c.estimate.Ratio == 1:
			same = append(same, c)
		default:
			tested = append(tested, c)
		}
	}
	judgeFamily(tested, margin)
	for i := range same {
		judgeFamily(same[i:i+1], margin)
	}
}

func judgeFamily(family []*measure, margin float64) {
	metrics := make([]paired.Metric, len(family))
	for i, c := range family {
		metrics[i] = paired.Metric{Name: c.metric.Name, Better: c.metric.Better, Estimate: *c.estimate}
	}
	for i, j := range paired.Judge(metrics, paired.Rule{Margin: margin, Alpha: alpha}) {
		c := family[i]
		c.out.Verdict, c.out.P = string(j.Verdict), new(j.P)
		c.out.Warnings = append(c.out.Warnings, j.Warnings...)
		c.hopeless = c.estimate.LeastP*float64(len(family)) > alpha
		if c.hopeless {
			c.out.MDE = nil
		} else {
			c.detectable(c.error, alpha/float64(len(family)))
		}
		c.out.Sentence = c.sentence(margin)
	}
}

// sentence tells the change and the verdict.
func (c *measure) sentence(margin float64) string {
	name, m := c.metric.Name, &c.out
	var change string
	if s := m.Shift; s != nil {
		change = fmt.Sprintf("%s changes by %+.3g percentage points", name, 100*s.Value)
		if s.Low != nil {
			change += fmt.Sprintf(" (95%%: %+.3g to %+.3g)", 100**s.Low, 100**s.High)
		}
	} else {
		change = fmt.Sprintf("%s changes by %s", name, percent(*m.Ratio))
		if m.Low != nil {
			change += fmt.Sprintf(" (95%%: %s to %s)", percent(*m.Low), percent(*m.High))
		}
	}
	switch paired.Verdict(m.Verdict) {
	case paired.Equivalent:
		return fmt.Sprintf("%s: equivalent, within the margin of %.3g%%.", change, 100*margin)
	case paired.Inconclusive:
		return change + ": no difference shown" + c.couldShow() + "."
	}
	return fmt.Sprintf("%s: %s, p %.2g.", change, m.Verdict, *m.P)
}

// couldShow says what would have been seen 4 times of 5.
func (c *measure) couldShow() string {
	switch {
	case c.hopeless:
		return ", and so few runs could not show one"
	case c.out.MDE == nil:
		return ""
	case c.metric.share:
		return fmt.Sprintf("; one of %s percentage points would have been 4 times of 5", two(100**c.out.MDE))
	}
	return fmt.Sprintf("; one of %s%% would have been 4 times of 5", two(100**c.out.MDE))
}

func (m *Metric) absent() string {
	switch {
	case m.Name == "cpu":
		return "cpu: not known, as the node's metrics tell of none, or of too little to divide."
	case m.quantile > 0 || m.Name == "mean":
		return m.Name + ": there is none in too many runs: it falls among calls without an answer, or there were no calls."
	}
	return m.Name + ": there is none to compare."
}

func percent(ratio float64) string { return fmt.Sprintf("%+.2f%%", 100*(ratio-1)) }

// two gives a number with two digits, or all those before the point.
func two(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}
