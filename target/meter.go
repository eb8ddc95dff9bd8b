package target

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"volley/internal/jsonrpc"
)

// timedTogether is how many instant calls of one method, which follow on one
// another and wait for nothing, are timed as one: each counts with their mean. To
// read the clock for each would cost more than counting it.
const timedTogether = 8

// meter counts calls that one goroutine runs one after another. Where one ends
// the next begins. It adds to the series once for all successive instant calls of
// one method, but every flushEvery; a call that takes time is there as soon as it
// has ended, and those before it as soon as it begins.
type meter struct {
	begun   time.Time
	last    time.Duration // when the last call that was timed ended
	flushed time.Duration // when it last added to the series
	untimed int           // calls since
	waits   bool          // the call under way has waited
	method  *method
	calls   observations
}

const flushEvery = 10 * time.Millisecond

func newMeter() meter { return meter{begun: time.Now()} }

// begin tells that a call begins.
func (m *meter) begin(of *method, instant bool) {
	if of != m.method || !instant {
		m.flush()
		m.method = of
	}
}

// end tells that the call has ended; err is nil for a result.
func (m *meter) end(instant bool, err *jsonrpc.Error) {
	m.untimed++
	switch {
	case !instant, m.waits:
		m.flush()
		m.waits = false
	case m.untimed == timedTogether:
		if m.read(); m.last-m.flushed >= flushEvery {
			m.flush()
		}
	}
	if err != nil {
		m.method.failures(err.Code).Inc()
	}
}

// wait tells that the call under way is about to wait: it is timed by itself.
func (m *meter) wait() {
	m.flush()
	m.waits = true
}

// read times the calls that have ended and are not timed yet.
func (m *meter) read() {
	if m.untimed == 0 {
		return
	}
	now := time.Since(m.begun)
	m.calls.add(now-m.last, m.untimed)
	m.last, m.untimed = now, 0
}

// flush makes what was told visible.
func (m *meter) flush() {
	m.read()
	m.flushed = m.last
	if m.calls.n > 0 {
		m.method.total.Add(float64(m.calls.n))
		m.method.time.addAll(&m.calls)
		m.calls = observations{}
	}
}

// The buckets are bounded by shortestTime and its doublings.
const (
	shortestTime = time.Millisecond
	timeBuckets  = 16 // bounded ones
)

func timeBounds() []float64 {
	return prometheus.ExponentialBuckets(shortestTime.Seconds(), 2, timeBuckets)
}

// timeBucket is the bucket of a duration, timeBuckets for what is over the last
// bound.
func timeBucket(d time.Duration) int {
	if d <= shortestTime {
		return 0
	}
	return min(bits.Len64(uint64((d-1)/shortestTime)), timeBuckets)
}

// observations are observations that are not in a series yet.
type observations struct {
	n       uint64
	sum     time.Duration
	buckets [timeBuckets + 1]uint32
}

// add observes n times the mean of what took d together.
func (c *observations) add(d time.Duration, n int) {
	c.n += uint64(n)
	c.sum += d
	c.buckets[timeBucket(d/time.Duration(n))] += uint32(n)
}

// histogram is one method's histogram, to which many observations can be added at
// once. Safe for concurrent use; a scrape may see some of an addition.
type histogram struct {
	sum     atomic.Int64 // nanoseconds
	buckets [timeBuckets + 1]atomic.Uint64
}

func (s *histogram) add(d time.Duration) {
	s.sum.Add(int64(d))
	s.buckets[timeBucket(d)].Add(1)
}

func (s *histogram) addAll(c *observations) {
	s.sum.Add(int64(c.sum))
	for i, n := range c.buckets {
		if n > 0 {
			s.buckets[i].Add(uint64(n))
		}
	}
}

// histograms are the histograms of all methods, as one family.
type histograms struct {
	desc *prometheus.Desc

	mu      sync.Mutex // guards methods
	methods map[string]*histogram
}

func newHistograms(name, help string) *histograms {
	return &histograms{desc: prometheus.NewDesc(name, help, []string{"method"}, nil), methods: map[string]*histogram{}}
}

func (s *histograms) of(method string) *histogram {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.methods[method] == nil {
		s.methods[method] = new(histogram)
	}
	return s.methods[method]
}

// Describe and Collect make histograms a prometheus.Collector.
func (s *histograms) Describe(descs chan<- *prometheus.Desc) { descs <- s.desc }

func (s *histograms) Collect(out chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	bounds := timeBounds()
	for name, h := range s.methods {
		upTo := make(map[float64]uint64, len(bounds))
		count := uint64(0)
		for i := range h.buckets {
			count += h.buckets[i].Load()
			if i < len(bounds) {
				upTo[bounds[i]] = count
			}
		}
		sum := time.Duration(h.sum.Load()).Seconds()
		out <- prometheus.MustNewConstHistogram(s.desc, count, sum, upTo, name)
	}
}
