package main

import (
	"errors"
	"testing"
)

// TestFindCeiling: the bracket encloses the true ceiling, wherever it lies beside the
// rate that was expected, and is as narrow as it is said to be when there were trials
// enough.
func TestFindCeiling(t *testing.T) {
	const full = 10_000
	for _, truth := range []float64{1.5, 30, 400, 4999, 5000, 5001, 7070, 9000, 9999, 10_000, 14_000, 40_000} {
		b, err := findCeiling(full, 60, func(rate float64) (bool, error) { return rate <= truth, nil })
		if err != nil {
			t.Fatal(err)
		}
		if !(b.held <= truth && truth < b.lost && b.lost <= closeEnough*b.held) {
			t.Errorf("ceiling %g: held %g, lost %g", truth, b.held, b.lost)
		}
	}
}

// TestFindCeilingOnAPausingMachine: a no that is not repeated does not count.
func TestFindCeilingOnAPausingMachine(t *testing.T) {
	n := 0
	b, _ := findCeiling(10_000, 60, func(rate float64) (bool, error) {
		n++
		return rate <= 8000 && n%2 == 0, nil // every other trial is spoilt
	})
	if !(b.held <= 8000 && 8000 < b.lost && b.lost <= closeEnough*b.held) {
		t.Errorf("held %g, lost %g", b.held, b.lost)
	}
}

func TestFindCeilingWithoutAnAnswer(t *testing.T) {
	never := func(float64) (bool, error) { return false, nil }
	if b, err := findCeiling(10_000, 100, never); b.held != 0 || b.lost == 0 || b.lost >= 2*lowest || err != nil {
		t.Errorf("nothing is held: %+v, %v", b, err)
	}
	always := func(float64) (bool, error) { return true, nil }
	if b, err := findCeiling(10_000, 7, always); b.held <= 10_000 || b.lost != 0 || err != nil {
		t.Errorf("all is held: %+v, %v", b, err)
	}
	if b, _ := findCeiling(10_000, 0, always); b != (bracket{}) {
		t.Errorf("without a trial: %+v", b)
	}
	if b, _ := findCeiling(0, 10, always); b != (bracket{}) {
		t.Errorf("without a rate to begin with: %+v", b)
	}
}

// TestFindCeilingEndsWithAnError: and keeps to its trials, repeated ones included.
func TestFindCeilingEndsWithAnError(t *testing.T) {
	broken := errors.New("broken")
	n := 0
	b, err := findCeiling(10_000, 50, func(float64) (bool, error) {
		if n++; n == 3 {
			return false, broken
		}
		return true, nil
	})
	if err != broken || n != 3 || b.held == 0 || b.lost != 0 {
		t.Errorf("%+v, %v after %d trials", b, err, n)
	}
	n = 0
	_, _ = findCeiling(10_000, 9, func(float64) (bool, error) { n++; return false, nil })
	if n != 9 {
		t.Errorf("%d trials of 9", n)
	}
}
