package scenario

import (
	"reflect"
	"testing"
	"time"
)

// What the settings of the node's metrics come to.
func TestMetrics(t *testing.T) {
	got := mustLoad(t, "testdata/prometheus.yaml").Target.Metrics
	want := Metrics{
		Prometheus: &Prometheus{URL: "https://10.0.0.9/prom/s3cr3t0123456789abcdef", Match: `instance="127.0.0.1:8545"`},
		Every:      5 * time.Second,
		Headers:    map[string]Header{"X-Scope": {Env: "TENANT"}},
		Auth:       &Auth{Secret: Header{Env: "PROM_TOKEN"}},
		TLS:        &TLS{ServerName: "prometheus.internal"},
		Series:     map[string]string{"batches": `rpc_batches_total{kind="batch"}`, "batch_time": "rpc_duration_seconds", "singles": ""},
		Keep:       []string{"txpool_*", "p2p_peers"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for set, want := range map[string]Metrics{
		`target.metrics={prometheus: {url: "http://127.0.0.1:9090", match: 'job="near", zone=~"a|b\"c"'}}`:  {Every: time.Second, Prometheus: &Prometheus{URL: "http://127.0.0.1:9090", Match: `job="near", zone=~"a|b\"c"`}},
		`target.metrics={prometheus: {url: "http://127.0.0.1:9090", match: "{job='near',}"}}`:               {Every: time.Second, Prometheus: &Prometheus{URL: "http://127.0.0.1:9090", Match: `{job='near',}`}},
		`target.metrics={url: "unix:/run/node.sock", every: 0s, series: {cpu: '{"cpu.time",mode="user"}'}}`: {URL: "unix:/run/node.sock", Series: map[string]string{"cpu": `{"cpu.time",mode="user"}`}},
		`target.metrics=null`: {Every: time.Second},
	} {
		if got := mustLoad(t, "testdata/near.yaml", set).Target.Metrics; !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", set, got, want)
		}
	}
	for transport, want := range map[string]string{
		"http://10.0.0.7/rpc":     `instance="10.0.0.7:80"`,
		"https://10.0.0.7/":       `instance="10.0.0.7:443"`,
		"http://[::1]:3030/":      `instance="[::1]:3030"`,
		"http://localhost:3030/x": `instance="localhost:3030"`,
	} {
		p := mustLoad(t, "testdata/near.yaml", `target.url="`+transport+`"`, `target.metrics={prometheus: {url: "http://127.0.0.1:9090"}}`)
		if got := p.Target.Metrics.Prometheus.Match; got != want {
			t.Errorf("a node at %s: match %s, want %s", transport, got, want)
		}
	}
}
