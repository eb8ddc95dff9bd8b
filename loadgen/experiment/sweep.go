package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

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
func (o *SweepOptions) spec(cell, block int) *Spec {
	c := o.Cells[cell]
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
	for _, c := range o.Cells {
		a.Cells = append(a.Cells, study.Cell{Settings: c.Settings, Trials: []int{}, Metrics: []study.Metric{}})
	}
	blocks := Order(len(o.Cells), o.Repeats, o.Seed)
	var left time.Duration
	for b, block := range blocks {
		for _, c := range block {
			left += o.spec(c, b).Length()
		}
	}
	measured := make([][]*study.Measured, len(o.Cells))
	for b, block := range blocks {
		for _, c := range block {
			s := o.spec(c, b)
			t, voids, err := j.DoRepeated(ctx, s, left)
			if err != nil {
				return sum(a, measured), err
			}
			left -= s.Length()
			cell := &a.Cells[c]
			cell.Voids += voids
			if t.Void {
				cell.Voids++
				a.Status = study.Void
				a.Warnings = append(a.Warnings, fmt.Sprintf("%s: the trial was void %d times over, last because: %s", study.Text(cell.Settings), voids+1, t.Reason))
				continue
			}
			m, err := study.Measure(t)
			if err != nil {
				return sum(a, measured), err
			}
			measured[c] = append(measured[c], m)
			cell.Trials = append(cell.Trials, t.N)
			if t.NotIdle {
				cell.NotIdle++
			}
		}
	}
	return sum(a, measured), nil
}

func sum(a *study.Sweep, measured [][]*study.Measured) *study.Sweep {
	for i := range a.Cells {
		a.Cells[i].Metrics = study.Metrics(measured[i])
		a.Cells[i].Missing = len(measured[i]) == 0
	}
	return a
}
