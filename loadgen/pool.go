package loadgen

import (
	"context"
	"slices"
	"sync"
	"time"
)

// spares is how many connections are kept connected beyond those in use, so that a
// call seldom waits for a connection to be made.
const spares = 2

// pool holds the callers of a run. It takes the one that was busy last, so that few
// connections stay in use, and makes one only when none is idle.
type pool struct {
	line  *line
	bound int // on calls under way in open-loop phases
	freed chan struct{}
	wg    sync.WaitGroup // of the callers' own goroutines

	// Where connections can be made ahead, one goroutine makes them.
	chilled   chan struct{} // there are too few idle callers, or one lost its connection
	endWarmer context.CancelFunc
	warmer    sync.WaitGroup

	mu   sync.Mutex
	all  []*caller
	idle []*caller // connected, or not of a kind that connects ahead; the next to take is the last
	cold []*caller // idle too, without a connection
	busy int
	open int // callers busy with an open-loop call
}

// newPool gives a pool; ahead says that its endpoint's connections are Starters.
func newPool(l *line, bound int, ahead bool) *pool {
	p := &pool{line: l, bound: max(bound, 1), freed: make(chan struct{}, 1)}
	if ahead {
		var ctx context.Context
		ctx, p.endWarmer = context.WithCancel(l.ctx)
		p.chilled = make(chan struct{}, 1)
		p.warmer.Go(func() { p.warm(ctx) })
		p.chill()
	}
	return p
}

// try gives j to a caller, and with it the call in m, whose memory is exchanged for
// the caller's; false says that the bound is reached. A closed loop's callers do not
// count against it, and encode their calls themselves: m is nil then.
func (p *pool) try(j job, m *message) bool {
	p.mu.Lock()
	if !j.loop && p.open >= p.bound {
		p.mu.Unlock()
		return false
	}
	if !j.loop {
		p.open++
	}
	p.busy++
	c := p.take()
	few := !j.loop && len(p.idle) < spares
	p.mu.Unlock()
	if m != nil {
		c.message, *m = *m, c.message
	}
	if j.loop || !c.send(j) {
		p.ask(c, j)
	}
	if few {
		p.chill()
	}
	return true
}

// take gives an idle caller, or a new one.
func (p *pool) take() (c *caller) {
	for n := len(p.idle); n > 0; n = len(p.idle) {
		c, p.idle = p.idle[n-1], p.idle[:n-1]
		if c.starter == nil || c.starter.Ready() {
			return c
		}
		p.cold = append(p.cold, c)
	}
	if n := len(p.cold); n > 0 {
		c, p.cold = p.cold[n-1], p.cold[:n-1]
		return c
	}
	return p.add()
}

func (p *pool) add() *caller {
	c := newCaller(p.line, len(p.all), p.done)
	p.all = append(p.all, c)
	return c
}

// ask leaves j to the caller's own goroutine.
func (p *pool) ask(c *caller, j job) {
	if c.jobs == nil {
		c.jobs = make(chan job, 1)
		p.wg.Go(c.run)
	}
	c.jobs <- j
}

func (p *pool) done(c *caller, j job) {
	p.mu.Lock()
	p.busy--
	if !j.loop {
		p.open--
	}
	cold := c.starter != nil && !c.starter.Ready()
	if cold {
		p.cold = append(p.cold, c)
	} else {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if cold {
		p.chill()
	}
	select {
	case p.freed <- struct{}{}:
	default:
	}
}

// wait is try, again and again until a caller becomes free; false at by or when
// the run may send no more.
func (p *pool) wait(j job, m *message, by time.Time) bool {
	timer := time.NewTimer(time.Until(by))
	defer timer.Stop()
	for {
		select {
		case <-p.freed:
			if p.try(j, m) {
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
	for p.working() {
		select {
		case <-p.freed:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (p *pool) working() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.busy > 0
}

// close waits for the callers to be through with what they do, and ends them.
func (p *pool) close() {
	if p.endWarmer != nil {
		p.endWarmer()
	}
	p.warmer.Wait()
	for p.working() {
		<-p.freed
	}
	for _, c := range p.all {
		if c.jobs != nil {
			close(c.jobs)
		}
	}
	p.wg.Wait()
	for _, c := range p.all {
		c.close()
	}
}

// chill has the warmer look whether connections are wanted.
func (p *pool) chill() {
	if p.chilled == nil {
		return
	}
	select {
	case p.chilled <- struct{}{}:
	default:
	}
}

// warm makes connections ahead of the calls that need them, until ctx ends. When
// one cannot be made it waits to be asked again: whether the node is there is for
// calls to find out.
func (p *pool) warm(ctx context.Context) {
	for {
		select {
		case <-p.chilled:
		case <-ctx.Done():
			return
		}
		for c := p.wanted(); c != nil; c = p.wanted() {
			if !p.warmed(c, c.connect(ctx)) {
				break
			}
		}
	}
}

// wanted gives a caller that is to be connected, nil when enough are.
func (p *pool) wanted() (c *caller) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) >= spares {
		return nil
	}
	if n := len(p.cold); n > 0 {
		c, p.cold = p.cold[n-1], p.cold[:n-1]
		return c
	}
	if len(p.all) < p.bound {
		return p.add()
	}
	return nil
}

// warmed puts a caller among the idle ones, behind those that were busy already.
func (p *pool) warmed(c *caller, ok bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ok {
		p.idle = slices.Insert(p.idle, 0, c)
	} else {
		p.cold = append(p.cold, c)
	}
	return ok
}
