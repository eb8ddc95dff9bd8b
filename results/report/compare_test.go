package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"volley/results/report"
	"volley/results/study"
)

func TestCompareGolden(t *testing.T) {
	begin := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	c := &study.Compare{
		Head: study.Head{Status: study.Finished, Name: "near \x1b[31mmix", Dialect: "near", Bundled: true, Seed: 7, Volley: "0.1.0", Started: begin, Warnings: []string{"a warning"}},
		A:    "batch_concurrency_limit=16", B: "batch_concurrency_limit=4", Pairs: 8, RunsA: make([]string, 8), RunsB: make([]string, 8), Margin: 0.02,
		Differ:  []study.Setting{{Name: "target.node.rpc.limits_config.batch_concurrency_limit", Value: "16 -> 4"}},
		Despite: []string{"another machine: kernel is 6.1 in A, 6.2 in B"},
		Metrics: []study.Comparison{
			{Name: "p99", Unit: "us", Primary: true, Verdict: "slower", Ratio: new(1.1), Low: new(1.05), High: new(1.15), P: new(0.0078), MidA: new(20300.0), MidB: new(22330.0), Sentence: "p99 changes by +10.00% (95%: +5.00% to +15.00%): slower, p 0.0078.", Warnings: []string{"twice", "twice"}},
			{Name: "p50", Unit: "us", Verdict: "inconclusive", Ratio: new(0.99), Low: new(0.95), High: new(1.02), P: new(0.5), MDE: new(0.043), MidA: new(1500.0), MidB: new(1480.0)},
			{Name: "goodput", Unit: "entries/s", Verdict: "equivalent", Ratio: new(1.0), Low: new(1.0), High: new(1.0), P: new(1.0), MidA: new(600.0), MidB: new(600.0)},
			{Name: "errors", Unit: "of entries", Verdict: "inconclusive", Shift: &study.Shift{Value: 0.001, Low: new(-0.001), High: new(0.003)}, P: new(0.25), MDE: new(0.002), MidA: new(0.01), MidB: new(0.011)},
			{Name: "cpu", Unit: "us of CPU/entry", Verdict: "inconclusive", Sentence: "cpu: not known.", A: []float64{}, B: []float64{}},
		},
		Rules: []study.RuleResult{{Text: "p99 > +5%", Sentence: "p99 > +5%: holds, the change of p99 is +5 to +15%.", Decided: true}},
	}
	var b bytes.Buffer
	if err := report.Compare(&b, c); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "compare.txt")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the page is\n%s\nwant\n%s", b.String(), want)
	}
}
