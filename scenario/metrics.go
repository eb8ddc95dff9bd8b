package scenario

import (
	"net/url"
	"regexp"
	"time"
)

func (d *decoder) metrics(n *node, t *Target) Metrics {
	m := Metrics{Every: time.Second}
	if n == nil {
		n = &node{}
	}
	var f fields
	if n.given() {
		var ok bool
		if f, ok = d.mapping(n, metricsTable()); !ok {
			return Metrics{}
		}
		d.source(f, &m, t)
		if s := f.given("series"); s != nil {
			m.Series = d.series(s)
		}
		if k := f.given("keep"); k != nil {
			m.Keep = d.keep(k)
		}
		if l := f.given("batch_concurrency_limit"); l != nil {
			m.BatchLimit = d.whole(l, 1, 1<<30)
			if t.URL == "" && len(t.Command) == 0 {
				d.report(l, "leave it out", "the run starts the node, whose config in target.node says it")
			}
		}
		if e := f.given("every"); e != nil {
			m.Every = d.duration(e, 0)
			if m.Every > 0 && m.Every < 100*time.Millisecond {
				d.report(e, "", "%v is too often: want 100ms or more, or 0s for not at all", m.Every)
			}
			return m
		}
	}
	if t.Transport == "stdio" && m.URL == "" && m.Prometheus == nil {
		m.Every = 0
	}
	return m
}

// source reads where the metrics are.
func (d *decoder) source(f fields, m *Metrics, t *Target) {
	u, p := f.given("url"), f.given("prometheus")
	if u != nil {
		m.URL = d.url(u, t.Authorised, true, schemes("http"))
	}
	if p != nil {
		m.Prometheus = d.prometheus(p, t)
	}
	if u != nil && p != nil {
		d.report(p, "keep one of them", "the metrics come from a url or from a Prometheus, not from both")
	}
	at := &Target{URL: m.URL}
	if m.Prometheus != nil {
		at.URL = m.Prometheus.URL
	}
	for _, key := range []string{"headers", "auth", "tls"} {
		if own := f.given(key); own != nil && u == nil && p == nil {
			d.report(own, "leave it out, or give a url", "the target's own page of metrics takes the target's %s", key)
		}
	}
	if h := f.given("headers"); h != nil {
		m.Headers = d.headers(h)
	}
	if a := f.given("auth"); a != nil {
		m.Auth = d.auth(a, at, f.given("headers"))
	}
	if s := f.given("tls"); s != nil {
		m.TLS = d.tls(s, at)
	}
}

// matchers are label matchers, with or without braces, as in Prometheus' "Querying
// basics".
var matchers = regexp.MustCompile(`^\s*\{?\s*` + matcher + `(\s*,\s*` + matcher + `)*\s*,?\s*\}?\s*$`)

const matcher = `[a-zA-Z_][a-zA-Z0-9_]*\s*(=|!=|=~|!~)\s*("([^"\\]|\\.)*"|'([^'\\]|\\.)*')`

func (d *decoder) prometheus(n *node, t *Target) *Prometheus {
	f, ok := d.mapping(n, prometheusTable())
	if !ok {
		return nil
	}
	p := &Prometheus{}
	if u := f.given("url"); u != nil {
		p.URL = d.url(u, t.Authorised, true, schemes("http"))
	}
	m := f.given("match")
	if m != nil {
		if p.Match = d.text(m); p.Match != "" && !matchers.MatchString(p.Match) {
			d.report(m, `write labels and values, in quotes as a whole: 'job="near",instance="127.0.0.1:3030"'`, "%s selects no series by their labels", clip(p.Match))
		}
		return p
	}
	u, err := url.Parse(t.URL)
	if err != nil || u.Host == "" || isSocket(t.URL) {
		if !f.unknown {
			d.report(n, `match: 'job="near"'`, "prometheus needs the key match: the target has no url that tells which of its series are the node's")
		}
		return p
	}
	host := u.Host
	if u.Port() == "" {
		host += map[bool]string{true: ":443", false: ":80"}[u.Scheme == "https" || u.Scheme == "wss"]
	}
	p.Match = `instance="` + host + `"`
	return p
}

// seriesText is a name with labels behind it, or within braces. Whoever uses it looks
// at the labels.
var seriesText = regexp.MustCompile(`^\s*([a-zA-Z_:][a-zA-Z0-9_:]*\s*(\{.*\})?|\{\s*".*\})\s*$`)

func (d *decoder) series(n *node) map[string]string {
	table := seriesTable()
	f, ok := d.mapping(n, table)
	if !ok {
		return nil
	}
	series := map[string]string{}
	for _, role := range table.keys() {
		v := f.given(role)
		switch {
		case v == nil:
		case v.kind == scalar && v.text == "":
			series[role] = ""
		default:
			text := d.text(v)
			if text != "" && !seriesText.MatchString(text) {
				d.report(v, `write it like my_total or my_total{kind="batch"}`, "%s is no name of a series", clip(text))
			}
			series[role] = text
		}
	}
	return series
}

// keepPattern is a metric's name with * for any text and ? for any character.
var keepPattern = regexp.MustCompile(`^[a-zA-Z0-9_:.*?]+$`)

func (d *decoder) keep(n *node) (patterns []string) {
	for _, item := range d.list(n, "patterns") {
		text := d.text(item)
		switch {
		case text == "":
		case !keepPattern.MatchString(text):
			d.report(item, "write a metric's name without labels, * for any text in it", "%s is no pattern of a metric's name", clip(text))
		default:
			patterns = append(patterns, text)
		}
	}
	return patterns
}
