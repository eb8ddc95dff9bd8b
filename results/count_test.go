package results_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"volley/results"
)

// whole is everything in one slice, as one recorder would have it.
func whole(all []results.Outcome, phase int) results.PhaseSlice {
	s := results.Snapshot{}
	for i := range all {
		if all[i].Phase == phase || phase < 0 {
			o := all[i]
			o.Phase = 0
			add(&s, &o)
		}
	}
	if len(s.Phases) == 0 {
		return results.PhaseSlice{Latency: results.NewLatency()}
	}
	return s.Phases[0]
}

func sameSlice(t *testing.T, what string, got, want *results.PhaseSlice) {
	t.Helper()
	if g, w := got.Totals(), want.Totals(); !reflect.DeepEqual(g, w) {
		t.Errorf("%s: counts\n got %+v\nwant %+v", what, g, w)
	}
	if got.LastSent != want.LastSent {
		t.Errorf("%s: last sent %v, want %v", what, got.LastSent, want.LastSent)
	}
	if !got.Response.Equals(want.Response) || !got.Service.Equals(want.Service) || !got.Lateness.Equals(want.Lateness) {
		t.Errorf("%s: distributions differ", what)
	}
}

func TestSnapshotsAddUpToDirectRecording(t *testing.T) {
	for seed := range uint64(5) {
		m := sampleMeta()
		snaps, all := sampleSnapshots(m, seed, 100)
		var a results.Aggregate
		for _, s := range snaps {
			a.Add(s)
		}
		for i := range a.Phases() {
			want := whole(all, i)
			sameSlice(t, m.Phases[i].Name, &a.Phases()[i], &want)
		}
		total, want := a.Total(nil), whole(all, -1)
		sameSlice(t, "all phases", &total, &want)
		if a.End != 7*time.Second || a.Planned != 700 || a.MaxInFlight != 6 {
			t.Errorf("end %v, planned %d, in flight %d", a.End, a.Planned, a.MaxInFlight)
		}
	}
}

func TestShardsMergeInAnyOrder(t *testing.T) {
	_, all := sampleSnapshots(sampleMeta(), 9, 200)
	r := rand.New(rand.NewPCG(1, 2))
	shards := make([]results.Snapshot, 4)
	for i := range all {
		o := all[i]
		o.Phase = 0
		add(&shards[r.IntN(len(shards))], &o)
	}
	var merged results.PhaseSlice
	for _, i := range r.Perm(len(shards)) {
		merged.Merge(&shards[i].Phases[0])
	}
	want := whole(all, -1)
	sameSlice(t, "merged shards", &merged, &want)
}

func TestAggregateKeepsNothingOfASnapshot(t *testing.T) {
	snaps, _ := sampleSnapshots(sampleMeta(), 3, 50)
	var a results.Aggregate
	a.Add(snaps[0])
	before := a.Total(nil)
	o := results.Outcome{Entries: 7, Codes: []results.CodeCount{{Code: -32601, Count: 7}}}
	add(snaps[0], &o)
	after := a.Total(nil)
	sameSlice(t, "after the snapshot changed", &after, &before)
}

func TestEveryEntryAndCallIsAccountedFor(t *testing.T) {
	_, all := sampleSnapshots(sampleMeta(), 5, 300)
	c := whole(all, -1).Counts
	totals := c.Totals()
	sum := func(m map[string]uint64) (n uint64) {
		for v := range maps.Values(m) {
			n += v
		}
		return n
	}
	if got := sum(totals.ByClass); got != totals.Entries || got == 0 {
		t.Errorf("by_class adds up to %d, entries are %d", got, totals.Entries)
	}
	if got := sum(totals.CallsByClass); got != totals.Calls || got != uint64(len(all)) {
		t.Errorf("calls_by_class adds up to %d, calls are %d", got, totals.Calls)
	}
	if got := sum(totals.BatchEntriesByClass); got != totals.BatchEntries {
		t.Errorf("batch_entries_by_class adds up to %d, batch_entries are %d", got, totals.BatchEntries)
	}
	if got := sum(totals.BatchesByClass); got != totals.Batches {
		t.Errorf("batches_by_class adds up to %d, batches are %d", got, totals.Batches)
	}
	for code, n := range totals.ByCode {
		refused := uint64(0)
		if code == -32010 {
			refused = totals.BatchesByClass["batch-level error"]
		}
		if totals.SingleByCode[code]+totals.BatchByCode[code]+refused != n {
			t.Errorf("code %d: %d in single, %d in batches, %d whole batches, %d in all", code, totals.SingleByCode[code], totals.BatchByCode[code], refused, n)
		}
	}
	if c.FailedEntries()+c.ByClass[results.OK]+c.ByClass[results.Notified] != c.Entries {
		t.Error("failed and good entries do not add up")
	}
}

func TestTotalsRoundTrip(t *testing.T) {
	_, all := sampleSnapshots(sampleMeta(), 6, 300)
	c := whole(all, -1).Counts
	c.Unsent = 3
	totals := c.Totals()
	data, err := json.Marshal(totals)
	if err != nil {
		t.Fatal(err)
	}
	var back results.Totals
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	got, err := back.Counts()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, c) {
		t.Errorf("got  %+v\nwant %+v", got, c)
	}
	back.ByClass["from the future"] = 1
	if _, err := back.Counts(); err == nil {
		t.Error("an unknown class was taken")
	}
}

func TestRecord(t *testing.T) {
	for _, tt := range []struct {
		why                         string
		due, sent, done             time.Duration
		response, service, lateness int64
		clipped                     int
	}{
		{why: "in time", due: 0, sent: 0, done: time.Millisecond, response: 1000, service: 1000},
		{why: "late", due: 0, sent: 100 * time.Microsecond, done: 300 * time.Microsecond, response: 300, service: 200, lateness: 100},
		{why: "nearest microsecond", due: 0, sent: 1499 * time.Nanosecond, done: 3 * time.Microsecond, response: 3, service: 2, lateness: 1},
		{why: "under half a microsecond is no clipping", due: 0, sent: 100, done: 400, response: 0, service: 0, lateness: 0},
		{why: "over an hour", due: 0, sent: 0, done: 2 * time.Hour, response: 3600e6, service: 3600e6, clipped: 2},
		{why: "an hour", due: 0, sent: 0, done: time.Hour, response: 3600e6, service: 3600e6},
		{why: "sent before it was due, which must not be", due: time.Millisecond, sent: 0, done: time.Millisecond, response: 0, service: 1000, clipped: 1},
	} {
		l := results.NewLatency()
		if got := l.Record(&results.Outcome{Due: tt.due, Sent: tt.sent, Done: tt.done}); got != tt.clipped {
			t.Errorf("%s: %d clipped, want %d", tt.why, got, tt.clipped)
		}
		if l.Response.TotalCount() != 1 || l.Service.TotalCount() != 1 || l.Lateness.TotalCount() != 1 {
			t.Errorf("%s: not every distribution has the call", tt.why)
		}
		if !l.Response.ValuesAreEquivalent(l.Response.Max(), tt.response) ||
			!l.Service.ValuesAreEquivalent(l.Service.Max(), tt.service) ||
			!l.Lateness.ValuesAreEquivalent(l.Lateness.Max(), tt.lateness) {
			t.Errorf("%s: got %d %d %d, want %d %d %d", tt.why, l.Response.Max(), l.Service.Max(), l.Lateness.Max(), tt.response, tt.service, tt.lateness)
		}
	}
}

func BenchmarkRecorder(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	o := randomOutcome(r, 0, time.Second)
	p := results.PhaseSlice{Latency: results.NewLatency()}
	b.ReportAllocs()
	for b.Loop() {
		p.AddOutcome(&o)
		p.Clipped += uint64(p.Record(&o))
	}
}
