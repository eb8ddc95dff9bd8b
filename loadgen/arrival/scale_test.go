package arrival_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"volley/loadgen/arrival"
)

// A constant schedule comes at the new rate from the last call on.
func TestScaleOfAConstantRate(t *testing.T) {
	s := arrival.New(arrival.Profile{Rate: 10, To: 10, For: 1100 * time.Millisecond}, nil)
	var got []int
	for i := 0; ; i++ {
		due, ok := s.Next(1, 1)
		if !ok {
			break
		}
		got = append(got, int(due.Milliseconds()))
		switch i {
		case 2:
			s.Scale(2)
		case 6:
			s.Scale(0.5)
		case 8:
			s.Scale(1)
		}
	}
	if want := []int{0, 100, 200, 250, 300, 350, 400, 600, 800, 900, 1000}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The gap after a step is the count of the call before it at the new rate, be it on a
// ramp, and however much that call carries.
func TestScaleOnARampWithCounts(t *testing.T) {
	p := arrival.Profile{Rate: 100, To: 300, For: 10 * time.Second}
	s := arrival.New(p, nil)
	first, _ := s.Next(20, 20)
	s.Scale(2)
	second, _ := s.Next(5, 20)
	third, _ := s.Next(5, 20)
	if first != 0 {
		t.Errorf("the first is due at %v", first)
	}
	// Twice as fast a profile owes 20 when the plan's owes 10.
	for due, owed := range map[time.Duration]float64{second: 10, third: 12.5} {
		if got := p.ExpectedBy(due); got < owed-1e-6 || got > owed+1e-6 {
			t.Errorf("%v is when the plan owes %v, want %v", due, got, owed)
		}
	}
}

// A Poisson schedule draws the same chance: its gaps are so much shorter, and what it
// was is over at the step.
func TestScaleOfPoissonIsAChangeOfTime(t *testing.T) {
	dues := func(factor float64) (all []time.Duration) {
		s := arrival.New(arrival.Profile{Kind: arrival.Poisson, Rate: 50, To: 50, For: time.Hour}, rand.New(rand.NewPCG(1, 2)))
		for i := range 200 {
			if i == 100 {
				s.Scale(factor)
			}
			due, _ := s.Next(1, 1)
			all = append(all, due)
		}
		return all
	}
	plain, scaled := dues(1), dues(4)
	for i := range plain {
		want := plain[i]
		if i >= 100 {
			want = plain[99] + (plain[i]-plain[99])/4
		}
		if d := scaled[i] - want; d < -2 || d > 2 { // nanoseconds, of rounding
			t.Errorf("call %d is due at %v, want %v", i, scaled[i], want)
		}
	}
}
