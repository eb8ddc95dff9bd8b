package target

import "context"

// Pool is a node's execution slots. Whoever waits for one is served first
// come, first served, be it a singleton or an entry of any batch. Safe for
// concurrent use.
type Pool struct {
	taken chan struct{} // its senders queue in order
}

// NewPool gives a pool of so many slots. It panics when there is not one.
func NewPool(slots int) *Pool {
	if slots < 1 {
		panic("target: a pool without a slot")
	}
	return &Pool{taken: make(chan struct{}, slots)}
}

// Acquire takes a slot, waiting for one. Its error is the context's, and then
// no slot is held; with a context that has ended it takes none even if one is
// free.
func (p *Pool) Acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.taken <- struct{}{}: // not before those who wait: while there are any none is free
		return nil
	default:
	}
	heldUp(ctx)
	done := ctx.Done()
	select {
	case p.taken <- struct{}{}:
		return nil
	case <-done:
		return ctx.Err()
	}
}

// Release gives back a slot that Acquire took.
func (p *Pool) Release() {
	select {
	case <-p.taken:
	default:
		panic("target: a slot released that was not taken")
	}
}

// Busy is how many slots are taken.
func (p *Pool) Busy() int { return len(p.taken) }
