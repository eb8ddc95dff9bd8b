package correlate

import (
	"fmt"
	"math"
)

// Split is where the mean response time goes, in seconds. Lateness, Network and
// Node add up to Response.
//
//	Response = mean(done - due)      the client's
//	Lateness = mean(sent - due)      with the wait for a free caller or a ceiling
//	Network  = mean(done - sent) - Node
//	Node     = increase of the processing time's _sum / increase of its _count
//
// all over the same time. Network is whatever lies between the client and the node's
// own measure: connecting, both networks, both kernels, accepting, reading and
// parsing a request, admission, writing the answer, and the client's own share of
// the work. The calls are those with a response time: that were answered, or waited
// in vain.
type Split struct {
	// Of says which calls, and with which series Node was measured. The histogram of
	// batches covers batches only, that of methods every single call.
	Of       string  `json:"of"`
	Calls    uint64  `json:"calls"`    // behind the client's means
	Measured float64 `json:"measured"` // calls behind Node
	Response float64 `json:"response_s"`
	Lateness float64 `json:"lateness_s"`
	Network  float64 `json:"network_s"`
	Node     float64 `json:"node_s"`
	// Shared: the node measured other calls too, so that its mean is not that of the
	// client's, and how the two share the service time is not known: Network and Node
	// are to be told as one, their sum.
	Shared bool `json:"shared,omitempty"`
	// Note says what must be known: that the node measured other calls than ours too,
	// or not all of ours.
	Note string `json:"note,omitempty"`
}

// The least share by which counts on the two sides must differ to be told.
const countsDiffer = 0.01

// Split gives where the time goes, or why that is not known.
func (i *Interval) Split(n Names) (*Split, string) {
	c := &i.Client
	role, ours, of := BatchTime, c.Batches, "batches"
	switch {
	case c.Timed == 0:
		return nil, "no call has a response time"
	case c.Batches > 0 && c.Batches < c.Calls:
		return nil, "batches and single calls are mixed, which the node measures in different series"
	case c.Batches == 0:
		role, ours, of = MethodTime, c.Calls, "single calls"
	}
	h, ok := i.Node.Histograms[role]
	if !ok {
		return nil, "the node exposes no " + missing(n, role)
	}
	node, ok := h.Mean()
	if !ok {
		return nil, fmt.Sprintf("the node measured no %s", of)
	}
	s := &Split{Of: fmt.Sprintf("%s (%s)", of, n[role]), Calls: c.Timed, Measured: h.Count, Node: node}
	s.Response = c.Response / float64(c.Timed)
	service := c.Service / float64(c.Timed)
	s.Lateness, s.Network = s.Response-service, service-node
	edges := float64(i.edges())
	switch more := h.Count - float64(ours); {
	case more > countsDiffer*float64(ours)+edges:
		s.Shared = true
		s.Note = fmt.Sprintf("the node's mean, %.3g ms, is over %.0f %s, of which %.0f are other traffic", 1e3*node, h.Count, of, more)
	case float64(c.Timed)-h.Count > countsDiffer*float64(c.Timed)+edges:
		s.Note = fmt.Sprintf("the node's mean is over %.0f of these %d %s", h.Count, c.Timed, of)
	}
	if s.Network < 0 && !s.Shared {
		s.Note = joined(s.Note, "the node's mean is more than the whole exchange took: they are not of the same calls")
	}
	return s, ""
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// missing names a role's series in words.
func missing(n Names, role Role) string {
	if s, ok := n[role]; ok {
		return s.String()
	}
	return "series for " + string(role)
}

// edges are the calls that the two sides may count in different Intervals: those in
// flight at its ends, and those that came between the client's bounds and the scrapes.
func (i *Interval) edges() uint64 {
	c := &i.Client
	n := uint64(max(c.Before, 0) + max(c.InFlight, 0))
	if d := i.ClientSeconds(); d > 0 {
		n += uint64(math.Ceil(2 * i.Skew.Seconds() * float64(c.Calls) / d))
	}
	return n
}
