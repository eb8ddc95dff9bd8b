package target

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"volley/internal/jsonrpc"
)

// outcome is what became of one entry or singleton, as the metrics count it.
type outcome uint8

const (
	outcomeOK outcome = iota // a result, whatever it says
	outcomeError
	outcomeInvalid
	outcomeMethodNotFound // of entries only: an unknown singleton is an error
	outcomeNotification   // valid, executed or ignored
	outcomes
)

var outcomeNames = [outcomes]string{"ok", "error", "invalid", "method_not_found", "notification"}

// batchOutcome is what became of a nonempty or empty array as a whole.
type batchOutcome uint8

const (
	batchOK batchOutcome = iota
	batchEmpty
	batchDisabled
	batchTooMany
	batchTooLarge
	batchOutcomes
)

var batchOutcomeNames = [batchOutcomes]string{"ok", "empty", "disabled", "too_many_entries", "response_too_large"}

// shape is how an HTTP request was put on the wire.
type shape uint8

const (
	unparsed shape = iota // refused before its body told
	single
	batched
)

var shapeNames = [...]string{"unparsed", "single", "batch"}

// metrics are a node's series, in a registry of its own so that a process can
// hold several nodes.
//
// The batch series and the per-method ones carry the names that the NEAR
// documentation and nearcore give them, behind Policy.MetricsPrefix. The
// volley_ ones are this node's own: with them a client can account for every
// exchange and every singleton as it can for batches and entries. Per-method
// series count what reached a dialect, singletons and entries alike: not what
// is malformed, refused by its envelope or, in a batch, not allowed there.
type metrics struct {
	registry *prometheus.Registry

	batches         [batchOutcomes]prometheus.Counter
	entries         [outcomes]prometheus.Counter
	batchEntries    prometheus.Histogram
	batchTime       prometheus.Histogram
	batchBytes      prometheus.Histogram
	batchesInFlight prometheus.Gauge
	entriesInFlight prometheus.Gauge

	singles   [outcomes]prometheus.Counter // no method_not_found
	exchanges *prometheus.CounterVec

	methods methods
}

func newMetrics(prefix string) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	seconds := prometheus.ExponentialBuckets(0.001, 2, 16)
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: buckets})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: prefix + name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}

	batches := counters(prefix+"batch_requests_total", "JSON-RPC batches by outcome.", "outcome")
	for i, name := range batchOutcomeNames {
		m.batches[i] = batches.WithLabelValues(name)
	}
	entries := counters(prefix+"batch_entries_total", "Members of admitted batches by outcome.", "outcome")
	singles := counters("volley_single_requests_total", "Singletons by outcome.", "outcome")
	for i, name := range outcomeNames {
		m.entries[i] = entries.WithLabelValues(name)
		if outcome(i) != outcomeMethodNotFound {
			m.singles[i] = singles.WithLabelValues(name)
		}
	}
	m.batchEntries = histogram("batch_request_entries", "Members of an admitted batch.",
		[]float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000})
	m.batchTime = histogram("batch_processing_time", "Seconds from a batch's admission to its serialized answer.", seconds)
	m.batchBytes = histogram("batch_response_size_bytes", "Bytes of a successful response array.",
		prometheus.ExponentialBuckets(256, 4, 10))
	m.batchesInFlight = gauge("batch_requests_in_flight", "Admitted batches being executed.")
	m.entriesInFlight = gauge("batch_query_entries_in_flight", "Entries of batches being executed or waiting for a slot.")
	m.exchanges = counters("volley_http_requests_total", "HTTP requests to the endpoint by shape and status.", "shape", "status")

	m.methods = methods{
		total:  counters(prefix+"total_count", "Calls by method.", "method"),
		errors: counters(prefix+"error_count", "Calls answered with an error, by method and code.", "method", "err_code"),
		time: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: prefix + "processing_time", Help: "Seconds from a call's start to its result, by method.", Buckets: seconds,
		}, []string{"method"}),
	}
	m.registry.MustRegister(batches, entries, singles, m.batchEntries, m.batchTime, m.batchBytes,
		m.batchesInFlight, m.entriesInFlight, m.exchanges,
		m.methods.total, m.methods.errors, m.methods.time,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) exchange(s shape, status int) {
	m.exchanges.WithLabelValues(shapeNames[s], strconv.Itoa(status)).Inc()
}

// methods resolves each label's series once: a call then finds them by one
// lookup in a map that is replaced, not changed.
type methods struct {
	total  *prometheus.CounterVec
	errors *prometheus.CounterVec
	time   *prometheus.HistogramVec

	known atomic.Pointer[map[string]*method]
	mu    sync.Mutex // of whoever replaces known
}

// method is one label's series.
type method struct {
	total prometheus.Counter
	time  prometheus.Observer

	codes  sync.Map // jsonrpc.Code -> prometheus.Counter
	number atomic.Int32
	label  string
	errors *prometheus.CounterVec
}

func (s *methods) of(label string) *method {
	if known := s.known.Load(); known != nil {
		if m := (*known)[label]; m != nil {
			return m
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := map[string]*method{}
	if known := s.known.Load(); known != nil {
		if m := (*known)[label]; m != nil {
			return m
		}
		for k, v := range *known {
			next[k] = v
		}
	}
	m := &method{
		total: s.total.WithLabelValues(label), time: s.time.WithLabelValues(label),
		label: label, errors: s.errors,
	}
	next[label] = m
	s.known.Store(&next)
	return m
}

// mostCodes bounds the err_code values of one method, since a dialect may let
// its caller choose the code; what is beyond them counts as "other".
const mostCodes = 64

// done counts one call; err is nil for a result.
func (m *method) done(took time.Duration, err *jsonrpc.Error) {
	m.total.Inc()
	m.time.Observe(took.Seconds())
	if err != nil {
		m.failures(err.Code).Inc()
	}
}

func (m *method) failures(code jsonrpc.Code) prometheus.Counter {
	if c, ok := m.codes.Load(code); ok {
		return c.(prometheus.Counter)
	}
	if m.number.Load() >= mostCodes {
		return m.errors.WithLabelValues(m.label, "other")
	}
	c, loaded := m.codes.LoadOrStore(code, m.errors.WithLabelValues(m.label, strconv.FormatInt(int64(code), 10)))
	if !loaded {
		m.number.Add(1)
	}
	return c.(prometheus.Counter)
}
