package main

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"

	"volley/loadgen"
	"volley/loadgen/scrape"
	"volley/results/correlate"
	"volley/scenario"
)

// metricsSource is where the node's metrics are read.
type metricsSource interface {
	loadgen.Metrics
	Close()
}

// openMetrics gives the source of the metrics of a node at an address, as the plan
// says; nil for none. Nothing is asked yet.
func openMetrics(plan *scenario.Plan, address string) (metricsSource, error) {
	m := &plan.Target.Metrics
	keep, err := keptSeries(plan)
	if err != nil {
		return nil, err
	}
	at := scrape.Address{URL: m.URL, Guard: guard(plan.Target.Authorised)}
	own := besides(address, "/metrics")
	switch {
	case m.Prometheus != nil:
		at.URL = m.Prometheus.URL
	case m.URL == "" && (m.Every == 0 || own == ""):
		return nil, nil
	case m.URL == "":
		at.URL, at.HTTP2 = own, plan.Target.Transport == "h2"
	}
	if at.Header, at.TLS, err = metricsAccess(&plan.Target, at.URL, m.Prometheus == nil && sameServer(at.URL, own)); err != nil {
		return nil, err
	}
	if m.Prometheus != nil {
		p, err := scrape.NewPrometheus(at, m.Prometheus.Match, keep)
		if err != nil {
			return nil, fmt.Errorf("target.metrics.prometheus: %w", err)
		}
		return p, nil
	}
	page, err := scrape.NewPage(at, keep)
	if err != nil {
		return nil, fmt.Errorf("target.metrics: %w", err)
	}
	return page, nil
}

// metricsAccess gives what opens the source: its own settings, or, where there are
// none and the target's server itself is asked, the target's. Credentials go to no
// other server than the one that they are for.
func metricsAccess(t *scenario.Target, address string, targets bool) (http.Header, *tls.Config, error) {
	m := &t.Metrics
	place, headers, auth, keys := "target.metrics", m.Headers, m.Auth, m.TLS
	if targets && headers == nil && auth == nil {
		place, headers, auth = "target", t.Headers, t.Auth
	}
	if targets && keys == nil {
		keys = t.TLS
	}
	h, err := headerOf(place, headers, auth)
	if err != nil {
		return nil, nil, err
	}
	for _, ofBodies := range []string{"Accept-Encoding", "Content-Type", "Content-Length", "Connection"} {
		h.Del(ofBodies)
	}
	trusted, err := trust(keys)
	u, parseErr := url.Parse(address)
	if err != nil || parseErr != nil || trusted == nil {
		return h, nil, err
	}
	config, err := trusted.Config(u.Hostname())
	return h, config, err
}

// sameServer tells whether both addresses are of the same server.
func sameServer(a, b string) bool {
	u, err := url.Parse(a)
	v, other := url.Parse(b)
	return a == b || err == nil && other == nil && u.Scheme == v.Scheme && u.Host == v.Host
}

// seriesNames tells which of the node's series say what.
func seriesNames(plan *scenario.Plan) (correlate.Names, error) {
	names, err := correlate.Preset(plan.Target.Dialect).With(plan.Target.Metrics.Series)
	if err != nil {
		return nil, fmt.Errorf("target.metrics.series: %w", err)
	}
	return names, nil
}

// keptSeries tells what is read of all that a node exposes: what says something to us,
// what the client libraries say of every process, and what the plan names.
func keptSeries(plan *scenario.Plan) (scrape.Keep, error) {
	names, err := seriesNames(plan)
	if err != nil {
		return scrape.Keep{}, err
	}
	known := []string{"volley_*", "process_*", "go_*"}
	if plan.Target.Dialect == "near" {
		known = append(known, "near_rpc_*", "near_http_*")
	}
	for _, role := range correlate.Roles() {
		if s, ok := names[role]; ok {
			known = append(known, s.Name, s.Name+"_bucket", s.Name+"_sum", s.Name+"_count")
		}
	}
	return scrape.Keep{Known: known, Chosen: plan.Target.Metrics.Keep}, nil
}
