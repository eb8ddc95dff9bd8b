package correlate_test

import (
	"math"
	"strings"
	"testing"

	"volley/results/correlate"
)

// inFlight makes the report of a node that takes 10 batches a second, of that time
// each, and whose gauge was found so, once a second. The client saw each take longer
// by outside.
func inFlight(each, outside float64, gauge ...float64) *correlate.Report {
	g := correlate.NewGrid(correlate.Preset("near"))
	scrape := func(at, n, busy float64) {
		g.Scrape(correlate.Scrape{At: seconds(at), Series: map[string]float64{
			"near_rpc_batch_processing_time_sum": n * each, "near_rpc_batch_processing_time_count": n,
			"near_rpc_batch_requests_in_flight": busy,
		}})
	}
	scrape(0, 0, 0)
	for k, busy := range gauge {
		c := calls(float64(k), float64(k+1), 10)
		c.Service = 10 * (each + outside)
		c.Response = c.Service
		g.Client(c)
		scrape(float64(k+1), 10*float64(k+1), busy)
	}
	return g.Report(correlate.Options{Names: correlate.Preset("near")})
}

func TestLittleAgainstTheGauge(t *testing.T) {
	often := func(n int, values ...float64) (all []float64) {
		for range n {
			all = append(all, values...)
		}
		return all
	}
	for _, tt := range []struct {
		why     string
		each    float64
		gauge   []float64
		verdict correlate.Verdict
		suspect string
	}{
		{"a tenth off at most", .4, often(20, 4, 4.8, 4.3, 4.2), correlate.Agrees, ""},
		// An effective number of samples as great as theirs, and 1.5% of spread.
		{"more than a tenth off, and than two standard errors", .4, often(100, 4.9, 4.7, 4.8, 4.8), correlate.Differs, "400 times: a pause of the machine"},
		{"more than a tenth off, but within two standard errors", .4, often(3, 2, 8, 1, 9), correlate.Agrees, ""},
		// Of 0.24 batches in flight at most one of 14 scrapes finds any, in one run of six.
		{"few samples of a small number show too little spread", .024, append(often(13, 0), 1), correlate.Agrees, ""},
		{"but many tell", .024, often(10, append(often(13, 0), 1)...), correlate.Differs, "140 times: arrivals at a constant rate"},
		{"too few samples are none", .4, []float64{9, 9, 9, 9}, correlate.Agrees, ""},
	} {
		r := inFlight(tt.each, .001, tt.gauge...)
		if r.Little == nil {
			t.Errorf("%s: %v", tt.why, r.Notes)
			continue
		}
		if got := strings.Join(r.Little.Suspects, "; "); !strings.Contains(got, tt.suspect) || (got == "") != (tt.suspect == "") {
			t.Errorf("%s: suspect %q, want %q", tt.why, got, tt.suspect)
		}
		if r.Little.Verdict != tt.verdict {
			t.Errorf("%s: %+v, want %s", tt.why, r.Little, tt.verdict)
		}
		if l := r.Little; l.Gauge != nil && *l.GaugeSE < math.Sqrt(l.RateOfSum/float64(l.GaugeN))-1e-9 {
			t.Errorf("%s: standard error %v of %d samples of %v", tt.why, *l.GaugeSE, l.GaugeN, l.RateOfSum)
		}
	}
}

// A node cannot have had more in flight than its client, a tenth and what the edges cut
// aside.
func TestLittleOfAClientThatSawLess(t *testing.T) {
	for outside, verdict := range map[float64]correlate.Verdict{-.03: correlate.Agrees, -.05: correlate.Differs} {
		r := inFlight(.4, outside, 4, 4, 4, 4, 4, 4)
		if l := r.Little; l.Verdict != verdict {
			t.Errorf("outside %v: %+v, want %s", outside, l, verdict)
		} else if l.Verdict == correlate.Differs && !strings.Contains(strings.Join(l.Suspects, ";"), "a clock") {
			t.Errorf("suspects %v", l.Suspects)
		}
	}
}

// The scrape after the drain found no load, so that its gauge says nothing of it.
func TestGaugeAfterTheDrainIsNoSample(t *testing.T) {
	g := correlate.NewGrid(correlate.Preset("near"))
	scrape := func(at, busy float64) {
		g.Scrape(correlate.Scrape{At: seconds(at), Series: map[string]float64{
			"near_rpc_batch_requests_in_flight": busy, "near_rpc_batch_query_entries_in_flight": 4 * busy,
		}})
	}
	scrape(0, 0)
	for k := range 3 {
		c := calls(float64(k), float64(k+1), 10)
		c.Drained = k == 2
		g.Client(c)
		scrape(float64(k+1), float64(2-k))
	}
	total := g.Total()
	gauge := total.Node.Gauges[correlate.BatchesInFlight]
	if mean, _ := gauge.Mean(); gauge.N != 2 || mean != 1.5 || gauge.End != 0 {
		t.Errorf("gauge %+v, want the two samples 2 and 1, and 0 at the end", gauge)
	}
	if s := total.Node.Slots; s.N != 2 || s.Batches != 3 || s.Entries != 12 {
		t.Errorf("slots %+v, want those of two samples", s)
	}
}
