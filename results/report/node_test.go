package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"volley/results"
	"volley/results/correlate"
	"volley/results/report"
)

func TestNodeSide(t *testing.T) {
	full := func() *correlate.Report {
		return &correlate.Report{
			FromS: 0, ToS: 28.1, Intervals: 29, Scrapes: 28, Failed: 1,
			Split: &correlate.Split{Of: "batches (near_rpc_batch_processing_time)", Calls: 549, Measured: 549, Response: .183, Lateness: .0077, Network: .0033, Node: .172},
			Little: &correlate.Little{Client: 3.42, RateOfSum: 3.35, Gauge: new(3.11), GaugeSE: new(.41), GaugeN: 28, XNode: 3.35,
				Verdict: correlate.Agrees},
			Occupancy: &correlate.Occupancy{Limit: 4, BatchSize: 20, Gauges: new(3.92), GaugesSE: new(.05), Samples: 25, Sums: new(3.99),
				Verdict: correlate.Binds, Reason: "batches of 20 entries hold 3.99 slots on average, of 4 that the limit of 4 lets them"},
			Quantiles: []correlate.Quantile{{Q: .5, Lower: .128, Upper: new(.256), Client: .153, N: 549}, {Q: .99, Lower: 32.768, Client: 33.1, N: 300}},
			Usage:     &correlate.Usage{CPUSeconds: .56, Cores: .02, PerCall: new(.001), PerEntry: new(5.1e-5), PerItem: new(5.1e-5), Of: "the client's own", MemoryMax: 22 << 20},
			Movers: correlate.Movers{Intervals: 28, Series: 36, Tests: 144, Top: []correlate.Mover{
				{Series: "near_rpc_batch_processing_time", What: "mean", Same: 1, Rho: .88, Low: .45, High: .98, N: 28},
				{Series: "evil\x1b[2J", What: "value", Rho: -.8, Low: -.95, High: -.3, Lag: 2, N: 26},
			}},
			Notes: []string{"gaps: 1 of 29 scrapes failed; counters are differenced across them"},
		}
	}
	for _, tt := range []struct {
		why, want string
		change    func(*correlate.Report)
	}{
		{"all of it", `
The node's side, over 28.1 s with 28 scrapes
  Where the mean response of batches (near_rpc_batch_processing_time) goes
    lateness                       7.70 ms    4.21%
    network and admission          3.30 ms    1.80%
    node processing                 172 ms    94.0%
    response                        183 ms   100.0%
  Quantiles                 client service     node processing
    p50                             153 ms    128 ms to 256 ms
    p99                             33.1 s?        over 32.8 s
  Little's law  agrees: 3.35 batches in the node by its processing time, 3.35 by
                the client's rate and the node's mean time, 3.11 +- 0.82 by 28
                samples of its gauge; 3.42 in flight at the client
  slots         the limit binds: batches of 20 entries hold 3.99 slots on
                average, of 4 that the limit of 4 lets them (3.92 +- 0.10 by 25
                samples of the gauges)
  CPU           0.56 s, 2.00% of one core; 1.00 ms for each call, 51 us for each
                entry, over the client's own; at most 22.0 MiB resident
  What moves with the client's p99, of 36 changing series (rank correlation, the
  bounds hold for all at once)
    +0.88  mean of near_rpc_batch_processing_time and 1 alike (+0.45 to +0.98
           over 28 intervals)
    -0.80  evil\x1b[2J (-0.95 to -0.30 over 26 intervals, 2 ahead)
  - gaps: 1 of 29 scrapes failed; counters are differenced across them
`, func(*correlate.Report) {}},
		{"the node's mean is of others too", `
The node's side, over 28.1 s with 28 scrapes
  Where the mean response of batches (near_rpc_batch_processing_time) goes
    lateness                       7.70 ms    4.21%
    network and node                175 ms    95.8%
    response                        183 ms   100.0%
    the node's mean is of others too
  with the p99  nothing is said of what moves: 3 intervals
`, func(r *correlate.Report) {
			split := r.Split
			*r = correlate.Report{ToS: 28.1, Intervals: 29, Scrapes: 28, Split: split, Movers: correlate.Movers{Silent: "3 intervals"}}
			r.Split.Shared, r.Split.Note = true, "the node's mean is of others too"
		}},
		{"a node that exposes little, and other traffic", `
The node's side, over 28.1 s with 28 scrapes
  Little's law  differs: 3.35 batches in the node by its processing time, 1.00
                by the client's rate and the node's mean time; 3.42 in flight at
                the client. Suspect other traffic: many
  other traffic 500 batches more than ours
  with the p99  none of 36 changing series moves, as far as 28 intervals tell
`, func(r *correlate.Report) {
			r.Split, r.Occupancy, r.Usage, r.Quantiles, r.Notes, r.Movers.Top = nil, nil, nil, nil, nil, nil
			r.Little.Verdict, r.Little.XNode, r.Little.Gauge, r.Little.Suspects = correlate.Differs, 1, nil, []string{"other traffic: many"}
			r.Surplus = []correlate.Surplus{{What: "batches", Client: 100, Node: 600}}
		}},
		{"no scrape at all", "\nThe node's side: no scrape of its metrics bounds any client interval\n", func(r *correlate.Report) { *r = correlate.Report{} }},
	} {
		r := full()
		tt.change(r)
		var out bytes.Buffer
		if err := report.Text(&out, &results.Summary{Correlation: r}); err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(out.String(), "\nThe node's side")
		got, _, _ := strings.Cut("\nThe node's side"+rest, "\n\n")
		if strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
			t.Errorf("%s:\n%s\nwant\n%s", tt.why, got, tt.want)
		}
	}
}

// In no form are network and node told apart where the node's mean is of others' calls too.
func TestFormsOfASharedNode(t *testing.T) {
	run := storedRun(t, nil)
	run.Summary.Correlation.Split.Shared = true
	shared := ofRun(t, run)
	for form, write := range map[string]func(io.Writer) error{"HTML": shared.HTML, "Markdown": shared.Markdown} {
		var out strings.Builder
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "network and admission") || strings.Contains(strings.ToLower(out.String()), "node processing") {
			t.Errorf("%s parts the network from the node", form)
		}
		if form == "HTML" && (!strings.Contains(out.String(), "network and node") || !strings.Contains(out.String(), "Node, all traffic")) {
			t.Errorf("%s does not say what it tells", form)
		}
	}
}
