package loadgen

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
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
