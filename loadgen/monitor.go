package loadgen

import (
	"runtime/metrics"
	"time"

	"volley/results"
)

// monitor tells of the generator's own state over one interval after the other. What it
// reads stops nobody. It is for one goroutine.
type monitor struct {
	cpus        int
	spun        func() time.Duration // what the pacer spent awake, which is no work
	connections func() uint64        // opened so far

	now, last vitals // their memory takes turns
	samples   [2][]metrics.Sample
	turn      int
	opened    uint64
}

func newMonitor(cpus int, spun func() time.Duration, connections func() uint64) *monitor {
	m := &monitor{cpus: cpus, spun: spun, connections: connections}
	for i := range m.samples {
		m.samples[i] = []metrics.Sample{
			{Name: "/sched/pauses/total/gc:seconds"},
			{Name: "/sched/latencies:seconds"},
			{Name: "/gc/cycles/total:gc-cycles"},
			{Name: "/memory/classes/heap/objects:bytes"},
		}
	}
	m.look()
	return m
}

// look takes the state as it is, and gives the bytes of the heap's objects.
func (m *monitor) look() (heap uint64) {
	s := m.samples[m.turn]
	m.turn = 1 - m.turn
	metrics.Read(s)
	m.last = m.now
	m.now = vitals{at: time.Now(), cpu: cpuTime() - m.spun()}
	if s[0].Value.Kind() == metrics.KindFloat64Histogram {
		m.now.pauses = s[0].Value.Float64Histogram()
	}
	if s[1].Value.Kind() == metrics.KindFloat64Histogram {
		m.now.waits = s[1].Value.Float64Histogram()
	}
	if s[2].Value.Kind() == metrics.KindUint64 {
		m.now.cycles = s[2].Value.Uint64()
	}
	if s[3].Value.Kind() == metrics.KindUint64 {
		heap = s[3].Value.Uint64()
	}
	return heap
}

// health is what came since the last one.
func (m *monitor) health() results.Health {
	h := results.Health{HeapBytes: m.look()}
	opened := m.connections()
	h.Connections, m.opened = opened-m.opened, opened
	if wall := m.now.at.Sub(m.last.at); wall > 0 && m.cpus > 0 {
		h.CPUFraction = max(0, float64(m.now.cpu-m.last.cpu)/float64(wall)/float64(m.cpus))
	}
	h.GCCycles = m.now.cycles - m.last.cycles
	h.GCPauseMax = inSeconds(quantile(m.last.pauses, m.now.pauses, 1))
	h.SchedP99 = inSeconds(quantile(m.last.waits, m.now.waits, 0.99))
	return h
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
