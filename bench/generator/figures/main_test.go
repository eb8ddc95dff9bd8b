package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDeviationsFromAGrid(t *testing.T) {
	// A grid of 1000/s, all of it 7 us late after the first, which is on time, and one
	// of them another 50 us.
	at := []float64{0, 1_007_000, 2_007_000, 3_057_000, 4_007_000}
	want := []float64{7000, 0, 0, 50_000, 0}
	for i, got := range deviations(at, 1000) {
		if got != want[i] {
			t.Errorf("send %d deviates by %v ns, want %v", i, got, want[i])
		}
	}
}

func TestPoissonProcess(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	at, even := []float64{}, []float64{}
	now := 0.0
	for i := range 20_000 {
		now += r.ExpFloat64() * 1e9 / 2000
		at, even = append(at, now), append(even, float64(i)*1e9/2000)
	}
	if d := distance(at, 2000); d > 0.012 {
		t.Errorf("distance %v", d)
	}
	if i := dispersion(at); math.Abs(i-1) > 0.1 {
		t.Errorf("dispersion %v", i)
	}
	if d := distance(even, 2000); d < 0.6 {
		t.Errorf("distance of an even process %v", d)
	}
	if i := dispersion(even); i > 0.01 {
		t.Errorf("dispersion of an even process %v", i)
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for q, want := range map[float64]float64{0: 1, 0.5: 5, 0.99: 10, 1: 10} {
		if got := quantile(values, q); got != want {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
}
