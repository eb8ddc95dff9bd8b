package queueing

import (
	"fmt"
	"math"
)

// InFlight is Little's law: mean number in flight = throughput * mean response
// time. It holds for any part of a system and any class of its work alone.
func InFlight(throughput, response float64) float64 { return throughput * response }

// Demand is the busy time of a resource that one unit of work takes: busy time over
// work done (utilisation law). NaN when nothing was done.
func Demand(busy, done float64) float64 {
	if !(done > 0) {
		return math.NaN()
	}
	return busy / done
}

// Utilisation is the share of the servers that a throughput of work of the given
// demand keeps busy (utilisation law).
func Utilisation(throughput, demand, servers float64) float64 {
	return throughput * demand / servers
}

// Most is the throughput that no model exceeds: servers / demand.
func Most(servers, demand float64) float64 { return servers / demand }

// Closed is a closed system: callers that think, call, and wait for the answer.
type Closed struct {
	Demand float64 // total service time of a call on all resources, without queueing
	// Bottleneck is the demand of the busiest resource, divided by its servers.
	Bottleneck float64
	Think      float64 // between an answer and the next call
}

// Throughput is the most that n callers can reach: min(n/(D+Z), 1/Dmax).
func (c Closed) Throughput(n float64) float64 {
	return min(n/(c.Demand+c.Think), 1/c.Bottleneck)
}

// Response is the least that n callers can wait: max(D, n*Dmax - Z).
func (c Closed) Response(n float64) float64 {
	return max(c.Demand, n*c.Bottleneck-c.Think)
}

// Knee is the number of callers where the two bounds meet, (D+Z)/Dmax: beyond it
// callers only wait for each other.
func (c Closed) Knee() float64 { return (c.Demand + c.Think) / c.Bottleneck }

// finite says that all are finite and at least 0.
func finite(x ...float64) bool {
	for _, v := range x {
		if !(v >= 0) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func steady(utilisation float64) error {
	if !(utilisation < 1) {
		return fmt.Errorf("queueing: a utilisation of %.4g has no steady state: the queue grows without end", utilisation)
	}
	return nil
}
