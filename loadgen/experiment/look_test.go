package experiment

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"volley/results"
	"volley/results/capacity/pool"
	"volley/results/study"
)

// timesOf is a slice whose calls have these service times.
func timesOf(entries int, times []time.Duration) *results.PhaseSlice {
	s := &results.PhaseSlice{Latency: results.NewLatency()}
	for _, d := range times {
		out := results.Outcome{Done: d, Entries: entries, Items: entries, Class: results.OK}
		out.ByClass[results.OK] = entries
		s.AddOutcome(&out)
		s.Record(&out)
	}
	return s
}

// What a call takes beside its entries is told from what an entry takes.
func TestEntryTimes(t *testing.T) {
	const envelope, mean, size = 3 * time.Millisecond, 10 * time.Millisecond, 20
	rng := rand.New(rand.NewPCG(1, 1))
	var singles, batches []time.Duration
	draw := func(n int) (sum time.Duration) {
		for range n {
			sum += time.Duration(rng.ExpFloat64() * float64(mean))
		}
		return envelope + sum
	}
	for range 4000 {
		singles = append(singles, draw(1))
	}
	for range 1000 {
		batches = append(batches, draw(size))
	}
	work, beside, err := entryTimes(timesOf(1, singles), timesOf(size, batches))
	if err != nil {
		t.Fatal(err)
	}
	if got := work.Mean(); math.Abs(got/0.010-1) > 0.03 {
		t.Errorf("an entry takes %g s, want 0.010", got)
	}
	if math.Abs(beside-0.003) > 0.0005 {
		t.Errorf("a call takes %g s beside its entries, want 0.003", beside)
	}
	// Without batches the whole time is taken for the entry's.
	work, beside, err = entryTimes(timesOf(1, singles), timesOf(size, nil))
	if err != nil || beside != 0 || math.Abs(work.Mean()/0.013-1) > 0.03 {
		t.Errorf("without batches: %g s and %g s beside, %v", work.Mean(), beside, err)
	}
	if _, _, err := entryTimes(timesOf(1, nil), timesOf(size, nil)); err == nil {
		t.Error("no calls give a time")
	}
}

// sweptPool is a sweep of limits over a node that is a pool of the given discipline, in
// trials of so many batches.
func sweptPool(t *testing.T, node pool.Model, limits []int, batches, repeats int) *study.Sweep {
	t.Helper()
	a := &study.Sweep{}
	for _, c := range limits {
		var batch, probe []float64
		for i := range repeats {
			r, err := node.Simulate(c, batches, uint64(1000+i))
			if err != nil {
				t.Fatal(err)
			}
			batch, probe = append(batch, r.Batch.P99*1e6), append(probe, r.Probe.P99*1e6)
		}
		a.Cells = append(a.Cells, study.Cell{
			Settings: []study.Setting{{Name: "limit", Value: strconv.Itoa(c)}},
			Metrics:  []study.Metric{{Name: study.ResponseP99, Repeats: batch}, {Name: study.ProbeP99, Repeats: probe}},
		})
	}
	a.Recommendation = study.RecommendLimit(a.Cells, "limit", pool.Guard{})
	return a
}

// A node that is such a pool is recognised as one, also from trials of few batches, whose
// p99 lies lower than that of thousands.
func TestExplainRecognisesTheDiscipline(t *testing.T) {
	for _, d := range []pool.Discipline{pool.FIFO, pool.Sharing} {
		node := pool.Model{
			Discipline: d, Workers: 4, Size: pool.FixedSize(50), BatchRate: 0.6 * 4 / 50 / 0.010, ProbeRate: 40,
			Work: pool.Exponential(0.010),
		}
		node.BatchRate -= node.ProbeRate / 50
		const batches = 120
		a := sweptPool(t, node, []int{1, 2, 4, 8, 32}, batches, 6)
		l := &Looked{Model: node, Predicted: []pool.Point{{}}, seconds: batches / node.BatchRate}
		l.Explain(a)
		said := strings.Join(a.Recommendation.Why, "\n")
		if !strings.Contains(said, "The node behaves like") || !strings.Contains(strings.SplitN(said, ":", 2)[0], string(d)) {
			t.Errorf("a %s: %s", d, said)
		}
		if warnings := strings.Join(a.Recommendation.Warnings, "\n"); strings.Contains(warnings, "describes this node well") || strings.Contains(warnings, "apart with certainty") {
			t.Errorf("a %s: %s", d, warnings)
		}
		if len(a.Models) != 2 || len(a.Models[0].Points) != 5 || a.Models[0].Points[2].Residual == nil {
			t.Errorf("a %s: models %+v", d, a.Models)
		}
	}
}

// The chosen limit's neighbours are measured, wherever the candidates ended.
func TestMoreLimits(t *testing.T) {
	sweep := func(batch map[int]float64) *study.Sweep {
		a := &study.Sweep{}
		for _, c := range []int{1, 2, 3, 4, 8, 16, 32} {
			if v, ok := batch[c]; ok {
				a.Cells = append(a.Cells, study.Cell{
					Settings: []study.Setting{{Name: "limit", Value: strconv.Itoa(c)}},
					Metrics:  []study.Metric{{Name: study.ResponseP99, Repeats: []float64{v, v * 1.01, v * .99}}, {Name: study.ProbeP99, Repeats: []float64{1000, 1010, 990}}},
				})
			}
		}
		return a
	}
	for _, c := range []struct {
		why   string
		batch map[int]float64
		most  int
		want  []int
	}{
		{"in the middle", map[int]float64{1: 900, 2: 500, 4: 300, 8: 400}, 64, nil},
		{"at the upper edge", map[int]float64{1: 900, 4: 500, 8: 300}, 64, []int{16}},
		{"at the most that is worth a trial", map[int]float64{1: 900, 8: 500, 16: 300}, 16, nil},
		{"just below it", map[int]float64{1: 900, 8: 500, 16: 300}, 20, []int{20}},
		{"far above its neighbour", map[int]float64{1: 900, 8: 300, 16: 400}, 64, []int{4}},
		{"close to its neighbour", map[int]float64{1: 900, 3: 500, 4: 300, 8: 400}, 64, nil},
	} {
		got := MoreLimits(sweep(c.batch), "limit", pool.Guard{}, c.most)
		if len(got) != len(c.want) || len(got) == 1 && got[0] != c.want[0] {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}
