package loadgen

import (
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
	"volley/scenario"
)

// connects counts the connections that were opened, and how long that took. Its
// zero value has none; it is safe for concurrent use.
type connects struct {
	mu   sync.Mutex
	took *hdrhistogram.Histogram // in microseconds; nil: none yet
}

// longestConnect is what a longer connect is taken for.
const longestConnect = 5 * time.Minute

func (c *connects) made(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.took == nil {
		c.took = hdrhistogram.New(1, longestConnect.Microseconds(), 2)
	}
	_ = c.took.RecordValue(min(took, longestConnect).Microseconds()) // within bounds
}

// count gives how many were opened so far.
func (c *connects) count() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.took == nil {
		return 0
	}
	return uint64(c.took.TotalCount())
}

// onPurpose tells whether the plan itself gives up connections.
func onPurpose(c scenario.Connections) bool {
	return c.CloseEach || c.MaxRequests > 0 || c.MaxAge > 0
}

// manyClosings is the share of its answers after which a node closes the connection from
// which on it is worth a word.
const manyClosings = 0.05

// closings says that a node closes connections: more were made than the most calls under
// way at once, those ahead of calls, and calls whose exchange failed, explain. "" where it
// does not.
func closings(made uint64, most int64, t *results.Counts) string {
	explained := uint64(most) + spares + t.Unanswered
	if made <= explained || t.Calls == 0 || float64(made-explained) < max(5, manyClosings*float64(t.Calls)) {
		return ""
	}
	return fmt.Sprintf("the node closes connections after its answers: %s were made for %s calls, of which at most %d were under way at once",
		results.Count(made), results.Count(t.Calls), most)
}

// tell puts into g what was counted.
func (c *connects) tell(g *results.Generator) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.took == nil {
		return
	}
	g.Connections = uint64(c.took.TotalCount())
	g.ConnectP50US = float64(c.took.ValueAtQuantile(50))
	g.ConnectMaxUS = float64(c.took.Max())
}
