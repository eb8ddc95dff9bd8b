package target

import "github.com/prometheus/client_golang/prometheus"

// Collecting is a dialect with series of its own. The node asks for them once,
// when it is built, and serves them at /metrics beside those of the engine,
// whose names they must not take. A dialect may serve several nodes: each
// scrape of each node collects what Collectors gave it.
type Collecting interface {
	Collectors() []prometheus.Collector
}

// collect registers the series of a dialect that has any.
func (m *metrics) collect(d Dialect) {
	if c, ok := d.(Collecting); ok {
		m.registry.MustRegister(c.Collectors()...)
	}
}
