package compare

import (
	"fmt"
	"strconv"
	"strings"

	"volley/results/study"
)

// Rule is a change that must not be, such as "p99 > +5%": of a metric, in percent of
// A; of errors in percentage points.
type Rule struct {
	Text   string
	Metric string
	More   bool // broken by a change over Limit, else by one under it
	Limit  float64
}

// ParseRule reads METRIC > CHANGE% or METRIC < CHANGE%.
func ParseRule(text string) (Rule, error) {
	wrong := func(why string) (Rule, error) {
		return Rule{}, fmt.Errorf("%.60q is no rule: %s; write it like 'p99 > +5%%' or 'goodput < -3%%'", text, why)
	}
	at := strings.IndexAny(text, "<>")
	if at < 0 {
		return wrong("it has neither > nor <")
	}
	r := Rule{Text: strings.Join(strings.Fields(text), " "), Metric: strings.TrimSpace(text[:at]), More: text[at] == '>'}
	if _, err := metric(r.Metric); err != nil {
		return wrong(err.Error())
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(text[at+1:]), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case err != nil || v != v || v > 1e6 || v < -100:
		return wrong("the change is no number of percent")
	case !percent:
		return wrong("the change has no %")
	}
	r.Limit = v / 100
	return r, nil
}

// hold says what a comparison makes of the rule. It is broken only when the whole 95%
// interval of the change is beyond the limit: what may be chance breaks nothing, at
// the price that a small breach needs enough pairs to be seen. Without an interval
// nothing is decided, but of errors of which there were none on either side.
func (r *Rule) hold(c *study.Comparison) study.RuleResult {
	out := study.RuleResult{Text: r.Text}
	if none(c) && (r.More && r.Limit >= 0 || !r.More && r.Limit <= 0) {
		out.Decided = true
		out.Sentence = fmt.Sprintf("%s: holds, there were no %s on either side.", r.Text, c.Name)
		return out
	}
	low, high, unit := c.Low, c.High, "%"
	if c.Shift != nil {
		low, high, unit = c.Shift.Low, c.Shift.High, " percentage points"
	} else if low != nil && high != nil {
		low, high = new(*low-1), new(*high-1)
	}
	if low == nil || high == nil {
		out.Sentence = fmt.Sprintf("%s: not decided, as the change of %s has no interval.", r.Text, c.Name)
		return out
	}
	out.Decided = true
	out.Broken = r.More && *low > r.Limit || !r.More && *high < r.Limit
	what := "holds"
	if out.Broken {
		what = "BROKEN"
	}
	out.Sentence = fmt.Sprintf("%s: %s, the change of %s is %+.3g to %+.3g%s.", r.Text, what, c.Name, 100**low, 100**high, unit)
	return out
}
