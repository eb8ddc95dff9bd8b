package fleet

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Policy is how a balancer chooses a node.
type Policy string

// The policies.
const (
	Random        Policy = "random"
	RoundRobin    Policy = "round robin"
	TwoChoices    Policy = "two choices"    // the shorter queue of two random nodes (p2c)
	ShortestQueue Policy = "shortest queue" // of all nodes (jsq)
)

// Fleet is nodes behind a balancer under Poisson arrivals. A node is a queue with
// workers of its own, first come first served, exponential service.
type Fleet struct {
	Nodes   int
	Workers int     // of each node; 0 means 1
	Rate    float64 // arrivals of all, per time
	Service float64 // services per time of one worker
	Policy  Policy
	// Stale is how old the balancer's knowledge of the queues is: it sees them as they
	// were when it last looked, every so long. 0 is always fresh.
	Stale float64
}

// Utilisation of all workers.
func (f Fleet) Utilisation() float64 {
	return f.Rate / (f.Service * float64(f.Nodes) * float64(max(1, f.Workers)))
}

// Times are the response times of a simulated fleet, in the fleet's unit of time.
type Times struct {
	N              int
	Mean, P50, P99 float64
}

// WarmUp is how many jobs come in five relaxation times of M/M/1, 1/(mu (1 -
// sqrt(rho))^2): from empty nodes, what comes earlier is too fast. Near saturation they
// are many.
func (f Fleet) WarmUp() int {
	r := 1 - math.Sqrt(f.Utilisation())
	return int(min(5*f.Rate/(f.Service*r*r), 1e8))
}

// Simulate runs jobs through the fleet, after at least a tenth as many, and five
// times as long as a queue of its utilisation remembers, to warm up.
func (f Fleet) Simulate(jobs int, seed uint64) (Times, error) {
	if f.Workers == 0 {
		f.Workers = 1
	}
	switch {
	case f.Nodes < 1 || f.Workers < 1 || f.Nodes > 1e6 || f.Workers > 1e6 || f.Nodes*f.Workers > 1e7:
		return Times{}, fmt.Errorf("fleet: %d nodes of %d workers: at least 1 of each", f.Nodes, f.Workers)
	case !(f.Rate > 0) || !(f.Service > 0) || math.IsInf(f.Rate, 0) || math.IsInf(f.Service, 0):
		return Times{}, fmt.Errorf("fleet: %g arrivals at %g services: both must be finite and above 0", f.Rate, f.Service)
	case !(f.Utilisation() < 1):
		return Times{}, fmt.Errorf("fleet: a utilisation of %.4g has no steady state: more nodes, or a lower rate", f.Utilisation())
	case !(f.Stale >= 0) || math.IsInf(f.Stale, 0):
		return Times{}, fmt.Errorf("fleet: knowledge %g old", f.Stale)
	case jobs < 100 || jobs > 1e9:
		return Times{}, errors.New("fleet: at least 100 jobs are needed")
	}
	if !slices.Contains([]Policy{Random, RoundRobin, TwoChoices, ShortestQueue}, f.Policy) {
		return Times{}, fmt.Errorf("fleet: unknown policy %q", f.Policy)
	}
	s := newSimulation(f, seed)
	warm := max(jobs/10, f.WarmUp())
	times := make([]float64, 0, jobs)
	for i := range warm + jobs {
		took := s.arrive()
		if i >= warm {
			times = append(times, took)
		}
	}
	slices.Sort(times)
	sum := 0.0
	for _, t := range times {
		sum += t
	}
	at := func(p float64) float64 { return times[max(0, int(math.Ceil(p*float64(len(times))))-1)] }
	return Times{len(times), sum / float64(len(times)), at(0.5), at(0.99)}, nil
}

// simulation goes from arrival to arrival: a job's end is known when it comes, as
// nodes serve in order.
type simulation struct {
	f      Fleet
	rng    *rand.Rand
	now    float64
	turn   int
	free   [][]float64 // of each node, when each worker is free
	ends   departures
	queues []int     // jobs at each node
	seen   []int     // queues as the balancer sees them
	looked float64   // when it last looked
	places [][]int32 // nodes with each queue seen
	place  []int32   // where in places a node stands
}

func newSimulation(f Fleet, seed uint64) *simulation {
	s := &simulation{f: f, rng: rand.New(rand.NewPCG(seed, 0x5eed)), queues: make([]int, f.Nodes), place: make([]int32, f.Nodes)}
	for range f.Nodes {
		s.free = append(s.free, make([]float64, f.Workers))
	}
	s.seen = s.queues
	if f.Stale > 0 {
		s.seen = make([]int, f.Nodes)
	}
	s.index()
	return s
}

// index sorts the nodes by the queue seen.
func (s *simulation) index() {
	if s.f.Policy != ShortestQueue {
		return
	}
	for i := range s.places {
		s.places[i] = s.places[i][:0]
	}
	for node, q := range s.seen {
		s.put(node, q)
	}
}

func (s *simulation) put(node, queue int) {
	for len(s.places) <= queue {
		s.places = append(s.places, nil)
	}
	s.place[node] = int32(len(s.places[queue]))
	s.places[queue] = append(s.places[queue], int32(node))
}

// change moves a node to another queue length, as far as the balancer sees it.
func (s *simulation) change(node, by int) {
	if s.f.Policy == ShortestQueue && s.f.Stale == 0 {
		from := s.places[s.queues[node]]
		last := from[len(from)-1]
		from[s.place[node]] = last
		s.place[last] = s.place[node]
		s.places[s.queues[node]] = from[:len(from)-1]
		s.put(node, s.queues[node]+by)
	}
	s.queues[node] += by
}

// arrive takes the next job through and returns its response time.
func (s *simulation) arrive() float64 {
	s.now += s.rng.ExpFloat64() / s.f.Rate
	for len(s.ends) > 0 && s.ends[0].at <= s.now {
		s.change(s.ends.pop().node, -1)
	}
	if s.f.Stale > 0 && s.now-s.looked >= s.f.Stale {
		s.looked = s.now - math.Mod(s.now, s.f.Stale)
		copy(s.seen, s.queues)
		s.index()
	}
	node := s.choose()
	workers := s.free[node]
	first := 0
	for i, at := range workers {
		if at < workers[first] {
			first = i
		}
	}
	end := max(s.now, workers[first]) + s.rng.ExpFloat64()/s.f.Service
	workers[first] = end
	s.change(node, +1)
	s.ends.push(departure{end, node})
	return end - s.now
}

func (s *simulation) choose() int {
	switch s.f.Policy {
	case RoundRobin:
		s.turn = (s.turn + 1) % s.f.Nodes
		return s.turn
	case TwoChoices:
		a, b := s.rng.IntN(s.f.Nodes), s.rng.IntN(s.f.Nodes)
		if s.f.Nodes > 1 {
			for b == a {
				b = s.rng.IntN(s.f.Nodes)
			}
		}
		if s.seen[b] < s.seen[a] {
			return b
		}
		return a
	case ShortestQueue:
		for _, nodes := range s.places {
			if len(nodes) > 0 {
				return int(nodes[s.rng.IntN(len(nodes))])
			}
		}
	}
	return s.rng.IntN(s.f.Nodes)
}

type departure struct {
	at   float64
	node int
}

// departures is a binary heap, the earliest first.
type departures []departure

func (d *departures) push(e departure) {
	*d = append(*d, e)
	h := *d
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if h[parent].at <= h[i].at {
			return
		}
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
}

func (d *departures) pop() departure {
	h := *d
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*d = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return first
		}
		if child+1 < len(h) && h[child+1].at < h[child].at {
			child++
		}
		if h[i].at <= h[child].at {
			return first
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
