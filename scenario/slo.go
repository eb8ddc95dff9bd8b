package scenario

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

var objectiveText = regexp.MustCompile(`^(.*?)\s*(<=|>=|<|>)\s*(.*)$`)

func (d *decoder) objectives(n *node) []Objective {
	var out []Objective
	if n != nil && n.kind == sequence && len(n.items) == 0 {
		return nil
	}
	for _, line := range d.list(n, "objectives") {
		if line.kind != scalar {
			d.report(line, "write it like response p99 <= 250ms", "want an objective, not %s", describe(line))
			continue
		}
		if o, ok := d.objective(line); ok {
			out = append(out, o)
		}
	}
	return out
}

const objectiveHint = "understood: response|service|lateness p50|p99.9|max|mean <= 250ms; entry|call errors <= 0.1%; goodput|entries >= 500 entries/s; calls >= 20 calls/s; items >= 500 items/s"

// objective takes one line apart: metric, operator, limit.
func (d *decoder) objective(n *node) (Objective, bool) {
	m := objectiveText.FindStringSubmatch(strings.TrimSpace(n.text))
	if m == nil {
		d.report(n, objectiveHint, "%s is no objective: it compares nothing", clip(n.text))
		return Objective{}, false
	}
	words, limit := strings.Fields(m[1]), m[3]
	o := Objective{Text: strings.TrimSpace(n.text), Op: m[2]}
	metric := strings.Join(words, " ")
	switch {
	case len(words) == 2 && slices.Contains(latencies(), words[0]):
		o.Metric, o.Stat = words[0], words[1]
		return o, d.latencyLimit(n, &o, limit)
	case metric == "entry errors" || metric == "call errors":
		o.Metric = metric
		return o, d.shareLimit(n, &o, limit)
	case slices.Contains(rates(), metric):
		o.Metric = metric
		return o, d.rateLimit(n, &o, limit)
	case len(words) == 1 && slices.Contains(latencies(), words[0]):
		d.report(n, "did you mean "+words[0]+" p99 "+m[2]+" "+limit+"?", "%s of what: p50, p99, max or mean?", words[0])
		return o, false
	}
	hint := objectiveHint
	known := append([]string{"entry errors", "call errors"}, rates()...)
	if best := closest(metric, known); best != "" {
		hint = "did you mean " + best + "?"
	} else if len(words) == 2 {
		if best := closest(words[0], latencies()); best != "" {
			hint = "did you mean " + best + " " + words[1] + "?"
		}
	}
	d.report(n, hint, "%s is nothing that is measured", clip(metric))
	return o, false
}

func latencies() []string { return []string{"response", "service", "lateness"} }
func rates() []string     { return []string{"goodput", "calls", "entries", "items"} }

var percentile = regexp.MustCompile(`^p[0-9]{1,2}(\.[0-9]{1,4})?$`)

func (d *decoder) latencyLimit(n *node, o *Objective, limit string) bool {
	if o.Stat != "max" && o.Stat != "mean" {
		p, _ := finite(strings.TrimPrefix(o.Stat, "p"))
		if !percentile.MatchString(o.Stat) || p <= 0 {
			d.report(n, "understood: p50, p90, p99, p99.9, ..., max and mean", "%s is no statistic of a latency", clip(o.Stat))
			return false
		}
	}
	v, err := time.ParseDuration(limit)
	if err != nil || v <= 0 {
		hint := "write it like 250ms"
		if _, bare := finite(limit); bare {
			hint = "did you mean " + limit + "ms?"
		}
		d.report(n, hint, "%s is no latency", clip(limit))
		return false
	}
	o.Limit = float64(v) / float64(time.Microsecond)
	return true
}

func (d *decoder) shareLimit(n *node, o *Objective, limit string) bool {
	v, percent, ok := parseShare(limit)
	if ok && v >= 0 && v <= 1 {
		o.Limit = v
		return true
	}
	hint := "write it like 0.1% or 0.001"
	if ok && !percent && v <= 100 {
		hint = "did you mean " + limit + "%?"
	}
	d.report(n, hint, "%s is no share of what was sent", clip(limit))
	return false
}

func (d *decoder) rateLimit(n *node, o *Objective, limit string) bool {
	want := Unit(o.Metric + "/s")
	if o.Metric == "goodput" {
		want = Entries
	}
	number, unit, _ := strings.Cut(strings.TrimSpace(limit), " ")
	v, ok := finite(number)
	if !ok || v < 0 || math.IsInf(v, 0) || Unit(strings.TrimSpace(unit)) != want {
		d.report(n, "write it like "+o.Metric+" "+o.Op+" 500 "+string(want), "%s is counted in %s, and %s is no such rate", o.Metric, want, clip(limit))
		return false
	}
	o.Limit = v
	return true
}
