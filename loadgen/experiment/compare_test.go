package experiment

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"volley/results/paired"
	"volley/results/study"
)

func compareOptions(t *testing.T, pairs int) CompareOptions {
	cell := func(size string) Cell {
		return Cell{Settings: []study.Setting{{Name: "size", Value: size}}, Plan: planOf(t, "form=batch", "size="+size)}
	}
	return CompareOptions{A: cell("1"), B: cell("10"), Pairs: pairs, Seed: 9}
}

func TestCompareMakesPairsInTurn(t *testing.T) {
	seeds := map[int][]uint64{}
	lab := &fakeLab{outcome: func(n int, s *Spec) fakeOutcome {
		seeds[s.Block] = append(seeds[s.Block], s.Plan.Seed)
		if !s.Fresh || s.Plan.Phases[0].Measured || s.Plan.Phases[0].For <= 0 || !s.Plan.Phases[1].Measured {
			t.Errorf("trial %d: fresh %v, phases %+v: want a node as new and load before what is measured", n, s.Fresh, s.Plan.Phases)
		}
		return fakeOutcome{}
	}}
	o := compareOptions(t, 5)
	c, err := Compare(context.Background(), begin(t, t.TempDir(), study.CompareKind, lab), o)
	if err != nil || len(c.A) != 5 || len(c.B) != 5 || c.Lost != nil {
		t.Fatalf("%+v, %v", c, err)
	}
	for pair := range 5 {
		a, b := c.A[pair], c.B[pair]
		if a.Block != pair+1 || b.Block != pair+1 || study.Text(a.Settings) != "arm=A size=1" || study.Text(b.Settings) != "arm=B size=10" {
			t.Errorf("pair %d: %+v and %+v", pair, a, b)
		}
		if s := seeds[pair+1]; len(s) != 2 || s[0] != s[1] || pair > 0 && s[0] == seeds[pair][0] {
			t.Errorf("pair %d has the seeds %v: want the same for both, and none of another pair", pair, s)
		}
	}
	if !slices.Equal(lab.made, o.OrderText()) {
		t.Errorf("order %q, want %q", lab.made, o.OrderText())
	}
	for i := 0; i+4 <= len(lab.made); i += 4 {
		if block := lab.made[i : i+4]; block[0] != block[3] || block[1] != block[2] || block[0] == block[1] {
			t.Errorf("trials %d to %d are no ABBA: %q", i, i+3, block)
		}
	}
}

// A pair with a trial that stays void does not count; void trials are made again.
func TestCompareLosesPairs(t *testing.T) {
	for _, c := range []struct{ voids, lost int }{{Repeats, 0}, {Repeats + 1, 1}} {
		left := c.voids
		lab := &fakeLab{outcome: func(n int, s *Spec) fakeOutcome {
			if s.Block == 2 && s.Settings[0].Value == string(paired.B) && left > 0 {
				left--
				return fakeOutcome{void: true}
			}
			return fakeOutcome{}
		}}
		got, err := Compare(context.Background(), begin(t, t.TempDir(), study.CompareKind, lab), compareOptions(t, 3))
		if err != nil || len(got.Lost) != c.lost || len(got.A) != 3-c.lost || len(got.B) != len(got.A) {
			t.Errorf("%d void trials: %+v, %v", c.voids, got, err)
		}
		if c.lost > 0 && !strings.Contains(got.Lost[0], "pair 2 does not count: arm=B size=10 was void 4 times over") {
			t.Errorf("%q", got.Lost)
		}
	}
}

func TestCompareGoesOn(t *testing.T) {
	dir := t.TempDir()
	first := &fakeLab{outcome: func(n int, s *Spec) fakeOutcome { return fakeOutcome{kill: n == 4} }}
	j := begin(t, dir, study.CompareKind, first)
	c, err := Compare(context.Background(), j, compareOptions(t, 3))
	end(t, j)
	if !errors.Is(err, errKilled) || len(c.A) != 1 {
		t.Fatalf("killed in the second pair: %d pairs, %v", len(c.A), err)
	}
	second := &fakeLab{outcome: func(int, *Spec) fakeOutcome { return fakeOutcome{} }}
	c, err = Compare(context.Background(), begin(t, dir, study.CompareKind, second), compareOptions(t, 3))
	if err != nil || len(second.made) != 3 || len(c.A) != 3 {
		t.Errorf("%d trials were made again, %d pairs, %v", len(second.made), len(c.A), err)
	}
}

func TestWarmed(t *testing.T) {
	p := planOf(t)
	if w := warmed(p); len(w.Phases) != 2 || len(p.Phases) != 1 || w.Phases[0].Rate != p.Phases[0].Rate {
		t.Errorf("%+v", w.Phases)
	}
	own := planOf(t, "load=[{name: first, rate: 10 calls/s, for: 1s, measured: false}, {name: warm up, rate: 100 calls/s, for: 12s}]")
	if w := warmed(own); len(w.Phases) != 2 {
		t.Errorf("%+v", w.Phases)
	}
	named := planOf(t, "load=[{name: warm up, rate: 100 calls/s, for: 12s}]")
	if w := warmed(named); w.Phases[0].Name == w.Phases[1].Name {
		t.Errorf("%+v", w.Phases)
	}
}
