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

func TestNodesThatCloseConnectionsAreToldOf(t *testing.T) {
	for _, tt := range []struct {
		why        string
		made       uint64
		most       int64
		calls, bad uint64
		told       bool
	}{
		{"kept", 12, 10, 1000, 0, false},
		{"a few break", 60, 10, 1000, 0, false},
		{"one in ten", 112, 10, 1000, 0, true},
		{"as timeouts explain", 112, 10, 1000, 100, false},
		{"of a handful of calls", 7, 1, 8, 0, false},
		{"each", 1000, 10, 1000, 0, true},
		{"none", 0, 0, 0, 0, false},
	} {
		w := closings(tt.made, tt.most, &results.Counts{Calls: tt.calls, Unanswered: tt.bad})
		if (w != "") != tt.told {
			t.Errorf("%s: %q", tt.why, w)
		}
	}
	const want = "the node closes connections after its answers: 1,000 were made for 2,000 calls, of which at most 3 were under way at once"
	if got := closings(1000, 3, &results.Counts{Calls: 2000}); got != want {
		t.Errorf("got %s", got)
	}
}
