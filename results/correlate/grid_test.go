package correlate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"volley/results/correlate"
)

// names of a server with a few series of its own.
func names(t *testing.T) correlate.Names {
	t.Helper()
	n, err := correlate.Names{}.With(map[string]string{
		"batches": "n_total", "batch_time": "time", "batches_in_flight": "busy", "requests": "http_total", "cpu": "cpu_total",
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// calls is a client interval of n batches of 10 entries.
func calls(from, to float64, n uint64) correlate.Client {
	return correlate.Client{Start: seconds(from), End: seconds(to), Calls: n, Batches: n, Entries: 10 * n, BatchEntries: 10 * n, Items: 10 * n,
		Timed: n, Response: .3 * float64(n), Service: .2 * float64(n)}
}

func counted(at, n float64) correlate.Scrape {
	return correlate.Scrape{At: seconds(at), Series: map[string]float64{"n_total": n}}
}

func failed(at float64) correlate.Scrape { return correlate.Scrape{At: seconds(at)} }

// told renders Intervals: the client's bounds and calls, the node's bounds and count.
func told(g *correlate.Grid) string {
	var lines []string
	for _, i := range g.Intervals() {
		line := fmt.Sprintf("%v-%v %d | %v-%v %v", i.Client.Start.Seconds(), i.Client.End.Seconds(), i.Client.Calls,
			i.Node.Start.Seconds(), i.Node.End.Seconds(), i.Node.Counters[correlate.Batches])
		if i.Node.Failed > 0 {
			line += fmt.Sprintf(" failed %d", i.Node.Failed)
		}
		if i.Node.Reset {
			line += " reset"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestGrid(t *testing.T) {
	for _, tt := range []struct {
		why     string
		clients []correlate.Client
		scrapes []correlate.Scrape
		want    string
	}{
		{
			why:     "one scrape for each interval, a little late",
			clients: []correlate.Client{calls(0, 1, 5), calls(1, 2, 7)},
			scrapes: []correlate.Scrape{counted(-.01, 100), counted(1.002, 105), counted(2.3, 112)},
			want:    "0-1 5 | -0.01-1.002 5\n1-2 7 | 1.002-2.3 7",
		},
		{
			why:     "rarer scrapes add intervals up",
			clients: []correlate.Client{calls(0, 1, 1), calls(1, 2, 2), calls(2, 3, 3), calls(3, 4, 4)},
			scrapes: []correlate.Scrape{counted(0, 0), counted(2, 3), counted(4, 10)},
			want:    "0-2 3 | 0-2 3\n2-4 7 | 2-4 7",
		},
		{
			why:     "scrapes more frequent are added up",
			clients: []correlate.Client{calls(0, 1, 1), calls(1, 2, 2)},
			scrapes: []correlate.Scrape{counted(0, 0), counted(.4, 1), counted(.8, 1), counted(1.2, 1), counted(1.6, 2), counted(2, 3)},
			want:    "0-1 1 | 0-0.8 1\n1-2 2 | 0.8-2 2",
		},
		{
			why:     "a failed scrape is a gap: the interval goes on",
			clients: []correlate.Client{calls(0, 1, 5), calls(1, 2, 7), calls(2, 3, 1)},
			scrapes: []correlate.Scrape{counted(0, 0), failed(1), counted(2, 12), counted(3, 13)},
			want:    "0-2 12 | 0-2 12 failed 1\n2-3 1 | 2-3 1",
		},
		{
			why:     "before the first good scrape nothing is known",
			clients: []correlate.Client{calls(0, 1, 5), calls(1, 2, 7), calls(2, 3, 1)},
			scrapes: []correlate.Scrape{failed(-.1), failed(1), counted(2, 12), counted(3, 13)},
			want:    "2-3 1 | 2-3 1",
		},
		{
			why:     "after a reset counts what came since",
			clients: []correlate.Client{calls(0, 1, 5), calls(1, 2, 7), calls(2, 3, 1)},
			scrapes: []correlate.Scrape{counted(0, 50), counted(1, 55), counted(2, 4), counted(3, 5)},
			want:    "0-1 5 | 0-1 5\n1-2 7 | 1-2 4 reset\n2-3 1 | 2-3 1",
		},
		{
			why:     "nothing after the last scrape, and a slow one does",
			clients: []correlate.Client{calls(0, 1, 5), calls(1, 2, 7)},
			scrapes: []correlate.Scrape{counted(0, 0), counted(1.4, 6)},
			want:    "0-1 5 | 0-1.4 6",
		},
		{
			why:     "the scrapes around the load bound it wherever they are",
			clients: []correlate.Client{calls(0, 1, 5), drained(calls(1, 1.2, 1))},
			scrapes: []correlate.Scrape{counted(-15, 0), counted(16, 6)},
			want:    "0-1.2 6 | -15-16 6",
		},
	} {
		// In whichever order the two sides come, the outcome is the same.
		orders := map[string]func(g *correlate.Grid){
			"clients first": func(g *correlate.Grid) {
				for _, c := range tt.clients {
					g.Client(c)
				}
				for _, s := range tt.scrapes {
					g.Scrape(s)
				}
			},
			"scrapes first": func(g *correlate.Grid) {
				for _, s := range tt.scrapes {
					g.Scrape(s)
				}
				for _, c := range tt.clients {
					g.Client(c)
				}
			},
			"in time": func(g *correlate.Grid) {
				rest := tt.scrapes
				for _, c := range tt.clients {
					for ; len(rest) > 0 && rest[0].At <= c.End; rest = rest[1:] {
						g.Scrape(rest[0])
					}
					g.Client(c)
				}
				for _, s := range rest {
					g.Scrape(s)
				}
			},
		}
		for order, feed := range orders {
			g := correlate.NewGrid(names(t))
			feed(g)
			if got := told(g); got != tt.want {
				t.Errorf("%s, %s:\n%s\nwant\n%s", tt.why, order, got, tt.want)
			}
		}
	}
}

func drained(c correlate.Client) correlate.Client {
	c.Drained = true
	return c
}

// A day of seconds is held in bounded room, loses no count, and keeps the end fine.
func TestGridOfADay(t *testing.T) {
	g := correlate.NewGrid(names(t))
	g.Scrape(counted(0, 0))
	const day = 86400
	for k := range day {
		c := calls(float64(k), float64(k+1), 2)
		c.Times = correlate.Bars{{Value: uint32(k), Count: 1}, {Value: uint32(k + 1), Count: 1}}
		g.Client(c)
		g.Scrape(counted(float64(k+1), float64(3*(k+1))))
	}
	all := g.Intervals()
	if len(all) > 1024 {
		t.Fatalf("%d intervals", len(all))
	}
	var client uint64
	node, values := 0.0, uint64(0)
	for k, i := range all {
		client += i.Client.Calls
		node += i.Node.Counters[correlate.Batches]
		_, n := i.Client.Times.Quantile(.99)
		values += n
		if k > 0 && (i.Client.Start != all[k-1].Client.End || i.Node.Start != all[k-1].Node.End) {
			t.Fatalf("interval %d does not follow", k)
		}
	}
	total := g.Total()
	if client != 2*day || node != 3*day || values != 2*day || total.Client.Calls != client || total.Node.Counters[correlate.Batches] != node {
		t.Errorf("%d calls, %v batches, %d values; in total %d and %v", client, node, values, total.Client.Calls, total.Node.Counters[correlate.Batches])
	}
	if last := all[len(all)-1]; last.Client.End != day*time.Second || last.ClientSeconds() != 1 {
		t.Errorf("the last: %v to %v", last.Client.Start, last.Client.End)
	}
}

// Labels are summed, a series that comes with its first event began at 0, and one that
// goes is a reset.
func TestCountersOverLabels(t *testing.T) {
	g := correlate.NewGrid(names(t))
	g.Client(calls(0, 1, 0))
	g.Client(calls(1, 2, 0))
	g.Scrape(correlate.Scrape{At: 0, Series: map[string]float64{`n_total{o="a"}`: 5, `n_total{o="c"}`: 0}})
	g.Scrape(correlate.Scrape{At: time.Second, Series: map[string]float64{`n_total{o="a"}`: 6, `n_total{o="b"}`: 3}})
	g.Scrape(correlate.Scrape{At: 2 * time.Second, Series: map[string]float64{`n_total{o="b"}`: 4}})
	if got, want := told(g), "0-1 0 | 0-1 4\n1-2 0 | 1-2 1 reset"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// histogram makes a scrape with buckets le=1, le=2, and all.
func buckets(at float64, labels string, one, two, all, sum float64) correlate.Scrape {
	return correlate.Scrape{At: seconds(at), Series: map[string]float64{
		`time_bucket{` + labels + `le="1"}`: one, `time_bucket{` + labels + `le="2"}`: two, `time_bucket{` + labels + `le="+Inf"}`: all,
		"time_sum": sum, "time_count": all,
	}}
}

func TestQuantileBounds(t *testing.T) {
	g := correlate.NewGrid(names(t))
	g.Client(calls(0, 1, 100))
	g.Scrape(buckets(0, "", 10, 20, 30, 40))
	g.Scrape(buckets(1, "", 10+50, 20+90, 30+100, 40+120))
	h := g.Total().Node.Histograms[correlate.BatchTime]
	if m, ok := h.Mean(); !ok || m != 1.2 || h.Count != 100 {
		t.Errorf("mean %v of %v", m, h.Count)
	}
	for q, want := range map[float64]correlate.Bounds{
		.01: {0, 1}, .5: {0, 1}, .51: {1, 2}, .9: {1, 2}, .91: {2, math.Inf(1)}, .999: {2, math.Inf(1)}, 1: {2, math.Inf(1)},
	} {
		if got, ok := h.Quantile(q); !ok || got != want {
			t.Errorf("p%v: %v, want %v", 100*q, got, want)
		}
	}
	if _, ok := h.AtMost(); ok {
		t.Error("a value over the last bound has no bound")
	}
	if _, ok := (&correlate.Histogram{}).Quantile(.5); ok {
		t.Error("a quantile of nothing")
	}
}

// Series with other bounds cannot be added up there.
func TestBucketsWithOtherBounds(t *testing.T) {
	g := correlate.NewGrid(names(t))
	g.Client(calls(0, 1, 0))
	first := map[string]float64{"time_sum{m=\"a\"}": 0, "time_count{m=\"a\"}": 0}
	g.Scrape(correlate.Scrape{At: 0, Series: first})
	g.Scrape(correlate.Scrape{At: time.Second, Series: map[string]float64{
		`time_bucket{m="a",le="1"}`: 4, `time_bucket{m="a",le="+Inf"}`: 5,
		`time_bucket{m="b",le="0.5"}`: 2, `time_bucket{m="b",le="1.0"}`: 3, `time_bucket{m="b",le="+Inf"}`: 5,
		`time_sum{m="a"}`: 3, `time_sum{m="b"}`: 4, `time_count{m="a"}`: 5, `time_count{m="b"}`: 5,
	}})
	h := g.Total().Node.Histograms[correlate.BatchTime]
	if len(h.Buckets) != 1 || h.Buckets[0] != (correlate.Bucket{Le: 1, Count: 7}) || h.Count != 10 || h.Sum != 7 {
		t.Errorf("%+v", h)
	}
}

func TestSurplusIsOtherTraffic(t *testing.T) {
	g := correlate.NewGrid(names(t))
	g.Scrape(correlate.Scrape{At: 0, Series: map[string]float64{"n_total": 0, "http_total": 0, "time_sum": 0, "time_count": 0, "cpu_total": 0}})
	c := calls(0, 1, 100)
	c.InFlight = 4
	g.Client(c)
	// Four more may be those in flight; forty are not ours.
	g.Scrape(correlate.Scrape{At: time.Second, Series: map[string]float64{"n_total": 104, "http_total": 140, "time_sum": 14, "time_count": 140, "cpu_total": 1.4}})
	r := g.Report(correlate.Options{Names: names(t)})
	if len(r.Surplus) != 1 || r.Surplus[0].What != "HTTP requests" || r.Surplus[0].More() != 40 || r.Surplus[0].Edges != 4 {
		t.Errorf("%+v", r.Surplus)
	}
	if !r.Split.Shared || !strings.Contains(r.Split.Note, "over 140 batches, of which 40 are other traffic") {
		t.Errorf("the split: %q", r.Split.Note)
	}
	if r.Little.Verdict != correlate.Differs || !strings.Contains(strings.Join(r.Little.Suspects, " "), "other traffic") {
		t.Errorf("Little: %+v", r.Little)
	}
	if got := *r.Usage.PerCall; math.Abs(got-.01) > 1e-12 {
		t.Errorf("CPU for each call %v, want that over all clients' calls", got)
	}
}

func TestReportOfNothing(t *testing.T) {
	for why, g := range map[string]*correlate.Grid{"nothing": correlate.NewGrid(nil), "no scrape": noScrape(t)} {
		r := g.Report(correlate.Options{})
		if r.Split != nil || r.Little != nil || r.Occupancy != nil || r.Usage != nil || len(r.Notes) == 0 {
			t.Errorf("%s: %+v", why, r)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	}
}

func noScrape(t *testing.T) *correlate.Grid {
	g := correlate.NewGrid(names(t))
	for k := range 2000 {
		g.Client(calls(float64(k), float64(k+1), 1))
	}
	return g
}

// CPU is divided by what the node saw: after a reset, or where it did not get all of
// the client's calls, that is not what the client sent.
func TestUsageOfWhatTheNodeSaw(t *testing.T) {
	usage := func(before, after float64, cpu float64) *correlate.Usage {
		g := correlate.NewGrid(names(t))
		g.Scrape(correlate.Scrape{At: 0, Series: map[string]float64{"http_total": before, "cpu_total": 0}})
		g.Client(calls(0, 1, 100))
		g.Scrape(correlate.Scrape{At: time.Second, Series: map[string]float64{"http_total": after, "cpu_total": cpu}})
		total := g.Total()
		u, why := total.Usage(names(t))
		if u == nil {
			t.Fatal(why)
		}
		return u
	}
	if u := usage(0, 100, 1); *u.PerCall != .01 || *u.PerEntry != .001 || *u.PerItem != .001 {
		t.Errorf("of ours alone: %v %v %v", *u.PerCall, *u.PerEntry, *u.PerItem)
	}
	for why, u := range map[string]*correlate.Usage{"reset": usage(500, 50, 1), "refused": usage(0, 50, 1)} {
		if *u.PerCall != .02 || u.PerItem != nil {
			t.Errorf("%s: %v for each call, want 1/50", why, *u.PerCall)
		}
	}
	if u := usage(0, 100, .05); u.PerCall != nil || u.Note == "" {
		t.Error("five ticks of a clock were divided")
	}
}
