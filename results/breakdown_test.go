package results_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"volley/results"
)

func cellsOf(b *results.Breakdown) (all []results.Cell) {
	for c := range b.Cells() {
		all = append(all, *c)
	}
	return all
}

func sameBreakdown(t *testing.T, got, want *results.Breakdown) {
	t.Helper()
	g, w := cellsOf(got), cellsOf(want)
	if len(g) != len(w) {
		t.Fatalf("%d cells, want %d", len(g), len(w))
	}
	for i := range g {
		if !g[i].Response.Equals(w[i].Response) {
			t.Errorf("cell %d: another distribution", i)
		}
		g[i].Response, w[i].Response = nil, nil
		if !reflect.DeepEqual(g[i], w[i]) {
			t.Errorf("cell %d: got %+v, want %+v", i, g[i], w[i])
		}
	}
}

func TestBands(t *testing.T) {
	for size, want := range map[int]string{
		0: "1", 1: "1", 2: "2-5", 5: "2-5", 6: "6-10", 10: "6-10", 20: "11-20", 21: "21-50", 100: "51-100", 101: "101-200", 200: "101-200",
		1000: "501-1000", 100_000: "50001-100000", 100_001: "over 100000",
	} {
		band := results.BandOf(size)
		if band.String() != want {
			t.Errorf("%d is in %s, want %s", size, band, want)
		}
		if again, ok := results.ParseBand(want); !ok || again != band {
			t.Errorf("%s is not read back", want)
		}
	}
	if b, ok := results.ParseBand("any"); !ok || b != results.AnyBand {
		t.Error("any is not read back")
	}
	if _, ok := results.ParseBand("3-4"); ok {
		t.Error("3-4 is no band")
	}
}

func TestBreakdownCountsEntriesByRowAndSize(t *testing.T) {
	call := func(entries, items int, batch bool, took time.Duration, parts ...results.Part) *results.Outcome {
		return &results.Outcome{Phase: 1, Batch: batch, Entries: entries, Items: items, Done: took, Parts: parts}
	}
	ok := func(row, n int) results.Part {
		p := results.Part{Row: row, Entries: n}
		p.ByClass[results.OK] = n
		return p
	}
	var b results.Breakdown
	b.AddOutcome(call(20, 60, true, 2*time.Millisecond, ok(0, 15), ok(1, 5)))
	b.AddOutcome(call(12, 12, true, 4*time.Millisecond, ok(0, 12)))
	b.AddOutcome(call(1, 32, false, time.Millisecond, ok(1, 1))) // an array parameter of 32
	refused := call(20, 20, true, time.Microsecond, results.Part{Row: 0, Entries: 20})
	refused.Class = results.Refused
	refused.Parts[0].ByClass[results.Refused] = 20
	b.AddOutcome(refused)

	var got []string
	for c := range b.Cells() {
		got = append(got, fmt.Sprintf("phase %d row %d size %s: %d calls, %d entries, %d items, %d ok, %d timed to %d us",
			c.Phase, c.Row, c.Band, c.Calls, c.Entries, c.Items, c.ByClass[results.OK], c.Response.TotalCount(), c.Response.Max()/100*100))
	}
	want := []string{
		"phase 1 row 0 size 11-20: 3 calls, 47 entries, 77 items, 27 ok, 27 timed to 4000 us",
		"phase 1 row 1 size 11-20: 1 calls, 5 entries, 15 items, 5 ok, 5 timed to 2000 us",
		"phase 1 row 1 size 21-50: 1 calls, 1 entries, 32 items, 1 ok, 1 timed to 1000 us",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	b.Reset()
	if left := cellsOf(&b); left != nil {
		t.Errorf("after a reset: %+v", left)
	}
}

// However many rows, phases and sizes there are, entries stay in the account, and
// cells do not grow without end.
func TestBreakdownIsBounded(t *testing.T) {
	var b results.Breakdown
	calls := uint64(0)
	for phase := range 10 {
		for row := range results.MaxRows + 20 {
			for _, size := range []int{1, 3, 8, 15, 30, 60} {
				p := results.Part{Row: row, Entries: size}
				p.ByClass[results.OK] = size
				b.AddOutcome(&results.Outcome{Phase: phase, Batch: true, Entries: size, Items: size, Parts: []results.Part{p}})
				calls++
			}
		}
	}
	cells := cellsOf(&b)
	var counted uint64
	for _, c := range cells {
		counted += c.Calls
		if c.Row > results.MaxRows {
			t.Errorf("a cell of row %d", c.Row)
		}
	}
	if counted != calls {
		t.Errorf("%d calls, %d in the cells", calls, counted)
	}
	if most := 512 + 10*(results.MaxRows+2); len(cells) > most {
		t.Errorf("%d cells, want at most %d", len(cells), most)
	}
	// Cells that an interval did not need make room for others.
	b.Reset()
	b.Reset()
	one := results.Part{Entries: 1}
	b.AddOutcome(&results.Outcome{Phase: 9, Batch: true, Entries: 20, Items: 20, Parts: []results.Part{one}})
	if cells := cellsOf(&b); len(cells) != 1 || cells[0].Band != results.BandOf(20) {
		t.Errorf("after two resets: %+v", cells)
	}
}

// The summary's rows add up to its measured phases.
func TestSummaryIsBrokenDown(t *testing.T) {
	m := sampleMeta()
	snaps, _ := sampleSnapshots(m, 8, 200)
	s := results.Summarise(m, aggregate(snaps), results.End{})
	byClass := map[string]uint64{}
	var entries, items uint64
	methods := map[string]bool{}
	for _, r := range s.Breakdown {
		entries, items = entries+r.Entries, items+r.Items
		methods[r.Method] = true
		for class, n := range r.ByClass {
			byClass[class] += n
		}
		if r.Form != "batch" || r.Response.N > int64(r.Entries) {
			t.Errorf("%+v", r)
		}
	}
	if entries != s.Measured.Entries || items != s.Measured.Items || !reflect.DeepEqual(byClass, s.Measured.ByClass) {
		t.Errorf("%d entries, %d items, %v; measured %d, %d, %v", entries, items, byClass, s.Measured.Entries, s.Measured.Items, s.Measured.ByClass)
	}
	if len(methods) != 2 || !methods["query view_account"] || !methods["status"] {
		t.Errorf("methods %v", methods)
	}
}

// A run of more than ten minutes writes its breakdown in every tenth interval, and at
// the end the rest.
func TestLongRunsWriteBreakdownsSeldom(t *testing.T) {
	dir, m := t.TempDir(), sampleMeta()
	var snaps []*results.Snapshot
	for second := 595; second < 625; second++ {
		s := &results.Snapshot{Start: time.Duration(second) * time.Second, End: time.Duration(second+1) * time.Second, Current: 1}
		o := results.Outcome{Phase: 1, Entries: 1, Items: 1, Done: time.Duration(second) * time.Millisecond}
		o.ByClass[results.OK] = 1
		o.Parts = []results.Part{{Row: second % 2, Entries: 1, ByClass: o.ByClass}}
		add(s, &o)
		if second == 624 {
			s.Current = 3 // draining
		}
		snaps = append(snaps, s)
	}
	w := store(t, dir, m, snaps)
	if got := len(cellsOf(&snaps[10].Breakdown)); got != 1 {
		t.Errorf("the writer changed what it was given: %d cells", got)
	}
	if err := w.Finish(results.Summarise(m, aggregate(snaps), results.End{})); err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	for s, err := range run.Snapshots() {
		if err != nil {
			t.Fatal(err)
		}
		if len(cellsOf(&s.Breakdown)) > 0 {
			at = append(at, int(s.End.Seconds()))
		}
	}
	if want := []int{596, 597, 598, 599, 600, 610, 620, 625}; !slices.Equal(at, want) {
		t.Errorf("written at %v, want %v", at, want)
	}
	a, err := run.Aggregate()
	if err != nil {
		t.Fatal(err)
	}
	sameAggregate(t, a, aggregate(snaps))
}
