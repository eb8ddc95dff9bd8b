package correlate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"volley/results/correlate"
)

// queue is a node that takes batches one after another, and the client that sends
// them: what both would have counted.
type queue struct {
	arrived, done []float64 // seconds, ascending
	cpuEach       float64
	outside       float64 // seconds that each batch spends beside the node
	size          int
}

// mm1 simulates Poisson arrivals and exponential service at one server.
func mm1(seed uint64, arrivals, services, until float64) queue {
	r := rand.New(rand.NewPCG(seed, 1))
	q := queue{size: 20, cpuEach: 0.01, outside: 0.001}
	free := 0.0
	for t := r.ExpFloat64() / arrivals; t < until; t += r.ExpFloat64() / arrivals {
		free = max(free, t) + r.ExpFloat64()/services
		q.arrived, q.done = append(q.arrived, t), append(q.done, free)
	}
	return q
}

// scrape is what the node exposes at an instant.
func (q *queue) scrape(at float64) correlate.Scrape {
	n, _ := slices.BinarySearch(q.done, at)
	arrived, _ := slices.BinarySearch(q.arrived, at)
	sum, upTo := 0.0, 0
	for i := range n {
		sum += q.done[i] - q.arrived[i]
		if q.done[i]-q.arrived[i] <= 0.1 {
			upTo++
		}
	}
	return correlate.Scrape{At: seconds(at), Series: map[string]float64{
		`near_rpc_batch_requests_total{outcome="ok"}`:       float64(n),
		`near_rpc_batch_entries_total{outcome="ok"}`:        float64(n * q.size),
		`near_rpc_batch_processing_time_bucket{le="0.1"}`:   float64(upTo),
		`near_rpc_batch_processing_time_bucket{le="+Inf"}`:  float64(n),
		`near_rpc_batch_processing_time_sum`:                sum,
		`near_rpc_batch_processing_time_count`:              float64(n),
		`near_rpc_batch_requests_in_flight`:                 float64(arrived - n),
		`process_cpu_seconds_total`:                         float64(n) * q.cpuEach,
		`something_that_never_changes_total`:                7,
		`process_resident_memory_bytes`:                     1e6 + float64(n%7),
		`near_rpc_processing_time_sum{method="view"}`:       2 * sum, // two entries at a time
		`near_rpc_processing_time_count{method="view"}`:     float64(n * q.size),
		`volley_single_requests_total{outcome="ok"}`:        0,
		`near_rpc_batch_request_entries_bucket{le="20"}`:    float64(n),
		`near_rpc_batch_request_entries_bucket{le="+Inf"}`:  float64(n),
		`near_rpc_batch_request_entries_sum`:                float64(n * q.size),
		`near_rpc_batch_request_entries_count`:              float64(n),
		`near_rpc_batch_query_entries_in_flight`:            float64(2 * (arrived - n)),
		`near_rpc_batch_requests_total{outcome="disabled"}`: 0,
	}}
}

// client is what the client counts over (from, to], of the calls done in it.
func (q *queue) client(from, to float64) correlate.Client {
	c := correlate.Client{Start: seconds(from), End: seconds(to)}
	var times []float64
	for i, done := range q.done {
		if done += q.outside; done <= from || done > to {
			if q.arrived[i] <= to && done > to {
				c.InFlight++
			}
			continue
		}
		c.Calls++
		c.Response += done - q.arrived[i]
		times = append(times, done-q.arrived[i])
	}
	c.Batches, c.Timed, c.Service = c.Calls, c.Calls, c.Response
	c.BatchEntries = c.Calls * uint64(q.size)
	c.Entries, c.Items = c.BatchEntries, c.BatchEntries
	slices.Sort(times)
	for _, t := range times {
		c.Times = append(c.Times, correlate.Bar{Value: uint32(t * 1e6), Count: 1})
	}
	return c
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// run feeds both sides, a second at a time, and the scrape after the drain.
func (q *queue) run(g *correlate.Grid, until int, every float64) {
	at := every
	g.Scrape(q.scrape(-0.01))
	for k := range until {
		g.Client(q.client(float64(k), float64(k+1)))
		for ; at <= float64(k+1); at += every {
			g.Scrape(q.scrape(at + 0.002))
		}
	}
	end := max(q.done[len(q.done)-1]+q.outside, float64(until))
	last := q.client(float64(until), end)
	last.Drained = true
	g.Client(last)
	g.Scrape(q.scrape(end + 0.05))
}

// In a simulated M/M/1 queue Little's law holds in all four ways, exactly but for the
// gauge, which is within the two standard errors that it claims.
func TestLittleInAnMM1Queue(t *testing.T) {
	for seed := range uint64(5) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			q := mm1(seed, 20, 40, 300)
			g := correlate.NewGrid(correlate.Preset("near"))
			q.run(g, 300, 1)
			r := g.Report(correlate.Options{Names: correlate.Preset("near")})
			if r.Little == nil || r.Little.Verdict != correlate.Agrees {
				t.Fatalf("%+v %v", r.Little, r.Notes)
			}
			area := 0.0
			for i := range q.done {
				area += q.done[i] - q.arrived[i]
			}
			near(t, "rate of the sum", r.Little.RateOfSum, area/(r.ToS-r.FromS), 1e-6)
			near(t, "X times the node's mean", r.Little.XNode, r.Little.RateOfSum, 1e-6)
			near(t, "outside", r.Little.Outside, float64(len(q.done))*q.outside/(r.ToS-r.FromS), 1e-6)
			if off := math.Abs(*r.Little.Gauge - r.Little.RateOfSum); off > 3**r.Little.GaugeSE {
				t.Errorf("the gauge is %v off, its standard error %v", off, *r.Little.GaugeSE)
			}
			near(t, "network", r.Split.Network, q.outside, 1e-6)
			near(t, "sum of the split", r.Split.Lateness+r.Split.Network+r.Split.Node, r.Split.Response, 1e-9)
			near(t, "CPU for each entry", *r.Usage.PerEntry, q.cpuEach/20, 1e-9)
			near(t, "slots", *r.Occupancy.Sums, 2, 1e-9)
			if len(r.Surplus) > 0 {
				t.Errorf("surplus %+v", r.Surplus)
			}
		})
	}
}

// The node's mean time is what moves the tail of a queue's client, and it is found;
// what never changes is not tried.
func TestMoversInAQueue(t *testing.T) {
	q := mm1(3, 25, 40, 200)
	g := correlate.NewGrid(correlate.Preset("near"))
	q.run(g, 200, 1)
	m := g.Movers()
	if len(m.Top) == 0 {
		t.Fatalf("none: %+v", m)
	}
	for _, top := range m.Top {
		if top.Series == "something_that_never_changes_total" {
			t.Error("a constant moves")
		}
		if top.Low <= 0 && top.High >= 0 {
			t.Errorf("%+v: its interval holds 0", top)
		}
	}
	// The methods' time is twice that of the batches throughout: one stands for both.
	if top := m.Top[0]; top.What != "mean" || top.Rho < 0.5 || top.Lag != 0 || top.Same != 0 && top.Same != 1 {
		t.Errorf("on top is %+v", top)
	}
}

// Independent noise moves with nothing, but for the 5 in 100 that are asked for.
func TestMoversOfNoise(t *testing.T) {
	named := 0
	const runs = 60
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 7))
		g := correlate.NewGrid(correlate.Preset("near"))
		g.Scrape(noise(r, 0))
		for k := range 40 {
			c := correlate.Client{Start: seconds(float64(k)), End: seconds(float64(k + 1)), Calls: 30, Timed: 30}
			c.Times = correlate.Bars{{Value: uint32(1000 + r.IntN(1000)), Count: 30}}
			g.Client(c)
			g.Scrape(noise(r, k+1))
		}
		m := g.Movers()
		if m.Series != 10 || m.Tests != 40 || m.Intervals != 40 {
			t.Fatalf("%+v", m)
		}
		if len(m.Top) > 0 {
			named++
		}
	}
	if named > runs/6 { // 3 are expected; 10 of 60 at 5% have a chance of 1 in 2,000
		t.Errorf("a series was named in %d of %d runs of noise", named, runs)
	}
}

func noise(r *rand.Rand, k int) correlate.Scrape {
	s := correlate.Scrape{At: seconds(float64(k)), Series: map[string]float64{}}
	for i := range 10 {
		s.Series[fmt.Sprintf("gauge_%d", i)] = r.Float64()
	}
	return s
}

func TestMoversAreSilentBelowTheLeast(t *testing.T) {
	q := mm1(3, 30, 40, 15)
	g := correlate.NewGrid(correlate.Preset("near"))
	q.run(g, 15, 1)
	if m := g.Movers(); m.Silent == "" || len(m.Top) > 0 || m.Tests > 0 {
		t.Errorf("%+v", m)
	}
}

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > relative*math.Abs(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
