package target_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/target"
)

func service(t testing.TB, text string) target.Service {
	t.Helper()
	var s target.Service
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestServiceLaws draws 100,000 times from a fixed seed and compares with what
// the law says of its mean and quantiles.
func TestServiceLaws(t *testing.T) {
	const n = 100_000
	ms := float64(time.Millisecond)
	for _, tt := range []struct {
		text              string
		mean, median, p99 float64 // ms
	}{
		{`"2ms"`, 2, 2, 2},
		{`{"constant":"2ms"}`, 2, 2, 2},
		{`{"exponential":"2ms"}`, 2, 2 * math.Ln2, 2 * math.Log(100)},
		{`{"lognormal":{"median":"2ms","p99":"2ms"}}`, 2, 2, 2},
		// sigma = ln(7.5)/2.3263 = 0.8661, mean = 2 exp(sigma^2/2)
		{`{"lognormal":{"median":"2ms","p99":"15ms"}}`, 2.9103, 2, 15},
	} {
		s, r := service(t, tt.text), rand.New(rand.NewPCG(1, 2))
		draws := make([]float64, n)
		sum := 0.0
		for i := range draws {
			draws[i] = float64(s.Draw(r)) / ms
			sum += draws[i]
		}
		slices.Sort(draws)
		for name, v := range map[string][2]float64{
			"mean": {sum / n, tt.mean}, "median": {draws[n/2], tt.median}, "p99": {draws[n*99/100], tt.p99},
		} {
			if math.Abs(v[0]/v[1]-1) > 0.03 {
				t.Errorf("%s: %s %.4f ms, want %.4f ms", tt.text, name, v[0], v[1])
			}
		}
	}
}

func TestServiceZero(t *testing.T) {
	for _, text := range []string{`null`, `"0s"`, `{"exponential":"0s"}`} {
		if s := service(t, text); !s.IsZero() || s.Draw(rand.New(rand.NewPCG(1, 2))) != 0 {
			t.Errorf("%s is not nothing", text)
		}
	}
	if service(t, `"1ns"`).IsZero() {
		t.Error("a nanosecond is nothing")
	}
	if d := service(t, `{"lognormal":{"median":"1000000h","p99":"2000000h"}}`).Draw(rand.New(rand.NewPCG(1, 2))); d <= 0 {
		t.Errorf("a draw beyond the longest duration is %v", d)
	}
}

func TestServiceErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`5`, "want a duration"},
		{`{}`, "want a duration"},
		{`[]`, "want a duration"},
		{`"5"`, `"5" is no duration`},
		{`"-1ms"`, "-1ms is under zero"},
		{`{"uniform":"1ms"}`, `no service time is "uniform"`},
		{`{"constant":1}`, "constant: want a duration"},
		{`{"exponential":"x"}`, `exponential: "x" is no duration`},
		{`{"constant":"1ms","exponential":"1ms"}`, "one member"},
		{`{"lognormal":"1ms"}`, "lognormal: want {"},
		{`{"lognormal":{"median":"1ms"}}`, "lognormal: p99: want a duration"},
		{`{"lognormal":{"median":"1ms","p95":"2ms"}}`, "lognormal: want {"},
		{`{"lognormal":{"median":"2ms","p99":"1ms"}}`, "lognormal: want a median over zero"},
		{`{"lognormal":{"median":"0s","p99":"1ms"}}`, "lognormal: want a median over zero"},
	} {
		var s target.Service
		if err := json.Unmarshal([]byte(tt.text), &s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if err := target.Wait(t.Context(), time.Second); err != nil || time.Since(begun) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		begun = time.Now()
		if err := target.Wait(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if err := target.Wait(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("no time, with a context that has ended: %v", err)
		}
	})
}

func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := target.NewPool(2)
		for range 2 {
			if err := p.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var order []int
		for i := range 5 {
			go func() {
				if err := p.Acquire(context.Background()); err != nil {
					t.Error(err)
				}
				order = append(order, i)
			}()
			synctest.Wait()
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := p.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait that its context ended: %v", err)
		}
		for range 5 {
			p.Release()
			synctest.Wait()
		}
		if !slices.Equal(order, []int{0, 1, 2, 3, 4}) {
			t.Errorf("served in the order %v", order)
		}
		p.Release()
		if err := p.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a free slot, with a context that has ended: %v", err)
		}
		p.Release()
		for name, f := range map[string]func(){"a slot too many": p.Release, "no slots": func() { target.NewPool(0) }} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s is taken", name)
					}
				}()
				f()
			}()
		}
	})
}
