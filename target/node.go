package target

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
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

	admission *admission // nil: everything is let in
	metrics   *metrics
	log       *slog.Logger
	pages     map[string]http.HandlerFunc
}

// Options are a node's settings beside its dialect's; the zero value is useful.
type Options struct {
	Logger *slog.Logger // panics of methods, connections gone wrong; nil: not logged
}

// New builds a node around a dialect.
func New(d Dialect, o Options) *Node {
	p := d.Policy().completed()
	n := &Node{dialect: d, policy: p, bounds: newBounds(&p), metrics: newMetrics(p.MetricsPrefix), log: o.Logger, pages: map[string]http.HandlerFunc{}}
	if n.log == nil {
		n.log = slog.New(slog.DiscardHandler)
	}
	n.metrics.collect(d)
	n.admission = newAdmission(p.Admission, n.metrics)
	for path, page := range d.Pages() {
		n.pages[path] = page
	}
	n.pages["/metrics"] = promhttp.HandlerFor(n.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP
	return n
}

// Bounds of the fronts, so that no client can hold a connection for nothing.
const (
	headerTimeout = 10 * time.Second  // for a request's header to come
	bodyTimeout   = 60 * time.Second  // for its body, whole
	answerTimeout = 60 * time.Second  // for the client to take the answer
	idleTimeout   = 120 * time.Second // between requests
	drainTimeout  = 10 * time.Second  // for calls under way when the node stops
)

// Serve answers HTTP/1.1 on l until ctx ends; then it accepts no more, lets
// the calls under way finish and returns nil. Calls that are not finished 10
// seconds later have their contexts ended, and those that ignore even that are
// left behind with an error. Serve closes l.
func (n *Node) Serve(ctx context.Context, l net.Listener) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	srv := &http.Server{
		Handler:           n.Handler(),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		BaseContext:       func(net.Listener) context.Context { return life },
		ConnContext:       n.connContext,
		ErrorLog:          slog.NewLogLogger(n.log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	var failed error
	select {
	case failed = <-served:
	case <-ctx.Done():
	}
	drain := func() error {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		defer cancel()
		return srv.Shutdown(limit)
	}
	err := drain()
	if err != nil {
		end()
		if err = drain(); err != nil {
			err = errors.Join(fmt.Errorf("calls would not end: %w", err), srv.Close())
		}
	}
	if failed != nil {
		return errors.Join(failed, err)
	}
	<-served
	return err
}

type connectionKey struct{}

func (n *Node) connContext(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{state: n.dialect.Connect(HTTP), life: ctx})
}

// connectionOf finds what connContext stored. Under another server, which does
// not call it, every request is a connection of its own.
func (n *Node) connectionOf(ctx context.Context) *connection {
	if c, ok := ctx.Value(connectionKey{}).(*connection); ok {
		return c
	}
	return &connection{state: n.dialect.Connect(HTTP), life: context.WithoutCancel(ctx)}
}

// context is the one that a connection's calls run with; request ends when the
// client is gone.
func (n *Node) context(request context.Context, c *connection) context.Context {
	if n.policy.CancelOnDisconnect {
		return request
	}
	return c.life
}
