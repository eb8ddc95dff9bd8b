package correlate

import (
	"fmt"
	"math"
)

// Usage is what the node's process used. CPU counts whatever the process did, its idle
// work and the scrapes included.
type Usage struct {
	CPUSeconds float64 `json:"cpu_s"`
	Cores      float64 `json:"cores"` // CPUSeconds over the time
	// CPU-seconds per call, per entry and per item; nil where that is not known. They
	// are over the client's, or, where the node saw others too, or not all of ours, or
	// began to count anew, over what it counted itself.
	PerCall   *float64 `json:"cpu_s_per_call"`
	PerEntry  *float64 `json:"cpu_s_per_entry"`
	PerItem   *float64 `json:"cpu_s_per_item"`
	Of        string   `json:"of"`         // what they are over
	MemoryMax float64  `json:"memory_max"` // resident bytes; 0: not exposed
	MemoryEnd float64  `json:"memory_end"`
	Note      string   `json:"note,omitempty"`
}

// fewestCPU is the fewest CPU-seconds that are divided: the counter goes in
// hundredths on most systems.
const fewestCPU = 0.1

// Usage gives it, or why it is not known.
func (i *Interval) Usage(n Names) (*Usage, string) {
	cpu, exposed := i.Node.Counters[CPU]
	if !exposed {
		return nil, "the node exposes no " + missing(n, CPU)
	}
	seconds := i.NodeSeconds()
	if !(seconds > 0) {
		return nil, "no time passed"
	}
	u := &Usage{CPUSeconds: cpu, Cores: cpu / seconds}
	memory := i.Node.Gauges[Memory]
	u.MemoryMax, u.MemoryEnd = memory.Max, memory.End
	calls, entries, items := float64(i.Client.Calls), float64(i.Client.Entries), float64(i.Client.Items)
	u.Of = "the client's own"
	if !i.ours() {
		u.Of, items = "what the node itself counted", 0
		calls = i.Node.Counters[Requests]
		entries = i.Node.Counters[Entries] + i.Node.Counters[Singles]
		if _, told := i.Node.Counters[Singles]; !told {
			entries = i.Node.Counters[MethodCalls]
		}
	}
	if cpu < fewestCPU {
		u.Note = fmt.Sprintf("%.2g CPU-seconds are too few to divide", cpu)
		return u, ""
	}
	u.PerCall, u.PerEntry, u.PerItem = each(cpu, calls), each(cpu, entries), each(cpu, items)
	return u, ""
}

// ours tells whether the node's account is of the client's calls and of no others,
// as far as it goes.
func (i *Interval) ours() bool {
	requests, exposed := i.Node.Counters[Requests]
	missing := exposed && requests+float64(i.edges()) < float64(i.Client.Calls)
	return !missing && !i.Node.Reset && len(i.Surplus()) == 0
}

func each(cpu, n float64) *float64 {
	if !(n > 0) || math.IsInf(n, 0) {
		return nil
	}
	v := cpu / n
	return &v
}

// Surplus is what the node counted beyond the client's own: other traffic.
type Surplus struct {
	What   string  `json:"what"`
	Client float64 `json:"client"`
	Node   float64 `json:"node"`
	// Edges is how many the two sides may count in different Intervals, so that fewer
	// would say nothing: the calls in flight at its ends, and what came between the
	// client's bounds and the scrapes.
	Edges float64 `json:"edges"`
}

// More is by how much.
func (s *Surplus) More() float64 { return s.Node - s.Client }

// Surplus gives what there is more of on the node's side, of what it counts.
func (i *Interval) Surplus() []Surplus {
	c := &i.Client
	edges := float64(i.edges())
	size := 1.0
	if c.Batches > 0 {
		size = math.Max(1, float64(c.BatchEntries)/float64(c.Batches))
	}
	var all []Surplus
	for _, s := range []struct {
		role  Role
		what  string
		ours  uint64
		edges float64
	}{
		{Requests, "HTTP requests", c.Calls, edges},
		{Batches, "batches", c.Batches, edges},
		{Entries, "entries of batches", c.BatchEntries, edges * size},
		{Singles, "single calls", c.singles(), edges},
	} {
		node, exposed := i.Node.Counters[s.role]
		if exposed && node > float64(s.ours)+s.edges {
			all = append(all, Surplus{s.what, float64(s.ours), node, s.edges})
		}
	}
	return all
}
