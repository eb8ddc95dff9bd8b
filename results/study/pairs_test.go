package study

import (
	"slices"
	"strings"
	"testing"

	"volley/results/capacity/pool"
)

// drifting is a cell whose repeats double from block to block, without the blocks lost.
func drifting(setting, value string, blocks int, lost []int, metrics map[string]float64) Cell {
	c := Cell{Settings: []Setting{{Name: setting, Value: value}}}
	for b := 1; b <= blocks; b++ {
		if !slices.Contains(lost, b) {
			c.Blocks = append(c.Blocks, b)
		}
	}
	for name, v := range metrics {
		m := Metric{Name: name, Unit: "us", Value: v}
		for _, b := range c.Blocks {
			m.Repeats = append(m.Repeats, v*float64(int(1)<<b)*(1+0.001*float64(b%3)))
		}
		m.Low, m.High = interval(m.Repeats)
		c.Metrics = append(c.Metrics, m)
	}
	return c
}

// A trial that stayed void takes its block with it: the others still belong together.
func TestRepeatsArePairedByTheirBlocks(t *testing.T) {
	for _, c := range []struct {
		blocks int
		want   string
	}{{8, "batch"}, {7, ""}} {
		batch := drifting("form", "batch", c.blocks, []int{1}, map[string]float64{CPUPerItem: 100})
		single := drifting("form", "single", c.blocks, []int{c.blocks}, map[string]float64{CPUPerItem: 150})
		r := RecommendForm([]Cell{single, batch}, "form")
		text := r.Sentence + strings.Join(r.Why, "\n")
		if r.Value != c.want || !strings.Contains(text, "1.50 times") {
			t.Errorf("of %d blocks, one lost of each form, %q is recommended: %s", c.blocks, r.Value, text)
		}
	}
	odd := drifting("form", "odd", 8, nil, map[string]float64{CPUPerItem: 100})
	odd.Metrics[0].Repeats = odd.Metrics[0].Repeats[1:]
	r := RecommendForm([]Cell{odd, drifting("form", "single", 8, nil, map[string]float64{CPUPerItem: 150})}, "form")
	if r.Value != "" || !strings.Contains(strings.Join(r.Warnings, "\n"), "a trial does not tell it") {
		t.Errorf("with a trial that tells no CPU %q is recommended, warnings %q", r.Value, r.Warnings)
	}
}

// The front's pairs are those of the blocks that all limits have, its values the medians
// that the rule goes by.
func TestLimitFrontByBlocks(t *testing.T) {
	cells := []Cell{
		drifting("limit", "1", 8, []int{1}, map[string]float64{ResponseP99: 1e6, ProbeP99: 1e3}),
		drifting("limit", "4", 8, []int{8, 2}, map[string]float64{ResponseP99: 5e5, ProbeP99: 1.5e3}),
	}
	front, _ := LimitFront(cells, "limit")
	for i, ratio := 0, 0.0; i < len(front[0].Batches); i++ {
		if ratio = front[1].Batches[i] / front[0].Batches[i]; ratio < 0.49 || ratio > 0.51 || len(front[1].Probes) != 5 {
			t.Errorf("pair %d: limit 4 takes %g of limit 1, and has %d probes", i+1, ratio, len(front[1].Probes))
		}
	}
	if front[0].Trials != 7 || len(front[0].Batches) != 5 {
		t.Errorf("%d trials, %d of them in pairs", front[0].Trials, len(front[0].Batches))
	}
	r := RecommendLimit(cells, "limit", pool.Guard{Limit: 1})
	for i := range r.Front {
		for _, m := range r.Front[i].Metrics {
			p := front[i].Batch
			if m.Name == ProbeP99 {
				p = front[i].Probe
			}
			if m.Value != p.Value*1e6 || *m.Low > m.Value || *m.High < m.Value {
				t.Errorf("limit %s: %s is shown as %g in %g to %g, and judged as %g", r.Front[i].Value, m.Name, m.Value, *m.Low, *m.High, p.Value*1e6)
			}
		}
	}
}
