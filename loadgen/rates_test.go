package loadgen

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/results"
	"volley/scenario"
)

// by scales the rate at instants of the run.
func by(t *testing.T, r *Rates, at map[time.Duration]float64) {
	for when, factor := range at {
		time.AfterFunc(when, func() {
			if _, err := r.Scale(factor); err != nil {
				t.Errorf("at %v: %v", when, err)
			}
		})
	}
}

func TestRateChangedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node, rates := &fakeNode{latency: time.Millisecond}, NewRates()
		c := Config{Plan: plan(1, steady(100, scenario.Calls, 10*time.Second), steady(50, scenario.Calls, 2*time.Second)), Endpoint: node, Rates: rates}
		by(t, rates, map[time.Duration]float64{3004 * time.Millisecond: 2, 6003 * time.Millisecond: 0.25})
		w := execute(t, t.Context(), c)

		// The first call that is due after the change is still the old rate's.
		steps := []results.RateStep{{At: 3010 * time.Millisecond, Factor: 2}, {At: 6005 * time.Millisecond, Factor: 0.5}}
		if !reflect.DeepEqual(w.Account.RateSteps, steps) || !reflect.DeepEqual(w.Aggregate.RateSteps, steps) || rates.Factor() != 0.5 {
			t.Errorf("steps %v, %v, now %v", w.Account.RateSteps, w.Aggregate.RateSteps, rates.Factor())
		}
		// No burst and no gap: gaps are those of the one rate or of the other.
		gap := map[time.Duration]int{}
		times := node.times[1:] // the first is the canary's
		for i := range times[1:] {
			gap[times[i+1]-times[i]]++
		}
		if want := map[time.Duration]int{10 * time.Millisecond: 301, 5 * time.Millisecond: 599, 20 * time.Millisecond: 199, 15 * time.Millisecond: 1, 40 * time.Millisecond: 49}; !reflect.DeepEqual(gap, want) {
			t.Errorf("gaps %v, want %v", gap, want)
		}
		var asked []float64
		for _, s := range w.snaps {
			asked = append(asked, math.Round(10*s.Asked)/10)
		}
		// The second phase keeps the factor: 25 in place of 50 calls a second.
		if want := []float64{100, 100, 100, 199, 200, 200, 50.8, 50, 50, 25, 25, 0}; !slices.Equal(asked, want) {
			t.Errorf("asked %v, want %v", asked, want)
		}
		if _, err := rates.Scale(2); err == nil || !strings.Contains(err.Error(), "no load") {
			t.Errorf("after the run: %v", err)
		}

		phases, _ := Describe(c.Plan)
		s := results.Summarise(results.Meta{Phases: phases}, &w.Aggregate, results.End{Generator: w.Generator})
		if s.Status != results.Finished || s.VoidReason != "" {
			t.Errorf("%s: %s", s.Status, s.VoidReason)
		}
		if h := s.Phases[0].Target.ByHand; h == nil || h.Steps != 2 || h.Lowest != 0.5 || h.Highest != 2 || math.Abs(h.Mean-110) > 1 {
			t.Errorf("%+v", h)
		}
	})
}

func TestRatesSayWhyTheyStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rates := NewRates()
		if _, err := rates.Scale(2); err == nil || !strings.Contains(err.Error(), "no load") {
			t.Errorf("before the run: %v", err)
		}
		p := plan(5, scenario.Phase{Name: "closed", Callers: 2, For: time.Second}, steady(100, scenario.Entries, 2*time.Second), steady(400, scenario.Entries, time.Second))
		p.Target.Authorised = &scenario.Authorised{By: "me", MaxRate: scenario.Rate{Value: 300, Unit: scenario.Entries}}
		refused := func(at time.Duration, factor float64, want string) {
			time.AfterFunc(at, func() {
				if now, err := rates.Scale(factor); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("at %v times %v: now %v, %v", at, factor, now, err)
				}
			})
		}
		refused(500*time.Millisecond, 2, "closed loop")
		for i, factor := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			refused(1100*time.Millisecond+time.Duration(i), factor, "above 0")
		}
		by(t, rates, map[time.Duration]float64{1200 * time.Millisecond: 10})
		refused(1300*time.Millisecond, 1.1, "the authorised ceiling allows no more")
		w := execute(t, t.Context(), Config{Plan: p, Endpoint: &fakeNode{latency: time.Millisecond}, Rates: rates})
		// The ceiling allows three times 100 entries/s, and of 400 not even the plan's.
		if want := []results.RateStep{{At: 1200 * time.Millisecond, Factor: 3}, {At: 3 * time.Second, Factor: 1}}; !reflect.DeepEqual(w.Account.RateSteps, want) {
			t.Errorf("steps %v, want %v", w.Account.RateSteps, want)
		}
	})
}

// Of arrivals that chance decides nothing is claimed where the rate was changed; those at
// a constant rate are still held to their due times.
func TestFidelityOfARateChangedByHand(t *testing.T) {
	for _, tt := range []struct {
		arrivals string
		factor   float64
		judged   bool
	}{{"poisson", 1, true}, {"poisson", 3, false}, {"uniform", 3, false}, {"constant", 3, true}} {
		synctest.Test(t, func(t *testing.T) {
			rates, p := NewRates(), plan(1, steady(500, scenario.Calls, 4*time.Second))
			p.Phases[0].Arrivals = tt.arrivals
			if tt.factor != 1 {
				by(t, rates, map[time.Duration]float64{time.Second: tt.factor})
			}
			w := execute(t, t.Context(), Config{Plan: p, Endpoint: &fakeNode{}, Rates: rates})
			if got := len(w.Account.Arrivals[0]) > 0; got != tt.judged {
				t.Errorf("%s times %v: judged %v", tt.arrivals, tt.factor, got)
			}
		})
	}
}

// Many hands at once lose no change.
func TestRatesAreSafeForConcurrentUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rates := NewRates()
		for i := range 10 {
			time.AfterFunc(time.Second+time.Duration(i), func() {
				go func() {
					if _, err := rates.Scale(1.1); err != nil {
						t.Error(err)
					}
				}()
			})
		}
		w := execute(t, t.Context(), Config{Plan: plan(1, steady(1000, scenario.Calls, 3*time.Second)), Endpoint: &fakeNode{}, Rates: rates})
		if want := math.Pow(1.1, 10); math.Abs(rates.Factor()-want) > 1e-9 || math.Abs(w.snaps[1].Asked-1000*want) > 5 {
			t.Errorf("factor %v, want %v; asked %v", rates.Factor(), want, w.snaps[1].Asked)
		}
	})
}
