package loadgen

import (
	"testing"
	"time"

	"volley/results"
)

func TestConnects(t *testing.T) {
	var c connects
	var g results.Generator
	if c.tell(&g); g.Connections != 0 || g.ConnectMaxUS != 0 {
		t.Errorf("%+v before the first", g)
	}
	for _, took := range []time.Duration{0, 100 * time.Microsecond, 100 * time.Microsecond, 2 * time.Millisecond, time.Hour} {
		c.made(took)
	}
	c.tell(&g)
	if g.Connections != 5 || g.ConnectP50US != 100 || g.ConnectMaxUS < 0.99*float64(longestConnect.Microseconds()) {
		t.Errorf("%+v", g)
	}
}
