package results

import (
	"slices"

	"volley/results/correlate"
)

// ReconcileOptions tells whose counters are read.
type ReconcileOptions struct {
	Dialect string          // near, rcp or jsonrpc: it decides the names of the series
	Names   correlate.Names // instead of the dialect's preset, if it is not nil
	// Alone: nobody else talks to the node, so whatever it counts is ours.
	Alone bool
	// Reset: the node's counters began anew in between, as scrapes on the way show. The
	// two at the ends cannot tell by themselves when they since counted more than
	// before.
	Reset bool
}

// uncertain tells the classes of calls of which we cannot know whether the node
// took them: it may or may not have run, and counted, their entries. A refused
// connection is certain: the node never saw the call.
func (c Class) uncertain() bool {
	switch c {
	case HTTPError, Timeout, Reset, MalformedResponse, CutOff:
		return true
	}
	return false
}

// Reconcile holds the client's account of the whole run, t, against what the
// node's own counters did between two scrapes that enclose it. Both must agree
// exactly, save for calls whose exchange failed: those widen what the node may
// have counted.
//
// A row's Match is nil where nothing can be claimed: the node does not expose the
// series, its counters were reset, or it has other clients and counted more than
// ours. It gives no rows when a scrape failed or was not made.
func Reconcile(t *Counts, before, after NodeSample, o ReconcileOptions) []Row {
	if before.Series == nil || after.Series == nil {
		return []Row{}
	}
	names := o.Names
	if names == nil {
		names = correlate.Preset(o.Dialect)
	}
	r := reconciler{series: read(before.Series, after.Series), names: names, alone: o.Alone, reset: o.Reset || restarted(before.Series, after.Series), rows: []Row{}}

	calls := ofAll(&t.CallsByClass)
	batches := ofAll(&t.BatchesByClass)
	// What is turned away over a rate is no batch and no singleton yet, and where the
	// answer is none of JSON-RPC's it may be that of a gateway before the node.
	admitted := batches
	admitted.certain -= min(batches.certain, t.LimitedBatches)
	exchanges := calls
	exchanges.certain -= t.LimitedUnread
	exchanges.maybe += t.LimitedUnread
	r.row("HTTP exchanges", exchanges, correlate.Requests, "")
	r.row("batches", admitted, correlate.Batches, "")
	r.entries(t, o.Dialect)
	r.bytes(t)

	const single = correlate.Singles
	singles, byClass := calls.minus(batches), minus(&t.ByClass, &t.BatchEntriesByClass)
	singles.certain -= byClass[RateLimited]
	maybe := singles.maybe + byClass[Missing] + byClass[Duplicate] + byClass[UnknownID]
	invalid, unclear := invalidEntries(&byClass, t.SingleByCode)
	r.row("singletons", singles, single, "")
	r.row("singletons: ok", bounds{byClass[OK] + byClass[ResultError], maybe}, single, "ok")
	r.row("singletons: error", bounds{byClass[RPCError] - unclear, maybe + unclear}, single, "error")
	r.row("singletons: invalid", bounds{invalid, maybe + unclear}, single, "invalid")
	r.row("singletons: notification", bounds{byClass[Notified], maybe}, single, "notification")
	return r.rows
}

// entries adds the rows of the entries of batches.
func (r *reconciler) entries(t *Counts, dialect string) {
	const entries = correlate.Entries
	by := &t.BatchEntriesByClass
	ran := ofAll(by)
	refused := sumCodes(t.BatchErrorEntries, notRun(dialect))
	ran.certain -= by[BatchError] + t.LimitedEntries
	ran.maybe += by[BatchError] - min(refused, by[BatchError]) // such as a response over its limit: the entries ran
	r.row("batch entries", ran, entries, "")

	maybe := ran.maybe + by[Missing] + by[Duplicate] + by[UnknownID]
	notFound := sumCodes(t.BatchByCode, methodNotFound(dialect))
	invalid, unclear := invalidEntries(by, t.BatchByCode)
	failed := by[RPCError] - min(by[RPCError], notFound+unclear) + by[RateLimited] - t.LimitedEntries
	r.row("batch entries: ok", bounds{by[OK] + by[ResultError], maybe}, entries, "ok")
	r.row("batch entries: error", bounds{failed, maybe + unclear}, entries, "error")
	r.row("batch entries: invalid", bounds{invalid, maybe + unclear}, entries, "invalid")
	r.row("batch entries: method not found", bounds{notFound, maybe}, entries, "method_not_found")
	r.row("batch entries: notification", bounds{by[Notified], maybe}, entries, "notification")
}

// invalidEntries gives the entries that the node must have found malformed, and
// how many others carried a code that says so: those it may have counted so or as
// an error of the method.
func invalidEntries(by *[NumClasses]uint64, codes map[int64]uint64) (invalid, unclear uint64) {
	invalid = by[Rejected]
	same := codes[-32600] + codes[-32700]
	return invalid, min(same-min(same, invalid), by[RPCError])
}

// methodNotFound tells the code that says so: -32601, but in RCP -32004 (§12).
func methodNotFound(dialect string) func(int64) bool {
	if dialect == "rcp" {
		return func(code int64) bool { return code == -32004 }
	}
	return func(code int64) bool { return code == -32601 }
}

// notRun tells the codes of batches refused before any entry ran.
func notRun(dialect string) func(int64) bool {
	codes := []int64{-32700, -32600, -32005, -32010}
	if dialect == "rcp" {
		codes = []int64{-32700, -32600, -32602}
	}
	return func(code int64) bool { return slices.Contains(codes, code) }
}

// bounds are what a counter must have counted, and how much more it may have.
type bounds struct{ certain, maybe uint64 }

// ofAll gives the bounds of what reached the node.
func ofAll(by *[NumClasses]uint64) (b bounds) {
	for class, n := range by {
		switch c := Class(class); {
		case c.uncertain():
			b.maybe += n
		case c != Refused:
			b.certain += n
		}
	}
	return b
}

func (b bounds) minus(o bounds) bounds { return bounds{b.certain - o.certain, b.maybe - o.maybe} }

func minus(a, b *[NumClasses]uint64) (d [NumClasses]uint64) {
	for class := range a {
		d[class] = a[class] - b[class]
	}
	return d
}

// bytes adds the row of the bodies that answered batches. A node's histogram of their
// sizes covers arrays only, so where some calls were no batches, or were answered by
// anything else or not whole, there is nothing to compare: bytes are not told apart by
// what they answered.
func (r *reconciler) bytes(t *Counts) {
	others := t.Calls - t.Batches + t.BatchesByClass[BatchError] + t.LimitedBatches + ofAll(&t.BatchesByClass).maybe
	if t.Batches > 0 && others == 0 {
		r.row("bytes of batch answers", bounds{certain: t.BytesIn}, correlate.BatchBytes, "")
	}
}

type reconciler struct {
	series twoScrapes
	names  correlate.Names
	alone  bool
	reset  bool
	rows   []Row
}

// row holds our bounds against what the series of a role counted, or those with that
// outcome. A row about nothing, which the node does not count either, is left out.
func (r *reconciler) row(what string, ours bounds, role correlate.Role, outcome string) {
	row := Row{What: what, Client: ours.certain}
	d := r.series.delta(r.names[role], outcome)
	switch {
	case ours == bounds{} && (!d.exposed || d.reset || r.reset):
		return
	case !d.exposed:
		row.Note = "not exposed"
	case d.reset || r.reset:
		row.Note = "the node's counters were reset during the run"
	default:
		r.claim(&row, ours, d.total)
	}
	r.rows = append(r.rows, row)
}

func (r *reconciler) claim(row *Row, ours bounds, node float64) {
	row.Node = &node
	least, most := float64(ours.certain), float64(ours.certain+ours.maybe)
	if ours.maybe > 0 {
		row.Note = Count(ours.maybe) + " uncertain"
	}
	if node > most && !r.alone {
		row.Note = Number(node-most) + " more than ours: other traffic"
		return
	}
	match := least <= node && node <= most
	row.Match = &match
}
