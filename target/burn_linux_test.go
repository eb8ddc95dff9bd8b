package target

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
)

// TestBurnIsProcessorTime: what is burnt is the thread's own time, however long
// it waited for a processor meanwhile.
func TestBurnIsProcessorTime(t *testing.T) {
	stop := make(chan struct{})
	done := make(chan struct{}, 4)
	for range cap(done) { // who want the processors too
		go func() {
			for x := uint64(1); ; x = spin(x) {
				select {
				case <-stop:
					done <- struct{}{}
					return
				default:
				}
			}
		}()
	}
	runtime.LockOSThread() // so that all slices are worked on this thread
	defer runtime.UnlockOSThread()
	for _, d := range []time.Duration{1, 30 * time.Microsecond, 100 * time.Microsecond, 2500 * time.Microsecond} {
		before, err := threadTime()
		if err != nil {
			t.Fatal(err)
		}
		spent, err := burnCPU(t.Context(), d)
		after, _ := threadTime()
		if err != nil || spent < d || after-before < spent {
			t.Errorf("%v: burnt %v, the thread %v, %v", d, spent, after-before, err)
		}
	}
	close(stop)
	for range cap(done) {
		<-done
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if spent, err := burnCPU(ctx, time.Hour); spent != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: burnt %v, %v", spent, err)
	}
}
