package report_test

import (
	"bytes"
	"strings"
	"testing"

	"volley/results/capacity/fleet"
	"volley/results/report"
	"volley/results/study"
)

func TestFleetPage(t *testing.T) {
	f := &study.Fleet{
		Name: "one\x1b[2J", Unit: "calls/s\x1b[2J", Rate: 1500, Spares: 1, Lower: 100, Upper: new(120.0), Up: 19, LimitUS: 100_000,
		Size: fleet.Size{Nodes: 20, Least: 17, Most: 19, PerNode: 1500.0 / 19},
		Balancers: []fleet.Row{
			{Policy: fleet.Random, Mean: 0.05, P99: 0.2, P99SE: 0.001},
			{Policy: fleet.RoundRobin, Mean: 0.03, P99: 0.1, P99SE: 0.001},
			{Policy: fleet.ShortestQueue, Mean: 0.01, P99: 0.05, P99SE: 0.001},
		},
		Warnings: []string{"a warning\x1b[2J"},
	}
	page := func() string {
		t.Helper()
		var b bytes.Buffer
		if err := report.Fleet(&b, f); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsRune(b.String(), '\x1b') {
			t.Errorf("an escape code gets through: %q", b.String())
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	text := page()
	for _, want := range []string{
		"20 nodes carry 1,500 calls/s", "each of 19 at 78.9% of the 100 that it sustains", "and 1 may be down", "less than 120", "17 to 19 would do",
		"random 50.0 ms 200 ms missed", "round robin 30.0 ms 100 ms on the edge", "shortest queue 10.0 ms 50.0 ms met", "a warning",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	f.NotSimulated, f.Size.Least, f.Size.Most = "no reason\x1b[2J", 20, 20
	if text := page(); !strings.Contains(text, "Balancers were not simulated: no reason") || strings.Contains(text, "would do") {
		t.Error(text)
	}
}
