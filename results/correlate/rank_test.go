package correlate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRanks(t *testing.T) {
	got, varies := ranks([]float64{3, 1, 3, 7, 1, 1})
	if want := []float64{4.5, 2, 4.5, 6, 2, 2}; !slices.Equal(got, want) || !varies {
		t.Errorf("%v, want %v", got, want)
	}
	if _, varies := ranks([]float64{2, 2}); varies {
		t.Error("equal values vary")
	}
}

// The example of IQ and hours of television in common use: rho = -29/165.
func TestSpearman(t *testing.T) {
	iq, _ := ranks([]float64{106, 100, 86, 101, 99, 103, 97, 113, 112, 110})
	tv, _ := ranks([]float64{7, 27, 2, 50, 28, 29, 20, 12, 6, 17})
	if got := pearson(iq, tv); math.Abs(got+29./165) > 1e-12 {
		t.Errorf("rho %v, want -29/165", got)
	}
}

func TestInterval(t *testing.T) {
	// tanh(0.549306 -+ 1.959964 x 0.198139)
	low, high := interval(.5, 30, .05)
	if math.Abs(low-.159585) > 2e-6 || math.Abs(high-.734142) > 2e-6 {
		t.Errorf("%v to %v", low, high)
	}
	wideLow, wideHigh := interval(.5, 30, .0005)
	if !(wideLow < low && wideHigh > high) {
		t.Errorf("a surer interval, %v to %v, is not wider", wideLow, wideHigh)
	}
	if low, high := interval(1, 30, .05); !(low > .99 && high <= 1) {
		t.Errorf("of a perfect correlation: %v to %v", low, high)
	}
}

// An autoregressive series, x' = a x + noise, is worth n (1-a)/(1+a) values for its
// mean, and two independent ones n (1-a^2)/(1+a^2) pairs for their correlation.
func TestEffective(t *testing.T) {
	const n, a = 20000, .6
	r := rand.New(rand.NewPCG(1, 2))
	x, y, white := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := 1; i < n; i++ {
		x[i], y[i], white[i] = a*x[i-1]+r.NormFloat64(), a*y[i-1]+r.NormFloat64(), r.NormFloat64()
	}
	if got, want := effective(x)/n, (1-a)/(1+a); math.Abs(got-want) > .1*want {
		t.Errorf("of the mean %v, want %v", got, want)
	}
	if got, want := effectivePairs(n, autocorrelation(x), autocorrelation(y))/n, (1-a*a)/(1+a*a); math.Abs(got-want) > .1*want {
		t.Errorf("of pairs %v, want %v", got, want)
	}
	if got := effectivePairs(n, autocorrelation(x), autocorrelation(white)) / n; got < .9 || got > 1 {
		t.Errorf("with an independent one %v, want 1", got)
	}
}
