package target_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"volley/target"
)

// TestPool_leavers: however waits are given up, no slot is lost and none is
// held by two.
func TestPool_leavers(t *testing.T) {
	const slots = 3
	p := target.NewPool(slots)
	var held atomic.Int64
	var callers sync.WaitGroup
	for caller := range 8 {
		callers.Go(func() {
			for round := range 500 {
				ctx, leave := context.WithCancel(t.Context())
				if (caller+round)%3 == 0 {
					callers.Go(leave)
				}
				if p.Acquire(ctx) == nil {
					if held.Add(1) > slots {
						t.Error("more slots are held than there are")
					}
					held.Add(-1)
					p.Release()
				}
				leave()
			}
		})
	}
	callers.Wait()
	if busy := p.Busy(); busy != 0 {
		t.Errorf("%d slots are taken by nobody", busy)
	}
	for range slots {
		if err := p.Acquire(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkPool(b *testing.B) {
	p := target.NewPool(1)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Acquire(b.Context()); err != nil {
			b.Fatal(err)
		}
		p.Release()
	}
}
