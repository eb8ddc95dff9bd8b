package pool

import (
	"math"
	"math/rand/v2"
)

// simulation is one run of a model.
type simulation struct {
	m        Model
	slots    int
	station  station
	waiting  agenda // entries that wait before their work
	batchRNG *rand.Rand
	probeRNG *rand.Rand
	free     []*batch // to be used again

	batches, probes []float64 // response times counted
}

func newSimulation(m Model, slots int, seed uint64) *simulation {
	s := &simulation{m: m, slots: slots}
	s.batchRNG, s.probeRNG = streams(seed)
	if m.Discipline == FIFO {
		s.station = &fifo{idle: m.Workers}
	} else {
		s.station = &sharing{cores: float64(m.Workers)}
	}
	return s
}

// run counts the batches that come after the first warm ones, and the probes that
// come meanwhile. Load goes on until all of them are answered: the last ones must
// not find an emptying node.
func (s *simulation) run(warm, counted int) {
	nextBatch, nextProbe := s.gap(s.batchRNG, s.m.BatchRate), s.gap(s.probeRNG, s.m.ProbeRate)
	came, owed := 0, 0
	from, to := math.Inf(1), math.Inf(1)
	if warm == 0 {
		from = 0
	}
	for owed > 0 || came < warm+counted {
		wait := math.Inf(1)
		if len(s.waiting) > 0 {
			wait = s.waiting[0].at
		}
		done := s.station.next()
		switch now := min(nextBatch, nextProbe, wait, done); now {
		case done:
			b, finished := s.finish(now, s.station.done())
			if !finished {
				break
			}
			if b.came >= from && b.came < to {
				s.count(b, now)
				owed--
			}
			s.free = append(s.free, b)
		case wait:
			d := s.waiting.pop()
			s.station.add(now, d.job)
		case nextBatch:
			nextBatch = now + s.gap(s.batchRNG, s.m.BatchRate)
			if came == warm {
				from = now
			}
			if came == warm+counted {
				to = now
			}
			came++
			owed += boolInt(now >= from && now < to)
			s.arrive(now, false)
		case nextProbe:
			nextProbe = now + s.gap(s.probeRNG, s.m.ProbeRate)
			owed += boolInt(now >= from && now < to)
			s.arrive(now, true)
		}
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *simulation) gap(rng *rand.Rand, rate float64) float64 {
	if rate == 0 {
		return math.Inf(1)
	}
	return rng.ExpFloat64() / rate
}

func (s *simulation) arrive(now float64, probe bool) {
	b := &batch{}
	if last := len(s.free) - 1; last >= 0 {
		b, s.free = s.free[last], s.free[:last]
	}
	*b = batch{came: now, probe: probe, waits: b.waits[:0], works: b.works[:0]}
	n, rng, work := 1, s.probeRNG, s.m.probeWork()
	if !probe {
		n, rng, work = s.m.Size.draw(s.batchRNG), s.batchRNG, s.m.Work
	}
	for range n {
		b.works = append(b.works, max(0, work.sample(rng)))
		if s.m.Wait.draw != nil {
			b.waits = append(b.waits, max(0, s.m.Wait.sample(rng)))
		}
	}
	for b.running < s.slots && b.next < len(b.works) {
		s.submit(now, b)
	}
}

func (s *simulation) submit(now float64, b *batch) {
	j := job{b, b.works[b.next]}
	b.running++
	b.next++
	if len(b.waits) > 0 {
		s.waiting.push(due{now + b.waits[b.next-1], j})
		return
	}
	s.station.add(now, j)
}

// finish takes an entry's end: its slot goes to the batch's next entry.
func (s *simulation) finish(now float64, j job) (*batch, bool) {
	j.of.running--
	if j.of.next < len(j.of.works) {
		s.submit(now, j.of)
	}
	return j.of, j.of.running == 0
}

func (s *simulation) count(b *batch, now float64) {
	took := now - b.came + s.m.Envelope
	if b.probe {
		s.probes = append(s.probes, took)
	} else {
		s.batches = append(s.batches, took)
	}
}
