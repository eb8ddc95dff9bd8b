package results_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"volley/results"
)

func TestDeviationsAddUp(t *testing.T) {
	var c results.Counts
	for _, set := range [][]results.Deviation{
		{results.OutOfOrder}, {results.OutOfOrder, results.NotificationAnswered}, {}, {results.StatusOfNothing},
	} {
		o := results.Outcome{Entries: 1}
		o.ByClass[results.OK] = 1
		for _, d := range set {
			o.Deviations.Add(d)
		}
		c.AddOutcome(&o)
	}
	var twice results.Counts
	twice.Add(&c)
	twice.Add(&c)
	text, err := json.Marshal(twice.Totals())
	if err != nil {
		t.Fatal(err)
	}
	var back results.Totals
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	want := map[string]uint64{"answers out of order": 4, "notifications answered": 2, "another status where nothing was due": 2}
	if !reflect.DeepEqual(back.Deviations, want) {
		t.Errorf("%v, want %v", back.Deviations, want)
	}
	counts, err := back.Counts()
	if err != nil || counts.Deviations != twice.Deviations {
		t.Errorf("%v, %v, want %v", err, counts.Deviations, twice.Deviations)
	}
	back.Deviations["a new one"] = 1
	if _, err := back.Counts(); err == nil || !strings.Contains(err.Error(), "a new one") {
		t.Errorf("%v, want the unknown name", err)
	}
}

func TestTotalsWithoutDeviationsDoNotNameThem(t *testing.T) {
	text, err := json.Marshal((&results.Counts{}).Totals())
	if err != nil || strings.Contains(string(text), "deviations") {
		t.Errorf("%v, %s", err, text)
	}
}
