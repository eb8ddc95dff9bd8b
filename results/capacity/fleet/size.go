package fleet

import (
	"errors"
	"fmt"
	"math"
)

// Demand is what a fleet must carry.
type Demand struct {
	Rate   float64 // at the peak hour
	Growth float64 // to plan for, such as 0.5 for half as much again
	// Lower and Upper are what one node sustains, in the rate's unit, as a search
	// found it; Upper 0 is not known.
	Lower, Upper float64
	// Headroom is the share of that at which a node shall run at most: 0 means 0.8.
	Headroom float64
	Spares   int // nodes that may be down at once
}

// Size is how many nodes a demand needs.
type Size struct {
	Nodes int `json:"nodes"` // ceil(rate*(1+growth) / (lower*headroom)) + spares
	// Least and Most are the 5% and 95% quantiles of that number if what a node
	// sustains lies anywhere between the bounds alike.
	Least   int     `json:"least"`
	Most    int     `json:"most"`
	PerNode float64 `json:"per_node"` // rate of each with the spares down
}

// mostNodes is beyond what any answer means.
const mostNodes = 1e9

// Size computes the number of nodes.
func (d Demand) Size() (Size, error) {
	if d.Headroom == 0 {
		d.Headroom = 0.8
	}
	for name, v := range map[string]float64{"rate": d.Rate, "lower bound": d.Lower} {
		if !(v > 0) || math.IsInf(v, 0) {
			return Size{}, fmt.Errorf("fleet: a %s of %g: it must be finite and above 0", name, v)
		}
	}
	if !(d.Growth > -1) || math.IsInf(d.Growth, 0) || !(d.Headroom > 0 && d.Headroom <= 1) || d.Spares < 0 {
		return Size{}, fmt.Errorf("fleet: growth %g, headroom %g, spares %d: growth must be above -1, headroom inside (0,1], spares at least 0", d.Growth, d.Headroom, d.Spares)
	}
	if d.Upper != 0 && !(d.Upper >= d.Lower && d.Upper <= math.MaxFloat64) {
		return Size{}, fmt.Errorf("fleet: a node that sustains between %g and %g: the upper bound must not be below the lower", d.Lower, d.Upper)
	}
	total := d.Rate * (1 + d.Growth)
	count := func(node float64) float64 { return math.Ceil(total/(node*d.Headroom)*(1-1e-12)) + float64(d.Spares) }
	if !(count(d.Lower) <= mostNodes) {
		return Size{}, errors.New("fleet: that many nodes are no plan: are rate and bounds in the same unit?")
	}
	s := Size{Nodes: max(1, int(count(d.Lower)))}
	s.Least, s.Most = s.Nodes, s.Nodes
	if d.Upper > d.Lower {
		// The number falls as the node's rate rises: its quantiles are those of the rate.
		at := func(share float64) int { return max(1, int(count(d.Lower+share*(d.Upper-d.Lower)))) }
		s.Least, s.Most = at(0.95), at(0.05)
	}
	s.PerNode = total / float64(max(1, s.Nodes-d.Spares))
	return s, nil
}
