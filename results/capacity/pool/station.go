package pool

import "math"

// batch is one batch in the node; a probe is a batch of one.
type batch struct {
	came    float64
	probe   bool
	waits   []float64 // of its entries, in order; nil when there are none
	works   []float64
	next    int // entry to be submitted next
	running int
}

// job is one entry in work.
type job struct {
	of   *batch
	work float64
}

// station is where entries are worked on.
type station interface {
	add(now float64, j job)
	next() float64 // when the next is done; +Inf if none is
	done() job     // at next()
}

// fifo is a pool of workers, first come first served, without preemption.
type fifo struct {
	idle    int
	queue   queue
	running agenda
}

func (f *fifo) add(now float64, j job) {
	if f.idle == 0 {
		f.queue.push(j)
		return
	}
	f.idle--
	f.running.push(due{now + j.work, j})
}

func (f *fifo) next() float64 {
	if len(f.running) == 0 {
		return math.Inf(1)
	}
	return f.running[0].at
}

func (f *fifo) done() job {
	d := f.running.pop()
	if f.queue.len() == 0 {
		f.idle++
		return d.job
	}
	j := f.queue.pop()
	f.running.push(due{d.at + j.work, j})
	return d.job
}

// sharing is processor sharing: each of k entries runs at min(1, cores/k). The
// agenda is kept in work done per entry since the start, which all share.
type sharing struct {
	cores   float64
	now     float64
	work    float64
	running agenda
}

func (s *sharing) speed() float64 { return min(1, s.cores/float64(len(s.running))) }

func (s *sharing) advance(now float64) {
	if len(s.running) > 0 {
		s.work += (now - s.now) * s.speed()
	} else {
		s.work = 0 // keeps its digits
	}
	s.now = now
}

func (s *sharing) add(now float64, j job) {
	s.advance(now)
	s.running.push(due{s.work + j.work, j})
}

func (s *sharing) next() float64 {
	if len(s.running) == 0 {
		return math.Inf(1)
	}
	return s.now + max(0, s.running[0].at-s.work)/s.speed()
}

func (s *sharing) done() job {
	s.advance(s.next())
	d := s.running.pop()
	return d.job
}
