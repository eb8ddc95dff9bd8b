package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"volley/results/study"
)

func TestOrderIsABBA(t *testing.T) {
	t.Parallel()
	for repeats := 1; repeats <= 5; repeats++ {
		blocks := Order(7, repeats, 3)
		if len(blocks) != repeats {
			t.Fatalf("%d blocks, want %d", len(blocks), repeats)
		}
		for i, b := range blocks {
			if sorted := slices.Sorted(slices.Values(b)); !slices.Equal(sorted, []int{0, 1, 2, 3, 4, 5, 6}) {
				t.Errorf("block %d is %v: not every cell once", i, b)
			}
			if i%2 == 1 {
				reverse := slices.Clone(blocks[i-1])
				slices.Reverse(reverse)
				if !slices.Equal(b, reverse) {
					t.Errorf("block %d is %v behind %v: not its reverse", i, b, blocks[i-1])
				}
			}
		}
	}
	first := fmt.Sprint(Order(7, 2, 3))
	if again := fmt.Sprint(Order(7, 2, 3)); again != first {
		t.Error("the same seed gives another order")
	}
	if fmt.Sprint(Order(7, 2, 4)) == first {
		t.Error("another seed gives the same order")
	}
}

func sweepOptions(t *testing.T, repeats int) SweepOptions {
	o := SweepOptions{Repeats: repeats, Seed: 9}
	for _, size := range []string{"1", "10"} {
		o.Cells = append(o.Cells, Cell{
			Settings: []study.Setting{{Name: "size", Value: size}},
			Plan:     planOf(t, "form=batch", "size="+size),
		})
	}
	return o
}

func TestSweepSumsUpRepeats(t *testing.T) {
	t.Parallel()
	o := sweepOptions(t, 3)
	o.Probe = 50
	seeds := map[int][]uint64{}
	lab := &fakeLab{outcome: func(n int, s *Spec) fakeOutcome {
		seeds[s.Block] = append(seeds[s.Block], s.Plan.Seed)
		return fakeOutcome{cpuS: 1.2 + float64(s.Block)*0.6}
	}}
	a, err := Sweep(context.Background(), begin(t, t.TempDir(), study.SweepKind, lab), o)
	if err != nil || a.Status != study.Finished {
		t.Fatal(a.Status, err)
	}
	for block, s := range seeds {
		if len(s) != 2 || s[0] != s[1] {
			t.Errorf("block %d has the seeds %v: want the same for each trial", block, s)
		}
	}
	if seeds[1][0] == seeds[2][0] {
		t.Error("two blocks have the same seed")
	}
	cell := a.Cells[1]
	if cell.Setting("size") != "10" || len(cell.Trials) != 3 || cell.Missing {
		t.Fatalf("the cell %+v", cell)
	}
	want := map[string]float64{study.CallsPerS: 100, study.EntriesPerS: 1000, study.BytesPerItem: 20, study.ErrorsPerItem: 0, study.ResponseP99: 1000}
	for name, v := range want {
		if m, ok := cell.Metric(name); !ok || m.Value != v || len(m.Repeats) != 3 || m.Low == nil || v > 0 && !near(*m.Low, v) {
			t.Errorf("%s is %+v, want %g in each of three repeats", name, m, v)
		}
	}
	// 1.8, 2.4 and 3 s of CPU over 3 x 3 s of 1,000 entries/s and 50 probes/s.
	if m, _ := cell.Metric(study.CPUPerEntry); !near(m.Value, 7.2e6/(9*1050)) || !near(m.Repeats[0]*3*1050, 1.8e6) {
		t.Errorf("CPU per entry %+v", m)
	}
	if _, ok := cell.Metric(study.ProbeP99); !ok {
		t.Error("the probe has no figure")
	}
}

func near(a, b float64) bool { return a > b*(1-1e-9) && a < b*(1+1e-9) }

func TestSweepRepeatsVoidTrials(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		voids  int
		status string
		trials int
	}{{Repeats, study.Finished, 2}, {Repeats + 1, study.Void, 1}} {
		left := c.voids
		lab := &fakeLab{outcome: func(n int, s *Spec) fakeOutcome {
			if s.Settings[0].Value == "10" && left > 0 {
				left--
				return fakeOutcome{void: true}
			}
			return fakeOutcome{}
		}}
		a, err := Sweep(context.Background(), begin(t, t.TempDir(), study.SweepKind, lab), sweepOptions(t, 2))
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != c.status || len(a.Cells[1].Trials) != c.trials || a.Cells[1].Voids != c.voids || len(a.Cells[0].Trials) != 2 {
			t.Errorf("%d void trials: status %s, cells %+v", c.voids, a.Status, a.Cells)
		}
		if blocks := map[int][]int{1: {2}, 2: {1, 2}}[c.trials]; !slices.Equal(a.Cells[1].Blocks, blocks) || !slices.Equal(a.Cells[0].Blocks, []int{1, 2}) {
			t.Errorf("%d void trials: blocks %v and %v", c.voids, a.Cells[0].Blocks, a.Cells[1].Blocks)
		}
		if c.status == study.Void && !strings.Contains(strings.Join(a.Warnings, "\n"), "size=10: the trial was void 4 times over") {
			t.Errorf("warnings %q", a.Warnings)
		}
	}
}

// A node that does not take the rate is measured all the same, and it is said.
func TestSweepTellsOfARateNotTaken(t *testing.T) {
	t.Parallel()
	lab := &fakeLab{outcome: func(n int, s *Spec) fakeOutcome { return fakeOutcome{held: s.Settings[0].Value == "10"} }}
	j := begin(t, t.TempDir(), study.SweepKind, lab)
	a, err := Sweep(context.Background(), j, sweepOptions(t, 1))
	if err != nil || a.Status != study.Finished || len(a.Cells[1].Trials) != 1 {
		t.Fatalf("%v: %+v", err, a)
	}
	if notes := j.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "the node did not take the rate: ") {
		t.Errorf("notes %q", notes)
	}
}

func TestSweepGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	order := sweepOptions(t, 2)
	first := &fakeLab{outcome: func(n int, s *Spec) fakeOutcome { return fakeOutcome{kill: n == 3} }}
	j := begin(t, dir, study.SweepKind, first)
	if _, err := Sweep(context.Background(), j, order); err == nil {
		t.Fatal("it was killed")
	}
	end(t, j)
	second := &fakeLab{outcome: func(int, *Spec) fakeOutcome { return fakeOutcome{} }}
	a, err := Sweep(context.Background(), begin(t, dir, study.SweepKind, second), sweepOptions(t, 2))
	if err != nil || len(second.made) != 2 || len(a.Cells[0].Trials) != 2 || len(a.Cells[1].Trials) != 2 {
		t.Errorf("%d trials were made, cells %+v, %v", len(second.made), a.Cells, err)
	}
	if want := order.OrderText(); !slices.Equal(append(slices.Clone(first.made[:2]), second.made...), want) {
		t.Errorf("order %q and %q, want %q", first.made, second.made, want)
	}
}
