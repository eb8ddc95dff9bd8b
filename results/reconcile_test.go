package results_test

import (
	"fmt"
	"strings"
	"testing"

	"volley/results"
)

// series takes lines of the exposition: name{labels} value.
func series(t *testing.T, lines string) results.NodeSample {
	t.Helper()
	s := results.NodeSample{Series: map[string]float64{}}
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		var v float64
		if _, err := fmt.Sscan(line[i+1:], &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		s.Series[line[:i]] = v
	}
	return s
}

// rows renders rows as a person would note them down.
func rows(all []results.Row) string {
	var b strings.Builder
	for _, r := range all {
		mark, node := "?", "-"
		if r.Match != nil {
			mark = map[bool]string{true: "=", false: "!"}[*r.Match]
		}
		if r.Node != nil {
			node = fmt.Sprint(*r.Node)
		}
		fmt.Fprintf(&b, "%s %s: %d %s", mark, r.What, r.Client, node)
		if r.Note != "" {
			fmt.Fprintf(&b, " (%s)", r.Note)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func batch(n int, class results.Class, by map[results.Class]int, codes ...results.CodeCount) results.Outcome {
	o := results.Outcome{Batch: true, Class: class, Entries: n, Codes: codes}
	for c, k := range by {
		o.ByClass[c] = k
	}
	return o
}

func single(class results.Class, codes ...results.CodeCount) results.Outcome {
	o := results.Outcome{Class: class, Entries: 1, Codes: codes}
	o.ByClass[class] = 1
	return o
}

func TestReconcile(t *testing.T) {
	const none = "some_other_total 1"
	mixed := batch(10, results.RPCError, map[results.Class]int{results.OK: 3, results.ResultError: 1, results.RPCError: 3, results.Rejected: 1, results.Notified: 2},
		results.CodeCount{Code: -32601, Count: 1}, results.CodeCount{Code: -32000, Count: 2}, results.CodeCount{Code: -32600, Count: 1})
	for _, tt := range []struct {
		why           string
		dialect       string
		shared, reset bool
		outcomes      []results.Outcome
		before, after string
		want          string
	}{
		{
			why: "another process, which has counted more than the one before it", dialect: "near",
			outcomes: []results.Outcome{batch(4, results.OK, map[results.Class]int{results.OK: 4})},
			before: `
				process_start_time_seconds 1000
				near_rpc_batch_requests_total 1
				near_rpc_batch_entries_total 4`,
			after: `
				process_start_time_seconds 1007.5
				near_rpc_batch_requests_total 2
				near_rpc_batch_entries_total 8`,
			want: `
				? HTTP exchanges: 1 - (not exposed)
				? batches: 1 - (the node's counters were reset during the run)
				? batch entries: 4 - (the node's counters were reset during the run)
				? batch entries: ok: 4 - (not exposed)`,
		},
		{
			why: "a reset that only scrapes in between saw", dialect: "near", reset: true,
			outcomes: []results.Outcome{batch(4, results.OK, map[results.Class]int{results.OK: 4})},
			before:   "near_rpc_batch_requests_total 1\nnear_rpc_batch_entries_total 4",
			after:    "near_rpc_batch_requests_total 2\nnear_rpc_batch_entries_total 8",
			want: `
				? HTTP exchanges: 1 - (not exposed)
				? batches: 1 - (the node's counters were reset during the run)
				? batch entries: 4 - (the node's counters were reset during the run)
				? batch entries: ok: 4 - (not exposed)`,
		},
		{
			why: "a batch of everything, to the entry", dialect: "near", outcomes: []results.Outcome{mixed},
			before: `
				near_rpc_batch_requests_total{outcome="ok"} 5
				near_rpc_batch_entries_total{outcome="ok"} 100`,
			after: `
				near_rpc_batch_requests_total{outcome="ok"} 6
				near_rpc_batch_entries_total{outcome="ok"} 104
				near_rpc_batch_entries_total{outcome="error"} 2
				near_rpc_batch_entries_total{outcome="invalid"} 1
				near_rpc_batch_entries_total{outcome="method_not_found"} 1
				near_rpc_batch_entries_total{outcome="notification"} 2
				volley_http_requests_total{shape="batch",status="200"} 1`,
			want: `
				= HTTP exchanges: 1 1
				= batches: 1 1
				= batch entries: 10 10
				= batch entries: ok: 4 4
				= batch entries: error: 2 2
				= batch entries: invalid: 1 1
				= batch entries: method not found: 1 1
				= batch entries: notification: 2 2`,
		},
		{
			why: "one entry too few, and one error too many", dialect: "near", outcomes: []results.Outcome{mixed},
			before: none,
			after: `
				near_rpc_batch_requests_total 1
				near_rpc_batch_entries_total{outcome="ok"} 3
				near_rpc_batch_entries_total{outcome="error"} 3
				near_rpc_batch_entries_total{outcome="invalid"} 1
				near_rpc_batch_entries_total{outcome="method_not_found"} 1
				near_rpc_batch_entries_total{outcome="notification"} 2`,
			want: `
				? HTTP exchanges: 1 - (not exposed)
				= batches: 1 1
				= batch entries: 10 10
				! batch entries: ok: 4 3
				! batch entries: error: 2 3
				= batch entries: invalid: 1 1
				= batch entries: method not found: 1 1
				= batch entries: notification: 2 2`,
		},
		{
			why: "other labels are summed over, absent ones accepted where they are not needed", dialect: "near",
			outcomes: []results.Outcome{batch(4, results.OK, map[results.Class]int{results.OK: 4})},
			before:   none,
			after: `
				near_rpc_batch_requests_total{a="x,outcome=\"error\"",outcome="ok"} 1
				near_rpc_batch_entries_total 4`,
			want: `
				? HTTP exchanges: 1 - (not exposed)
				= batches: 1 1
				= batch entries: 4 4
				? batch entries: ok: 4 - (not exposed)`,
		},
		{
			why: "RCP has its own prefix and its own code for a method that is not there", dialect: "rcp",
			outcomes: []results.Outcome{batch(3, results.RPCError, map[results.Class]int{results.RPCError: 3}, results.CodeCount{Code: -32004, Count: 2}, results.CodeCount{Code: -32601, Count: 1})},
			before:   none,
			after: `
				volley_rpc_batch_requests_total{outcome="ok"} 1
				volley_rpc_batch_entries_total{outcome="error"} 1
				volley_rpc_batch_entries_total{outcome="method_not_found"} 2
				near_rpc_batch_requests_total 99`,
			want: `
				? HTTP exchanges: 1 - (not exposed)
				= batches: 1 1
				= batch entries: 3 3
				= batch entries: ok: 0 0
				= batch entries: error: 1 1
				= batch entries: invalid: 0 0
				= batch entries: method not found: 2 2
				= batch entries: notification: 0 0`,
		},
		{
			why: "a refused batch is a batch, but none of its entries ran", dialect: "near",
			outcomes: []results.Outcome{batch(200, results.BatchError, map[results.Class]int{results.BatchError: 200}, results.CodeCount{Code: -32010, Count: 1})},
			before:   none,
			after: `
				near_rpc_batch_requests_total{outcome="too_many_entries"} 1
				near_rpc_batch_entries_total{outcome="ok"} 0`,
			want: `
				? HTTP exchanges: 1 - (not exposed)
				= batches: 1 1
				= batch entries: 0 0
				= batch entries: ok: 0 0
				= batch entries: error: 0 0
				= batch entries: invalid: 0 0
				= batch entries: method not found: 0 0
				= batch entries: notification: 0 0`,
		},
		{
			why: "a response over its limit: the entries ran, but nobody knows how they ended", dialect: "near",
			outcomes: []results.Outcome{batch(20, results.BatchError, map[results.Class]int{results.BatchError: 20}, results.CodeCount{Code: -32011, Count: 1})},
			before:   none,
			after: `
				near_rpc_batch_requests_total{outcome="response_too_large"} 1
				near_rpc_batch_entries_total{outcome="ok"} 19
				near_rpc_batch_entries_total{outcome="error"} 1`,
			want: `
				? HTTP exchanges: 1 - (not exposed)
				= batches: 1 1
				= batch entries: 0 20 (20 uncertain)
				= batch entries: ok: 0 19 (20 uncertain)
				= batch entries: error: 0 1 (20 uncertain)
				= batch entries: invalid: 0 0 (20 uncertain)
				= batch entries: method not found: 0 0 (20 uncertain)
				= batch entries: notification: 0 0 (20 uncertain)`,
		},
		{
			why: "a call that timed out may have run; one that was refused did not", dialect: "jsonrpc",
			outcomes: []results.Outcome{single(results.OK), single(results.Timeout), single(results.Refused), single(results.Notified)},
			before:   none,
			after: `
				volley_http_requests_total{shape="single",status="200"} 3
				volley_single_requests_total{outcome="ok"} 2
				volley_single_requests_total{outcome="notification"} 1`,
			want: `
				= HTTP exchanges: 2 3 (1 uncertain)
				= singletons: 2 3 (1 uncertain)
				= singletons: ok: 1 2 (1 uncertain)
				= singletons: error: 0 0 (1 uncertain)
				= singletons: invalid: 0 0 (1 uncertain)
				= singletons: notification: 1 1 (1 uncertain)`,
		},
		{
			why: "uncertainty has its limit", dialect: "jsonrpc",
			outcomes: []results.Outcome{single(results.OK), single(results.Reset)},
			before:   none,
			after:    `volley_single_requests_total{outcome="ok"} 3`,
			want: `
				? HTTP exchanges: 1 - (not exposed)
				! singletons: 1 3 (1 uncertain)
				! singletons: ok: 1 3 (1 uncertain)
				= singletons: error: 0 0 (1 uncertain)
				= singletons: invalid: 0 0 (1 uncertain)
				= singletons: notification: 0 0 (1 uncertain)`,
		},
		{
			why: "an error with the code of a malformed request may be counted as either", dialect: "near",
			outcomes: []results.Outcome{single(results.Rejected, results.CodeCount{Code: -32700, Count: 1}), single(results.RPCError, results.CodeCount{Code: -32600, Count: 1})},
			before:   none,
			after:    `volley_single_requests_total{outcome="invalid"} 2`,
			want: `
				? HTTP exchanges: 2 - (not exposed)
				= singletons: 2 2
				= singletons: ok: 0 0
				= singletons: error: 0 0 (1 uncertain)
				= singletons: invalid: 1 2 (1 uncertain)
				= singletons: notification: 0 0`,
		},
		{
			why: "missing and duplicate entries ran somehow", dialect: "near",
			outcomes: []results.Outcome{batch(3, results.Missing, map[results.Class]int{results.OK: 1, results.Missing: 1, results.Duplicate: 1})},
			before:   none,
			after:    `near_rpc_batch_entries_total{outcome="ok"} 3`,
			want: `
				? HTTP exchanges: 1 - (not exposed)
				? batches: 1 - (not exposed)
				= batch entries: 3 3
				= batch entries: ok: 1 3 (2 uncertain)
				= batch entries: error: 0 0 (2 uncertain)
				= batch entries: invalid: 0 0 (2 uncertain)
				= batch entries: method not found: 0 0 (2 uncertain)
				= batch entries: notification: 0 0 (2 uncertain)`,
		},
		{
			why: "others may use a node that is not ours alone", dialect: "jsonrpc", shared: true,
			outcomes: []results.Outcome{single(results.OK), single(results.OK)},
			before:   `volley_single_requests_total{outcome="ok"} 0`,
			after: `
				volley_single_requests_total{outcome="ok"} 1
				volley_single_requests_total{outcome="error"} 7`,
			want: `
				? HTTP exchanges: 2 - (not exposed)
				? singletons: 2 8 (6 more than ours: other traffic)
				! singletons: ok: 2 1
				? singletons: error: 0 7 (7 more than ours: other traffic)
				= singletons: invalid: 0 0
				= singletons: notification: 0 0`,
		},
		{
			why: "a node that was restarted counts from 0", dialect: "jsonrpc",
			outcomes: []results.Outcome{single(results.OK)},
			before: `
				volley_single_requests_total{outcome="ok"} 10
				volley_http_requests_total{shape="single",status="200"} 10`,
			after: `volley_single_requests_total{outcome="ok"} 1`,
			want: `
				? HTTP exchanges: 1 - (the node's counters were reset during the run)
				? singletons: 1 - (the node's counters were reset during the run)
				? singletons: ok: 1 - (the node's counters were reset during the run)`,
		},
	} {
		var c results.Counts
		for i := range tt.outcomes {
			c.AddOutcome(&tt.outcomes[i])
		}
		got := rows(results.Reconcile(&c, series(t, tt.before), series(t, tt.after), results.ReconcileOptions{Dialect: tt.dialect, Alone: !tt.shared, Reset: tt.reset}))
		want := strings.TrimLeft(strings.ReplaceAll(tt.want+"\n", "\t", ""), "\n")
		if got != want {
			t.Errorf("%s:\ngot\n%swant\n%s", tt.why, got, want)
		}
	}
}

func TestReconcileNeedsBothScrapes(t *testing.T) {
	var c results.Counts
	o := single(results.OK)
	c.AddOutcome(&o)
	good := series(t, "volley_http_requests_total 1")
	for _, bad := range []results.NodeSample{{}, {Err: "refused"}} {
		if got := results.Reconcile(&c, bad, good, results.ReconcileOptions{}); len(got) > 0 {
			t.Errorf("without the first: %+v", got)
		}
		if got := results.Reconcile(&c, good, bad, results.ReconcileOptions{}); len(got) > 0 {
			t.Errorf("without the last: %+v", got)
		}
	}
}

// What is turned away before it is counted as a batch, over the rate that a node
// admits, is in the exchanges and in no batch.
func TestReconcileWithAdmission(t *testing.T) {
	turnedAway := batch(5, results.RateLimited, map[results.Class]int{results.RateLimited: 5}, results.CodeCount{Code: -32029, Count: 1})
	turnedAway.AsOne = true
	taken := batch(2, results.OK, map[results.Class]int{results.OK: 2})
	var c results.Counts
	for _, o := range []results.Outcome{turnedAway, turnedAway, taken} {
		c.AddOutcome(&o)
	}
	node := func(batches int) results.NodeSample {
		return series(t, fmt.Sprintf("volley_http_requests_total 3\nnear_rpc_batch_requests_total %d\nnear_rpc_batch_entries_total{outcome=\"ok\"} 2", batches))
	}
	before := series(t, "volley_http_requests_total 0\nnear_rpc_batch_requests_total 0\nnear_rpc_batch_entries_total{outcome=\"ok\"} 0")
	for batches, want := range map[int]string{1: "= batches: 1 1\n", 3: "! batches: 1 3\n"} {
		got := rows(results.Reconcile(&c, before, node(batches), results.ReconcileOptions{Dialect: "near", Alone: true}))
		if !strings.Contains(got, want) || !strings.Contains(got, "= HTTP exchanges: 3 3\n") || !strings.Contains(got, "= batch entries: 2 2\n") {
			t.Errorf("%d batches counted:\n%swant %s", batches, got, want)
		}
	}
}

// Singletons that are turned away are no singletons of the node's, and HTTP 429 without
// an answer may be a gateway's; an entry that is turned away within a batch has run.
func TestReconcileSingletonsWithAdmission(t *testing.T) {
	limited := single(results.RateLimited, results.CodeCount{Code: -32029, Count: 1})
	unread := single(results.RateLimited)
	entry := batch(2, results.RateLimited, map[results.Class]int{results.OK: 1, results.RateLimited: 1}, results.CodeCount{Code: -32011, Count: 1})
	var c results.Counts
	for _, o := range []results.Outcome{limited, unread, single(results.OK), entry} {
		c.AddOutcome(&o)
	}
	totals := c.Totals()
	back, err := totals.Counts()
	if err != nil {
		t.Fatal(err)
	}
	got := rows(results.Reconcile(&back, series(t, "other 1"), series(t, `
		volley_http_requests_total 4
		volley_single_requests_total{outcome="ok"} 1
		volley_rpc_batch_requests_total{outcome="ok"} 1
		volley_rpc_batch_entries_total{outcome="ok"} 1
		volley_rpc_batch_entries_total{outcome="error"} 1`), results.ReconcileOptions{Dialect: "rcp", Alone: true}))
	for _, want := range []string{
		"= HTTP exchanges: 3 4 (1 uncertain)\n", "= singletons: 1 1\n", "= singletons: ok: 1 1\n", "= singletons: error: 0 0\n",
		"= batches: 1 1\n", "= batch entries: 2 2\n", "= batch entries: error: 1 1\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%swant %s", got, want)
		}
	}
}
