package report_test

import (
	"strings"
	"testing"
	"time"

	"volley/results/capacity/search"
	"volley/results/report"
	"volley/results/study"
)

func answerHead(name string) study.Head {
	return study.Head{
		Format: 1, Volley: "0.1.0", Name: name, Seed: 7, Dialect: "near", Bundled: true, Started: began, Finished: began.Add(90 * time.Second),
		Status: study.Finished, Warnings: []string{}, Environment: map[string]string{"cpus": "2"},
	}
}

func record(kind study.Kind, name string) study.Record {
	return study.Record{Format: 1, Kind: kind, Volley: "0.1.0", Name: name, Started: began, Scenario: "00ff", Seed: 7, Options: []study.Setting{{Name: "--trial", Value: "2s"}, {Name: "--to"}}}
}

// experiments are one of each kind and state, also with hostile texts.
func experiments() map[string]*study.Experiment {
	all := map[string]*study.Experiment{
		"search":     {Record: record(study.SearchKind, "a search"), Search: searched("a search")},
		"sweep":      {Record: record(study.SweepKind, "a sweep"), Sweep: swept("a sweep", "batch_concurrency_limit")},
		"compare":    {Record: record(study.CompareKind, "a comparison"), Compare: compared("a comparison")},
		"unfinished": {Record: record(study.SweepKind, "begun"), Trials: []study.Trial{{Format: 1, N: 1, Settings: []study.Setting{{Name: "size", Value: "10"}}, Started: began, TookS: 3}}},
		"no trials":  {Record: record(study.SearchKind, ""), Search: &study.Search{Head: answerHead(""), Answer: search.AllVoid, Sentence: "nothing but void trials"}},
	}
	evil := strings.Join(hostile, " ")
	all["hostile search"] = &study.Experiment{Record: record(study.SearchKind, evil), Search: searched(evil), Trials: []study.Trial{{N: 1, Void: true, Reason: evil, Settings: []study.Setting{{Name: evil, Value: evil}}}}}
	all["hostile sweep"] = &study.Experiment{Record: record(study.SweepKind, evil), Sweep: swept(evil, hostile[3])}
	all["hostile comparison"] = &study.Experiment{Record: record(study.CompareKind, evil), Compare: compared(evil)}
	return all
}

func searched(name string) *study.Search {
	a := &study.Search{
		Head: answerHead(name), Lower: ptr(800.0), Upper: ptr(850.0), Unit: "entries/s", ConditionalThroughput: ptr(792.0), Answer: search.Found,
		Limiting: name, Sentence: "between 800 and 850 entries/s: " + name, LoadedS: 42, ResponseP99US: 65_000, Saturated: &study.Saturation{N: 1, Callers: 64, Achieved: 1600},
		Goals: []search.Result{{
			Goal: search.Goal{Name: name}, Status: search.Found, Lower: 800, Upper: 850, Sentence: name, Warnings: []string{name},
			Loads: []search.Load{{Load: 400, Class: search.Lower, Good: 1, Time: 3 * time.Second}, {Load: 800, Class: search.Lower, Good: 2, Time: 6 * time.Second}, {Load: 850, Class: search.Upper, Bad: 2, Time: 6 * time.Second}},
		}},
	}
	for i, load := range []float64{400, 1600, 800, 850, 800} {
		verdict := search.Good
		if load > 800 {
			verdict = search.Bad
		}
		a.Trials = append(a.Trials, study.SearchTrial{N: i + 1, Load: load, ForS: 3, Purpose: "explore", Verdicts: []search.Verdict{verdict}, Why: []string{name}, Achieved: load, P99US: int64(load * load / 10)})
	}
	return a
}

func swept(name, setting string) *study.Sweep {
	a := &study.Sweep{Head: answerHead(name), Varied: []study.Varied{{Name: setting, Values: []string{"1", "4", "16"}}, {Name: "form", Values: []string{"batch", name}}}, Repeats: 3, Probe: &study.ProbeSpec{CallsPerS: 5}, Models: []study.Model{}}
	metric := func(name string, v float64) study.Metric {
		return study.Metric{Name: name, Unit: "us", Value: v, Low: ptr(v * .9), High: ptr(v * 1.2), Repeats: []float64{v, v * 1.1, v * .95}, Few: v > 5000}
	}
	r := &study.Recommendation{Setting: setting, Value: "4", Sentence: "choose 4: " + name, Rule: "the smallest within the guard", GuardUS: 2000, Why: []string{name}, Warnings: []string{name}}
	for i, v := range a.Varied[0].Values {
		batch, probe := metric(study.ResponseP99, 8000/float64(i+1)), metric(study.ProbeP99, 900*float64(i*i+1))
		r.Front = append(r.Front, study.Candidate{Value: v, Metrics: []study.Metric{batch, probe}, Allowed: i < 2, Chosen: i == 1, Note: name})
		for _, form := range a.Varied[1].Values {
			a.Cells = append(a.Cells, study.Cell{
				Settings: []study.Setting{{Name: setting, Value: v}, {Name: "form", Value: form}}, Trials: []int{1, 2, 3},
				Metrics: []study.Metric{{Name: study.EntriesPerS, Unit: "entries/s", Value: 100, Low: ptr(95.0), High: ptr(105.0)}, batch, probe},
			})
		}
	}
	a.Cells[5] = study.Cell{Settings: a.Cells[5].Settings, Voids: 3, Missing: true, Metrics: []study.Metric{}}
	a.Recommendation = r
	m := study.Model{Name: name, Of: study.CPUPerItem, Parameters: []study.Parameter{{Name: name, Unit: "us", Value: 120, Low: ptr(100.0), High: ptr(140.0)}, {Name: "b", Unit: "us", Value: 3.25}}, XLabel: name, YLabel: "time", Warnings: []string{name}, Sentence: name}
	for x := 1.0; x <= 5; x++ {
		m.Points = append(m.Points, study.Point{X: x, Y: 100 * x, Low: ptr(90 * x), High: ptr(110 * x), Residual: ptr(x - 3)})
		m.Curve = append(m.Curve, study.Point{X: x, Y: 99 * x, Low: ptr(95 * x), High: ptr(103 * x)})
	}
	a.Models = append(a.Models, m)
	return a
}

func compared(name string) *study.Compare {
	return &study.Compare{
		Head: answerHead(name), A: name, B: "b", Pairs: 8, RunsA: []string{"a1", "a2"}, RunsB: []string{"b1"}, Differ: []study.Setting{{Name: name, Value: "1 -> 2"}}, Despite: []string{name},
		Metrics: []study.Comparison{
			{Name: "p99", Unit: "us", Better: "less", Primary: true, Ratio: ptr(1.1), Low: ptr(1.04), High: ptr(1.17), MidA: ptr(10_000.0), MidB: ptr(11_000.0), Verdict: "slower", MDE: ptr(.05), P: ptr(.01), Sentence: "B is slower: " + name},
			{Name: "goodput", Unit: "entries/s", Better: "more", Ratio: ptr(1.0), Low: ptr(.99), High: ptr(1.01), MidA: ptr(500.0), MidB: ptr(500.0), Verdict: "equivalent", Sentence: "B is as fast"},
			{Name: "errors", Unit: "of entries", Better: "less", MidA: ptr(.01), MidB: ptr(.02), MDE: ptr(.04), Shift: &study.Shift{Value: .01, Low: ptr(-.01), High: ptr(.03)}, Verdict: "inconclusive", Warnings: []string{"few"}, Sentence: "no difference was shown"},
			{Name: "cpu", Unit: "us of CPU/entry", Better: "less", Ratio: ptr(1.02), MidA: ptr(104.0), MidB: ptr(106.0), Verdict: "inconclusive", Sentence: "no difference was shown"},
			{Name: name, Unit: name, Ratio: ptr(.8), Verdict: "inconclusive", Sentence: name},
		},
		Rules: []study.RuleResult{{Text: "p99 > +5%", Broken: true, Decided: true, Sentence: "p99 > +5% is broken"}, {Text: name, Sentence: name}, {Text: "p50 > +5%", Decided: true, Sentence: "p50 keeps it"}},
	}
}

func TestFormsOfExperiment(t *testing.T) {
	for _, name := range []string{"search", "sweep", "compare", "unfinished"} {
		for _, f := range forms(report.OfExperiment(experiments()[name])) {
			if f.name == "text" && name != "unfinished" {
				continue // the pages for a terminal have goldens of their own
			}
			t.Run(name+" as "+f.name, func(t *testing.T) { goldenForm(t, name+"."+f.name, written(t, f.write)) })
		}
	}
}

// The objective is a line of its own among the trials' p99s, where there is one.
func TestObjectiveAmongTrials(t *testing.T) {
	a := searched("a search")
	a.ResponseP99US = 0
	e := &study.Experiment{Record: record(study.SearchKind, "a search"), Search: a}
	if page := written(t, report.OfExperiment(e).HTML); strings.Contains(page, "The objective allows") {
		t.Error("an objective that there is not is drawn")
	}
	a.ResponseP99US = 65_000
	page := written(t, report.OfExperiment(e).HTML)
	for _, want := range []string{"The objective allows 65.0 ms.", ">objective 65.0 ms<"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// What differs nowhere is not praised, errors of which there were none are no metric, and
// a number without a meaning is not shown.
func TestWordsOfExperiments(t *testing.T) {
	same := compared("same")
	none := study.Comparison{Name: "errors", Unit: "of entries", MidA: ptr(0.0), MidB: ptr(0.0), A: []float64{0, 0}, B: []float64{0, 0}, Verdict: "inconclusive"}
	same.Metrics = []study.Comparison{{Name: "p99", Unit: "us", Ratio: ptr(1.01), MidA: ptr(10_000.0), MidB: ptr(10_100.0), Verdict: "inconclusive"}, none}
	same.Rules = nil
	alike := compared("alike")
	alike.Metrics, alike.Rules = alike.Metrics[1:2], nil
	form := swept("forms", "form")
	form.Recommendation.GuardUS = 0
	for i := range form.Recommendation.Front {
		form.Recommendation.Front[i].Allowed = true
	}
	wild := swept("wild", "size")
	wild.Cells[0].Metrics[1].Low, wild.Cells[0].Metrics[1].High = ptr(5.0), ptr(2.3e9)
	wild.Head.Status = study.Void
	two := searched("one objective")
	two.Warnings = []string{"one objective", "trial 3: a note"}
	for _, c := range []struct {
		name      string
		of        *study.Experiment
		has, lack []string
	}{
		{"nothing differs", &study.Experiment{Compare: same}, []string{"No difference shown", "| errors | 0.00% | 0.00% | none |  | none on either side |", "inconclusive in p99."}, []string{"metrics compared", "not known"}},
		{"all alike", &study.Experiment{Compare: alike}, []string{"✅ alike: Equivalent"}, nil},
		{"forms have no guard", &study.Experiment{Sweep: form}, []string{"| measured"}, []string{"within the guard:", "beyond"}},
		{"intervals of nothing", &study.Experiment{Sweep: wild}, []string{"(too wide", "Where they stood, nothing is shown"}, []string{"2,3"}},
		{"each warning once", &study.Experiment{Search: two}, []string{"- one objective", "trial 3: a note"}, []string{"one objective: one objective"}},
	} {
		got := strings.ReplaceAll(written(t, report.OfExperiment(c.of).Markdown), `\`, "")
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, got)
			}
		}
		for _, not := range c.lack {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q in\n%s", c.name, not, got)
			}
		}
	}
}
