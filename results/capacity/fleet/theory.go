package fleet

import (
	"errors"
	"fmt"
	"math"
)

// The closed forms below are mean response times of fleets of one-worker nodes, in
// units of the mean service, at utilisation rho; outside [0,1) they are NaN.

// RandomMean is that of a random balancer, 1/(1-rho): each node is M/M/1.
func RandomMean(rho float64) float64 {
	if !(rho >= 0 && rho < 1) {
		return math.NaN()
	}
	return 1 / (1 - rho)
}

// RoundRobinMean is that of taking turns over n nodes: each is E_n/M/1, with sigma
// = (n rho/(n rho + 1 - sigma))^n and mean 1/(1-sigma). n 0 stands for ever more
// nodes, D/M/1, with sigma = exp(-(1-sigma)/rho).
func RoundRobinMean(rho float64, n int) float64 {
	if !(rho >= 0 && rho < 1) || n < 0 {
		return math.NaN()
	}
	if rho == 0 {
		return 1
	}
	step := func(sigma float64) float64 {
		if n == 0 {
			return math.Exp(-(1 - sigma) / rho)
		}
		m := float64(n)
		return math.Pow(m*rho/(m*rho+1-sigma), m)
	}
	// The smallest root: from 0 the steps rise to it; past it they fall.
	low, high := 0.0, 1-1e-15
	for range 200 {
		mid := (low + high) / 2
		if step(mid) > mid {
			low = mid
		} else {
			high = mid
		}
	}
	return 1 / (1 - low)
}

// TwoChoicesMean is that of two choices over ever more nodes: the sum over i>=1 of
// rho^(2^i - 2) (N. Vvedenskaya et al., 1996).
func TwoChoicesMean(rho float64) float64 {
	if !(rho >= 0 && rho < 1) {
		return math.NaN()
	}
	sum := 0.0
	for i := 1; i < 64; i++ {
		term := math.Pow(rho, math.Exp2(float64(i))-2)
		sum += term
		if term < 1e-18 {
			break
		}
	}
	return sum
}

// Row is one policy's answer for a fleet.
type Row struct {
	Policy   Policy  `json:"policy"`
	Mean     float64 `json:"mean"` // mean of the runs
	P99      float64 `json:"p99"`
	MeanSE   float64 `json:"mean_se"` // over the runs
	P99SE    float64 `json:"p99_se"`
	Sentence string  `json:"sentence"`
}

// Compare simulates the fleet under each policy, runs times with seeds from seed on.
func (f Fleet) Compare(policies []Policy, jobs, runs int, seed uint64) ([]Row, error) {
	if runs < 2 {
		return nil, errors.New("fleet: at least 2 runs, or there is no error estimate")
	}
	var rows []Row
	for _, p := range policies {
		f.Policy = p
		var means, tails []float64
		for i := range runs {
			t, err := f.Simulate(jobs, seed+uint64(i))
			if err != nil {
				return nil, err
			}
			means, tails = append(means, t.Mean), append(tails, t.P99)
		}
		r := Row{Policy: p}
		r.Mean, r.MeanSE = meanSE(means)
		r.P99, r.P99SE = meanSE(tails)
		r.Sentence = fmt.Sprintf("A %s balancer over %d nodes at %.0f%%: mean %.3g, p99 %.3g.", p, f.Nodes, 100*f.Utilisation(), r.Mean, r.P99)
		rows = append(rows, r)
	}
	return rows, nil
}

func meanSE(x []float64) (mean, se float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / float64(len(x)-1) / float64(len(x)))
}
