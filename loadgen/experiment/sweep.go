package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"volley/results"
	"volley/results/study"
	"volley/scenario"
)

// Cell is one combination of settings, with the plan that they make.
type Cell struct {
	Settings     []study.Setting
	Placeholders map[string]string
	Plan         *scenario.Plan
}

// SweepOptions are what a sweep is asked.
type SweepOptions struct {
	Cells   []Cell
	Repeats int
	Seed    uint64  // of the order, and the first of the blocks' own
	Probe   float64 // calls/s of the probe beside the load; 0: none
	// More, where it is given, looks at what was measured and says what cells are to be
	// measured beside; none end the sweep.
	More func(a *study.Sweep) ([]Cell, error)
}

// Order is the order of so many cells' trials, block by block: in each block every
// cell once. Blocks come in pairs, the first in random order and the second in its
// reverse (ABBA), so that what drifts evenly through a pair weighs on no cell more
// than on another.
func Order(cells, repeats int, seed uint64) [][]int {
	rng := rand.New(rand.NewPCG(seed, 0x5eed))
	var blocks [][]int
	for len(blocks) < repeats {
		order := rng.Perm(cells)
		blocks = append(blocks, order)
		if len(blocks) < repeats {
			reverse := make([]int, cells)
			for i, c := range order {
				reverse[cells-1-i] = c
			}
			blocks = append(blocks, reverse)
		}
	}
	return blocks
}

// spec is the trial of a cell in a block. All trials of a block draw from the same
// seed, so that what they differ by is the settings.
func (o *SweepOptions) spec(c Cell, block int) *Spec {
	plan := *c.Plan
	plan.Seed = o.Seed + uint64(block)
	s := &Spec{Plan: &plan, Settings: c.Settings, Placeholders: c.Placeholders, Block: block + 1}
	if o.Probe > 0 {
		s.Probe = ProbePlan(&plan, o.Probe)
	}
	return s
}

// OrderText is the order as a record keeps it.
func (o *SweepOptions) OrderText() []string {
	var all []string
	for _, block := range Order(len(o.Cells), o.Repeats, o.Seed) {
		for _, c := range block {
			all = append(all, study.Text(o.Cells[c].Settings))
		}
	}
	return all
}

// Sweep makes every cell's trials and sums them up. With ErrInterrupted the cells are
// those of the trials so far. Its Status is Void when some cell's trials stayed void
// however often they were made.
func Sweep(ctx context.Context, j *Journal, o SweepOptions) (*study.Sweep, error) {
	a := &study.Sweep{Head: study.Head{Status: study.Finished}, Repeats: o.Repeats, Models: []study.Model{}}
	if o.Probe > 0 {
		a.Probe = &study.ProbeSpec{CallsPerS: o.Probe}
	}
	w := sweeping{j: j, o: o, a: a}
	defer func() {
		if paused := w.paused(); paused != "" {
			a.Warnings = append(a.Warnings, paused)
		}
	}()
	for more := o.Cells; len(more) > 0; {
		err := w.measure(ctx, more)
		w.sum()
		if err != nil {
			return a, err
		}
		if more = nil; o.More != nil {
			if more, err = o.More(a); err != nil {
				return a, err
			}
		}
	}
	return a, nil
}

// sweeping is a sweep under way.
type sweeping struct {
	j        *Journal
	o        SweepOptions
	a        *study.Sweep
	measured [][]*study.Measured // by cell
}

// measure makes the trials of further cells.
func (w *sweeping) measure(ctx context.Context, cells []Cell) error {
	first := len(w.a.Cells)
	for _, c := range cells {
		w.a.Cells = append(w.a.Cells, study.Cell{Settings: c.Settings, Trials: []int{}, Metrics: []study.Metric{}})
		w.measured = append(w.measured, nil)
	}
	blocks := Order(len(cells), w.o.Repeats, w.o.Seed)
	var left time.Duration
	for b, block := range blocks {
		for _, c := range block {
			left += w.o.spec(cells[c], b).Length()
		}
	}
	for b, block := range blocks {
		for _, c := range block {
			s := w.o.spec(cells[c], b)
			if err := w.trial(ctx, s, first+c, left); err != nil {
				return err
			}
			left -= s.Length()
		}
	}
	return nil
}

func (w *sweeping) trial(ctx context.Context, s *Spec, at int, left time.Duration) error {
	t, voids, err := w.j.DoRepeated(ctx, s, left)
	if err != nil {
		return err
	}
	cell := &w.a.Cells[at]
	cell.Voids += voids
	if t.Void {
		cell.Voids++
		w.a.Status = study.Void
		w.a.Warnings = append(w.a.Warnings, fmt.Sprintf("%s: the trial was void %d times over, last because: %s", study.Text(cell.Settings), voids+1, t.Reason))
		return nil
	}
	m, err := measure(t)
	if err != nil {
		return err
	}
	w.measured[at] = append(w.measured[at], m)
	cell.Trials, cell.Blocks = append(cell.Trials, t.N), append(cell.Blocks, t.Block)
	if t.NotIdle {
		cell.NotIdle++
	}
	return nil
}

// paused warns of trials in which the machine paused; "" where there were none.
func (w *sweeping) paused() string {
	n, of, late := 0, 0, time.Duration(0)
	for _, cell := range w.measured {
		for _, m := range cell {
			if of++; m.Late > 0 {
				n++
				late = max(late, m.Late)
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("in %d of %d trials the machine paused, so that calls were sent late (p99 up to %s): their times are partly its own, and differences between settings harder to see; a quieter machine shows more",
		n, of, results.Micros(float64(late.Microseconds())))
}

func (w *sweeping) sum() {
	for i := range w.a.Cells {
		w.a.Cells[i].Metrics = study.Metrics(w.measured[i])
		w.a.Cells[i].Missing = len(w.measured[i]) == 0
	}
}
