package loadgen

import "time"

// waiter waits for instants on behalf of one goroutine, which calls begin before
// the first and end after the last.
type waiter interface {
	// begin is told by whom to ask whether others of ours may want the CPU.
	begin(others func() bool)
	// until returns at t or, with false, soon after quit is closed. A t in the
	// past returns at once.
	until(t time.Time, quit <-chan struct{}) bool
	end()
	// spun is how long it kept a CPU busy with nothing but waiting. Anyone may ask.
	spun() time.Duration
}

// timerWaiter waits with the runtime's timers, which come up to a millisecond
// late where nothing else keeps the scheduler awake.
type timerWaiter struct{}

func (timerWaiter) begin(func() bool) {}
func (timerWaiter) end()              {}

func (timerWaiter) spun() time.Duration { return 0 }

func (timerWaiter) until(t time.Time, quit <-chan struct{}) bool {
	d := time.Until(t)
	if d <= 0 {
		return !closed(quit)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-quit:
		return false
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
