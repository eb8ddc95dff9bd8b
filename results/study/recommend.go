package study

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"volley/results"
	"volley/results/capacity/pool"
	"volley/results/paired"
)

// frontMetrics are what a candidate is shown with.
var frontMetrics = []string{
	EntriesPerS, ItemsPerS, ResponseP50, ResponseP99, ProbeP99, CPUPerItem, BytesPerItem, ErrorsPerItem,
}

// candidate is a cell on the front, without a judgement.
func candidate(c *Cell, setting string) Candidate {
	k := Candidate{Value: c.Setting(setting), Metrics: []Metric{}, Allowed: true}
	for _, name := range frontMetrics {
		if m, ok := c.Metric(name); ok {
			k.Metrics = append(k.Metrics, m)
		}
	}
	return k
}

// LimitFront is the measured front of the cells that differ by a limit: the p99 of
// batches and of the probe beside them, in seconds.
func LimitFront(cells []Cell, setting string) (front []pool.Point, skipped []string) {
	var counted []*Cell
	for i := range cells {
		c := &cells[i]
		limit, err := strconv.Atoi(c.Setting(setting))
		batch, ok := c.Metric(ResponseP99)
		probe, too := c.Metric(ProbeP99)
		if err != nil || limit < 1 || c.Missing || !ok || !too {
			skipped = append(skipped, c.Setting(setting))
			continue
		}
		front = append(front, pool.NewPoint(limit, inSeconds(batch.Repeats), inSeconds(probe.Repeats)))
		counted = append(counted, c)
	}
	// Within blocks only what all settings have is compared.
	batches, err := inBlocks(counted, ResponseP99)
	probes, too := inBlocks(counted, ProbeP99)
	for i := range front {
		front[i].Batches, front[i].Probes = nil, nil
		if err == nil && too == nil {
			front[i].Batches, front[i].Probes = inSeconds(batches[i]), inSeconds(probes[i])
		}
	}
	return front, skipped
}

// judged puts the value that the rule goes by in the place of all trials' together.
func (k *Candidate) judged(metric string, v pool.Measure) {
	for i := range k.Metrics {
		if m := &k.Metrics[i]; m.Name == metric {
			m.Value, m.Low, m.High = v.Value*1e6, new(v.Low*1e6), nil
			if !math.IsInf(v.High, 1) {
				m.High = new(v.High * 1e6)
			}
		}
	}
}

func inSeconds(micros []float64) []float64 {
	all := make([]float64, len(micros))
	for i, v := range micros {
		all[i] = v / 1e6
	}
	return all
}

// nothing begins the sentence of a recommendation without a value.
const nothing = "nothing can be recommended: "

// plainly is an error's text without the package that it came from.
func plainly(err error) string {
	_, text, ok := strings.Cut(err.Error(), ": ")
	if ok && !strings.Contains(err.Error()[:len(err.Error())-len(text)-2], " ") {
		return text
	}
	return err.Error()
}

// RecommendLimit chooses a batch_concurrency_limit from the cells that differ by it,
// by the rule of package pool. With cells that cannot be compared the recommendation
// has no value and says why.
func RecommendLimit(cells []Cell, setting string, g pool.Guard) *Recommendation {
	r := &Recommendation{
		Setting: setting,
		Rule: "among the settings whose probe p99 stays within the guard (" + guardText(g) +
			"), the smallest whose batch p99 cannot be told from the best of them; a p99 is the median of its trials'",
	}
	front, skipped := LimitFront(cells, setting)
	for _, value := range skipped {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s=%s has no trial that counts", setting, value))
	}
	if len(front) < 2 {
		r.Sentence = nothing + "it takes two limits with trials that count"
		return r
	}
	chosen, err := pool.Recommend(front, g)
	if err != nil {
		r.Sentence = nothing + plainly(err)
		return r
	}
	r.Value, r.Sentence = strconv.Itoa(chosen.Setting), chosen.Reason
	r.Warnings = append(r.Warnings, chosen.Warnings...)
	for _, p := range chosen.Front {
		if p.Trials < paired.FewestPairs {
			r.Warnings = append(r.Warnings, fmt.Sprintf("a limit had %d trials that count: from %d on the rule finds the right one or its neighbour in nine of ten cases, with fewer it often takes a smaller one", p.Trials, paired.FewestPairs))
			break
		}
	}
	r.GuardUS = chosen.Guard * 1e6
	for i := range cells {
		k := candidate(&cells[i], setting)
		k.Chosen = k.Value == r.Value
		if at := slices.IndexFunc(chosen.Front, func(p pool.Point) bool { return strconv.Itoa(p.Setting) == k.Value }); at >= 0 {
			p := &chosen.Front[at]
			k.Allowed = p.Within
			k.judged(ResponseP99, p.Batch)
			k.judged(ProbeP99, p.Probe)
		} else {
			k.Allowed = false
		}
		r.Front = append(r.Front, k)
	}
	return r
}

func guardText(g pool.Guard) string {
	if g.Limit > 0 {
		return results.Micros(g.Limit * 1e6)
	}
	factor := g.Factor
	if factor == 0 {
		factor = 2
	}
	return fmt.Sprintf("%g times that at 1", factor)
}

// RecommendForm chooses the form that costs the node the least CPU an item, where
// that differs from the next one beyond chance; without the node's CPU the one with the
// lowest p99. Every cell must have done the same work.
func RecommendForm(cells []Cell, setting string) *Recommendation {
	r := &Recommendation{Setting: setting}
	metric, words := CPUPerItem, "CPU an item"
	if !allHave(cells, CPUPerItem) {
		metric, words = ResponseP99, "response p99"
		why := "the node does not tell its CPU time"
		if slices.ContainsFunc(cells, func(c Cell) bool { _, ok := c.Metric(CPUPerItem); return ok }) {
			why = "the node's CPU time is less than its counter tells in trials this short"
		}
		r.Warnings = append(r.Warnings, why+", so forms are held against each other by response p99 alone")
	}
	r.Rule = "the form with the least " + words + ", if it differs from the next beyond chance (ratios within blocks, 95% by Wilcoxon's signed ranks)"
	for i := range cells {
		r.Front = append(r.Front, candidate(&cells[i], setting))
	}
	order, err := byMetric(cells, metric)
	if err != nil {
		r.Sentence = nothing + plainly(err)
		return r
	}
	best := &cells[order[0]]
	shown, next := true, ""
	for _, i := range order[1:] {
		other := &cells[i]
		var e paired.Estimate
		both, err := inBlocks([]*Cell{best, other}, metric)
		if err == nil {
			e, err = paired.Ratios(both[0], both[1])
		}
		if err != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s against %s: %v", other.Setting(setting), best.Setting(setting), err))
			shown = false
			continue
		}
		differs := e.Bounded && e.Low > 1
		shown = shown && differs
		if next == "" && differs {
			next = fmt.Sprintf("; %s, the next, takes %.2f times as much (95%% %.2f to %.2f)", other.Setting(setting), e.Ratio, e.Low, e.High)
		}
		r.Why = append(r.Why, ratioSentence(other.Setting(setting), best.Setting(setting), words, e, differs))
	}
	if !shown {
		r.Sentence = fmt.Sprintf("no form is shown to be best; %s has the least %s, but not beyond chance against each of the others", best.Setting(setting), words)
		return r
	}
	r.Value = best.Setting(setting)
	r.Sentence = fmt.Sprintf("%s, with the least %s%s", r.Value, words, next)
	r.Front[order[0]].Chosen = true
	return r
}

func ratioSentence(other, best, words string, e paired.Estimate, differs bool) string {
	text := fmt.Sprintf("%s takes %.2f times the %s of %s", other, e.Ratio, words, best)
	switch {
	case differs:
		return text + fmt.Sprintf(" (95%% %.2f to %.2f)", e.Low, e.High)
	case !e.Bounded:
		return text + fmt.Sprintf("; %d repeats have no 95%% interval, %d have", e.N, paired.FewestPairs)
	}
	text += fmt.Sprintf(" (95%% %.2f to %.2f): no difference shown", e.Low, e.High)
	if e.Detectable > 0 {
		text += fmt.Sprintf("; one of %.0f%% would have been, 4 times of 5", 100*e.Detectable)
	}
	return text
}

func allHave(cells []Cell, metric string) bool {
	return !slices.ContainsFunc(cells, func(c Cell) bool { m, ok := c.Metric(metric); return !ok || !(m.Value > 0) })
}

// byMetric orders the cells that have it, the least first.
func byMetric(cells []Cell, metric string) ([]int, error) {
	var order []int
	for i := range cells {
		if _, ok := cells[i].Metric(metric); ok {
			order = append(order, i)
		}
	}
	if len(order) < 2 {
		return nil, errors.New("fewer than two settings have trials that count")
	}
	slices.SortFunc(order, func(a, b int) int {
		x, _ := cells[a].Metric(metric)
		y, _ := cells[b].Metric(metric)
		switch {
		case x.Value < y.Value:
			return -1
		case x.Value > y.Value:
			return 1
		}
		return 0
	})
	return order, nil
}
