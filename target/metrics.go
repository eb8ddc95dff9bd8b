package target

import (
	"maps"
	"strconv"
	"sync"
	"sync/atomic"

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
	exchanges exchangeCounts

	methods methods
}

func newMetrics(prefix string) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: buckets})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: prefix + name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}

	batches := counters(prefix+"batch_requests_total", "JSON-RPC batches by outcome. One that admission held up, or that was sent to the URL of a method, is in none.", "outcome")
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
	m.batchTime = histogram("batch_processing_time", "Seconds from a batch's admission to its serialized answer.", timeBounds())
	m.batchBytes = histogram("batch_response_size_bytes", "Bytes of a successful response array.",
		prometheus.ExponentialBuckets(256, 4, 10))
	m.batchesInFlight = gauge("batch_requests_in_flight", "Admitted batches being executed.")
	m.entriesInFlight = gauge("batch_query_entries_in_flight", "Valid entries of batches being executed or waiting for a slot.")
	m.exchanges.total = counters("volley_http_requests_total", "HTTP requests to the endpoint by shape and status.", "shape", "status")

	m.methods = methods{
		total:  counters(prefix+"total_count", "Calls by method.", "method"),
		errors: counters(prefix+"error_count", "Calls answered with an error, by method and code.", "method", "err_code"),
		time:   newHistograms(prefix+"processing_time", "Seconds from a call's start to its result, by method."),
	}
	m.registry.MustRegister(batches, entries, singles, m.batchEntries, m.batchTime, m.batchBytes,
		m.batchesInFlight, m.entriesInFlight, m.exchanges.total,
		m.methods.total, m.methods.errors, m.methods.time,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// exchangeCounts counts HTTP requests by shape and status.
type exchangeCounts struct {
	total *prometheus.CounterVec
	known resolved[exchangeKey, prometheus.Counter]
}

type exchangeKey struct {
	shape  shape
	status int
}

func (m *metrics) exchange(s shape, status int) {
	key := exchangeKey{s, status}
	m.exchanges.known.of(key, func() prometheus.Counter {
		return m.exchanges.total.WithLabelValues(shapeNames[s], strconv.Itoa(status))
	}).Inc()
}

// methods are the series by method.
type methods struct {
	total  *prometheus.CounterVec
	errors *prometheus.CounterVec
	time   *histograms
	known  resolved[string, *method]
}

// method is one label's series.
type method struct {
	total prometheus.Counter
	time  *histogram

	codes  sync.Map // jsonrpc.Code -> prometheus.Counter
	number atomic.Int32
	label  string
	errors *prometheus.CounterVec
}

func (s *methods) of(label string) *method {
	return s.known.of(label, func() *method {
		return &method{total: s.total.WithLabelValues(label), time: s.time.of(label), label: label, errors: s.errors}
	})
}

// mostCodes bounds the err_code values of one method, since a dialect may let
// its caller choose the code; what is beyond them counts as "other".
const mostCodes = 64

// refused counts a call that took no time, since it never ran.
func (m *method) refused(err *jsonrpc.Error) {
	m.total.Inc()
	m.time.add(0)
	m.failures(err.Code).Inc()
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

// resolved finds what belongs to a key by one lookup in a map that is replaced,
// not changed. Its keys are few.
type resolved[K comparable, V any] struct {
	known atomic.Pointer[map[K]V]
	mu    sync.Mutex // of whoever replaces known
}

func (r *resolved[K, V]) of(key K, make func() V) V {
	if known := r.known.Load(); known != nil {
		if v, ok := (*known)[key]; ok {
			return v
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	next := map[K]V{}
	if known := r.known.Load(); known != nil {
		if v, ok := (*known)[key]; ok {
			return v
		}
		maps.Copy(next, *known)
	}
	v := make()
	next[key] = v
	r.known.Store(&next)
	return v
}
