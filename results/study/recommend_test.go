package study

import (
	"strings"
	"testing"

	"volley/results/capacity/pool"
)

// cellOf makes a cell with one setting and metrics by their repeats.
func cellOf(setting, value string, metrics map[string][]float64) Cell {
	c := Cell{Settings: []Setting{{Name: setting, Value: value}}, Missing: metrics == nil}
	for name, repeats := range metrics {
		m := Metric{Name: name, Unit: "us", Repeats: repeats}
		for _, v := range repeats {
			m.Value += v / float64(len(repeats))
		}
		m.Low, m.High = interval(repeats)
		c.Metrics = append(c.Metrics, m)
	}
	return c
}

func scaled(by float64, values ...float64) []float64 {
	for i := range values {
		values[i] *= by
	}
	return values
}

// The front of a FIFO pool of 4 at utilisation 0.6 with batches of 50, in services: the
// batch gains up to 4, the probe's p99 doubles beyond.
func TestRecommendLimit(t *testing.T) {
	var cells []Cell
	for _, f := range []struct {
		limit        string
		batch, probe float64
	}{{"1", 126, 5}, {"2", 111, 5.9}, {"4", 106, 8.8}, {"8", 104, 15}, {"16", 102, 25}} {
		cells = append(cells, cellOf("limit", f.limit, map[string][]float64{
			ResponseP99: scaled(1e3*f.batch, 0.999, 1, 1.001), ProbeP99: scaled(1e3*f.probe, 0.999, 1, 1.001),
		}))
	}
	cells = append(cells, cellOf("limit", "32", nil))
	r := RecommendLimit(cells, "limit", pool.Guard{})
	if r.Value != "4" {
		t.Errorf("recommended %q (%s), want 4", r.Value, r.Sentence)
	}
	for _, k := range r.Front {
		if within := k.Value == "1" || k.Value == "2" || k.Value == "4"; k.Allowed != within || k.Chosen != (k.Value == "4") {
			t.Errorf("%s is told as allowed %v, chosen %v", k.Value, k.Allowed, k.Chosen)
		}
	}
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "limit=32 has no trial that counts") {
		t.Errorf("warnings %q", r.Warnings)
	}
	if r := RecommendLimit(cells, "limit", pool.Guard{Limit: 0.006}); r.Value != "2" || !strings.Contains(r.Rule, "6.00 ms") {
		t.Errorf("with a guard of 6 ms %q by %q, want 2", r.Value, r.Rule)
	}
	if r := RecommendLimit(cells[5:], "limit", pool.Guard{}); r.Value != "" || !strings.Contains(r.Sentence, "nothing can be recommended") {
		t.Errorf("of nothing: %q, %q", r.Value, r.Sentence)
	}
}

func TestRecommendForm(t *testing.T) {
	six := []float64{1, 1.02, 0.99, 1.01, 0.98, 1.03}
	forms := func(single, batch, array float64) []Cell {
		return []Cell{
			cellOf("form", "single", map[string][]float64{CPUPerItem: scaled(single, append([]float64{}, six...)...)}),
			cellOf("form", "batch", map[string][]float64{CPUPerItem: scaled(batch, append([]float64{}, six...)...)}),
			cellOf("form", "array", map[string][]float64{CPUPerItem: scaled(array, 1.01, 0.99, 1.02, 0.98, 1.03, 1)}),
		}
	}
	if r := RecommendForm(forms(400, 200, 100), "form"); r.Value != "array" || !r.Front[2].Chosen || len(r.Why) != 2 {
		t.Errorf("recommended %q (%s), want array", r.Value, r.Sentence)
	}
	r := RecommendForm(forms(400, 100, 100), "form")
	if r.Value != "" || !strings.Contains(strings.Join(r.Why, "\n"), "no difference shown; one of") {
		t.Errorf("of two alike %q is recommended: %q", r.Value, r.Why)
	}
	few := forms(400, 200, 100)
	for i := range few {
		few[i].Metrics[0].Repeats = few[i].Metrics[0].Repeats[:3]
	}
	if r := RecommendForm(few, "form"); r.Value != "" || !strings.Contains(strings.Join(r.Why, "\n"), "3 repeats have no 95% interval, 6 have") {
		t.Errorf("of three repeats %q is recommended: %q", r.Value, r.Why)
	}
	r = RecommendForm([]Cell{
		cellOf("form", "single", map[string][]float64{ResponseP99: scaled(2, append([]float64{}, six...)...)}),
		cellOf("form", "batch", map[string][]float64{ResponseP99: scaled(9, append([]float64{}, six...)...)}),
	}, "form")
	if r.Value != "single" || !strings.Contains(strings.Join(r.Warnings, "\n"), "does not tell its CPU time") {
		t.Errorf("without CPU %q, warnings %q", r.Value, r.Warnings)
	}
	short := forms(400, 200, 100)
	short[2].Metrics[0] = Metric{Name: CPUPerItem, Unit: "us", Repeats: []float64{0, 0, 0, 0, 0, 0}}
	if r := RecommendForm(short, "form"); !strings.Contains(strings.Join(r.Warnings, "\n"), "less than its counter tells in trials this short") {
		t.Errorf("with too little CPU: warnings %q", r.Warnings)
	}
}

// A = 2 ms a call and 0.5 ms an entry.
func TestRecommendSize(t *testing.T) {
	var cells []Cell
	for _, f := range []struct {
		value string
		n     float64
	}{{"1", 1}, {"2", 2}, {"5", 5}, {"10", 10}, {"20", 20}, {"50", 50}} {
		time := 2000 + 500*f.n
		cells = append(cells, cellOf("size", f.value, map[string][]float64{
			ServiceMean: scaled(time, 0.999, 1, 1.001), ResponseP99: scaled(2*time, 0.99, 1, 1.01), CPUPerCall: scaled(time/4, 1.001, 1, 0.999),
		}))
	}
	r, models := RecommendSize(cells, SizeOptions{Setting: "size", Metric: ResponseP99, Limit: 25_000})
	if r.Value != "20" || !r.Front[4].Chosen || r.Front[5].Allowed {
		t.Errorf("within 25 ms %q (%s), want 20: its p99 is 24 ms", r.Value, r.Sentence)
	}
	if len(models) != 2 || !within(models[0].Parameters, "A", 2000) || !within(models[0].Parameters, "e+b", 500) || !within(models[1].Parameters, "e+b", 125) {
		t.Errorf("models %+v", models)
	}
	if r, _ := RecommendSize(cells, SizeOptions{Setting: "size", Metric: ResponseP99, Limit: 24_100}); r.Value != "10" {
		t.Errorf("within 24.1 ms %q, want 10: 20 has a p99 of 24 ms, whose interval reaches beyond", r.Value)
	}
	if r, _ := RecommendSize(cells, SizeOptions{Setting: "size", Metric: ResponseP99, Limit: 1000}); r.Value != "" {
		t.Errorf("within 1 ms %q, want none", r.Value)
	}
	// 90% of the greatest speedup takes 9 A/(e+b) = 36 entries.
	if r, _ := RecommendSize(cells, SizeOptions{Setting: "size", Metric: ResponseP99}); r.Value != "36" {
		t.Errorf("without an objective %q (%s), want 36", r.Value, r.Sentence)
	}
	if r, _ := RecommendSize(cells[:1], SizeOptions{Setting: "size", Metric: ResponseP99}); r.Value != "" {
		t.Errorf("of one size %q is recommended", r.Value)
	}
}

func within(parameters []Parameter, name string, want float64) bool {
	for _, p := range parameters {
		if strings.HasPrefix(p.Name, name) && p.Low != nil && *p.Low <= want && *p.High >= want && p.Value > want*0.99 && p.Value < want*1.01 {
			return true
		}
	}
	return false
}
