package queueing

import (
	"fmt"
	"math"
)

// MG1Wait is the mean wait in M/G/1 (Pollaczek and Khinchine): rho s (1+cv^2) / (2
// (1-rho)), with mean service s and its squared coefficient of variation.
func MG1Wait(arrivals, service, cv2 float64) (float64, error) {
	rho := arrivals * service
	if !finite(arrivals, service, cv2) {
		return 0, fmt.Errorf("queueing: arrivals %g, service %g, cv² %g: all must be finite and at least 0", arrivals, service, cv2)
	}
	if err := steady(rho); err != nil {
		return 0, err
	}
	return rho * service * (1 + cv2) / (2 * (1 - rho)), nil
}

// AllenCunneen approximates the mean wait in G/G/c: that of M/M/c times (ca^2 +
// cs^2)/2, with the squared coefficients of variation of gaps and services (A.
// Allen, "Probability, Statistics, and Queueing Theory", 1990). It is exact for
// M/M/c and M/G/1, and rough at low load and for bursts.
func AllenCunneen(q MMC, gaps2, service2 float64) float64 {
	return q.Wait() * (gaps2 + service2) / 2
}

// PSSojourn is the mean sojourn in M/G/1 under processor sharing, s/(1-rho),
// whatever the distribution. (On several cores, exponential work has the mean of
// M/M/c.)
func PSSojourn(arrivals, service float64) (float64, error) {
	if !finite(arrivals, service) {
		return 0, fmt.Errorf("queueing: arrivals %g, service %g: both must be finite and at least 0", arrivals, service)
	}
	if err := steady(arrivals * service); err != nil {
		return 0, err
	}
	return service / (1 - arrivals*service), nil
}

// Batches is the M^[X]/G/1 queue: Poisson arrivals of batches whose entries are
// served one by one, first come first served (Kleinrock, vol. 1, 4.7 and 5.10).
type Batches struct {
	Arrivals float64 // batches per time
	Size     float64 // mean entries in a batch
	Size2    float64 // mean square of entries in a batch; Size^2 if all are alike
	Service  float64 // mean of one entry
	CV2      float64 // squared coefficient of variation of that
}

// Waits are the means of Batches.
type Waits struct {
	First float64 // wait of a batch's first entry
	Entry float64 // wait of an entry
	Batch float64 // sojourn of a whole batch
}

// Waits are Wq = lambda E[B^2] / (2(1-rho)) for the first entry, with a batch's work
// E[B^2] = E[X] var(S) + E[X^2] s^2; s (E[X^2]/E[X]-1)/2 more for an entry; and E[X]
// s more than the first for the whole batch.
func (b Batches) Waits() (Waits, error) {
	if !finite(b.Arrivals, b.Size, b.Size2, b.Service, b.CV2) || b.Size < 1 || b.Size2 < b.Size*b.Size*(1-1e-12) {
		return Waits{}, fmt.Errorf("queueing: batches %+v: sizes must be at least 1, their mean square at least the square of the mean", b)
	}
	rho := b.Arrivals * b.Size * b.Service
	if err := steady(rho); err != nil {
		return Waits{}, err
	}
	s2 := b.Service * b.Service
	work2 := b.Size*b.CV2*s2 + b.Size2*s2
	first := b.Arrivals * work2 / (2 * (1 - rho))
	return Waits{first, first + b.Service*(b.Size2/b.Size-1)/2, first + b.Size*b.Service}, nil
}

// MD1 is the M/D/1 queue: Poisson arrivals, the same service time for all, one
// server, first come first served. Make one with NewMD1; it is safe for concurrent
// use.
type MD1 struct {
	rho, service float64
	below        []float64 // P(at most n waiting)
	tail         float64   // decay per service of P(wait > t)
}

// reach is how many services of waiting are computed; beyond it the tail is the
// exponential that it has become.
const reach = 400

// NewMD1 is the queue with the given arrivals per time and service time. Its
// stationary numbers in the system come from the balance of crossings up and down
// past each n, a recursion of positive terms: p_(n+1) a_0 = p_0 P(A>n) + sum_(j=1..n)
// p_j P(A > n+1-j), with A the arrivals in a service.
func NewMD1(arrivals, service float64) (MD1, error) {
	rho := arrivals * service
	if !finite(arrivals, service) || service == 0 {
		return MD1{}, fmt.Errorf("queueing: arrivals %g, service %g: both must be finite, the service above 0", arrivals, service)
	}
	if err := steady(rho); err != nil {
		return MD1{}, err
	}
	q := MD1{rho: rho, service: service}
	above := make([]float64, reach+2) // P(A > k)
	term := math.Exp(-rho)
	first := term
	// Sum the small terms first.
	terms := make([]float64, reach+60)
	for k := range terms {
		terms[k] = term
		term *= rho / float64(k+1)
	}
	sum := 0.0
	for k := len(terms) - 1; k > 0; k-- {
		sum += terms[k]
		if k-1 < len(above) {
			above[k-1] = sum
		}
	}
	p := make([]float64, reach+2)
	p[0] = 1 - rho
	for n := range reach + 1 {
		flow := p[0] * above[n]
		for j := 1; j <= n; j++ {
			flow += p[j] * above[n+1-j]
		}
		p[n+1] = flow / first
	}
	q.below = make([]float64, reach+1)
	total := p[0]
	for n := range q.below {
		total += p[n+1]
		q.below[n] = min(1, total)
	}
	q.tail = decay(rho)
	return q, nil
}

// decay is the root theta > 0 of rho (exp(theta)-1) = theta: P(wait > t) falls like
// exp(-theta t/service).
func decay(rho float64) float64 {
	if rho == 0 {
		return math.Inf(1)
	}
	return cross(func(x float64) bool { return rho*math.Expm1(x) >= x*(1+1e-15) && x > 1e-12 }, 1e-3)
}

// Wait is the mean time in the queue, rho s / (2(1-rho)).
func (q MD1) Wait() float64 { return q.rho * q.service / (2 * (1 - q.rho)) }

// WaitWithin is P(wait <= t), by G. Franx's formula of positive terms (Operations
// Research Letters 29, 2001): with (k-1) s <= t < k s and y = k s - t,
//
//	exp(-lambda y) sum_(j<k) Q_(k-1-j) (lambda y)^j / j!
//
// where Q_n is the chance of at most n waiting. (Erlang's sum alternates and loses
// all digits at some dozens of services.) Far out, where the tail is exponential to
// all digits, it is continued so.
func (q MD1) WaitWithin(t float64) float64 {
	if !(t >= 0) {
		return 0
	}
	x := t / q.service
	if q.rho == 0 || math.IsInf(x, 1) {
		return 1
	}
	const edge = reach - 2
	if x > edge {
		return 1 - (1-q.within(edge))*math.Exp(-q.tail*(x-edge))
	}
	return q.within(x)
}

func (q MD1) within(x float64) float64 {
	k := int(math.Floor(x)) + 1
	y := q.rho * (float64(k) - x)
	term := math.Exp(-y)
	sum := 0.0
	for j := range k {
		sum += q.below[k-1-j] * term
		term *= y / float64(j+1)
	}
	return min(1, sum)
}

// WaitQuantile is the p-quantile of the wait; NaN unless 0 <= p < 1. Digits beyond
// p = 1 - 1e-12 are lost.
func (q MD1) WaitQuantile(p float64) float64 {
	if !(p >= 0 && p < 1) {
		return math.NaN()
	}
	if q.WaitWithin(0) >= p {
		return 0
	}
	return cross(func(t float64) bool { return q.WaitWithin(t) >= p }, q.service)
}
