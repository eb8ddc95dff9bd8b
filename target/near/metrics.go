package near

import "github.com/prometheus/client_golang/prometheus"

// counters are nearcore's series that the batch engine knows nothing of.
type counters struct {
	timeouts    prometheus.Counter
	unreachable *prometheus.CounterVec
	waitUntil   *prometheus.CounterVec
	statusPage  prometheus.Counter
	scrapes     scrapes
}

// unreachableEnums are the errors under which nearcore counts what it takes for
// a bug of its own. This node has no such case: they stay at zero.
var unreachableEnums = [...]string{"RpcBlockError", "RpcChunkError", "RpcProtocolConfigError", "RpcQueryError", "RpcStatusError", "RpcValidatorError"}

func newCounters() *counters {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	vector := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	c := &counters{
		timeouts:    counter("near_rpc_timeout_total", "Calls that ended by a timeout."),
		unreachable: vector("near_rpc_unreachable_errors_total", "Errors that ought to be impossible, by the error's type.", "target_error_enum"),
		waitUntil:   vector("near_rpc_wait_until_count", "Transaction calls by what they wait for.", "method", "wait_until"),
		statusPage:  counter("near_http_status_requests_total", "Requests of the status page."),
		scrapes:     scrapes{counter("near_http_prometheus_requests_total", "Scrapes of the metrics page.")},
	}
	for _, name := range unreachableEnums {
		c.unreachable.WithLabelValues(name)
	}
	return c
}

// Collectors are nearcore's series beside those of the batch engine.
func (d *Dialect) Collectors() []prometheus.Collector {
	c := d.counters
	return []prometheus.Collector{c.timeouts, c.unreachable, c.waitUntil, c.statusPage, c.scrapes}
}

// scrapes counts how often it is collected, which every scrape does once. As in
// nearcore a scrape counts itself.
type scrapes struct{ prometheus.Counter }

// Collect counts one scrape and tells it.
func (s scrapes) Collect(ch chan<- prometheus.Metric) {
	s.Inc()
	s.Counter.Collect(ch)
}
