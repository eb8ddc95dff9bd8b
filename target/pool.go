package target

import (
	"context"
	"sync"
	"sync/atomic"
)

// Pool is a node's execution slots. Whoever waits for one is served first
// come, first served, be it a singleton or an entry of any batch. Safe for
// concurrent use.
type Pool struct {
	slots int64
	free  atomic.Int64 // slots; under zero: how many wait, and then it changes under mu alone

	mu          sync.Mutex // guards what follows
	first, last *waiter
}

// waiter is one who waits for a slot, in a list.
type waiter struct {
	given      chan struct{} // gets one value with the slot
	waits      bool          // is in the list
	prev, next *waiter
}

// NewPool gives a pool of so many slots. It panics when there is not one.
func NewPool(slots int) *Pool {
	if slots < 1 {
		panic("target: a pool without a slot")
	}
	p := &Pool{slots: int64(slots)}
	p.free.Store(p.slots)
	return p
}

// Acquire takes a slot, waiting for one. Its error is the context's, and then
// no slot is held; with a context that has ended it takes none even if one is
// free.
func (p *Pool) Acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.take() {
		return nil
	}
	heldUp(ctx)
	w := &waiter{given: make(chan struct{}, 1)}
	if !p.enter(w) {
		return nil
	}
	select {
	case <-w.given:
		return nil
	case <-ctx.Done():
		p.leave(w)
		return ctx.Err()
	}
}

// take takes a slot if one is free, which none is while anybody waits.
func (p *Pool) take() bool {
	for {
		free := p.free.Load()
		if free <= 0 {
			return false
		}
		if p.free.CompareAndSwap(free, free-1) {
			return true
		}
	}
}

// enter has w wait behind the others, unless there is a slot now: then it is
// taken and enter gives false.
func (p *Pool) enter(w *waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.take() {
		if free := p.free.Load(); free <= 0 && p.free.CompareAndSwap(free, free-1) {
			p.append(w)
			return true
		}
	}
	return false
}

// leave gives up w's place, or the slot that it was given meanwhile.
func (p *Pool) leave(w *waiter) {
	p.mu.Lock()
	waits := w.waits
	if waits {
		p.remove(w)
		p.free.Add(1)
	}
	p.mu.Unlock()
	if !waits {
		<-w.given
		p.Release()
	}
}

// Release gives back a slot that Acquire took.
func (p *Pool) Release() {
	for {
		free := p.free.Load()
		if free >= p.slots {
			panic("target: a slot released that was not taken")
		}
		if free < 0 {
			if p.pass() {
				return
			}
			continue
		}
		if p.free.CompareAndSwap(free, free+1) {
			return
		}
	}
}

// pass gives a slot to whoever has waited longest, if anybody does.
func (p *Pool) pass() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.first
	if w == nil {
		return false
	}
	p.remove(w)
	p.free.Add(1)
	w.given <- struct{}{}
	return true
}

func (p *Pool) append(w *waiter) {
	w.waits, w.prev, w.next = true, p.last, nil
	if p.last == nil {
		p.first = w
	} else {
		p.last.next = w
	}
	p.last = w
}

func (p *Pool) remove(w *waiter) {
	if w.prev == nil {
		p.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		p.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.waits, w.prev, w.next = false, nil, nil
}

// Busy is how many slots are taken.
func (p *Pool) Busy() int { return int(p.slots - max(p.free.Load(), 0)) }
