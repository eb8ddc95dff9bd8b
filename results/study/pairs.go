package study

import (
	"errors"
	"slices"
)

// inBlocks are the repeats of a metric of several cells that were made in blocks which
// all of the cells have, in the order of the first one's: the i-th of each belong
// together. A trial that stayed void leaves its block out for all. Cells that do not tell
// their blocks are taken as they are, if they have equally many repeats.
func inBlocks(cells []*Cell, metric string) ([][]float64, error) {
	all := make([][]float64, len(cells))
	known := true
	for i, c := range cells {
		m, ok := c.Metric(metric)
		if !ok {
			return nil, errors.New("not every setting has it")
		}
		all[i] = m.Repeats
		known = known && len(c.Blocks) > 0
		if len(c.Blocks) > 0 && len(c.Blocks) != len(m.Repeats) {
			return nil, errors.New("a trial does not tell it, so that trials of the same block are not known")
		}
	}
	if !known {
		for _, repeats := range all {
			if len(repeats) != len(all[0]) {
				return nil, errors.New("they have different numbers of trials, whose blocks are not known")
			}
		}
		return all, nil
	}
	out := make([][]float64, len(cells))
	if len(cells) == 0 {
		return out, nil
	}
	for _, block := range cells[0].Blocks {
		at := make([]int, len(cells))
		for i, c := range cells {
			at[i] = slices.Index(c.Blocks, block)
		}
		if slices.Contains(at, -1) {
			continue
		}
		for i := range cells {
			out[i] = append(out[i], all[i][at[i]])
		}
	}
	return out, nil
}
