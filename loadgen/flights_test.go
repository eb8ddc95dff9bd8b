package loadgen

import (
	"math"
	"testing"
	"time"
)

func TestMeanOfCallsUnderWay(t *testing.T) {
	const ms = time.Millisecond
	day := 400 * 24 * time.Hour // beyond what the sums hold
	for _, start := range []time.Duration{0, time.Hour, day} {
		var f flights
		at := func(d time.Duration) time.Duration { return start + d }
		before := f.by(at(0))
		f.began(at(0))
		if n := f.began(at(100 * ms)); n != 2 || f.count() != 2 {
			t.Errorf("%d, %d under way, want 2", n, f.count())
		}
		f.ended(at(300 * ms))
		first := f.by(at(500 * ms)) // one for 500 ms, another for 200
		f.ended(at(600 * ms))
		second := f.by(at(1000 * ms))
		idle := f.by(at(2000 * ms))
		for _, w := range []struct {
			got  *float64
			want float64
		}{{first.since(before), 1.4}, {second.since(first), 0.2}, {idle.since(second), 0}, {idle.since(before), 0.4}} {
			if w.got == nil || math.Abs(*w.got-w.want) > 1e-9 {
				t.Errorf("from %v: %v, want %v", start, w.got, w.want)
			}
		}
		if idle.since(idle) != nil {
			t.Error("no time has a mean")
		}
	}
}

func TestManyCallsUnderWay(t *testing.T) {
	var f flights
	before := f.by(time.Hour)
	const n = 1 << 17
	for range n {
		f.began(time.Hour)
	}
	after := f.by(time.Hour + 30*time.Second)
	if mean := after.since(before); f.count() != n || *mean != n {
		t.Errorf("%d under way, %v on average, want %d", f.count(), *mean, n)
	}
	for range n {
		f.ended(time.Hour + 30*time.Second)
	}
	if mean := f.by(time.Hour + 60*time.Second).since(after); f.count() != 0 || *mean != 0 {
		t.Errorf("%d under way, %v on average, want none", f.count(), *mean)
	}
}
