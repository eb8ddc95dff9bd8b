package correlate_test

import (
	"fmt"
	"strings"
	"testing"

	"volley/results/correlate"
)

// slots makes an Interval of n batches of that size whose gauges were seen so, and
// whose batches took each of the seconds and their entries the others, in all.
func slots(n, size uint64, samples int, entries float64, batchSum, methodSum, largest float64) correlate.Interval {
	i := correlate.Interval{Client: correlate.Client{Calls: n, Batches: n, BatchEntries: n * size}}
	i.Node.Gauges = map[correlate.Role]correlate.Gauge{correlate.EntriesInFlight: {N: samples}}
	s := float64(samples)
	// All found two batches.
	i.Node.Slots = correlate.Slots{N: samples, Batches: 2 * s, Entries: 2 * entries * s, BatchesSquared: 4 * s, BatchesEntries: 4 * entries * s, EntriesSquared: 4 * entries * entries * s}
	i.Node.Counters = map[correlate.Role]float64{correlate.Singles: 0}
	i.Node.Histograms = map[correlate.Role]correlate.Histogram{
		correlate.BatchTime: {Count: float64(n), Sum: batchSum},
		correlate.BatchSize: {Count: float64(n), Sum: float64(n * size), Buckets: []correlate.Bucket{{Le: largest, Count: float64(n)}}},
	}
	if methodSum > 0 {
		i.Node.Histograms[correlate.MethodTime] = correlate.Histogram{Count: float64(n * size), Sum: methodSum}
	}
	return i
}

func TestOccupancy(t *testing.T) {
	for _, tt := range []struct {
		why            string
		of             correlate.Interval
		limit, largest int
		verdict        correlate.Verdict
		value          float64
		reason         string
	}{
		{"20 entries of 30 ms in 4 slots: 150 ms a batch", slots(100, 20, 50, 4, 15, 60, 20), 4, 20, correlate.Binds, 4, "hold 4 slots on average, where the limit of 4 leaves about 4"},
		{"without the sums the gauges tell", slots(100, 20, 50, 3.9, 15, 0, 20), 4, 20, correlate.Binds, 3.9, "hold 3.9 slots"},
		{"too few of them", slots(100, 20, 9, 3.9, 15, 0, 20), 4, 20, correlate.NotEnough, 0, "9 scrapes found a batch in flight (10 needed)"},
		{"no batch is over the limit", slots(100, 20, 50, 20, 3, 60, 20), 64, 20, correlate.BindsNot, 20, "no batch has more than 20 entries, and the limit is 64"},
		{"which needs no sample", slots(100, 20, 0, 0, 0, 0, 20), 64, 20, correlate.BindsNot, 0, "no batch has more than 20"},
		{"the node's buckets are wide, but all batches are ours", slots(100, 60, 50, 60, 3, 180, 100), 64, 60, correlate.BindsNot, 60, "no batch has more than 60"},
		{"16 slots take 20 entries in two rounds: 10 on average", slots(100, 20, 50, 10, 6, 60, 20), 16, 20, correlate.Binds, 10, "hold 10 slots on average, where the limit of 16 leaves about 10"},
		{"slots stand idle", slots(100, 20, 50, 1.2, 15, 18, 20), 4, 20, correlate.BindsNot, 1.2, "hold only 1.2 slots"},
		{"just over four fifths of what the limit leaves", slots(100, 20, 50, 3.3, 15, 49.5, 20), 4, 20, correlate.Binds, 3.3, "hold 3.3 slots on average, where the limit of 4 leaves about 4"},
		{"just under them", slots(100, 20, 50, 3.1, 15, 46.5, 20), 4, 20, correlate.BindsNot, 3.1, "hold only 3.1 slots"},
		{"the limit is not known", slots(100, 20, 50, 4, 15, 60, 20), 0, 20, correlate.Unknown, 4, "hold 4 slots on average, but the limit on them is not told"},
		{"a mean under the limit, and no word of the largest", slots(100, 10, 50, 8, 15, 120, 0), 16, 0, correlate.Unknown, 8, "how large they get is not known"},
	} {
		if tt.largest == 0 {
			delete(tt.of.Node.Histograms, correlate.BatchSize)
		}
		o, why := tt.of.Occupancy(tt.limit, tt.largest)
		if why != "" {
			t.Errorf("%s: %s", tt.why, why)
			continue
		}
		v, _ := o.Value()
		if o.Verdict != tt.verdict || fmt.Sprintf("%.6g", v) != fmt.Sprint(tt.value) || !strings.Contains(o.Reason, tt.reason) {
			t.Errorf("%s: %s, %v: %s\nwant %s, %v: %s", tt.why, o.Verdict, v, o.Reason, tt.verdict, tt.value, tt.reason)
		}
	}
}

// Batches of 1, 10 and 50, as many of each, take 1, 1 and 4 rounds of 16 slots: 61/6
// slots, where without the limit they would hold 61/3.
func TestOccupancyOfMixedSizes(t *testing.T) {
	sizes := func(i correlate.Interval, one, ten, fifty float64) correlate.Interval {
		i.Node.Histograms[correlate.BatchSize] = correlate.Histogram{Count: one + ten + fifty, Sum: one + 10*ten + 50*fifty,
			Buckets: []correlate.Bucket{{Le: 1, Count: one}, {Le: 10, Count: one + ten}, {Le: 50, Count: one + ten + fifty}, {Le: 100, Count: one + ten + fifty}}}
		i.Client.BatchEntries = uint64(one + 10*ten + 50*fifty)
		return i
	}
	even := sizes(slots(300, 20, 50, 9, 100, 900, 50), 100, 100, 100)
	if o, _ := even.Occupancy(16, 50); o.Verdict != correlate.Binds || !strings.Contains(o.Reason, "hold 9 slots on average, where the limit of 16 leaves about 10.2") {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
	idle := sizes(slots(300, 20, 50, 3, 100, 300, 50), 100, 100, 100)
	if o, _ := idle.Occupancy(16, 50); o.Verdict != correlate.BindsNot || !strings.Contains(o.Reason, "only 3 slots") {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
	few := sizes(slots(1000, 20, 50, 9, 100, 900, 50), 0, 997, 3)
	if o, _ := few.Occupancy(16, 50); o.Verdict != correlate.BindsNot || !strings.Contains(o.Reason, "few are over the limit") {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
}

// A limit that costs batches less than a tenth of their slots hardly tells, one that
// costs them more does.
func TestOccupancyOfALimitThatHardlyTells(t *testing.T) {
	sizes := func(small, large float64) correlate.Interval {
		i := slots(uint64(small+large), 10, 50, 9, 100, 900, 20)
		i.Node.Histograms[correlate.BatchSize] = correlate.Histogram{Count: small + large, Sum: 10*small + 20*large,
			Buckets: []correlate.Bucket{{Le: 10, Count: small}, {Le: 20, Count: small + large}}}
		i.Client.BatchEntries = uint64(10*small + 20*large)
		return i
	}
	// Batches of 20 take two rounds of 16: the mean of rounds is 1.08, or 1.2.
	few, more := sizes(920, 80), sizes(800, 200)
	if o, _ := few.Occupancy(16, 20); o.Verdict != correlate.BindsNot || !strings.Contains(o.Reason, "few are over the limit") {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
	if o, _ := more.Occupancy(16, 20); o.Verdict != correlate.Binds {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
}

// Single calls are in the methods' time, so that with them the sums tell nothing.
func TestOccupancyWithSingles(t *testing.T) {
	i := slots(100, 20, 50, 4, 15, 60, 20)
	i.Node.Counters[correlate.Singles] = 3
	if o, _ := i.Occupancy(4, 20); o.Sums != nil || o.Gauges == nil {
		t.Errorf("%+v", o)
	}
	// A node that does not count them apart counts all calls of methods.
	i.Node.Counters = map[correlate.Role]float64{correlate.MethodCalls: 2003, correlate.Entries: 2000}
	if o, _ := i.Occupancy(4, 20); o.Sums != nil {
		t.Errorf("%+v", o)
	}
	i.Node.Counters[correlate.MethodCalls] = 2000
	if o, _ := i.Occupancy(4, 20); o.Sums == nil {
		t.Errorf("%+v", o)
	}
}

// 100 batches took 400 ms each from when they were due, 250 ms from when they were sent,
// and 150 ms in the node.
func TestSplit(t *testing.T) {
	i := slots(100, 20, 50, 4, 15, 60, 20)
	i.Client.Timed, i.Client.Response, i.Client.Service = 100, 40, 25
	s, why := i.Split(correlate.Preset("near"))
	if why != "" || s.Shared || s.Note != "" {
		t.Fatalf("%+v %s", s, why)
	}
	got := fmt.Sprintf("%.6g = %.6g + %.6g + %.6g", s.Response, s.Lateness, s.Network, s.Node)
	if want := "0.4 = 0.15 + 0.1 + 0.15"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSplitOfWhatIsNotMeasured(t *testing.T) {
	mixed := slots(100, 20, 50, 4, 15, 60, 20)
	mixed.Client.Timed, mixed.Client.Calls = 120, 120
	singles := correlate.Interval{Client: correlate.Client{Calls: 10, Timed: 10, Response: .4, Service: .3}}
	singles.Node.Histograms = map[correlate.Role]correlate.Histogram{correlate.MethodTime: {Count: 10, Sum: .2}}
	for _, tt := range []struct {
		of        correlate.Interval
		why, node string
	}{
		{mixed, "batches and single calls are mixed", ""},
		{correlate.Interval{}, "no call has a response time", ""},
		{singles, "", "0.02"}, // those of methods cover single calls
	} {
		s, why := tt.of.Split(correlate.Preset("near"))
		if !strings.Contains(why, tt.why) || (why == "") != (tt.why == "") {
			t.Errorf("%q, want %q", why, tt.why)
		}
		if s != nil && fmt.Sprint(s.Node) != tt.node {
			t.Errorf("node %v, want %s", s.Node, tt.node)
		}
	}
}
