package main

import (
	"encoding/json"
	"strings"
	"testing"

	"volley/scenario"
)

// TestReadyAnswers: every kind of call that a built-in scenario makes has an answer
// of its own, all are JSON, and what the plan does not ask is not among them.
func TestReadyAnswers(t *testing.T) {
	for name, want := range map[string][]string{
		"near-mix":         {"call_function", "view_access_key_list", "view_account", "view_state"},
		"rcp-embed":        {"embed", "rerank"},
		"rcp-forms-single": {"embed"},
	} {
		plan, err := scenario.Builtin(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, r := range readyAnswers(plan).Rules {
			first := r.Has[0]
			kinds = append(kinds, strings.Split(first, `"`)[3])
			if !json.Valid(r.Result) {
				t.Errorf("%s: the answer to %v is no JSON: %.80s", name, r.Has, r.Result)
			}
		}
		if name == "near-mix" {
			want = append(want, "block")
		}
		for _, kind := range want {
			if !strings.Contains(" "+strings.Join(kinds, " ")+" ", " "+kind+" ") {
				t.Errorf("%s: no answer for %s among %v", name, kind, kinds)
			}
		}
		if len(kinds) != len(want) {
			t.Errorf("%s: answers for %v, want %v", name, kinds, want)
		}
	}
}

// TestReadyAnswersHaveTheItems: an array of 32 texts is answered with 32 vectors.
func TestReadyAnswersHaveTheItems(t *testing.T) {
	plan, err := scenario.Builtin("rcp-forms-array", nil)
	if err != nil {
		t.Fatal(err)
	}
	var result struct{ Vectors [][]float64 }
	if err := json.Unmarshal(readyAnswers(plan).Rules[0].Result, &result); err != nil {
		t.Fatal(err)
	}
	if len(result.Vectors) != 32 || len(result.Vectors[0]) != rcpDimension {
		t.Errorf("%d vectors of %d numbers", len(result.Vectors), len(result.Vectors[0]))
	}
	var ranked struct {
		Scores  []float64
		Order   []int
		Results []struct{ Index int }
	}
	if err := json.Unmarshal(scores(3), &ranked); err != nil || len(ranked.Scores) != 3 || ranked.Order[2] != 2 || ranked.Results[2].Index != 2 {
		t.Errorf("scores of three: %+v, %v", ranked, err)
	}
}
