package correlate_test

import (
	"slices"
	"strings"
	"testing"

	"volley/results/correlate"
)

func TestPreset(t *testing.T) {
	for _, tt := range []struct {
		dialect string
		role    correlate.Role
		want    string
	}{
		{"near", correlate.Batches, "near_rpc_batch_requests_total"},
		{"near", correlate.EntriesInFlight, "near_rpc_batch_query_entries_in_flight"},
		{"near", correlate.MethodTime, "near_rpc_processing_time"},
		{"rcp", correlate.BatchTime, "volley_rpc_batch_processing_time"},
		{"jsonrpc", correlate.BatchBytes, "volley_rpc_batch_response_size_bytes"},
		{"jsonrpc", correlate.CPU, "process_cpu_seconds_total"},
	} {
		if got := correlate.Preset(tt.dialect)[tt.role].String(); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.dialect, tt.role, got, tt.want)
		}
	}
	for _, role := range correlate.Roles() {
		if correlate.Preset("near")[role].Name == "" {
			t.Errorf("the near preset names no series for %s", role)
		}
	}
}

func TestOverrides(t *testing.T) {
	preset := correlate.Preset("near")
	got, err := preset.With(map[string]string{
		"batch_time": `rpc_duration{kind="batch"}`,
		"singles":    "",
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := got[correlate.BatchTime].String(); s != `rpc_duration{kind="batch"}` {
		t.Errorf("batch_time: %s", s)
	}
	if _, there := got[correlate.Singles]; there {
		t.Error("an empty name must take a role away")
	}
	if s := got[correlate.Batches].String(); s != "near_rpc_batch_requests_total" {
		t.Errorf("a role that is not overridden: %s", s)
	}
	if _, there := preset[correlate.Singles]; !there {
		t.Error("overrides changed the preset")
	}
}

func TestOverridesThatCannotBe(t *testing.T) {
	_, err := correlate.Preset("near").With(map[string]string{
		"bathces": "x_total",
		"cpu":     `cpu{mode=~"user|system"}`,
		"memory":  "rate(x)",
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`"bathces" is no role of a series: want one of batches, entries, batch_time`,
		`cpu: series "cpu{mode=~\"user|system\"}": "~\"user|system\"}" where a value in double quotes (= is the only operator known) was wanted`,
		`memory: series "rate(x)": "rate(x)" is no name of a series at "(x)"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say: %s", err, want)
		}
	}
}

func TestSelector(t *testing.T) {
	for _, tt := range []struct {
		selector, series string
		want             bool
	}{
		{`a_total`, `a_total`, true},
		{`a_total`, `a_total{x="1",y="2"}`, true},
		{`a_total`, `a_total_count`, false},
		{`a_total{}`, `a_total{x="1"}`, true},
		{`a_total{y="2"}`, `a_total{x="1",y="2"}`, true},
		{`a_total{ y = "2", x="1" , }`, `a_total{x="1",y="2"}`, true},
		{`a_total{y="2"}`, `a_total{x="1"}`, false},
		{`a_total{y=""}`, `a_total{x="1"}`, false},
		{`a{p="C:\\x\"}\n"}`, `a{p="C:\\x\"}\n"}`, true},
		{`a{p="\d"}`, `a{p="\\d"}`, true},
		{`{"jvm.time",pool="a"}`, `{"jvm.time",pool="a"}`, true},
		{`{"a_total"}`, `a_total`, true},
		{`a{"x.y"="1"}`, `a{"x.y"="1"}`, true},
	} {
		s, err := correlate.ParseSelector(tt.selector)
		if err != nil {
			t.Errorf("%s: %v", tt.selector, err)
			continue
		}
		series, err := correlate.ParseSeries(tt.series)
		if err != nil {
			t.Errorf("%s: %v", tt.series, err)
			continue
		}
		if got := s.Matches(&series); got != tt.want {
			t.Errorf("%s picks %s: %v, want %v", tt.selector, tt.series, got, tt.want)
		}
	}
}

func TestSelectorThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		``:                "no name of a series",
		`{x="1"}`:         `no name of a series before "{"`,
		`a{x="1"`:         `it ends where "," or "}" was wanted`,
		`a{x="1" y="2"}`:  `"y=\"2\"}" where "," or "}" was wanted`,
		`a{x="1}`:         "lacks its closing quote",
		`a{x}`:            `where "=" (the only operator known) was wanted`,
		`a{x!="1"}`:       "the only operator known",
		`a{x=1}`:          "a value in double quotes",
		`a{x="1"}5`:       `"5" where an end was wanted`,
		`a{x="1",x="2"}`:  `label "x" is given twice`,
		`a b`:             `is no name of a series at " b"`,
		`1a`:              "is no name of a series",
		`a{"b"}`:          `label "b" has no value`,
		`{"a","b"}`:       `label "b" has no value`,
		`sum(a{x="1"})`:   "is no name of a series",
		`a{=“1”}`:         "the name of a label",
		`a{x="1"} offset`: "where an end was wanted",
	} {
		if _, err := correlate.ParseSelector(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// What a selector is written as reads as the same selector, which picks the series
// that it was read from.
func FuzzSelector(f *testing.F) {
	for _, text := range []string{`a`, `a{b="c"}`, `{"a.b","c d"="\n\\\""}`, `a{b="\x",}`, `a{b:c="d"}`, "{\"\xff\"}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := correlate.ParseSelector(text)
		if err != nil {
			return
		}
		again, err := correlate.ParseSelector(s.String())
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, s, err)
		}
		if again.Name != s.Name || !slices.Equal(again.Labels, s.Labels) {
			t.Fatalf("%q is written as %q and reads as %q", text, s, again)
		}
		series, err := correlate.ParseSeries(text)
		if err != nil || !s.Matches(&series) {
			t.Fatalf("%q does not pick itself (%v)", text, err)
		}
	})
}
