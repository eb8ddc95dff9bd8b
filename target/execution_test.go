package target

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func genericNode(t testing.TB, config string, o Options) *Node {
	t.Helper()
	c, err := ParseGenericConfig(ConfigFile{Name: "config.json", Data: []byte(config)})
	if err != nil {
		t.Fatal(err)
	}
	return New(Generic(c), o)
}

// echoes is a batch of so many calls of echo.
func echoes(count int) string {
	one := `{"jsonrpc":"2.0","method":"echo","params":[],"id":1}`
	return "[" + strings.TrimSuffix(strings.Repeat(one+",", count), ",") + "]"
}

func parsed(t testing.TB, text string) Service {
	t.Helper()
	var s Service
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCosts: what each part of an exchange costs is spent once for each, the
// envelope's in no slot.
func TestCosts(t *testing.T) {
	const costs = `"cost": {"call": "50ms", "entry": "1ms", "item": "2ms"}, "service": {"echo": "3ms"}`
	single := strings.Trim(echoes(1), "[]")
	for _, tt := range []struct {
		name, config string
		bodies       []string // at once, each over a connection of its own
		want         time.Duration
	}{
		{"a singleton", "", []string{single}, 56 * time.Millisecond},
		{"a batch, an entry at a time", `"batch_concurrency_limit": 1,`, []string{echoes(4)}, 74 * time.Millisecond},
		{"a batch, all entries at once", "", []string{echoes(4)}, 56 * time.Millisecond},
		{"singletons in one slot share no envelope", `"slots": 1,`, []string{single, single, single}, 68 * time.Millisecond},
		{"a body that is refused has an envelope", "", []string{"[]"}, 50 * time.Millisecond},
		{"one that is no JSON as well", "", []string{"{"}, 50 * time.Millisecond},
		{"entries that do not run cost nothing", "", []string{`[1,{"jsonrpc":"2.0","method":"nope","id":1}]`}, 50 * time.Millisecond},
		{"a notification is an entry", "", []string{`{"jsonrpc":"2.0","method":"sum","params":[]}`}, 53 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := genericNode(t, "{"+tt.config+costs+"}", Options{})
				begun := time.Now()
				var all sync.WaitGroup
				for _, body := range tt.bodies {
					all.Go(func() { send(n, "application/json", body) })
				}
				all.Wait()
				if took := time.Since(begun); took != tt.want {
					t.Errorf("took %v, want %v", took, tt.want)
				}
			})
		})
	}
}

// TestEnvelopesOfOneStreamComeOneAfterAnother, what they hold runs at once.
func TestEnvelopesOfOneStreamComeOneAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := genericNode(t, `{"cost": {"call": "10ms"}, "service": {"echo": "1s"}}`, Options{})
		var out strings.Builder
		begun := time.Now()
		lines := strings.Repeat(strings.Trim(echoes(1), "[]")+"\n", 3)
		if err := n.ServeStream(t.Context(), strings.NewReader(lines), &out); err != nil {
			t.Fatal(err)
		}
		if took, answers := time.Since(begun), strings.Count(out.String(), "\n"); took != 1030*time.Millisecond || answers != 3 {
			t.Errorf("%d answers took %v", answers, took)
		}
	})
}

// TestItems: an item's cost is drawn for each.
func TestItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := NewExecution(ExecutionConfig{Slots: 1, Cost: Costs{Entry: parsed(t, `"1ms"`), Item: parsed(t, `"2ms"`)}})
		for items, want := range []time.Duration{4 * time.Millisecond, 6 * time.Millisecond, 8 * time.Millisecond} {
			begun := time.Now()
			if err := x.Enter(t.Context(), parsed(t, `"3ms"`), items, 1); err != nil {
				t.Fatal(err)
			}
			x.Leave()
			if took := time.Since(begun); took != want {
				t.Errorf("%d items took %v, want %v", items, took, want)
			}
		}
	})
	drawn := Costs{Item: parsed(t, `{"exponential": "1ms"}`)}
	x := NewExecution(ExecutionConfig{Slots: 1, Cost: drawn})
	const items = 10_000
	b := x.bill(x.source(1).rand, Service{}, items)
	if mean := b.wait / items / 1e6; math.Abs(mean-1) > 0.04 { // 4 standard errors
		t.Errorf("items cost %.3f ms each, want 1", mean)
	}
}

func TestShares(t *testing.T) {
	x := NewExecution(ExecutionConfig{Slots: 1, Cost: Costs{
		Entry: parsed(t, `{"constant": "10ms", "cpu": "100%"}`),
		Item:  parsed(t, `{"constant": "10ms", "cpu": "25%"}`),
	}})
	if b := x.bill(x.source(1).rand, parsed(t, `{"constant": "10ms", "cpu": "0%"}`), 2); b.wait != 25e6 || b.cpu != 15e6 {
		t.Errorf("waits %v ns, works %v ns", b.wait, b.cpu)
	}
	for _, tt := range []struct{ text, want string }{
		{`{"constant": "1ms", "cpu": 30}`, "cpu: want a share"},
		{`{"constant": "1ms", "cpu": "30"}`, "cpu: want a share"},
		{`{"constant": "1ms", "cpu": "101%"}`, "cpu: want a share"},
		{`{"constant": "1ms", "cpu": "-1%"}`, "cpu: want a share"},
		{`{"constant": "1ms", "cpu": "NaN%"}`, "cpu: want a share"},
		{`{"constant": "1ms", "cpu": null}`, "cpu: want a share"},
		{`{"cpu": "30%"}`, "want a duration"},
		{`{"constant": "1ms", "exponential": "1ms", "cpu": "30%"}`, "want a duration"},
	} {
		var s Service
		if err := json.Unmarshal([]byte(tt.text), &s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.text, err, tt.want)
		}
	}
}

// TestInstant: nothing is drawn, waited or counted for what costs nothing.
func TestInstant(t *testing.T) {
	var zero Service
	free := NewExecution(ExecutionConfig{Slots: 1, Cost: Costs{Call: parsed(t, `"1ms"`)}, Contention: Contention{Sigma: 1}})
	if !free.Instant(zero) || free.Instant(parsed(t, `"1ns"`)) {
		t.Error("instant is what has no service time")
	}
	free.sources.New = func() any { t.Error("something is drawn"); return newSource() }
	if err := free.Enter(t.Context(), zero, 100, 1); err != nil {
		t.Error(err)
	}
	for _, c := range []Costs{{Entry: parsed(t, `"1ns"`)}, {Item: parsed(t, `"1ns"`)}} {
		if NewExecution(ExecutionConfig{Slots: 1, Cost: c}).Instant(zero) {
			t.Errorf("instant although there is a cost: %+v", c)
		}
	}
}

// TestEnterIsCutOff, be it before the slot, in the wait or at work; the slot is
// free afterwards, and nobody who came later was let before.
func TestEnterIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := NewExecution(ExecutionConfig{Slots: 1}, parsed(t, `"1s"`))
		var order []int
		var all sync.WaitGroup
		for i := range 4 {
			ctx, stop := context.WithCancel(t.Context())
			if i == 0 || i == 2 { // one in the wait, one in the queue
				time.AfterFunc(500*time.Millisecond, stop)
			}
			all.Go(func() {
				defer stop()
				err := x.Enter(ctx, parsed(t, `"1s"`), 1, 1)
				if cut := i == 0 || i == 2; cut != errors.Is(err, context.Canceled) {
					t.Errorf("call %d: %v", i, err)
				}
				if err == nil {
					order = append(order, i)
					x.Leave()
				}
			})
			synctest.Wait()
		}
		begun := time.Now()
		all.Wait()
		if took := time.Since(begun); took != 2500*time.Millisecond || !slices.Equal(order, []int{1, 3}) {
			t.Errorf("served %v within %v", order, took)
		}
		if x.pool.Busy() != 0 {
			t.Errorf("%d slots are taken", x.pool.Busy())
		}
	})
	x := NewExecution(ExecutionConfig{Slots: 1}, parsed(t, `"1s"`))
	ctx, stop := context.WithCancel(t.Context())
	x.wait = func(context.Context, time.Duration) error { stop(); return nil }
	if err := x.Enter(ctx, parsed(t, `{"constant": "2h", "cpu": "50%"}`), 1, 1); !errors.Is(err, context.Canceled) || x.pool.Busy() != 0 {
		t.Errorf("at work: %v, %d slots are taken", err, x.pool.Busy())
	}
}

// TestStreams: neighbouring streams of a seed are as good as one: uniform, not
// correlated, the same each time, others for another seed.
func TestStreams(t *testing.T) {
	const n = 100_000
	draws := func(seed uint64) []float64 {
		x := NewExecution(ExecutionConfig{Slots: 1, Seed: seed})
		out := make([]float64, n)
		for i := range out {
			out[i] = x.source(uint64(i)).rand.Float64()
		}
		return out
	}
	for _, seed := range []uint64{0, 1, math.MaxUint64} {
		u := draws(seed)
		var sum, squares, lagged float64
		var bins [100]float64
		for i, v := range u {
			d := v - 0.5
			sum += d
			squares += d * d
			lagged += d * (u[(i+1)%n] - 0.5)
			bins[int(v*100)]++
		}
		chi := 0.0
		for _, b := range bins {
			chi += (b - n/100) * (b - n/100) / (n / 100)
		}
		// Each within 4 standard errors; the chi-square of 99 degrees of freedom has 14.1.
		if mean := sum / n; math.Abs(mean) > 4*math.Sqrt(1.0/12/n) {
			t.Errorf("seed %d: the mean is off by %v", seed, mean)
		}
		if variance := squares / n; math.Abs(variance*12-1) > 4*math.Sqrt(0.8/n) {
			t.Errorf("seed %d: the variance is %v of what it should be", seed, variance*12)
		}
		if r := lagged / squares; math.Abs(r) > 4/math.Sqrt(n) {
			t.Errorf("seed %d: successive streams correlate with %v", seed, r)
		}
		if chi > 99+4*14.1 {
			t.Errorf("seed %d: chi-square is %v", seed, chi)
		}
	}
	if !slices.Equal(draws(3), draws(3)) {
		t.Error("one seed gives two sequences")
	}
	if a, b := draws(3), draws(4); a[0] == b[0] || a[1] == b[0] || a[0] == b[1] {
		t.Error("two seeds give one sequence")
	}
}

// TestVary: each number is a sequence of its own, the same each time; 0 is the seed's.
func TestVary(t *testing.T) {
	first := func(seed, sequence uint64) float64 {
		x := NewExecution(ExecutionConfig{Slots: 1, Seed: seed})
		x.Vary(sequence)
		return x.source(1).rand.Float64()
	}
	own := NewExecution(ExecutionConfig{Slots: 1, Seed: 7}).source(1).rand.Float64()
	if got := first(7, 0); got != own {
		t.Errorf("sequence 0 begins with %v, the seed's own with %v", got, own)
	}
	if a, b := first(7, 1), first(7, 1); a != b {
		t.Errorf("sequence 1 begins with %v and %v", a, b)
	}
	seen := map[float64]bool{}
	for seed := range uint64(3) {
		for sequence := range uint64(3) {
			seen[first(seed, sequence)] = true
		}
	}
	if len(seen) != 9 {
		t.Errorf("9 sequences begin with %d numbers", len(seen))
	}
}

// TestEnvelopesDrawApart: a call's own cost is drawn from none of the entries' streams,
// and each call's from another.
func TestEnvelopesDrawApart(t *testing.T) {
	var waits []time.Duration
	law := parsed(t, `{"exponential": "1ms"}`)
	x := NewExecution(ExecutionConfig{Slots: 1, Seed: 7, Cost: Costs{Call: law}}, law)
	x.wait = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
	for range 3 {
		x.envelope(t.Context())
		if err := x.Enter(t.Context(), law, 1, x.turn()); err != nil {
			t.Fatal(err)
		}
		x.Leave()
	}
	if slices.Sort(waits); len(slices.Compact(waits)) != 6 {
		t.Errorf("3 calls of an entry each wait for %v", waits)
	}
}

// TestInjectedSeries: what was asked for and what it came to, one observation
// for each wait and each spell of work that was not cut off.
func TestInjectedSeries(t *testing.T) {
	series := func(n *Node) (out []string) {
		for _, line := range strings.Split(exposition(t, n), "\n") {
			if (strings.HasPrefix(line, "volley_asked_") || strings.HasPrefix(line, "volley_injected_")) && !strings.Contains(line, "_bucket") {
				out = append(out, line)
			}
		}
		return out
	}
	synctest.Test(t, func(t *testing.T) {
		n := genericNode(t, `{"cost": {"call": "4ms"}, "service": {"echo": "3ms"}}`, Options{})
		send(n, "application/json", echoes(2))
		want := []string{
			`volley_asked_seconds_sum{kind="cpu"} 0`, `volley_asked_seconds_count{kind="cpu"} 0`,
			`volley_asked_seconds_sum{kind="wait"} 0.01`, `volley_asked_seconds_count{kind="wait"} 3`,
			`volley_injected_seconds_sum{kind="cpu"} 0`, `volley_injected_seconds_count{kind="cpu"} 0`,
			`volley_injected_seconds_sum{kind="wait"} 0.01`, `volley_injected_seconds_count{kind="wait"} 3`,
		}
		if got := series(n); !slices.Equal(got, want) {
			t.Errorf("got %s", strings.Join(got, "\n"))
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		if err := n.execution.Enter(ctx, parsed(t, `"3ms"`), 1, 1); err == nil {
			t.Error("a wait of 3 ms ended within 1 ms")
		}
		if got := series(n); !slices.Equal(got, want) {
			t.Errorf("after one that was cut off: %s", strings.Join(got, "\n"))
		}
	})
	n := genericNode(t, `{"service": {"echo": {"constant": "50us", "cpu": "100%"}}}`, Options{})
	send(n, "application/json", echoes(2))
	if got := series(n); len(got) != 8 || got[0] != `volley_asked_seconds_sum{kind="cpu"} 0.0001` || got[5] != `volley_injected_seconds_count{kind="cpu"} 2` {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
	n = genericNode(t, `{"contention": {"sigma": 1}}`, Options{})
	send(n, "application/json", echoes(2))
	if got := series(n); len(got) != 0 {
		t.Errorf("nothing ever costs anything, and there is %v", got)
	}
}

// TestOptionsWait: the node's waits are the option's.
func TestOptionsWait(t *testing.T) {
	var waits []time.Duration
	n := genericNode(t, `{"cost": {"call": "5h"}, "service": {"echo": "3h"}}`, Options{Wait: func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}})
	send(n, "application/json", echoes(1))
	send(n, "application/json", `{"jsonrpc":"2.0","method":"sleep","params":[60000],"id":1}`)
	if want := []time.Duration{5 * time.Hour, 3 * time.Hour, 5 * time.Hour, time.Minute}; !slices.Equal(waits, want) {
		t.Errorf("waited %v, want %v", waits, want)
	}
}
