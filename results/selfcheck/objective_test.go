package selfcheck

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// MLPerf's early stopping at 99% with tolerance 0: samples needed with t over.
func TestSamplesToMeet(t *testing.T) {
	over := []int64{0, 1, 2, 5, 10, 50, 100}
	for _, tt := range []struct {
		p    float64
		want []int64
	}{
		{0.9, []int64{44, 64, 81, 127, 197, 681, 1_246}},
		{0.99, []int64{459, 662, 838, 1_307, 2_010, 6_898, 12_571}},
		{0.999, []int64{4_603, 6_636, 8_403, 13_105, 20_140, 69_058, 125_826}},
	} {
		for i, want := range tt.want {
			if got := SamplesToMeet(over[i], tt.p, 0.99); got != want {
				t.Errorf("p=%v with %d over: %d samples, want %d", tt.p, over[i], got, want)
			}
			if d := MeetsByBinomial(over[i], want, tt.p, 0.99).Decision; d != Met {
				t.Errorf("p=%v with %d over of %d: %s, want met", tt.p, over[i], want, d)
			}
			if d := MeetsByBinomial(over[i], want-1, tt.p, 0.99).Decision; d != Undecided {
				t.Errorf("p=%v with %d over of %d: %s, want undecided", tt.p, over[i], want-1, d)
			}
		}
	}
}

func TestMeetsByBinomial(t *testing.T) {
	for _, tt := range []struct {
		name    string
		over, n int64
		tau     float64
		want    Decision
	}{
		{"half of the allowance", 500, 100_000, 1, Met},
		{"exactly the allowance", 1_000, 100_000, 1, Undecided},
		{"twice the allowance", 2_000, 100_000, 1, Missed},
		{"half of the allowance, but next to no independent samples", 500, 100_000, 1000, Undecided},
		{"twice the allowance, but next to no independent samples", 2_000, 100_000, 2000, Undecided},
		{"all over", 10, 10, 1, Missed},
		{"nothing measured", 0, 0, 1, Undecided},
		{"more over than measured", 11, 10, 1, Undecided},
		{"a negative count", -1, 10_000, 1, Undecided},
		{"a tau below 1", 0, 10_000, 0.5, Undecided},
		{"a tau that is no number", 0, 10_000, math.NaN(), Undecided},
	} {
		got := MeetsEffective(tt.over, tt.n, tt.tau, 0.99, 0.99)
		if got.Decision != tt.want {
			t.Errorf("%s: %+v, want %s", tt.name, got, tt.want)
		}
		if s := got.Sentence("response p99 <= 250ms"); !strings.Contains(s, string(tt.want)) {
			t.Errorf("%s: sentence %q doesn't say %s", tt.name, s, tt.want)
		}
	}
	for _, conf := range []float64{0.5, 0, 1, math.NaN()} {
		if d := MeetsByBinomial(0, 1e6, 0.99, conf).Decision; d != Undecided {
			t.Errorf("confidence %v: %s", conf, d)
		}
	}
}

func TestADecisionIsWrongAsRarelyAsItSays(t *testing.T) {
	rng := seeded(5)
	const runs, n, p, conf = 4000, 3000, 0.99, 0.95
	wrong := map[Decision]int{}
	for range runs {
		over := int64(0)
		for range n {
			if rng.Float64() < 1-p {
				over++
			}
		}
		wrong[MeetsByBinomial(over, n, p, conf).Decision]++
	}
	limit := (1-conf)*runs + 4*math.Sqrt((1-conf)*conf*runs)
	if float64(wrong[Met]) > limit || float64(wrong[Missed]) > limit || wrong[Undecided] < runs/2 {
		t.Errorf("at the limit itself: %v, want at most %.0f decided each way", wrong, limit)
	}
}

// The tails against the incomplete beta function in which the test is published.
func TestTailIsTheIncompleteBetaFunction(t *testing.T) {
	for _, p := range []float64{0.5, 0.9, 0.99, 0.999} {
		for _, over := range []int64{0, 1, 10, 100} {
			for _, n := range []int64{over + 1, 4 * over, 1000, 125_826} {
				h := n - over
				if h < 1 {
					continue
				}
				want := mathext.RegIncBeta(float64(h), float64(over+1), p)
				if got := MeetsByBinomial(over, n, p, 0.99).IfMissed; math.Abs(got-want) > 1e-9*want+1e-300 && math.Abs(got-want) > 1e-12 {
					t.Errorf("I(%v; %d, %d) = %v, want %v", p, h, over+1, got, want)
				}
			}
		}
	}
}

func TestProofAsACheck(t *testing.T) {
	for _, tt := range []struct {
		over, n int64
		want    Verdict
	}{{0, 299, OK}, {50, 1000, OK}, {0, 298, NotEnough}, {0, 0, NotEnough}} {
		p := MeetsByBinomial(tt.over, tt.n, 0.99, 0.95)
		c := p.Check("response p99 <= 1ms")
		if c.Verdict != tt.want || c.Name != "proof of response p99 <= 1ms" || c.Sentence != p.Sentence("response p99 <= 1ms") || c.Value < 0 || c.Value > 1 {
			t.Errorf("%d of %d: %+v, want %s", tt.over, tt.n, c, tt.want)
		}
		if (c.Verdict == OK) != (c.Value <= c.Limit) {
			t.Errorf("%d of %d: %+v", tt.over, tt.n, c)
		}
	}
}

// Half a sample over the limit is one, and half an independent one is none: dependent
// samples prove no more for being counted in parts.
func TestDependentProofIsRoundedAgainstIt(t *testing.T) {
	for _, tt := range []struct {
		over, n int64
		want    Decision
	}{
		{0, 598, Met}, {0, 597, Undecided}, // 299 of them, or 298.5
		{1, 946, Met}, {1, 945, Undecided}, // 473 with one over it
		{2, 946, Met},
	} {
		if p := MeetsEffective(tt.over, tt.n, 2, 0.99, 0.95); p.Decision != tt.want {
			t.Errorf("%d of %d, tau 2: %+v, want %s", tt.over, tt.n, p, tt.want)
		}
	}
}
