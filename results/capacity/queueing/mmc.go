package queueing

import (
	"errors"
	"fmt"
	"math"
)

// MMC is the M/M/c queue: Poisson arrivals, exponential service, c servers, first
// come first served, no limit to the queue. Make one with NewMMC.
type MMC struct {
	servers       int
	lambda, mu    float64
	wait, backlog float64 // Erlang C; c*mu - lambda
}

// mostServers bounds the recursion.
const mostServers = 1 << 20

// NewMMC is the queue with the given servers, arrivals per time and services per
// time of one server.
func NewMMC(servers int, arrivals, service float64) (MMC, error) {
	if servers < 1 || servers > mostServers {
		return MMC{}, fmt.Errorf("queueing: %d servers: between 1 and %d", servers, mostServers)
	}
	if !finite(arrivals, service) || service == 0 {
		return MMC{}, fmt.Errorf("queueing: %g arrivals at %g services: both must be finite, services above 0", arrivals, service)
	}
	q := MMC{servers: servers, lambda: arrivals, mu: service, backlog: float64(servers)*service - arrivals}
	if err := steady(q.Utilisation()); err != nil {
		return MMC{}, err
	}
	q.wait = ErlangC(servers, arrivals/service)
	return q, nil
}

// Limits are the assumptions of the model.
func (q MMC) Limits() []string {
	return []string{
		"arrivals are Poisson and do not react to delays",
		"service times are exponential and independent of each other and of the load",
		"one queue without limit, first come first served; nothing times out or is refused",
	}
}

// ErlangB is the share of calls lost by c servers at offered load a without a
// queue, by the recursion B_k = a B_(k-1) / (k + a B_(k-1)). NaN for arguments below
// 0.
func ErlangB(servers int, load float64) float64 {
	if servers < 0 || servers > mostServers || !finite(load) {
		return math.NaN()
	}
	b := 1.0
	for k := 1; k <= servers; k++ {
		b = load * b / (float64(k) + load*b)
	}
	return b
}

// ErlangC is the share of calls that have to wait for one of c servers at offered
// load a: B / (1 - rho (1-B)). It is 1 at a load of c and above, NaN for arguments
// below 0.
func ErlangC(servers int, load float64) float64 {
	b := ErlangB(servers, load)
	if math.IsNaN(b) || servers == 0 {
		return math.NaN()
	}
	rho := load / float64(servers)
	if rho >= 1 {
		return 1
	}
	return b / (1 - rho*(1-b))
}

// Utilisation of the servers.
func (q MMC) Utilisation() float64 { return q.lambda / (float64(q.servers) * q.mu) }

// Waits is the share of arrivals that wait (Erlang C).
func (q MMC) Waits() float64 { return q.wait }

// Wait is the mean time in the queue, C/(c mu - lambda).
func (q MMC) Wait() float64 { return q.wait / q.backlog }

// Queue is the mean number in the queue.
func (q MMC) Queue() float64 { return q.lambda * q.Wait() }

// Sojourn is the mean time from arrival to completion.
func (q MMC) Sojourn() float64 { return q.Wait() + 1/q.mu }

// InSystem is the mean number waiting or in service.
func (q MMC) InSystem() float64 { return q.lambda * q.Sojourn() }

// WaitTail is P(wait > t) = C exp(-(c mu - lambda) t).
func (q MMC) WaitTail(t float64) float64 {
	if t < 0 {
		return 1
	}
	return q.wait * math.Exp(-q.backlog*t)
}

// WaitQuantile is the p-quantile of the wait; NaN unless 0 <= p < 1.
func (q MMC) WaitQuantile(p float64) float64 {
	if !(p >= 0 && p < 1) {
		return math.NaN()
	}
	return max(0, math.Log(q.wait/(1-p))/q.backlog)
}

// SojournTail is P(sojourn > t): an exponential service, after an exponential wait
// for the share C that waits. With x = (theta-mu) t, theta = c mu - lambda, it is
// exp(-mu t) (1 + C mu t (1-exp(-x))/x), which keeps its digits where theta is near
// mu.
func (q MMC) SojournTail(t float64) float64 {
	if !(t > 0) {
		return 1
	}
	x := (q.backlog - q.mu) * t
	if x > -1 {
		return math.Exp(-q.mu*t) * (1 + q.wait*q.mu*t*ratio(x))
	}
	// theta < mu: the wait decides the tail; nothing overflows written this way.
	share := q.wait * q.mu / (q.mu - q.backlog)
	return share*math.Exp(-q.backlog*t) + (1-share)*math.Exp(-q.mu*t)
}

// ratio is (1-exp(-x))/x.
func ratio(x float64) float64 {
	if x == 0 {
		return 1
	}
	return -math.Expm1(-x) / x
}

// SojournQuantile is the p-quantile of the sojourn, to the last digits; NaN unless
// 0 <= p < 1.
func (q MMC) SojournQuantile(p float64) float64 {
	if !(p >= 0 && p < 1) {
		return math.NaN()
	}
	if p == 0 {
		return 0
	}
	return cross(func(t float64) bool { return q.SojournTail(t) <= 1-p }, 1/q.mu)
}

// cross is where a condition that stays true becomes true, above 0.
func cross(holds func(float64) bool, guess float64) float64 {
	high := guess
	for !holds(high) {
		if high *= 2; math.IsInf(high, 1) {
			return high
		}
	}
	low := 0.0
	if high > guess {
		low = high / 2
	}
	for range 200 {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if holds(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// ErrNoRate says that even an idle system misses a limit.
var ErrNoRate = errors.New("queueing: even without any load the limit is missed")

// HighestRate is the greatest arrival rate at which the p-quantile of the sojourn in
// M/M/c stays within the limit; ErrNoRate if none does.
func HighestRate(servers int, service, p, limit float64) (float64, error) {
	if !(p > 0 && p < 1) || !finite(limit) || limit == 0 {
		return 0, fmt.Errorf("queueing: the quantile %g within %g: p must be inside (0,1), the limit above 0", p, limit)
	}
	idle, err := NewMMC(servers, 0, service)
	if err != nil {
		return 0, err
	}
	meets := func(rate float64) bool {
		q := idle
		if rate > 0 {
			if q, err = NewMMC(servers, rate, service); err != nil {
				return false
			}
		}
		return q.SojournTail(limit) <= 1-p
	}
	if !meets(0) {
		return 0, ErrNoRate
	}
	low, high := 0.0, float64(servers)*service
	for range 200 {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if meets(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low, nil
}
