package study

import (
	"strings"
	"testing"

	"volley/results/capacity/pool"
)

// cellsOf are cells that differ by one setting, each with a metric's repeats.
func cellsOf(values []string, metrics map[string][]float64) []Cell {
	var cells []Cell
	for _, v := range values {
		c := Cell{Settings: []Setting{{Name: "x", Value: v}}}
		for name, repeats := range metrics {
			m := Metric{Name: name, Unit: "us", Value: repeats[0], Repeats: repeats}
			m.Low, m.High = interval(repeats)
			c.Metrics = append(c.Metrics, m)
		}
		cells = append(cells, c)
	}
	return cells
}

// Where everything is equal to the last digit, nothing is said to differ.
func TestRecommendationsWithoutVariance(t *testing.T) {
	same := []float64{1000, 1000, 1000, 1000, 1000, 1000}
	all := map[string][]float64{ResponseP99: same, ProbeP99: same, CPUPerItem: same, ServiceMean: same, CPUPerCall: same}
	limit := RecommendLimit(cellsOf([]string{"1", "2", "4"}, all), "x", pool.Guard{})
	if limit.Value != "1" || !strings.Contains(limit.Sentence, "No difference") {
		t.Errorf("limit: %+v", limit)
	}
	form := RecommendForm(cellsOf([]string{"single", "batch"}, all), "x")
	if form.Value != "" || !strings.Contains(form.Sentence, "no form is shown to be best") {
		t.Errorf("form: %+v", form)
	}
	size, _ := RecommendSize(cellsOf([]string{"1", "10", "100"}, all), SizeOptions{Setting: "x"})
	if strings.Contains(size.Sentence, "NaN") || strings.Contains(size.Sentence, "Inf") {
		t.Errorf("size: %+v", size)
	}
}

// Too few points give no recommendation, and say so.
func TestRecommendationsOfTooLittle(t *testing.T) {
	one := map[string][]float64{ResponseP99: {1000}, ProbeP99: {500}, CPUPerItem: {100}, ServiceMean: {900}, CPUPerCall: {100}}
	for name, r := range map[string]*Recommendation{
		"two limits":  RecommendLimit(nil, "x", pool.Guard{}),
		"fewer than ": RecommendForm(nil, "x"),
	} {
		if r.Value != "" || !strings.HasPrefix(r.Sentence, nothing) || !strings.Contains(r.Sentence, name) {
			t.Errorf("of no cells: %q, want %q", r.Sentence, name)
		}
	}
	two := cellsOf([]string{"1", "5"}, one)
	two[1].Metrics[0].Value *= 2
	form := RecommendForm(two, "x")
	if form.Value != "" || !strings.Contains(strings.Join(append(form.Why, form.Warnings...), "\n"), "at least 2 are needed") {
		t.Errorf("form of one repeat: %+v", form)
	}
	size, models := RecommendSize(two, SizeOptions{Setting: "x"})
	if size.Value != "" || !strings.Contains(size.Sentence, "fit any model exactly") || len(models) != 2 {
		t.Errorf("size of two points: %+v", size)
	}
}
