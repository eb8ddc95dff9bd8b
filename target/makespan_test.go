package target

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestMakespan: how long one batch takes on its own, when each entry takes 10 ms:
// ceil(n/c) times as long, for a limit of c or as many slots.
func TestMakespan(t *testing.T) {
	for _, tt := range []struct{ entries, limit, slots, rounds int }{
		{100, 1, 64, 100},
		{100, 4, 64, 25},
		{100, 16, 64, 7},
		{100, 64, 64, 2},
		{100, 8, 64, 13},
		{100, 32, 64, 4},
		{100, 64, 16, 7},
		{16, 4, 64, 4},
		{16, 16, 64, 1},
		{64, 1, 64, 64},
		{64, 8, 64, 8},
		{64, 16, 64, 4},
		{64, 64, 64, 1},
	} {
		t.Run(fmt.Sprintf("%d entries, limit %d, %d slots", tt.entries, tt.limit, tt.slots), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := genericNode(t, fmt.Sprintf(`{"batch_concurrency_limit": %d, "slots": %d, "service": {"echo": "10ms"}}`, tt.limit, tt.slots), Options{})
				begun := time.Now()
				send(n, "application/json", echoes(tt.entries))
				if took, want := time.Since(begun), time.Duration(tt.rounds)*10*time.Millisecond; took != want {
					t.Errorf("took %v, want %v", took, want)
				}
			})
		})
	}
}

// listSchedule is how long it takes when each of so many slots takes the next
// time as soon as it is free.
func listSchedule(times []time.Duration, slots int) time.Duration {
	free := make([]time.Duration, slots)
	for _, d := range times {
		next := 0
		for i := range free {
			if free[i] < free[next] {
				next = i
			}
		}
		free[next] += d
	}
	return slices.Max(free)
}

// TestMakespanOfDrawnTimes: batches of 100 with exponential times of mean 10 ms
// take what list scheduling makes of the times that the seed gives; on average
// over 300 batches what the theory says, s ((n-c)/c + H_c).
func TestMakespanOfDrawnTimes(t *testing.T) {
	const entries, limit, batches = 100, 16, 300
	config := fmt.Sprintf(`{"batch_concurrency_limit": %d, "slots": 64, "seed": 7, "service": {"echo": {"exponential": "10ms"}}}`, limit)
	s := parsed(t, `{"exponential": "10ms"}`)
	same := NewExecution(ExecutionConfig{Slots: 1, Seed: 7})
	sum, turn := time.Duration(0), uint64(0)
	synctest.Test(t, func(t *testing.T) {
		n := genericNode(t, config, Options{})
		for batch := range batches {
			times := make([]time.Duration, entries)
			total := time.Duration(0)
			for i := range times {
				turn++
				times[i] = s.Draw(same.source(turn).rand)
				total += times[i]
			}
			begun := time.Now()
			send(n, "application/json", echoes(entries))
			took := time.Since(begun)
			if want := listSchedule(times, limit); took != want {
				t.Fatalf("batch %d took %v, want %v", batch, took, want)
			}
			// Graham's bounds.
			longest := slices.Max(times)
			if low, high := max(longest, total/limit), total/limit+longest*(limit-1)/limit+limit; took < low || took > high {
				t.Errorf("batch %d took %v, which is not between %v and %v", batch, took, low, high)
			}
			sum += took
		}
	})
	// A makespan's standard deviation is under 2 times the mean service time.
	if mean := float64(sum) / batches / 1e7; math.Abs(mean-8.630729) > 3*2/math.Sqrt(batches) {
		t.Errorf("the mean makespan is %.3f service times, want 8.631", mean)
	}
}

// TestTimesBelongToEntries: what an entry takes is drawn when it comes. A call that comes
// while a batch is under way takes the same time whatever the batch's limit has run so far.
func TestTimesBelongToEntries(t *testing.T) {
	took := func(limit int) (single time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			n := genericNode(t, fmt.Sprintf(`{"batch_concurrency_limit": %d, "slots": 64, "seed": 7, "service": {"echo": {"exponential": "10ms"}}}`, limit), Options{})
			var batch sync.WaitGroup
			batch.Go(func() { send(n, "application/json", echoes(20)) })
			time.Sleep(15 * time.Millisecond)
			begun := time.Now()
			send(n, "application/json", `{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}`)
			single = time.Since(begun)
			batch.Wait()
		})
		return single
	}
	one := took(1)
	for _, limit := range []int{2, 5, 20} {
		if other := took(limit); other != one {
			t.Errorf("it takes %v beside a batch with the limit 1, %v beside one with %d", one, other, limit)
		}
	}
}
