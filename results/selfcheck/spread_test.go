package selfcheck

import (
	"math"
	"testing"
)

// The windows of a Spread tell what Overdispersion tells of their counts at a rung.
func TestSpreadTellsTheTauOfItsCounts(t *testing.T) {
	for _, tt := range []struct {
		name      string
		repeat    int64 // calls that share one fate
		low, high float64
	}{
		{"independent calls", 1, 1, 1.5},
		{"calls in tens", 10, 7, 14},
	} {
		rng := seeded(31)
		var s Spread
		for range 300 {
			for range 1000 / tt.repeat {
				s.Count(int64(1000*rng.ExpFloat64()), tt.repeat)
			}
			s.End()
		}
		for _, p := range []float64{0.5, 0.9, 0.99} {
			limit := int64(-1000 * math.Log(1-p))
			if tau, ok := s.Tau(limit); !ok || tau < tt.low || tau > tt.high {
				t.Errorf("%s, p%v: tau %.2f %v, want it in [%v, %v]", tt.name, 100*p, tau, ok, tt.low, tt.high)
			}
		}
	}
}

func TestSpreadTakesARungWithSomethingOnBothSides(t *testing.T) {
	rng := seeded(32)
	var s Spread
	for range 50 {
		for range 100 {
			s.Count(100+rng.Int64N(100), 1)
		}
		s.End()
	}
	for _, limit := range []int64{math.MinInt64, 0, 1, 150, 1e6, math.MaxInt64} {
		if tau, ok := s.Tau(limit); !ok || tau < 1 {
			t.Errorf("limit %d: tau %v %v", limit, tau, ok)
		}
	}
}

func TestSpreadDoesNotGrowAndLosesNothing(t *testing.T) {
	var s Spread
	for i := range int64(100_000) {
		s.Count(i%2000, 3)
		s.End()
	}
	if len(s.windows) >= spreadCap || cap(s.windows) > 2*spreadCap {
		t.Errorf("%d windows are held in %d", len(s.windows), cap(s.windows))
	}
	_, all := s.counts(0)
	_, open := s.open.over(0)
	if all+open != 300_000 {
		t.Errorf("%d of 300000 values are counted", all+open)
	}
}

func TestSpreadRefuses(t *testing.T) {
	alike := func(windows int, value int64) *Spread {
		var s Spread
		for range windows {
			s.Count(value, 10)
			s.End()
		}
		return &s
	}
	few := &Spread{}
	for range 9 {
		few.Count(10, 5)
		few.Count(1000, 5)
		few.End()
		few.End() // without a value: no window
	}
	for name, s := range map[string]*Spread{
		"nothing": {}, "nine windows": few, "all alike": alike(50, 100), "all beyond the ladder": alike(50, 1<<40), "negative": alike(50, -1),
	} {
		if tau, ok := s.Tau(100); ok {
			t.Errorf("%s: tau %v", name, tau)
		}
	}
}

// The tau is that about the limit asked for, not about any other: here what is fast comes
// by chance, and what is slow in one window of ten.
func TestSpreadTellsTheTauAboutTheLimit(t *testing.T) {
	var s Spread
	rng := seeded(41)
	for w := range 200 {
		for range 100 {
			v := int64(10)
			switch {
			case w%10 == 0:
				v = 1_000_000
			case rng.Float64() < 0.5:
				v = 1000
			}
			s.Count(v, 1)
		}
		s.End()
	}
	fast, ok := s.Tau(100)
	slow, known := s.Tau(100_000)
	if !ok || !known || slow < 50 || fast > slow/2 {
		t.Errorf("tau %.1f about the fast ones, %.1f about the slow ones", fast, slow)
	}
}
