package loadgen

import (
	"testing"
	"time"
)

// Both waiters keep the same promises: never early, at once when it is past, and
// cut short by quit.
func TestWaiters(t *testing.T) {
	for name, w := range map[string]waiter{"timer": timerWaiter{}, "platform": newWaiter()} {
		t.Run(name, func(t *testing.T) {
			w.begin(func() bool { return true })
			defer w.end()
			open, shut := make(chan struct{}), make(chan struct{})
			close(shut)
			for _, d := range []time.Duration{-time.Second, 0, 50 * time.Microsecond, 3 * time.Millisecond, 70 * time.Millisecond} {
				at := time.Now().Add(d)
				if !w.until(at, open) {
					t.Errorf("%v: cut short by nothing", d)
				}
				if early := time.Until(at); early > 0 {
					t.Errorf("%v: returned %v early", d, early)
				}
			}
			if w.until(time.Now().Add(time.Hour), shut) || w.until(time.Now().Add(-time.Hour), shut) {
				t.Error("waited although the run was over")
			}
			go func() { close(open) }()
			if w.until(time.Now().Add(time.Hour), open) {
				t.Error("was not cut short")
			}
		})
	}
}
