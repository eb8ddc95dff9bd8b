package report_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"volley/results"
	"volley/results/report"
	"volley/results/selfcheck"
)

var update = flag.Bool("update", false, "rewrite golden files")

var began = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

// healthy is a run about which there is nothing to complain.
func healthy() results.Summary {
	fine := results.Span{
		ElapsedS: 30,
		Totals: results.Totals{
			Calls: 18_000, Entries: 360_000, Items: 360_000, Notifications: 18_000,
			ByClass:      map[string]uint64{"ok": 341_640, "notified": 18_000, "rpc error": 342, "result-level error": 18},
			CallsByClass: map[string]uint64{"ok": 17_650, "rpc error": 342, "result-level error": 8},
			ByCode:       map[int64]uint64{-32601: 300, -32000: 42},
			ByHTTPStatus: map[int]uint64{200: 18_000},
			BytesOut:     61_200_000, BytesIn: 122_400_000,
		},
		Achieved: results.Achieved{CallsPerS: 600, EntriesPerS: 12_000, ItemsPerS: 12_000, GoodputEntriesPerS: 11_988, GoodputItemsPerS: 23_976},
		Distributions: results.Distributions{
			Response: results.Distribution{N: 18_000, Mean: 4321.5, P50: 3999, P90: 8123, P99: 23_456, P999: 99_961, Max: 1_234_567},
			Service:  results.Distribution{N: 18_000, Mean: 4301.5, P50: 3980, P90: 8100, P99: 23_400, P999: 99_900, Max: 1_234_000},
			Lateness: results.Distribution{N: 18_000, Mean: 20.1, P50: 15, P90: 40, P99: 99, P999: 999, Max: 1001},
		},
	}
	return results.Summary{
		Format: 1, Volley: "0.1.0", Name: "near mixed reads", Seed: 42, Dialect: "near", Bundled: true,
		Started: began, Finished: ptr(began.Add(30500 * time.Millisecond)), Status: results.Finished, Dir: "runs/near-mixed-reads",
		Totals:   fine.Totals,
		Measured: fine,
		Phases: []results.PhaseSummary{{
			Name: "steady", Measured: true, Target: results.Target{Value: 12_000, Unit: "entries/s"}, Arrivals: "poisson", ForS: 30, Span: fine,
		}},
		Objectives: []results.ObjectiveResult{
			{Text: "response p99 <= 250ms", Metric: "response", Stat: "p99", Op: "<=", Limit: 250_000, Value: ptr(23_456.0), Met: true, N: 18_000},
			{Text: "entry errors <= 0.1%", Metric: "entry errors", Op: "<=", Limit: 0.001, Value: ptr(0.001), Met: true, N: 360_000},
			{Text: "goodput >= 11000 entries/s", Metric: "goodput", Op: ">=", Limit: 11_000, Value: ptr(11_988.0), Met: true, N: 18_000},
		},
		Reconciliation: []results.Row{
			{What: "batches", Client: 18_000, Node: ptr(18_000.0), Match: ptr(true)},
			{What: "batch entries: ok", Client: 341_658, Node: ptr(341_658.0), Match: ptr(true)},
		},
		Generator:   results.Generator{CPUFraction: 0.234, Verdict: "ok", Planned: 18_000, Sent: 18_000, MaxInFlight: 31, Connections: 31, ConnectP50US: 140, ConnectMaxUS: 2_310, GCPauseMaxUS: 120, CPUs: 2},
		Environment: map[string]string{"go": "go1.26", "cpus": "2", "os": "linux/amd64"},
	}
}

// checked is a run whose self-checks all passed.
func checked() results.Summary {
	s := healthy()
	interval := func(low, high int64) results.Interval { return results.Interval{Low: ptr(low), High: ptr(high)} }
	s.Phases[0].Response.CI = &results.Intervals{P50: interval(3960, 4032), P90: interval(8050, 8230), P99: interval(22_100, 25_200), P999: interval(895, 120_000)}
	for _, phase := range []string{"steady", "steady", ""} {
		s.Checks = append(s.Checks, selfcheck.Check{Name: "a check", Phase: phase, Verdict: selfcheck.OK, Sentence: "All is well."})
	}
	s.Generator.GCPauses, s.Generator.GCPauseP99US, s.Generator.SchedWaits, s.Generator.SchedP99US = 120, 95, 10_000, 41
	return s
}

// doubtful is a run with a check of every kind, in two phases.
func doubtful() results.Summary {
	s := checked()
	s.Status, s.VoidCause = results.Void, results.VoidGenerator
	p := &s.Phases[0]
	p.Response.CI.P999.High, p.Response.CI.P99.Low, p.Response.Independent = nil, nil, true
	s.Objectives[0].Proof = &selfcheck.Proof{Decision: selfcheck.Undecided, Over: 150, N: 18_000}
	s.Objectives[2].Met = false
	s.Checks = append(s.Checks,
		selfcheck.Check{Name: "lateness", Phase: "steady", Verdict: selfcheck.Void, Sentence: "Calls were sent late: half of them by more than 3 ms (p99 9 ms, limit 1 ms), so response times are the generator's own."},
		selfcheck.Check{Name: "arrival gaps", Phase: "ramp \x1b[31m", Verdict: selfcheck.Void, Sentence: "Gaps between sends are not exponential as asked."},
		selfcheck.Check{Name: "backlog", Phase: "steady", Verdict: selfcheck.Warn, Sentence: "A backlog grew: 31 calls were in flight at the end and 4 in the first half (11.2 standard deviations more, limit 3). The node doesn't sustain this rate."},
		selfcheck.Check{Name: "warm-up", Phase: "steady", Verdict: selfcheck.NotEnough, Sentence: "Whether the node was warm can't be told."},
		selfcheck.Check{Name: "halves", Phase: "steady", Verdict: selfcheck.NotEnough, Sentence: "The phase's halves can't be compared."},
		selfcheck.Check{Name: "generator cpu", Verdict: selfcheck.NotEnough, Sentence: "The generator's own CPU time is not known."},
	)
	s.Generator.Verdict, s.Generator.Reason = results.GeneratorLimited, results.CheckWarning(s.Checks[3])
	s.VoidReason = "the generator was the limit, not the node: " + s.Generator.Reason
	s.Warnings = []string{results.CheckWarning(s.Checks[4]), results.CheckWarning(s.Checks[5]), "the node sent 2 answers more than were asked for"}
	return s
}

// troubled is a run in which everything went wrong, on a node with manners.
func troubled() results.Summary {
	s := healthy()
	s.Name, s.Bundled, s.URL, s.Dialect = "evil \x1b[31mname\u202e", false, "http://10.0.0.7:3030/", "rcp"
	s.Status, s.VoidCause, s.VoidReason = results.Void, results.VoidRate, `phase "steady" did not reach its rate: 90 of 100 planned calls were sent in time (90.0%, 99% needed); all 256 callers (in_flight) were waiting for the node: it cannot take this rate, or in_flight is too small`
	few := s.Phases[0]
	few.Name, few.Target, few.Arrivals = "ramp\nand\tmore", results.Target{Value: 100, To: ptr(200.0), Unit: "items/s"}, "uniform"
	few.Calls = 250
	few.Response.N, few.Service.N, few.Lateness.N = 250, 250, 250
	warm := results.PhaseSummary{Name: "warm up", Target: results.Target{Value: 8, Unit: "callers"}, ForS: 2.5}
	s.Phases = []results.PhaseSummary{warm, few, s.Phases[0]}
	s.Totals.Unsent, s.Totals.OverBound, s.Totals.Overrun, s.Totals.Surplus = 10, 3, 2, 1
	s.Totals.ByClass["from \x07the future"] = 1
	s.Totals.Deviations = map[string]uint64{"answers out of order": 1200, "a \x07new one": 1}
	s.Objectives = []results.ObjectiveResult{
		{Text: "response p99.9 < 1ms", Metric: "response", Stat: "p99.9", Op: "<", Limit: 1000, Value: ptr(2_500_000.0)},
		{Text: "call errors <= 1%", Metric: "call errors", Op: "<=", Limit: 0.01},
	}
	s.Reconciliation = []results.Row{
		{What: "batches", Client: 250, Node: ptr(249.0), Match: ptr(false)},
		{What: "batch entries", Client: 1250, Node: ptr(1300.5), Note: "50 more than ours: other traffic"},
		{What: "singletons", Client: 7, Note: "not exposed"},
	}
	s.Generator = results.Generator{Verdict: "limited", Reason: "CPU 97%", Planned: 260, Sent: 250}
	s.Warnings = []string{
		"a long warning, which says a good deal more than could ever stand in a single line of eighty columns, and so is broken between words",
		"the node said \x1b]0;owned\x07",
	}
	return s
}

// dead is a run whose node died in it.
func dead() results.Summary {
	s := healthy()
	p := &s.Phases[0].Span
	p.Unanswered, p.Response.N, p.Service.N = 9_240, 8_800, 8_800
	p.ByClass = map[string]uint64{"ok": 160_000, "refused": 199_200, "cut off": 800}
	p.CallsByClass = map[string]uint64{"ok": 8_760, "refused": 9_200, "cut off": 40}
	s.Totals, s.Measured = p.Totals, *p
	s.Objectives = []results.ObjectiveResult{
		{Text: "response p99 <= 250ms", Metric: "response", Stat: "p99", Op: "<=", Limit: 250_000, N: 18_000, Unanswered: 9_240},
		{Text: "a text so long that what was found has to go on to a line of its own", Metric: "response", Stat: "max", Op: "<=", N: 18_000, Unanswered: 9_240},
		{Text: "entry errors <= 0.001%", Metric: "entry errors", Op: "<=", Limit: 0.00001, Value: ptr(0.000_005_4), Met: true, N: 360_000},
	}
	s.Reconciliation = nil
	return s
}

// begun is a run of two phases of which the first is under way.
func begun(status string) results.Summary {
	s := healthy()
	s.Status, s.Finished = status, nil
	if status == results.Cut {
		s.Finished = ptr(began.Add(7 * time.Second))
	}
	s.Phases[0].ElapsedS = 7
	s.Phases = append(s.Phases, results.PhaseSummary{Name: "later", Measured: true, Target: results.Target{Value: 10_000_000, Unit: "calls/s"}, Arrivals: "constant", ForS: 30})
	s.Warnings = []string{"that it is a part"}
	s.Generator, s.Reconciliation, s.Environment = results.Generator{}, nil, nil
	return s
}

// lagging is a run whose generator was the limit, of phases in items with long names.
func lagging() results.Summary {
	s := healthy()
	s.Status, s.VoidCause, s.VoidReason = results.Void, results.VoidGenerator, "the generator was the limit, not the node: it used 97% of its 2 CPUs"
	p := s.Phases[0]
	p.Name = strings.Repeat("a phase of many words ", 5)
	p.Target, p.ForS, p.ElapsedS = results.Target{Value: 24_000, Unit: "items/s"}, 30, 31.5
	p.Unanswered, p.CallsByClass = 2, map[string]uint64{"ok": 17_998, "timeout": 1, "reset": 1}
	s.Phases = []results.PhaseSummary{p, p}
	return s
}

// brokenDown is a run of more methods and sizes than the page has room for.
func brokenDown() results.Summary {
	s := healthy()
	for i, method := range []string{"query view_account", "a method of a name\nthat is far too long for it", "status"} {
		for band := range results.Band(8) {
			n := uint64(1000*(3-i) + 400*int(band))
			s.Breakdown = append(s.Breakdown, results.BreakdownRow{
				Method: method, Form: "batch", Band: band.String(), Calls: n / 10, Entries: n, Items: n,
				ByClass:  map[string]uint64{"ok": n - 7, "rpc error": 4, "notified": 3},
				Response: results.Distribution{N: int64(n), Mean: 999, P50: 1003 + 512*int64(band), P90: 2000, P99: 9_999 << i, P999: 8000, Max: 9000},
			})
		}
	}
	s.Phases[0].Target.ByHand = &results.ByHand{Steps: 2, Lowest: 1, Highest: 1.5, Mean: 14_400}
	dead := &s.Breakdown[23]
	dead.ByClass, dead.Response = map[string]uint64{"refused": dead.Entries}, results.Distribution{}
	return s
}

func TestText(t *testing.T) {
	failed := healthy()
	failed.Status, failed.VoidReason, failed.Phases = results.Void, "the node could not be started: no such file.", nil
	failed.Totals, failed.Objectives, failed.Reconciliation = results.Totals{}, nil, nil
	stored, err := results.Open("../testdata/run-v1")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]results.Summary{
		"healthy": healthy(), "checked": checked(), "doubtful": doubtful(), "troubled": troubled(), "dead": dead(), "lagging": lagging(), "failed": failed,
		"broken-down": brokenDown(), "cut": begun(results.Cut), "running": begun(results.Running), "empty": {}, "run-v1": stored.Summary,
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := report.Text(&b, &s); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.String(); got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			for line := range strings.Lines(b.String()) {
				line = strings.TrimSuffix(line, "\n")
				if n := utf8.RuneCountInString(line); n > 80 {
					t.Errorf("%d columns: %s", n, line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("spaces at the end of %q", line)
				}
				if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("not safe for a terminal: %q", line)
				}
			}
		})
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestTextTellsAWriteError(t *testing.T) {
	s := healthy()
	if err := report.Text(full{}, &s); err == nil {
		t.Error("nobody said so")
	}
}
