package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Service is a distribution of times, in seconds. The zero value is always 0.
type Service struct {
	name string
	mean float64
	draw func(*rand.Rand) float64
}

// Mean is the distribution's mean.
func (s Service) Mean() float64 { return s.mean }

// String names the distribution.
func (s Service) String() string {
	if s.name == "" {
		return "none"
	}
	return s.name
}

func (s Service) sample(rng *rand.Rand) float64 {
	if s.draw == nil {
		return 0
	}
	return s.draw(rng)
}

func (s Service) check(what string) error {
	if !(s.mean >= 0) || math.IsInf(s.mean, 0) {
		return fmt.Errorf("pool: the mean %s of %g s is no time", what, s.mean)
	}
	return nil
}

// Exponential times of the given mean.
func Exponential(mean float64) Service {
	return Service{fmt.Sprintf("exponential of mean %.4g s", mean), mean, func(rng *rand.Rand) float64 { return mean * rng.ExpFloat64() }}
}

// Deterministic times are all the same.
func Deterministic(time float64) Service {
	return Service{fmt.Sprintf("always %.4g s", time), time, func(*rand.Rand) float64 { return time }}
}

// Lognormal times of the given mean, not median; sigma is the standard deviation
// of their logarithm.
func Lognormal(mean, sigma float64) Service {
	s := Service{name: fmt.Sprintf("lognormal of mean %.4g s, sigma %.4g", mean, sigma), mean: mean}
	if math.IsNaN(sigma) || math.IsInf(sigma, 0) {
		s.mean = math.NaN()
	}
	mu := math.Log(mean) - sigma*sigma/2
	s.draw = func(rng *rand.Rand) float64 { return math.Exp(mu + sigma*rng.NormFloat64()) }
	return s
}

// Quantile is one point of a measured distribution: a share P of times is at most
// Value seconds.
type Quantile struct{ P, Value float64 }

// FromQuantiles resamples a measured distribution: straight lines between its
// quantiles, and nothing beyond the lowest and highest. At least two are needed,
// in ascending order; give those of 0 and 1 (minimum and maximum) too, or the
// tails are cut.
func FromQuantiles(q []Quantile) (Service, error) {
	if len(q) < 2 {
		return Service{}, fmt.Errorf("pool: %d quantiles are no distribution: at least 2 are needed", len(q))
	}
	for i, x := range q {
		if !(x.P >= 0 && x.P <= 1) || !(x.Value >= 0) || math.IsInf(x.Value, 0) || i > 0 && (x.P <= q[i-1].P || x.Value < q[i-1].Value) {
			return Service{}, fmt.Errorf("pool: quantile %d (%g: %g s) is not in ascending order of finite times", i+1, x.P, x.Value)
		}
	}
	q = slices.Clone(q)
	span := q[len(q)-1].P - q[0].P
	mean := 0.0
	for i := 1; i < len(q); i++ {
		mean += (q[i].P - q[i-1].P) / span * (q[i].Value + q[i-1].Value) / 2
	}
	return Service{fmt.Sprintf("resampled from %d quantiles, mean %.4g s", len(q), mean), mean, func(rng *rand.Rand) float64 {
		p := q[0].P + span*rng.Float64()
		i, _ := slices.BinarySearchFunc(q, p, func(x Quantile, p float64) int {
			if x.P < p {
				return -1
			}
			return 1
		})
		i = min(max(i, 1), len(q)-1)
		a, b := q[i-1], q[i]
		return a.Value + (b.Value-a.Value)*(p-a.P)/(b.P-a.P)
	}}, nil
}

// Sizes is a distribution of the number of entries in a batch.
type Sizes struct {
	mean float64
	draw func(*rand.Rand) int
}

// Mean is the mean number of entries.
func (s Sizes) Mean() float64 { return s.mean }

// FixedSize gives every batch n entries.
func FixedSize(n int) Sizes {
	return Sizes{float64(n), func(*rand.Rand) int { return n }}
}

// WeightedSizes gives batches of the sizes in proportion to the weights.
func WeightedSizes(sizes []int, weights []float64) (Sizes, error) {
	if len(sizes) == 0 || len(sizes) != len(weights) {
		return Sizes{}, fmt.Errorf("pool: %d sizes with %d weights", len(sizes), len(weights))
	}
	total, mean := 0.0, 0.0
	cumulative := make([]float64, len(sizes))
	for i, n := range sizes {
		w := weights[i]
		if n < 1 || !(w >= 0) || math.IsInf(w, 0) {
			return Sizes{}, fmt.Errorf("pool: size %d of weight %g", n, w)
		}
		total += w
		cumulative[i] = total
		mean += w * float64(n)
	}
	if !(total > 0) {
		return Sizes{}, fmt.Errorf("pool: the weights of the sizes sum to %g", total)
	}
	sizes = slices.Clone(sizes)
	return Sizes{mean / total, func(rng *rand.Rand) int {
		i, _ := slices.BinarySearch(cumulative, total*rng.Float64())
		return sizes[min(i, len(sizes)-1)]
	}}, nil
}
