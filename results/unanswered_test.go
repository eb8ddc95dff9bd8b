package results_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"volley/results"
)

func TestAnswered(t *testing.T) {
	by := func(pairs ...int) (n [results.NumClasses]int) {
		for i := 0; i < len(pairs); i += 2 {
			n[pairs[i]] = pairs[i+1]
		}
		return n
	}
	const (
		ok, rpcError, missing      = int(results.OK), int(results.RPCError), int(results.Missing)
		notified, malformed, dupes = int(results.Notified), int(results.MalformedResponse), int(results.Duplicate)
	)
	for _, tt := range []struct {
		why   string
		class results.Class
		by    [results.NumClasses]int
		want  bool
	}{
		{"a result", results.OK, by(ok, 1), true},
		{"an error is an answer", results.RPCError, by(rpcError, 1), true},
		{"an error in the result too", results.ResultError, by(int(results.ResultError), 1), true},
		{"one error for the batch", results.BatchError, by(int(results.BatchError), 20), true},
		{"malformed, and told so", results.Rejected, by(int(results.Rejected), 1), true},
		{"notifications only", results.Notified, by(notified, 3), true},
		{"an answer to an id that was not sent, besides the others", results.UnknownID, by(ok, 2), true},
		{"answered twice", results.Duplicate, by(dupes, 1), true},
		{"one of twenty is missing", results.Missing, by(ok, 19, missing, 1), true},
		{"all are missing", results.Missing, by(missing, 20), false},
		{"all that ask for an answer miss it", results.Missing, by(missing, 19, notified, 1), false},
		{"no JSON-RPC at all", results.MalformedResponse, by(malformed, 20), false},
		{"answers with junk among them", results.MalformedResponse, by(ok, 20), true},
		{"an HTTP error", results.HTTPError, by(int(results.HTTPError), 1), false},
		{"refused", results.Refused, by(int(results.Refused), 1), false},
		{"reset", results.Reset, by(int(results.Reset), 1), false},
		{"timed out", results.Timeout, by(int(results.Timeout), 1), false},
		{"cut off", results.CutOff, by(int(results.CutOff), 1), false},
	} {
		o := results.Outcome{Class: tt.class, ByClass: tt.by, Sent: time.Millisecond, Done: 3 * time.Millisecond}
		for _, n := range tt.by {
			o.Entries += n
		}
		if got := o.Answered(); got != tt.want {
			t.Errorf("%s: answered %v", tt.why, got)
		}
		var c results.Counts
		c.AddOutcome(&o)
		if counted := c.Unanswered == 1; counted == tt.want {
			t.Errorf("%s: %d unanswered", tt.why, c.Unanswered)
		}
		l := results.NewLatency()
		l.Record(&o)
		timed := tt.want || tt.class == results.Timeout || tt.class == results.CutOff
		if has := l.Response.TotalCount() == 1; has != timed || l.Service.TotalCount() != l.Response.TotalCount() || l.Lateness.TotalCount() != 1 {
			t.Errorf("%s: %d response, %d service, %d lateness values", tt.why, l.Response.TotalCount(), l.Service.TotalCount(), l.Lateness.TotalCount())
		}
	}
}

// end adds a call with one entry of that class.
func end(s *results.Snapshot, class results.Class, took time.Duration) {
	o := results.Outcome{Class: class, Done: took, Entries: 1, Items: 3}
	o.ByClass[class] = 1
	add(s, &o)
}

func summed(s *results.Snapshot) *results.Aggregate {
	var a results.Aggregate
	a.Add(s)
	return &a
}

func objective(stat string, limit float64) results.Objective {
	return results.Objective{Text: "response " + stat, Metric: "response", Stat: stat, Op: "<=", Limit: limit}
}

// A node that dies and refuses within microseconds must not look fast.
func TestDeadNodeIsNotFast(t *testing.T) {
	seen := &results.Snapshot{End: time.Second}
	for range 800 {
		end(seen, results.OK, 4*time.Millisecond)
	}
	for range 9200 {
		end(seen, results.Refused, 200*time.Microsecond)
	}
	m := results.Meta{Phases: []results.PhaseMeta{steady("p", 10_000, time.Second)}, Objectives: []results.Objective{
		objective("p50", 1e9), objective("p99", 1e9), objective("max", 1e9), objective("mean", 1e9), objective("p8", 5000), objective("p8", 3000),
		{Text: "lateness", Metric: "lateness", Stat: "max", Op: "<=", Limit: 0},
	}}
	s := results.Summarise(m, summed(seen), results.End{Finished: begin})
	if d := s.Measured.Response; d.N != 800 || d.P50 < 3990 || s.Measured.Unanswered != 9200 || s.Measured.Lateness.N != 10_000 {
		t.Errorf("%+v, %d unanswered", d, s.Measured.Unanswered)
	}
	for i, met := range []bool{false, false, false, false, true, false, true} {
		o := s.Objectives[i]
		if o.Met != met || (o.Value == nil) != (i < 4) || o.N != 10_000 || i < 6 && o.Unanswered != 9200 {
			t.Errorf("%s: %+v", o.Text, o)
		}
	}
	for _, want := range []string{
		"92.0% of entries FAILED: 9,200 of 10,000 calls failed, 9,200 of them with refused",
		`objective "response p99" is missed: 9,200 of 10,000 calls (92.0%) had no answer, and each of them misses it`,
	} {
		if !slices.Contains(s.Warnings, want) {
			t.Errorf("no %q in %q", want, s.Warnings)
		}
	}
}

// The oracle sorts all calls, those without an answer last, and takes the least
// value that p% do not exceed.
func TestPercentilesOfObjectivesAreOverAllCalls(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	stats := map[string]float64{"p1": 1, "p50": 50, "p90": 90, "p99": 99, "p99.9": 99.9, "p100": 100}
	for range 100 {
		seen := &results.Snapshot{End: time.Second}
		var times []float64
		cutOff := 0
		answered, refused, timedOut := 1+r.IntN(100), r.IntN(3)*r.IntN(20), r.IntN(2)*r.IntN(5)
		if r.IntN(3) == 0 {
			cutOff = r.IntN(5)
		}
		for range answered {
			us := 1 + r.IntN(2000) // exact in the histogram
			end(seen, results.OK, time.Duration(us)*time.Microsecond)
			times = append(times, float64(us))
		}
		for range refused {
			end(seen, results.Refused, time.Microsecond)
		}
		for range timedOut {
			end(seen, results.Timeout, 10*time.Second)
		}
		for range cutOff {
			end(seen, results.CutOff, time.Duration(r.IntN(2000))*time.Microsecond)
		}
		slices.Sort(times)
		a := summed(seen)
		n := answered + refused + timedOut + cutOff
		for stat, p := range stats {
			place := 1
			for float64(place)*1000 < p*10*float64(n) { // p*10 is a whole number
				place++
			}
			m := results.Meta{Phases: []results.PhaseMeta{steady("p", 1, time.Second)}, Objectives: []results.Objective{objective(stat, 2000)}}
			got := results.Summarise(m, a, results.End{Finished: begin}).Objectives[0]
			switch {
			case place > answered:
				if got.Value != nil || got.Met {
					t.Fatalf("%s of %d calls, %d answered: %+v", stat, n, answered, got)
				}
			case got.Value == nil:
				t.Fatalf("%s of %d calls, %d answered: no value", stat, n, answered)
			case cutOff == 0 && *got.Value != times[place-1], *got.Value < times[place-1]:
				t.Fatalf("%s of %d calls, %d answered, %d cut off: %v, want %v", stat, n, answered, cutOff, *got.Value, times[place-1])
			}
		}
	}
}

func TestGoodItems(t *testing.T) {
	var c results.Counts
	batch := results.Outcome{Batch: true, Entries: 4, Items: 32, Class: results.RPCError}
	batch.ByClass[results.OK], batch.ByClass[results.Notified], batch.ByClass[results.RPCError] = 2, 1, 1
	array := results.Outcome{Entries: 1, Items: 50}
	array.ByClass[results.OK] = 1
	lost := results.Outcome{Entries: 1, Items: 7, Class: results.Reset}
	lost.ByClass[results.Reset] = 1
	for _, o := range []results.Outcome{batch, array, lost, {}} {
		c.AddOutcome(&o)
	}
	if c.GoodItems != 24+50 || c.Items != 89 {
		t.Errorf("%d of %d", c.GoodItems, c.Items)
	}
}

func TestFailures(t *testing.T) {
	type calls map[results.Class]int
	entries := results.Objective{Metric: "entry errors", Op: "<=", Limit: 0.03}
	for _, tt := range []struct {
		why          string
		warm, steady calls
		objectives   []results.Objective
		want         string
	}{
		{why: "nothing was sent"},
		{why: "1% failed", steady: calls{results.OK: 99, results.RPCError: 1}},
		{why: "2% failed", steady: calls{results.OK: 98, results.RPCError: 2}, want: "2.00% of entries FAILED"},
		{why: "2% failed, as the plan allows", steady: calls{results.OK: 98, results.RPCError: 2}, objectives: []results.Objective{entries}},
		{why: "4% failed, more than the plan allows", steady: calls{results.OK: 96, results.RPCError: 4}, objectives: []results.Objective{entries}, want: "4.00% of entries FAILED"},
		{why: "rejected as malformed is as it should be", steady: calls{results.Rejected: 10}},
		{why: "nothing came back", steady: calls{results.Refused: 10, results.Timeout: 3}, want: "NOTHING WAS ANSWERED"},
		{why: "errors are answers", steady: calls{results.RPCError: 10}, want: "100% of entries FAILED"},
		{why: "the node came up late", warm: calls{results.Refused: 50}, steady: calls{results.OK: 50}, want: "50.0% of entries FAILED"},
		{why: "the node died after the warm-up", warm: calls{results.OK: 50}, steady: calls{results.Refused: 50}, want: "NOTHING MEASURED WAS ANSWERED"},
		{why: "the node died later", warm: calls{results.OK: 50}, steady: calls{results.OK: 10, results.Refused: 40}, want: "80.0% of measured entries FAILED"},
	} {
		m := results.Meta{Phases: []results.PhaseMeta{steady("warm up", 1, time.Second), steady("p", 1, time.Second)}, Objectives: tt.objectives}
		m.Phases[0].Measured = false
		var a results.Aggregate
		for phase, all := range []calls{tt.warm, tt.steady} {
			s := results.Snapshot{End: time.Second}
			for class, n := range all {
				for range n {
					o := results.Outcome{Phase: phase, Class: class, Entries: 1}
					o.ByClass[class] = 1
					add(&s, &o)
				}
			}
			a.Add(&s)
		}
		s := results.Summarise(m, &a, results.End{Finished: begin})
		if got := s.Failures(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
		if tt.want != "" && !strings.HasPrefix(s.Warnings[0], tt.want+": ") {
			t.Errorf("%s: warnings %q", tt.why, s.Warnings)
		}
	}
}

// Calls of a few entries may all be lost among many that are not: by entries that
// is little, by calls much.
func TestFailuresOfSmallCalls(t *testing.T) {
	for _, tt := range []struct {
		class results.Class
		want  string
	}{
		{results.Reset, "2.00% of calls FAILED (reset)"},
		{results.RPCError, ""}, // of entries, and there are few of them
	} {
		s := results.Snapshot{End: time.Second}
		for i := range 100 {
			o := results.Outcome{Batch: true, Entries: 100}
			if i < 2 {
				o.Entries, o.Class = 1, tt.class
			}
			o.ByClass[o.Class] = o.Entries
			add(&s, &o)
		}
		var a results.Aggregate
		a.Add(&s)
		sum := results.Summarise(results.Meta{Phases: []results.PhaseMeta{steady("p", 1, time.Second)}}, &a, results.End{Finished: begin})
		if got := sum.Failures(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.class, got, tt.want)
		}
	}
}

// The quantiles of a table: the least value that the share does not exceed.
func TestDistributionRanks(t *testing.T) {
	for n := 1; n <= 110; n += 3 {
		var a results.Aggregate
		s := results.Snapshot{End: time.Second}
		for i := range n {
			o := results.Outcome{Done: time.Duration(i+1) * time.Microsecond, Entries: 1}
			o.ByClass[results.OK] = 1
			add(&s, &o)
		}
		a.Add(&s)
		d := results.Summarise(results.Meta{Phases: []results.PhaseMeta{steady("p", 1, time.Second)}}, &a, results.End{}).Phases[0].Response
		want := func(perMille int) int64 { return int64(math.Ceil(float64(perMille*n) / 1000)) }
		if d.P50 != want(500) || d.P90 != want(900) || d.P99 != want(990) || d.P999 != want(999) || d.Max != int64(n) {
			t.Errorf("of 1 to %d: %+v", n, d)
		}
	}
}
