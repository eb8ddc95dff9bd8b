package usl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Bootstrapped are percentile intervals of refitted resamples.
type Bootstrapped struct {
	Sigma    [2]float64 `json:"sigma"`
	Kappa    [2]float64 `json:"kappa"`
	Lambda   [2]float64 `json:"lambda"`
	PeakN    [2]float64 `json:"peak_n"` // 0, 0 when there is none
	Fits     int        `json:"fits"`   // resamples that could be fitted
	Peakless int        `json:"peakless"`
}

// Bootstrap refits the law to its own curve with residuals drawn anew, at least 200
// times, and gives the middle 95%: better than the t intervals where sigma and
// kappa trade for each other or lie at a bound. Resamples without a peak have it at
// infinity: when more than a fortieth are so, the peak's interval has no end and is
// not given.
func (f Fit) Bootstrap(points []Point, times int, rng *rand.Rand) (Bootstrapped, error) {
	if len(points) != len(f.Residuals) {
		return Bootstrapped{}, fmt.Errorf("usl: %d points for a fit of %d", len(points), len(f.Residuals))
	}
	if err := check(points); err != nil {
		return Bootstrapped{}, err
	}
	grow := math.Sqrt(float64(len(points)) / float64(max(f.DF, 1)))
	values := make([][]float64, 4)
	var out Bootstrapped
	for range max(times, 200) {
		again := slices.Clone(points)
		for i := range again {
			from := rng.IntN(len(points))
			r := f.Residuals[from] * grow
			if points[i].SE > 0 {
				r *= points[i].SE / points[from].SE
			}
			again[i].X = max(f.Throughput(points[i].N)+r, points[i].X*1e-3)
		}
		s, err := minimise(again)
		if err != nil {
			continue
		}
		c := s.curve()
		out.Fits++
		peak := c.Peak()
		if math.IsInf(peak, 1) {
			out.Peakless++
		}
		for j, v := range []float64{c.Sigma, c.Kappa, c.Lambda, peak} {
			values[j] = append(values[j], v)
		}
	}
	if out.Fits < 100 {
		return out, fmt.Errorf("usl: only %d resamples could be fitted", out.Fits)
	}
	for j, to := range []*[2]float64{&out.Sigma, &out.Kappa, &out.Lambda, &out.PeakN} {
		slices.Sort(values[j])
		edge := int(0.025 * float64(out.Fits))
		*to = [2]float64{values[j][edge], values[j][out.Fits-1-edge]}
	}
	if math.IsInf(out.PeakN[1], 1) {
		out.PeakN = [2]float64{}
	}
	return out, nil
}
