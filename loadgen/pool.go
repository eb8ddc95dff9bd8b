package loadgen

import (
	"context"
	"sync"
	"time"
)

// pool holds the callers of a run. It starts one only when none is idle, and
// wakes the one that was busy last, so that few connections stay in use.
type pool struct {
	line  *line
	bound int // on calls under way in open-loop phases
	freed chan struct{}
	wg    sync.WaitGroup

	mu   sync.Mutex
	all  []*caller
	idle []*caller
	open int // callers busy with an open-loop call
}

func newPool(l *line, bound int) *pool {
	return &pool{line: l, bound: max(bound, 1), freed: make(chan struct{}, 1)}
}

// try hands j to a caller; false says that the bound is reached. A closed loop's
// callers do not count against it.
func (p *pool) try(j job) bool {
	p.mu.Lock()
	if !j.loop && p.open >= p.bound {
		p.mu.Unlock()
		return false
	}
	if !j.loop {
		p.open++
	}
	var c *caller
	if n := len(p.idle); n > 0 {
		c, p.idle = p.idle[n-1], p.idle[:n-1]
	} else {
		c = newCaller(p.line, len(p.all))
		p.all = append(p.all, c)
		p.wg.Go(func() { c.run(p.done) })
	}
	p.mu.Unlock()
	c.jobs <- j
	return true
}

func (p *pool) done(c *caller, j job) {
	p.mu.Lock()
	p.idle = append(p.idle, c)
	if !j.loop {
		p.open--
	}
	p.mu.Unlock()
	select {
	case p.freed <- struct{}{}:
	default:
	}
}

// wait is try, again and again until a caller becomes free; false at by or when
// the run may send no more.
func (p *pool) wait(j job, by time.Time) bool {
	timer := time.NewTimer(time.Until(by))
	defer timer.Stop()
	for {
		select {
		case <-p.freed:
			if p.try(j) {
				return true
			}
		case <-timer.C:
			return false
		case <-p.line.quit.done:
			return false
		}
	}
}

// drain waits until every caller is idle, or until by, or for the end of ctx.
func (p *pool) drain(ctx context.Context, by time.Time) {
	timer := time.NewTimer(time.Until(by))
	defer timer.Stop()
	for {
		p.mu.Lock()
		busy := len(p.all) - len(p.idle)
		p.mu.Unlock()
		if busy == 0 {
			return
		}
		select {
		case <-p.freed:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// close ends the callers, each after the job that it has, and waits for them.
func (p *pool) close() {
	for _, c := range p.all {
		close(c.jobs)
	}
	p.wg.Wait()
}
