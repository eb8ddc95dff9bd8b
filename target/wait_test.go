package target

import (
	"container/heap"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
)

// TestKernelWaitIsNotShort: with an alarm and without one, no wait ends before
// its time.
func TestKernelWaitIsNotShort(t *testing.T) {
	for name, withAlarm := range map[string]bool{"alarm": true, "timer alone": false} {
		t.Run(name, func(t *testing.T) {
			var k KernelWaiter
			defer k.Close()
			if !withAlarm {
				k.start(time.Now(), nil)
			}
			var all sync.WaitGroup
			for i := range 50 {
				all.Go(func() {
					for j := range 4 {
						d := time.Duration((i*37+j*211)%900) * time.Microsecond
						begun := time.Now()
						if err := k.Wait(t.Context(), d); err != nil {
							t.Error(err)
						}
						if took := time.Since(begun); took < d {
							t.Errorf("a wait of %v took %v", d, took)
						}
					}
				})
			}
			all.Wait()
			if len(k.queue) != 0 {
				t.Errorf("%d waits are left", len(k.queue))
			}
		})
	}
}

// waiting gives way until so many wait.
func waiting(k *KernelWaiter, count int) {
	for {
		k.mu.Lock()
		n := len(k.queue)
		k.mu.Unlock()
		if n == count {
			return
		}
		runtime.Gosched()
	}
}

func TestKernelWaitEndsWithItsContext(t *testing.T) {
	var k KernelWaiter
	defer k.Close()
	ended := make(chan error)
	var stops []context.CancelFunc
	for i := range 5 {
		ctx, stop := context.WithCancel(t.Context())
		stops = append(stops, stop)
		go func() { ended <- k.Wait(ctx, time.Duration(i+1)*time.Hour) }()
		waiting(&k, i+1)
	}
	for left, i := range []int{2, 0, 4, 3, 1} { // the middle of the queue, its first, its last
		stops[i]()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		waiting(&k, 4-left)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := k.Wait(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("no time, with a context that has ended: %v", err)
	}
}

// TestKernelWaitAfterClose: what waits goes on, what comes waits as well.
func TestKernelWaitAfterClose(t *testing.T) {
	var k KernelWaiter
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- k.Wait(ctx, time.Hour) }()
	waiting(&k, 1)
	k.Close()
	k.Close()
	waiting(&k, 0)
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := k.Wait(t.Context(), time.Microsecond); err != nil {
		t.Error(err)
	}
	var never KernelWaiter
	never.Close()
	if err := never.Wait(t.Context(), time.Microsecond); err != nil {
		t.Error(err)
	}
}

// TestDueQueue: the first due comes first, of those due at once the one that
// came first, wherever others are taken out.
func TestDueQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var q dueQueue
	var all []*sleeper
	for i := range 500 {
		w := &sleeper{due: time.Duration(r.IntN(50)), came: uint64(i)}
		all = append(all, w)
		heap.Push(&q, w)
	}
	for i := 0; i < len(all); i += 3 {
		heap.Remove(&q, all[i].place)
		if all[i].place != -1 {
			t.Fatal("a wait that was taken out has a place")
		}
	}
	last := &sleeper{due: -1}
	count := 0
	for ; len(q) > 0; count++ {
		w := heap.Pop(&q).(*sleeper)
		if w.due < last.due || w.due == last.due && w.came < last.came {
			t.Errorf("due at %d, came as %d, after due at %d, came as %d", w.due, w.came, last.due, last.came)
		}
		last = w
	}
	if count != 333 {
		t.Errorf("%d waits left the queue", count)
	}
}

func TestLeadLearnsThreeQuarters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var l lead
	sum, n := 0.0, 0
	for i := range 20_000 {
		l.learn(time.Duration(r.Float64() * float64(60*time.Microsecond)))
		if i >= 1000 {
			sum += float64(l.time)
			n++
		}
	}
	if mean := time.Duration(sum / float64(n)); mean < 42*time.Microsecond || mean > 48*time.Microsecond {
		t.Errorf("alarms are noticed up to 60 us late, and the lead is %v", mean)
	}
	before := l.time
	l.learn(-time.Microsecond)
	l.learn(time.Second)
	if l.time != before {
		t.Error("it learns from what tells nothing")
	}
	for range 1000 {
		l.learn(busyLate)
	}
	if l.time != mostLead {
		t.Errorf("the lead grows to %v", l.time)
	}
	for range 1000 {
		l.learn(0)
	}
	if l.time != 0 {
		t.Errorf("the lead shrinks to %v", l.time)
	}
}

// TestSpinsAreAThird: whoever would always spin spins a third of the time.
func TestSpinsAreAThird(t *testing.T) {
	for _, each := range []time.Duration{time.Microsecond, 30 * time.Microsecond} {
		var s spins
		var spun time.Duration
		now := time.Hour // idle until then
		for now < time.Hour+time.Second {
			if s.allowed(now) {
				now += each
				spun += each
				s.spent(now, each)
				continue
			}
			now += time.Microsecond
		}
		if spun < 333*time.Millisecond-each || spun > 335*time.Millisecond+each {
			t.Errorf("in spells of %v: %v of a second", each, spun)
		}
	}
}
