package report

import (
	"bytes"
	"testing"
	"time"

	"volley/results"
)

// A run of a day has thousands of intervals: the page stays small, and its pictures have no
// more marks than can be told apart.
func TestPageOfADay(t *testing.T) {
	const seconds, every, intervals = 24 * 3600, 20, 24 * 3600 / 20
	meta := results.Meta{Phases: []results.PhaseMeta{{Name: "day", Measured: true, Value: 10, To: 10, Unit: "calls/s", For: seconds * time.Second}}}
	r := &Run{Summary: &results.Summary{Name: "day", Status: results.Finished}, meta: &meta, timeline: newTimeline(seconds * time.Second)}
	s := results.Snapshot{Phases: []results.PhaseSlice{{Latency: results.NewLatency()}}}
	for _, us := range []int64{300, 900, 2500, 40_000, 900_000, 30_000_000, 1, 70} {
		for range 10 {
			if err := s.Phases[0].Response.RecordValue(us); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Phases[0].Calls, s.Phases[0].Entries = 80, 80
	for i := range intervals {
		s.Start, s.End = time.Duration(i*every)*time.Second, time.Duration((i+1)*every)*time.Second
		r.timeline.add(&s)
	}
	r.finish()
	if n := len(r.timeline.slots); n == 0 || n > mostSlots {
		t.Errorf("%d stretches, want 1 to %d", n, mostSlots)
	}
	calls := uint64(0)
	for _, one := range r.timeline.slots {
		calls += one.Calls
	}
	if calls != 80*intervals {
		t.Errorf("%d calls in all stretches, want %d", calls, 80*intervals)
	}
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() >= 1_000_000 {
		t.Errorf("the page has %d bytes", b.Len())
	}
}
