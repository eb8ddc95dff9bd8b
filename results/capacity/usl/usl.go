package usl

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Point is one measured level.
type Point struct {
	N float64 `json:"n"` // concurrency
	X float64 `json:"x"` // throughput
	// SE is the standard error of X, if it is known for all points; 0 weighs all alike.
	SE float64 `json:"se,omitempty"`
}

// Curve is a law's three numbers.
type Curve struct {
	Sigma  float64 `json:"sigma"`
	Kappa  float64 `json:"kappa"`
	Lambda float64 `json:"lambda"`
}

// Throughput at concurrency n.
func (c Curve) Throughput(n float64) float64 {
	return c.Lambda * n / (1 + c.Sigma*(n-1) + c.Kappa*n*(n-1))
}

// ResponseTime at concurrency n, by Little's law n/X.
func (c Curve) ResponseTime(n float64) float64 {
	return (1 + c.Sigma*(n-1) + c.Kappa*n*(n-1)) / c.Lambda
}

// Peak is the concurrency of greatest throughput, sqrt((1-sigma)/kappa); +Inf when
// kappa is 0: throughput then only nears Limit.
func (c Curve) Peak() float64 {
	if !(c.Kappa > 0) {
		return math.Inf(1)
	}
	return math.Sqrt(max(0, 1-c.Sigma) / c.Kappa)
}

// Limit is lambda/sigma, Amdahl's asymptote of throughput if kappa were 0; +Inf
// when sigma is 0.
func (c Curve) Limit() float64 {
	if !(c.Sigma > 0) {
		return math.Inf(1)
	}
	return c.Lambda / c.Sigma
}

// Optimal is 1/sigma, where the ideal line meets Amdahl's asymptote (the R package
// usl's optimal load); +Inf when sigma is 0.
func (c Curve) Optimal() float64 {
	if !(c.Sigma > 0) {
		return math.Inf(1)
	}
	return 1 / c.Sigma
}

// Concurrency is the smaller N at which throughput is x: the smaller root of
//
//	kappa x N^2 + (sigma x - kappa x - lambda) N + x (1-sigma) = 0.
//
// (Some libraries invert the law without kappa, which is not this curve's inverse.)
// An x below 0 or above the curve's peak or limit is an error.
func (c Curve) Concurrency(x float64) (float64, error) {
	if !(x >= 0) || math.IsInf(x, 0) || !(c.Lambda > 0) {
		return 0, fmt.Errorf("usl: a throughput of %g has no concurrency", x)
	}
	a, b, d := c.Kappa*x, c.Sigma*x-c.Kappa*x-c.Lambda, x*(1-c.Sigma)
	root := b*b - 4*a*d
	if root < 0 || b > 0 || (b == 0 && d > 0) {
		return 0, fmt.Errorf("usl: a throughput of %g is above what the curve reaches, %.6g", x, c.most())
	}
	if d == 0 {
		return 0, nil
	}
	n := 2 * d / (-b + math.Sqrt(root)) // without cancelling, kappa 0 included
	if !(n >= 0) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("usl: a throughput of %g is above what the curve reaches, %.6g", x, c.most())
	}
	return n, nil
}

func (c Curve) most() float64 {
	if peak := c.Peak(); !math.IsInf(peak, 1) {
		return c.Throughput(peak)
	}
	return c.Limit()
}

// fewest levels that determine the three numbers, and that say anything of them.
const (
	fewest  = 4
	advised = 6
)

func check(points []Point) error {
	levels := map[float64]bool{}
	known := 0
	for i, p := range points {
		if !(p.N > 0) || !(p.X > 0) || p.N > 1e12 || p.X > 1e15 || p.X < 1e-15 || p.N < 1e-6 {
			return fmt.Errorf("usl: point %d: %g at concurrency %g: both must be finite and above 0", i+1, p.X, p.N)
		}
		if !(p.SE >= 0) || math.IsInf(p.SE, 0) || p.SE > 0 && p.SE < 1e-9*p.X {
			return fmt.Errorf("usl: point %d has a standard error of %g: give one for each point, or none", i+1, p.SE)
		}
		if p.SE > 0 {
			known++
		}
		levels[p.N] = true
	}
	if len(levels) < fewest {
		return fmt.Errorf("usl: %d levels of concurrency do not determine three numbers: at least %d are needed, %d advised", len(levels), fewest, advised)
	}
	if known != 0 && known != len(points) {
		return errors.New("usl: only some points have a standard error: give one for each point, or none")
	}
	return nil
}

func highest(points []Point) float64 {
	return slices.MaxFunc(points, func(a, b Point) int {
		if a.N < b.N {
			return -1
		}
		if a.N > b.N {
			return 1
		}
		return 0
	}).N
}
