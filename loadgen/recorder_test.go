package loadgen

import (
	"reflect"
	"sync"
	"testing"
	"time"

	"volley/results"
)

// However outcomes are spread over callers and snapshots, their sum is that of
// the outcomes.
func TestRecorderLosesNothing(t *testing.T) {
	const callers, each, phases = 16, 200, 3
	rec := newRecorder(phases)
	var all results.Aggregate
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := time.Duration(1); ; i++ {
			all.Add(rec.snapshot(i*time.Second, time.Time{}, 0))
			if closed(stop) {
				return
			}
		}
	}()
	outcome := func(caller, i int) *results.Outcome {
		at := time.Duration(caller*each+i) * time.Millisecond
		o := &results.Outcome{
			Phase: i % phases, Due: at, Sent: at + time.Microsecond, Done: at + 50*time.Microsecond,
			Class: results.RPCError, Batch: i%2 == 0, Entries: 2,
			Codes: []results.CodeCount{{Code: -32000, Count: 1}}, HTTPStatus: 200, OverBound: i == 0,
		}
		o.ByClass[results.OK], o.ByClass[results.RPCError] = 1, 1
		return o
	}
	var want results.Counts
	var wg sync.WaitGroup
	for caller := range callers {
		for i := range each {
			want.AddOutcome(outcome(caller, i))
		}
		wg.Go(func() {
			for i := range each {
				rec.began(0)
				rec.ended(caller, outcome(caller, i))
			}
		})
	}
	rec.unsent(2)
	want.Unsent = 1
	wg.Wait()
	close(stop)
	<-ended
	all.Add(rec.snapshot(time.Hour, time.Time{}, 0))
	total := all.Total(nil)
	if !reflect.DeepEqual(total.Counts, want) {
		t.Errorf("got  %+v\nwant %+v", total.Counts, want)
	}
	if n := total.Service.TotalCount(); n != callers*each || total.Service.Max() != 49 || total.Lateness.Min() != 1 {
		t.Errorf("%d service times up to %d us, lateness from %d us", n, total.Service.Max(), total.Lateness.Min())
	}
	if want := (callers*each - 1) * time.Millisecond; total.LastSent != want+time.Microsecond {
		t.Errorf("last sent at %v, want %v", total.LastSent, want)
	}
	if !reflect.DeepEqual(rec.total, want) || rec.flying.count() != 0 || rec.most.Load() < 1 || rec.most.Load() > callers {
		t.Errorf("the recorder's own sums: %+v; %d under way, %d at most", rec.total, rec.flying.count(), rec.most.Load())
	}
}

func TestRecorderTellsOnlyOfPhasesWithSomethingToTell(t *testing.T) {
	rec := newRecorder(3)
	for caller := range 5 {
		rec.began(0)
		o := results.Outcome{Phase: 1, Done: time.Millisecond, Entries: 1}
		o.ByClass[results.OK] = 1
		rec.ended(caller, &o)
	}
	rec.began(0)
	rec.planned.Add(6)
	s := rec.snapshot(time.Second, time.Time{}, 1)
	if len(s.Phases) != 1 || s.Phases[0].Phase != 1 || s.Phases[0].Calls != 5 || s.Planned != 6 || s.InFlight != 1 || s.Current != 1 {
		t.Errorf("%+v", s)
	}
	rec.planned.Add(1)
	if s := rec.snapshot(2*time.Second, time.Time{}, 1); len(s.Phases) != 0 || s.Planned != 1 || s.Start != time.Second {
		t.Errorf("%+v", s)
	}
}

// A snapshot that was given away is not written to any more.
func TestSnapshotsBelongToTheReceiver(t *testing.T) {
	rec := newRecorder(1)
	record := func(n int) {
		for caller := range n {
			rec.began(0)
			rec.ended(caller, &results.Outcome{Done: time.Millisecond})
		}
	}
	record(8)
	first := rec.snapshot(time.Second, time.Time{}, 0)
	record(20)
	second := rec.snapshot(2*time.Second, time.Time{}, 0)
	if a, b := first.Phases[0], second.Phases[0]; a.Calls != 8 || a.Response.TotalCount() != 8 || b.Calls != 20 || b.Response.TotalCount() != 20 {
		t.Errorf("%d calls with %d times, then %d with %d", a.Calls, a.Response.TotalCount(), b.Calls, b.Response.TotalCount())
	}
}

func BenchmarkRecord(b *testing.B) {
	rec := newRecorder(1)
	o := results.Outcome{Done: time.Millisecond, Entries: 100, Batch: true, HTTPStatus: 200}
	o.ByClass[results.OK] = 100
	o.Parts = []results.Part{{Entries: 100, ByClass: o.ByClass}}
	b.ReportAllocs()
	for b.Loop() {
		rec.began(0)
		rec.ended(0, &o)
	}
}

// A call that goes well costs no memory of its own: what a run holds does not
// grow with its calls.
func TestCallsAllocateNothingOfTheirOwn(t *testing.T) {
	p := nearPlan()
	p.Size, p.Notifications = fixed(100), 0.05
	w := mustCompile(t, p)
	rec, c, e := newRecorder(1), newCorrelator(), newEncoder(w)
	var m message
	var o results.Outcome
	node := &fakeNode{}
	e.encode(&m, 0, 1, shape{entries: 100, items: 1})
	reply := node.answer(m.body)
	allocs := testing.AllocsPerRun(100, func() {
		e.encode(&m, 0, 1, shape{entries: 100, items: 1})
		rec.began(0)
		c.judge(&m, reply, nil, &o)
		describe(&o, &m)
		rec.ended(0, &o)
	})
	if o.Class != results.OK || o.ByClass[results.OK]+o.ByClass[results.Notified] != 100 {
		t.Fatalf("%+v", o)
	}
	if allocs > 0 {
		t.Errorf("%v allocations for a batch of 100", allocs)
	}
}

// The first failure of each class is told of once, when a snapshot has it.
func TestRecorderTellsOfFirstFailures(t *testing.T) {
	rec := newRecorder(1)
	end := func(caller int, class results.Class, words string) {
		rec.began(0)
		o := &results.Outcome{Class: class, Entries: 1, Detail: words}
		o.ByClass[class] = 1
		rec.ended(caller, o)
	}
	var told []string
	look := func() {
		rec.snapshot(time.Second, time.Time{}, 0)
		rec.firstFailures(func(class results.Class, words string) { told = append(told, class.String()+": "+words) })
	}
	end(0, results.OK, "")
	look()
	end(1, results.RPCError, "no such account")
	end(0, results.Timeout, "")
	look()
	end(0, results.RPCError, "another one")
	look()
	if want := []string{"rpc error: no such account", "timeout: "}; !reflect.DeepEqual(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
