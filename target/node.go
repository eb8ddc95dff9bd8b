package target

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Node is the reference node: a dialect behind the batch engine and its fronts.
// Safe for concurrent use; several fronts may serve one node at once.
type Node struct {
	dialect Dialect
	policy  Policy
	bounds  *bounds

	admission *admission    // nil: everything is let in
	misbehave *misbehaviour // nil: the node behaves
	metrics   *metrics
	log       *slog.Logger
	execution *Execution // the dialect's; nil: it has none
	pages     map[string]http.HandlerFunc
}

// Options are a node's settings beside its dialect's; the zero value is useful.
type Options struct {
	Logger *slog.Logger // panics of methods, connections gone wrong; nil: not logged

	// Wait waits out the costs of calls and whatever else a dialect makes wait;
	// nil: the function Wait. A KernelWaiter's is more exact.
	Wait func(context.Context, time.Duration) error
}

// New builds a node around a dialect.
func New(d Dialect, o Options) *Node {
	p := d.Policy().completed()
	n := &Node{dialect: d, policy: p, bounds: newBounds(&p), metrics: newMetrics(p.MetricsPrefix), log: o.Logger, pages: map[string]http.HandlerFunc{}}
	if n.log == nil {
		n.log = slog.New(slog.DiscardHandler)
	}
	n.metrics.collect(d)
	n.execution = n.share(d, o)
	n.admission = newAdmission(p.Admission, n.metrics)
	n.misbehave = newMisbehaviour(p.Misbehave, n.metrics, o.Wait)
	for path, page := range d.Pages() {
		n.pages[path] = page
	}
	n.pages["/metrics"] = promhttp.HandlerFor(n.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP
	return n
}
