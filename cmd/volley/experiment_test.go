package main

import (
	"errors"
	"testing"

	"volley/results/capacity/search"
	"volley/results/study"
)

// A search's exit code says what kind of answer it has.
func TestSearchVerdict(t *testing.T) {
	for _, c := range []struct {
		answer search.Status
		lower  *float64
		want   int
	}{
		{search.Found, new(100.0), exitOK},
		{search.AtLeast, new(100.0), exitOK},
		{search.Unfinished, new(100.0), exitOK},
		{search.NoLoad, nil, exitMissed},
		{search.AllVoid, nil, exitVoid},
		{search.Unclear, nil, exitVoid},
		{search.Unfinished, nil, exitVoid},
	} {
		got := exitOK
		if err := searchVerdict(&study.Search{Answer: c.answer, Lower: c.lower}); err != nil {
			var e *exit
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			got = e.code
		}
		if got != c.want {
			t.Errorf("%s with the lower bound %v: exit code %d, want %d", c.answer, c.lower, got, c.want)
		}
	}
}
