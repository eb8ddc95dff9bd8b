package loadgen

import (
	"reflect"
	"testing"

	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

// checkParts checks that an outcome's parts are its entries, each row once.
func checkParts(t *testing.T, m *message, o *results.Outcome) {
	t.Helper()
	var sum [results.NumClasses]int
	seen := map[int]bool{}
	for _, p := range o.Parts {
		if seen[p.Row] {
			t.Errorf("row %d stands twice: %+v", p.Row, o.Parts)
		}
		seen[p.Row] = true
		of := 0
		for class, n := range p.ByClass {
			sum[class] += n
			of += n
		}
		if of != p.Entries {
			t.Errorf("row %d has %d entries, by class %d", p.Row, p.Entries, of)
		}
	}
	if sum != o.ByClass {
		t.Errorf("parts add up to %v, the call has %v", sum, o.ByClass)
	}
	if seen[results.RowMalformed] != (m.malformed > 0) {
		t.Errorf("%d malformed members: %+v", m.malformed, o.Parts)
	}
}

// Failures are the rows' that they happened to.
func TestPartsByRow(t *testing.T) {
	part := func(row int, classes ...results.Class) results.Part {
		p := results.Part{Row: row, Entries: len(classes)}
		for _, c := range classes {
			p.ByClass[c]++
		}
		return p
	}
	for _, tt := range []struct {
		why, sent, reply string
		want             []results.Part
	}{
		{"all well", "[rrrr]", "[" + r("10") + "," + r("11") + "," + r("12") + "," + r("13") + "]", []results.Part{
			part(0, results.OK, results.OK), part(1, results.OK), part(2, results.OK)}},
		{"one fails, one is missing, one is notified", "[rrnr]", "[" + r("10") + "," + e("11", -32000) + "]", []results.Part{
			part(0, results.OK, results.Missing), part(1, results.RPCError), part(2, results.Notified)}},
		{"all fail", "[rr]", e("null", -32600), []results.Part{part(0, results.BatchError), part(1, results.BatchError)}},
		{"malformed members are of no row", "[rmr]", "[" + r("10") + "," + e("null", -32600) + "," + r("12") + "]", []results.Part{
			part(results.RowMalformed, results.Rejected), part(0, results.OK), part(2, results.OK)}},
		{"a bare request", "r", r("10"), []results.Part{part(0, results.OK)}},
	} {
		m := sent(tt.sent)
		var o results.Outcome
		newCorrelator().judge(m, transport.Reply{Status: 200, Body: []byte(tt.reply)}, nil, &o)
		if !reflect.DeepEqual(o.Parts, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.why, o.Parts, tt.want)
		}
		checkParts(t, m, &o)
	}
}

func TestRowsAreNamed(t *testing.T) {
	query := func(kind string) *scenario.Value { return object("request_type", literalValue(kind)) }
	mix := []scenario.Method{
		{Method: "query", Params: query(`"view_account"`)},
		{Method: "query", Params: literalValue(`{"account_id": "a", "request_type": "view_state"}`)},
		{Method: "query", Params: query(`"view_account"`)},
		{Method: "query", Params: query(`7`)},
		{Method: "sum", Params: literalValue(`[1, 2]`)},
		{Method: "status"},
	}
	want := []string{"query view_account", "query view_state", "query view_account (2)", "query", "sum", "status"}
	if got := Rows(&scenario.Plan{Mix: mix}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for len(mix) < 100 {
		mix = append(mix, scenario.Method{Method: "more"})
	}
	got := Rows(&scenario.Plan{Mix: mix})
	if len(got) != results.MaxRows+1 || got[results.MaxRows] != "(other rows)" {
		t.Errorf("%d rows, the last %q", len(got), got[len(got)-1])
	}
	w := mustCompile(t, &scenario.Plan{Form: scenario.Batch, Size: fixed(500), Items: fixed(1), Mix: mix[5:]})
	var m message
	newEncoder(w).encode(&m, 1, 1, shape{entries: 500, items: 1})
	for _, slot := range m.slots {
		if row := int(slot) - 1; row < 0 || row > results.MaxRows {
			t.Fatalf("a member of row %d", row)
		}
	}
}

// BenchmarkCallOf100 is what the generator computes for a batch of 100 of a mix of
// three rows, and BenchmarkBreakdownOf100 the part of it that the breakdown is.
func BenchmarkCallOf100(b *testing.B) {
	rec, c, e, m, reply := batchOf100(b)
	var o results.Outcome
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n++ {
		e.encode(&m, n, 1, shape{entries: 100, items: 1})
		rec.began(0)
		c.judge(&m, reply, nil, &o)
		describe(&o, &m)
		rec.ended(0, &o)
	}
}

func BenchmarkBreakdownOf100(b *testing.B) {
	rec, c, _, m, reply := batchOf100(b)
	var o results.Outcome
	c.judge(&m, reply, nil, &o)
	describe(&o, &m)
	b.ReportAllocs()
	for b.Loop() {
		m.slots = m.slots[:0]
		for i := range m.members {
			m.slots = append(m.slots, slotOf(i%3))
		}
		c.divide(&o)
		rec.shards[0].held.parts.AddOutcome(&o)
	}
}

func batchOf100(t testing.TB) (*recorder, *correlator, *encoder, message, transport.Reply) {
	p := nearPlan()
	p.Size, p.Notifications = fixed(100), 0.05
	e := newEncoder(mustCompile(t, p))
	var m message
	e.encode(&m, 0, 1, shape{entries: 100, items: 1})
	return newRecorder(1), newCorrelator(), e, m, (&fakeNode{}).answer(m.body)
}
