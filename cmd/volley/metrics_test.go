package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"volley/results"
	"volley/results/correlate"
	"volley/scenario"
	"volley/target"
)

// A scenario knows the roles that series can play, and no others: it may not import
// those who define them.
func TestRolesOfSeries(t *testing.T) {
	for _, role := range correlate.Roles() {
		plan, err := scenario.Builtin("near-mix", []string{`target.metrics.series.` + string(role) + `='mine{a="b"}'`})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		names, err := seriesNames(plan)
		if err != nil || names[role].String() != `mine{a="b"}` {
			t.Errorf("%s: %v, %v", role, names[role], err)
		}
	}
	_, err := scenario.Builtin("near-mix", []string{`target.metrics.series=[x]`})
	if err == nil {
		t.Fatal("a list of series is taken")
	}
	_, known, _ := strings.Cut(err.Error(), "keys: ")
	var roles []string
	for _, role := range correlate.Roles() {
		roles = append(roles, string(role))
	}
	if got := strings.Split(strings.TrimSpace(known), ", "); !slices.Equal(got, roles) {
		t.Errorf("a scenario knows %q, want %q", got, roles)
	}
}

// The target's credentials open its own page of metrics, and go to no other server.
func TestCredentialsOfMetrics(t *testing.T) {
	const own, other = "http://10.0.0.7:3030/metrics", "http://10.0.0.8:9090/"
	for _, tt := range []struct {
		settings []string
		address  string
		want     string
	}{
		{nil, own, "Bearer target"},
		{[]string{`target.metrics.url="` + own + `"`}, own, "Bearer target"},
		{[]string{`target.metrics.url="` + other + `"`}, other, ""},
		{[]string{`target.metrics.prometheus={url: "` + other + `"}`}, other, ""},
		{[]string{`target.metrics.prometheus={url: "http://10.0.0.7:3030/"}`}, "http://10.0.0.7:3030/", ""},
		{[]string{`target.metrics={url: "` + other + `", auth: {bearer: theirs}}`}, other, "Bearer theirs"},
		{[]string{`target.metrics={url: "` + own + `", headers: {Authorization: Basic theirs}}`}, own, "Basic theirs"},
	} {
		sets := append([]string{`target.url="http://10.0.0.7:3030/rpc"`, `target.auth={bearer: target}`, `target.node=null`}, tt.settings...)
		plan, err := scenario.Builtin("near-mix", sets)
		if err != nil {
			t.Fatal(err)
		}
		mine := plan.Target.Metrics.Prometheus == nil && sameServer(tt.address, own)
		h, _, err := metricsAccess(&plan.Target, tt.address, mine)
		if got := h.Get("Authorization"); err != nil || got != tt.want {
			t.Errorf("%q: %q is sent to %s (%v), want %q", tt.settings, got, tt.address, err, tt.want)
		}
	}
}

// A run whose metrics have gaps of every kind in its middle: the totals at its ends are
// whole, and what went wrong is told with its number.
func TestRunWithGapsInItsMetrics(t *testing.T) {
	dialect, err := target.ParseGenericConfig(target.ConfigFile{Name: "node.json", Data: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	node := target.New(target.Generic(dialect), target.Options{}).Handler()
	var mu sync.Mutex
	scrapes := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			node.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		scrapes++
		n := scrapes
		mu.Unlock()
		switch n {
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
		case 3:
			fmt.Fprint(w, "<html>")
		case 4:
			fmt.Fprint(w, "volley_http_requests_total 1\nvolley_http_requests_total 1\n")
		case 5:
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "volley_http_requests_total 1\n")
		default:
			node.ServeHTTP(w, r)
		}
	}))
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "run")
	p := program(t, "run", writeScenario(t, `
target: {dialect: jsonrpc, url: "`+s.URL+`", metrics: {every: 100ms}}
load: [{rate: 50 calls/s, for: 900ms}]
form: batch
size: 3
mix: [{method: sum, params: [1, 2, 3]}]
`), "--out", dir, "--no-tui", "--json")
	out, err := p.Output()
	if code := exitCode(t, err); code != exitOK && code != exitVoid {
		t.Fatalf("exit code %d", code)
	}
	got := readSummary(t, out)
	checkAccount(t, got)
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if warnings := run.Summary.Warnings; !slices.ContainsFunc(warnings, func(w string) bool {
		return strings.HasPrefix(w, "4 of ") && strings.Contains(w, "scrapes of the node's metrics failed and are gaps: ") && strings.Contains(w, "500")
	}) {
		t.Errorf("warnings: %q", warnings)
	}
	gaps := 0
	for sample, err := range run.NodeSeries() {
		if err != nil {
			t.Fatal(err)
		}
		if sample.Err != "" {
			gaps++
		}
		if sample.Err != "" == (sample.Series != nil) {
			t.Errorf("a sample that is neither a gap nor whole: %+v", sample)
		}
	}
	if gaps != 4 {
		t.Errorf("%d gaps are stored, want 4", gaps)
	}
}
