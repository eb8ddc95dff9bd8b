package main

import (
	"strings"
	"testing"
	"time"

	"volley/results"
)

// TestJudged: what holds a schedule, and what is said where it was not held.
func TestJudged(t *testing.T) {
	const limit = time.Millisecond
	for _, c := range []struct {
		name  string
		calls uint64
		span  results.Totals
		late  int64
		cpu   float64
		want  string
	}{
		{"on time", 1000, results.Totals{}, 900, 0.5, ""},
		{"at the limit", 1000, results.Totals{Overrun: 10}, 1000, 0.89, ""},
		{"late", 1000, results.Totals{}, 1001, 0.5, "the p99 of lateness was 1.00 ms, over 1.00 ms"},
		{"behind", 1000, results.Totals{Overrun: 11}, 100, 0.5, "only 98.9% of the calls were sent in time, though callers were free"},
		{"held up", 900, results.Totals{Unsent: 100, OverBound: 50}, 100, 0.5, "only 90.0% of the calls were sent in time, all callers being under way"},
		{"full", 1000, results.Totals{}, 100, 0.9, "the generator used 90% of its CPUs"},
		{"nothing", 0, results.Totals{}, 0, 0, "no call was due"},
	} {
		span := results.Span{Totals: c.span}
		span.Calls = c.calls
		span.Lateness = results.Distribution{N: int64(c.calls), P99: c.late}
		s := &results.Summary{
			Phases:    []results.PhaseSummary{{Name: "settle"}, {Name: "trial", Span: span}},
			Generator: results.Generator{CPUFraction: c.cpu},
		}
		got := judged(500, s, limit)
		if got.Held != (c.want == "") || !strings.HasPrefix(got.Why, c.want) || got.CallsPerS != 500 {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
}

// TestLateLimit: a millisecond, or what the machine does of itself.
func TestLateLimit(t *testing.T) {
	for p99, want := range map[int64]time.Duration{0: time.Millisecond, 40: time.Millisecond, 5000: 5 * time.Millisecond} {
		f := floor{Distributions: results.Distributions{Lateness: results.Distribution{N: 500, P99: p99}}}
		if got := lateLimit(&f); got != want {
			t.Errorf("p99 of %d us at the floor: %v, want %v", p99, got, want)
		}
	}
}

func TestForeign(t *testing.T) {
	if got := foreign(map[string]uint64{"ok": 5, "notified": 2, "cut off": 1}); got != "" {
		t.Errorf("all as it should be: %q", got)
	}
	if got := foreign(map[string]uint64{"ok": 5, "rpc error": 2}); got != "rpc error: 2" {
		t.Errorf("errors: %q", got)
	}
}

// TestAgainst: the null server gets the plan's calls, and nothing that is for its own node.
func TestAgainst(t *testing.T) {
	plan := builtin(t, "malformed=10%", `target.headers={X-Key: {env: SOME_KEY}}`, "target.connections={max_requests: 7}")
	got := against(plan, "http://127.0.0.1:1/")
	if got.Malformed != 0 || len(got.Target.Headers) != 0 || got.Target.Authorised != nil || len(got.Objectives) != 0 {
		t.Errorf("%+v", got)
	}
	if got.Target.Connections.MaxRequests != 7 || got.Form != plan.Form || len(got.Mix) != len(plan.Mix) || plan.Malformed == 0 {
		t.Errorf("%+v of %+v", got, plan)
	}
}
