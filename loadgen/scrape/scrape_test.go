package scrape_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"volley/loadgen/scrape"
)

func TestParse(t *testing.T) {
	const openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"
	for _, c := range []struct {
		why, contentType, text string
		want                   map[string]float64
	}{
		{"nothing at all", "", "", map[string]float64{}},
		{"a bare name, untyped", "text/plain", "up 1\n", map[string]float64{"up": 1}},
		{"labels are sorted", "text/plain; version=0.0.4", "# TYPE c counter\nc{z=\"1\",a=\"2\"} 3 1700000000000\n", map[string]float64{`c{a="2",z="1"}`: 3}},
		{"label values are escaped as in the text", "", `g{a="q\"b\\s\nn é"} -1.5e-3` + "\n", map[string]float64{`g{a="q\"b\\s\nn é"}`: -0.0015}},
		{"names beyond the classic alphabet", "text/plain; version=1.0.0; escaping=allow-utf-8", `{"a.b","c d"="e",f="g"} 7` + "\n", map[string]float64{`{"a.b","c d"="e",f="g"}`: 7}},
		{"a histogram", "", "# TYPE h histogram\nh_bucket{m=\"q\",le=\"0.50\"} 1\nh_bucket{m=\"q\",le=\"1.0\"} 2\nh_bucket{m=\"q\",le=\"+Inf\"} 3\nh_sum{m=\"q\"} 4.5\nh_count{m=\"q\"} 3\n",
			map[string]float64{`h_bucket{le="0.5",m="q"}`: 1, `h_bucket{le="1",m="q"}`: 2, `h_bucket{le="+Inf",m="q"}`: 3, `h_sum{m="q"}`: 4.5, `h_count{m="q"}`: 3}},
		{"a histogram of fractions", "", "# TYPE h histogram\nh_bucket{le=\"+Inf\"} 2.5\nh_sum 1\nh_count 2.5\n",
			map[string]float64{`h_bucket{le="+Inf"}`: 2.5, `h_sum`: 1, `h_count`: 2.5}},
		{"a summary", "", "# TYPE s summary\ns{quantile=\"0.5\"} 1\ns{quantile=\"0.999\"} 2\ns_sum 3\ns_count 4\n",
			map[string]float64{`s{quantile="0.5"}`: 1, `s{quantile="0.999"}`: 2, "s_sum": 3, "s_count": 4}},
		{"what is not told is not made up", "", "# TYPE s summary\ns{quantile=\"0.5\"} 1\n", map[string]float64{`s{quantile="0.5"}`: 1}},
		{"values that are not finite are left out", "", "a NaN\nb +Inf\nc -Inf\nd 0\n", map[string]float64{"d": 0}},
		{"OpenMetrics: exemplars and timestamps are passed over, _created is a series like others", openMetrics,
			"# TYPE c counter\n# UNIT c \n# HELP c x\nc_total{a=\"b } \\\" # {\"} 5 1520879607.789 # {trace=\"x\"} 1\nc_created{a=\"b\"} 17\nc2_total 1 # {} 1\nno_labels 2 1\n# EOF\n",
			map[string]float64{`c_total{a="b } \" # {"}`: 5, `c_created{a="b"}`: 17, "c2_total": 1, "no_labels": 2}},
		{"OpenMetrics: bounds are written as in the text format", openMetrics,
			"# TYPE h gaugehistogram\nh_bucket{le=\"1.0\",a=\"1.0\"} 2\nh_bucket{le=\"+Inf\"} 2\nh_gcount 2\n# TYPE s summary\ns{quantile=\"0.50\"} 1\nx_total{le=\"1.0\"} 1\n# EOF\n",
			map[string]float64{`h_bucket{a="1.0",le="1"}`: 2, `h_bucket{le="+Inf"}`: 2, "h_gcount": 2, `s{quantile="0.5"}`: 1, `x_total{le="1.0"}`: 1}},
	} {
		got, err := scrape.Parse(strings.NewReader(c.text), c.contentType)
		if err != nil || !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.why, got, err, c.want)
		}
	}
}

func TestParse_refuses(t *testing.T) {
	for _, c := range []struct{ contentType, text, want string }{
		{"text/html; charset=utf-8", "<html>", `content type "text/html; charset=utf-8" is no Prometheus text exposition`},
		{"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited", "", "is no Prometheus text exposition"},
		{"text/plain; version=9", "", "is no Prometheus text exposition"},
		{"nonsense;;", "", "is no Prometheus text exposition"},
		{"", "{\"jsonrpc\":\"2.0\"}\n", "the exposition is malformed"},
		{"", "up 1\nup{ 2\n", "line 2"},
		{"", "up", "unexpected end of input"},
		{"", "up 1\nup 2\n", `tells series "up" twice`},
		{"", "s_sum 1\n# TYPE s summary\ns_sum 1\n", `tells series "s_sum" twice`},
		{"application/openmetrics-text; version=1.0.0", "up 1\n", `it ends before "# EOF"`},
		{"application/openmetrics-text; version=1.0.0", "up{a=\"# EOF\n", `it ends before "# EOF"`},
		{"application/openmetrics-text; version=2.0.0", "h {count:1,sum:2}\n# EOF\n", "the exposition is malformed"},
	} {
		got, err := scrape.Parse(strings.NewReader(c.text), c.contentType)
		if err == nil || got != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q, %q): %v, %v; want an error that says %q", c.text, c.contentType, got, err, c.want)
		}
	}
}

// endless is a comment without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	return len(p), nil
}

func TestParse_cap(t *testing.T) {
	if _, err := scrape.Parse(endless{}, ""); err == nil || err.Error() != "reading the exposition: it is larger than 64 MiB" {
		t.Errorf("an endless exposition: %v", err)
	}
}

func TestParse_geth(t *testing.T) {
	f, err := os.Open("testdata/geth-metrics.prom")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := scrape.Parse(f, "text/plain")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"chain_head_block": 21884211,
		`geth_info{arch="amd64",commit="0000000000000000000000000000000000000000",os="linux",protocol_versions="68",version="1.17.10-stable"}`: 1,
		"p2p_peers":                           50,
		"rpc_duration_all_count":              10514,
		`rpc_duration_all{quantile="0.5"}`:    41984,
		`rpc_duration_all{quantile="0.75"}`:   98304,
		`rpc_duration_all{quantile="0.95"}`:   1.6777216e+07,
		`rpc_duration_all{quantile="0.99"}`:   2.9360128e+07,
		`rpc_duration_all{quantile="0.999"}`:  3.3554432e+07,
		`rpc_duration_all{quantile="0.9999"}`: 3.3554432e+07,
		"rpc_failure":                         37,
		"rpc_requests":                        10514,
		"rpc_success":                         10477,
		"system_cpu_procload":                 12,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// The format's own writer, in each of the formats that it can be asked for,
// must be read back as what was put into it.
func TestPage_clientGolang(t *testing.T) {
	reg := prometheus.NewRegistry()
	entries := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "batch_entries_total", Help: "h"}, []string{"outcome", "method"})
	size := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "batch_size", Help: "h", Buckets: []float64{1, 2.5, 1e6}}, []string{"method"})
	busy := prometheus.NewGauge(prometheus.GaugeOpts{Name: "busy", Help: "h"})
	wait := prometheus.NewSummary(prometheus.SummaryOpts{Name: "wait_seconds", Help: "h", Objectives: map[float64]float64{0.5: 0.05}})
	idle := prometheus.NewSummary(prometheus.SummaryOpts{Name: "idle_seconds", Help: "h", Objectives: map[float64]float64{0.5: 0.05}})
	none := prometheus.NewGauge(prometheus.GaugeOpts{Name: "none", Help: "h"})
	reg.MustRegister(entries, size, busy, wait, idle, none)
	entries.WithLabelValues("ok", "query").Add(3)
	entries.WithLabelValues("a \"b\"\\\n", "status").Inc()
	for _, v := range []float64{1, 2, 3, 2e6} {
		size.WithLabelValues("query").Observe(v)
	}
	busy.Set(-2.25)
	wait.Observe(0.125)
	none.Set(math.NaN())
	want := map[string]float64{
		`batch_entries_total{method="query",outcome="ok"}`:           3,
		`batch_entries_total{method="status",outcome="a \"b\"\\\n"}`: 1,
		`batch_size_bucket{le="1",method="query"}`:                   1,
		`batch_size_bucket{le="2.5",method="query"}`:                 2,
		`batch_size_bucket{le="1e+06",method="query"}`:               3,
		`batch_size_bucket{le="+Inf",method="query"}`:                4,
		`batch_size_sum{method="query"}`:                             2000006,
		`batch_size_count{method="query"}`:                           4,
		`busy`:                                                       -2.25,
		`wait_seconds{quantile="0.5"}`:                               0.125,
		`wait_seconds_sum`:                                           0.125,
		`wait_seconds_count`:                                         1,
		`idle_seconds_sum`:                                           0,
		`idle_seconds_count`:                                         0,
	}
	handler := promhttp.HandlerFor(reg, promhttp.HandlerOpts{EnableOpenMetrics: true})
	for _, c := range []struct{ asks, answers string }{
		{"", "text/plain"}, // as a Page asks
		{"application/openmetrics-text;version=1.0.0", "application/openmetrics-text"},
		{"text/plain;version=1.0.0;escaping=allow-utf-8", "text/plain"},
	} {
		var answered http.Header
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c.asks != "" {
				r.Header.Set("Accept", c.asks)
			}
			handler.ServeHTTP(w, r)
			answered = w.Header()
		}))
		sample := readPage(t, t.Context(), server.URL, scrape.Keep{})
		server.Close()
		if sample.Err != "" || !maps.Equal(sample.Series, want) {
			t.Errorf("asked for %q: %s\n got %v\nwant %v", c.asks, sample.Err, sample.Series, want)
		}
		if !strings.HasPrefix(answered.Get("Content-Type"), c.answers) {
			t.Errorf("asked for %q: answered %q", c.asks, answered.Get("Content-Type"))
		}
		if answered.Get("Content-Encoding") != "gzip" {
			t.Errorf("asked for %q: content encoding %q, not gzip", c.asks, answered.Get("Content-Encoding"))
		}
	}
}

func FuzzParse(f *testing.F) {
	geth, err := os.ReadFile("testdata/geth-metrics.prom")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(geth, "")
	f.Add([]byte("# TYPE h histogram\nh_bucket{m=\"q\",le=\"0.50\"} 1\nh_bucket{m=\"q\",le=\"+Inf\"} 3\nh_sum{m=\"q\"} 4.5\nh_count{m=\"q\"} 3\n"), "text/plain; version=0.0.4")
	f.Add([]byte("{\"a.b\",\"c d\"=\"e\",f=\"g\\\"\"} 7\n"), "text/plain; version=1.0.0; escaping=allow-utf-8")
	f.Add([]byte("# TYPE c counter\nc_total{a=\"b\"} 5 # {trace=\"x\"} 1\n# EOF\n"), "application/openmetrics-text; version=1.0.0")
	f.Fuzz(func(t *testing.T, text []byte, contentType string) {
		series, err := scrape.Parse(bytes.NewReader(text), contentType)
		if (err == nil) != (series != nil) {
			t.Fatalf("%v beside %v", series, err)
		}
		// What was read, written as text, must be read back the same.
		var again strings.Builder
		for name, v := range series {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s is %v", name, v)
			}
			again.WriteString(name + " " + strconv.FormatFloat(v, 'g', -1, 64) + "\n")
		}
		back, err := scrape.Parse(strings.NewReader(again.String()), "text/plain; version=1.0.0; escaping=allow-utf-8")
		if err != nil || !maps.Equal(back, series) && series != nil {
			t.Fatalf("%v came back as %v (%v)", series, back, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "rpc_requests_total{code=\"200\",method=\"m%d\"} %d\n", i, i)
	}
	for name, contentType := range map[string]string{"text": "text/plain", "openmetrics": "application/openmetrics-text"} {
		b.Run(name, func(b *testing.B) {
			body := text.String() + "# EOF\n"
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, err := scrape.Parse(strings.NewReader(body), contentType); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
