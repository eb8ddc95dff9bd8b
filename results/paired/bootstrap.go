package paired

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Bin is so many samples of one value, such as a bar of a histogram.
type Bin struct {
	Value float64 `json:"value"`
	Count int64   `json:"count"`
}

// Window is what was sampled in one stretch of a run.
type Window []Bin

// Bootstrapped is the ratio B/A of a percentile of one run to another, with the
// percentile interval of its resamples.
type Bootstrapped struct {
	Ratio     float64  `json:"ratio"`
	Low       float64  `json:"low"` // 95%
	High      float64  `json:"high"`
	Block     int      `json:"block"` // windows
	Resamples int      `json:"resamples"`
	Warnings  []string `json:"warnings,omitempty"`
}

// fewestTail is the number of samples beyond a percentile below which it is not
// resampled: the resamples would repeat a handful of values.
const fewestTail = 10

// BootstrapRatio resamples blocks of neighbouring windows of both runs, so that
// what depends stays together (moving blocks, wrapped round: D. Politis, J. Romano,
// "A Circular Block-Resampling Procedure", 1992), and takes the ratio of the
// p-quantile each time. A block should be at least ten times as long as calls
// depend on each other; 0 takes the cube root of the windows' number, but at least
// 2. At least 1000 resamples are drawn.
//
// It compares two runs, not two settings: that runs of one setting differ it cannot
// know. It is a second opinion beside Ratios. At least 10 windows of each run, and
// 10 samples beyond the quantile, are needed.
func BootstrapRatio(a, b []Window, p float64, block, resamples int, rng *rand.Rand) (Bootstrapped, error) {
	if !(p > 0 && p < 1) {
		return Bootstrapped{}, fmt.Errorf("a quantile of %g: it must be between 0 and 1", p)
	}
	if len(a) < 10 || len(b) < 10 {
		return Bootstrapped{}, fmt.Errorf("%d and %d windows: at least 10 of each run are needed", len(a), len(b))
	}
	grid, err := gridOf(a, b)
	if err != nil {
		return Bootstrapped{}, err
	}
	ra, rb := resampled(a, grid), resampled(b, grid)
	for _, r := range []*resampler{ra, rb} {
		if tail := float64(r.total()) * (1 - p); tail < fewestTail-1e-9 {
			return Bootstrapped{}, fmt.Errorf("%.1f samples beyond the quantile %g: at least %d are needed to resample it", tail, p, fewestTail)
		}
	}
	shortest := min(len(a), len(b))
	out := Bootstrapped{Block: block, Resamples: max(resamples, 1000)}
	if out.Block <= 0 {
		out.Block = max(2, int(math.Round(math.Cbrt(float64(shortest)))))
	}
	out.Block = min(out.Block, shortest)
	out.Ratio = rb.whole(p) / ra.whole(p)
	ratios := make([]float64, out.Resamples)
	for i := range ratios {
		ratios[i] = rb.draw(p, out.Block, rng) / ra.draw(p, out.Block, rng)
	}
	slices.Sort(ratios)
	edge := int(0.025 * float64(len(ratios)))
	out.Low, out.High = ratios[edge], ratios[len(ratios)-1-edge]
	if shortest/out.Block < 10 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("only %d blocks of %d windows: the interval may be too narrow", shortest/out.Block, out.Block))
	}
	if math.IsNaN(out.Ratio+out.Low+out.High) || math.IsInf(out.Ratio+out.Low+out.High, 0) {
		return Bootstrapped{}, errors.New("the ratio of the percentiles is no number: are both in the same unit?")
	}
	return out, nil
}

// gridOf are all values, ascending.
func gridOf(runs ...[]Window) ([]float64, error) {
	var grid []float64
	for _, run := range runs {
		for i, w := range run {
			for _, b := range w {
				if !(b.Value > 0) || math.IsInf(b.Value, 0) || b.Count < 0 || b.Count > 1<<40 {
					return nil, fmt.Errorf("window %d has %d samples of %g: a ratio needs finite values above 0", i+1, b.Count, b.Value)
				}
				grid = append(grid, b.Value)
			}
		}
	}
	slices.Sort(grid)
	return slices.Compact(grid), nil
}

type cell struct {
	index int
	count int64
}

// resampler draws quantiles of resampled windows of one run.
type resampler struct {
	grid    []float64
	windows [][]cell
	counts  []int64 // scratch
}

func resampled(run []Window, grid []float64) *resampler {
	r := &resampler{grid: grid, counts: make([]int64, len(grid))}
	for _, w := range run {
		cells := make([]cell, 0, len(w))
		for _, b := range w {
			i, _ := slices.BinarySearch(grid, b.Value)
			cells = append(cells, cell{i, b.Count})
		}
		r.windows = append(r.windows, cells)
	}
	return r
}

func (r *resampler) total() (n int64) {
	for _, w := range r.windows {
		for _, c := range w {
			n += c.count
		}
	}
	return n
}

func (r *resampler) whole(p float64) float64 {
	clear(r.counts)
	for i := range r.windows {
		r.add(i)
	}
	return r.quantile(p)
}

func (r *resampler) draw(p float64, block int, rng *rand.Rand) float64 {
	clear(r.counts)
	for left := len(r.windows); left > 0; {
		start := rng.IntN(len(r.windows))
		for i := range min(block, left) {
			r.add((start + i) % len(r.windows))
		}
		left -= block
	}
	return r.quantile(p)
}

func (r *resampler) add(window int) {
	for _, c := range r.windows[window] {
		r.counts[c.index] += c.count
	}
}

// quantile is the smallest value with at least a share p of the samples at or
// below it; NaN of none.
func (r *resampler) quantile(p float64) float64 {
	total := int64(0)
	for _, c := range r.counts {
		total += c
	}
	need := int64(math.Ceil(p * float64(total)))
	for i, c := range r.counts {
		if need -= c; need <= 0 && total > 0 {
			return r.grid[i]
		}
	}
	return math.NaN()
}
