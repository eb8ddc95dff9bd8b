package compare

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"volley/results/paired"
	"volley/results/study"
)

func compared(t *testing.T, a, b *Side, o Options) *study.Compare {
	t.Helper()
	c, err := Sides(a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func of(t *testing.T, c *study.Compare, name string) study.Comparison {
	t.Helper()
	for _, m := range c.Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no metric %s", name)
	return study.Comparison{}
}

// Eight pairs whose runs differ by a hundredth or two, on a machine that slows down by
// a fifth while they are made.
func TestSameAndSlower(t *testing.T) {
	if testing.Short() {
		t.Skip("a million calls in all")
	}
	different, found := 0, 0
	for seed := range uint64(20) {
		a, b := arms(abba, 1, seed+1)
		if of(t, compared(t, a, b, Options{}), "p99").Verdict != string(paired.Inconclusive) {
			different++
		}
	}
	for seed := range uint64(10) {
		a, b := arms(abba, 1.1, 100+seed)
		m := of(t, compared(t, a, b, Options{}), "p99")
		if m.Verdict == string(paired.Slower) {
			found++
		}
		if m.Low == nil || *m.Low > 1.1 && *m.Low > 1.15 || *m.High < 1.05 {
			t.Errorf("p99 of B is %g to %g times A's; the truth is 1.1", *m.Low, *m.High)
		}
	}
	if different > 1 {
		t.Errorf("%d of 20 comparisons of the same setting were called different", different)
	}
	if found < 9 {
		t.Errorf("a slowdown of 10%% was found in %d of 10", found)
	}
}

// The same runs one side after the other take the drift for a difference, and say
// that it may be one; in turn they do not.
func TestDrift(t *testing.T) {
	a, b := arms(strings.Repeat("A", 8)+strings.Repeat("B", 8), 1, 7)
	after := compared(t, a, b, Options{})
	if m := of(t, after, "p99"); m.Verdict != string(paired.Slower) || *m.Ratio < 1.07 {
		t.Errorf("one after the other: %s", m.Sentence)
	}
	if text := strings.Join(after.Warnings, "\n"); !strings.Contains(text, "before all of the other") {
		t.Errorf("warnings %q", text)
	}
	a, b = arms(abba, 1, 7)
	turn := compared(t, a, b, Options{Margin: 0.05})
	if m := of(t, turn, "p50"); m.Verdict != string(paired.Equivalent) || math.Abs(*m.Ratio-1) > 0.02 {
		t.Errorf("in turn: %s", m.Sentence)
	}
	if text := strings.Join(turn.Warnings, "\n"); strings.Contains(text, "before all of the other") {
		t.Errorf("warnings %q", text)
	}
}

func TestBesideNoDifferenceStandsWhatWouldHaveBeenShown(t *testing.T) {
	a, b := arms(abba, 1, 3)
	m := of(t, compared(t, a, b, Options{}), "p99")
	if m.Verdict != string(paired.Inconclusive) || m.MDE == nil || *m.MDE < 0.005 || *m.MDE > 0.2 {
		t.Errorf("%+v", m)
	}
	if want := fmt.Sprintf("one of %.2g%% would have been", 100**m.MDE); !strings.Contains(m.Sentence, want) {
		t.Errorf("%q, want %q", m.Sentence, want)
	}
}

// Four metrics share one chance of error, for which six pairs are too few.
func TestTooFewPairs(t *testing.T) {
	a, b := arms(abba[:12], 2, 5)
	c := compared(t, a, b, Options{})
	if m := of(t, c, "p99"); m.Verdict != string(paired.Slower) {
		t.Errorf("six pairs do not show one metric: %s", m.Sentence)
	}
	a, b = arms("ABBA", 2, 5)
	m := of(t, compared(t, a, b, Options{}), "p99")
	if m.Verdict != string(paired.Inconclusive) || m.Low != nil || !strings.Contains(m.Sentence, "so few runs") {
		t.Errorf("two pairs: %s", m.Sentence)
	}
	if text := strings.Join(m.Warnings, "\n"); !strings.Contains(text, "at least 6") {
		t.Errorf("warnings %q", text)
	}
}

func TestOneRunOfEach(t *testing.T) {
	for _, c := range []struct {
		slower  float64
		verdict paired.Verdict
		words   string
	}{{1, paired.Inconclusive, "no difference shown within these two runs"}, {1.5, paired.Slower, "slower within these two runs"}, {0.5, paired.Faster, "faster within these two runs"}} {
		dir := t.TempDir()
		a := open(t, synthetic{seed: 1, seconds: 40, response: exponential(2*time.Millisecond, 1)}.store(t, filepath.Join(dir, "a")))
		b := open(t, synthetic{seed: 2, seconds: 40, response: exponential(2*time.Millisecond, c.slower)}.store(t, filepath.Join(dir, "b")))
		got := compared(t, a, b, Options{Margin: 0.9})
		m := of(t, got, "p99")
		if !got.Within || m.Verdict != string(c.verdict) || !strings.Contains(m.Sentence, c.words) || m.Low == nil || *m.Low > *m.Ratio || *m.High < *m.Ratio {
			t.Errorf("%g times as slow: %s: %s", c.slower, m.Verdict, m.Sentence)
		}
		if of(t, got, "goodput").Verdict != string(paired.Inconclusive) {
			t.Error("two runs decide on a rate")
		}
		if text := strings.Join(got.Warnings, "\n"); !strings.Contains(text, "know nothing of how runs of one setting differ") || !strings.Contains(text, "different seeds") {
			t.Errorf("warnings %q", text)
		}
	}
}

func TestUnpaired(t *testing.T) {
	a, b := arms("ABABABABA", 1.5, 8)
	c := compared(t, a, b, Options{})
	if m := of(t, c, "p99"); c.Pairs != 0 || m.Verdict != string(paired.Slower) || len(m.A) != 5 || len(m.B) != 4 {
		t.Errorf("%d pairs: %s", c.Pairs, m.Sentence)
	}
	a, b = arms("ABABABABAB", 1.5, 8)
	if c := compared(t, a, b, Options{Unpaired: true}); c.Pairs != 0 {
		t.Errorf("%d pairs though none were asked for", c.Pairs)
	}
}

// Measurements that never vary, none at all, and too few.
func TestOddSamples(t *testing.T) {
	constant := func(d time.Duration) func(int) synthetic {
		return func(int) synthetic { return synthetic{response: always(d)} }
	}
	refused := func(int) synthetic { return synthetic{response: always(time.Millisecond), refused: 1} }
	for _, c := range []struct {
		name    string
		a, b    func(int) synthetic
		verdict paired.Verdict
		words   string
	}{
		{"never varying, the same", constant(time.Millisecond), constant(time.Millisecond), paired.Equivalent, "+0.00%"},
		{"never varying, slower", constant(time.Millisecond), constant(2 * time.Millisecond), paired.Slower, "+100"},
		{"no call was answered", refused, refused, paired.Inconclusive, "there is none"},
		{"no call of one side was answered", constant(time.Millisecond), refused, paired.Inconclusive, "there is none"},
		{"no time at all", constant(0), constant(0), paired.Equivalent, "+0.00%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for n := range 8 {
				for _, arm := range []string{"a", "b"} {
					s := c.a(n)
					if arm == "b" {
						s = c.b(n)
					}
					s.seed, s.at = uint64(n), time.Duration(2*n)*time.Minute
					s.store(t, filepath.Join(dir, arm, fmt.Sprint(n)))
				}
			}
			got := compared(t, open(t, filepath.Join(dir, "a")), open(t, filepath.Join(dir, "b")), Options{Margin: 0.02})
			m := of(t, got, "p99")
			if m.Verdict != string(c.verdict) || !strings.Contains(m.Sentence, c.words) {
				t.Errorf("%s: %s, want %s and %q", m.Verdict, m.Sentence, c.verdict, c.words)
			}
			finite(t, got)
		})
	}
}

// finite wants no number that JSON has no word for.
func finite(t *testing.T, c *study.Compare) {
	t.Helper()
	for _, m := range c.Metrics {
		for _, v := range []*float64{m.Ratio, m.Low, m.High, m.MDE, m.P, m.Cliff, m.MidA, m.MidB} {
			if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
				t.Errorf("%s has %g: %+v", m.Name, *v, m)
			}
		}
	}
}

func TestErrorsAreDifferences(t *testing.T) {
	dir := t.TempDir()
	for n := range 8 {
		for arm, refused := range map[string]float64{"none": 0, "few": 0.01, "many": 0.05} {
			s := synthetic{seed: uint64(n), at: time.Duration(2*n) * time.Minute, response: always(time.Millisecond), refused: refused}
			s.store(t, filepath.Join(dir, arm, fmt.Sprint(n)))
		}
	}
	side := func(arm string) *Side { return open(t, filepath.Join(dir, arm)) }
	m := of(t, compared(t, side("few"), side("many"), Options{Metric: "errors"}), "errors")
	if m.Verdict != string(paired.Slower) || m.Shift == nil || m.Shift.Low == nil || math.Abs(m.Shift.Value-0.04) > 0.01 || *m.Shift.Low < 0.02 || *m.Shift.High > 0.06 {
		t.Errorf("from 1%% to 5%%: %s", m.Sentence)
	}
	if m := of(t, compared(t, side("none"), side("many"), Options{}), "errors"); m.Shift == nil || m.Verdict != string(paired.Slower) {
		t.Errorf("from none to 5%%: %s", m.Sentence)
	}
	if m := of(t, compared(t, side("none"), side("none"), Options{}), "errors"); m.Shift != nil || m.Verdict != string(paired.Inconclusive) || !strings.Contains(m.Sentence, "none on either side") {
		t.Errorf("none: %s", m.Sentence)
	}
}

func TestRules(t *testing.T) {
	a, b := arms(abba, 1.1, 21)
	for _, c := range []struct {
		rule            string
		broken, decided bool
	}{
		{"p99 > +5%", true, true},
		{"p99>+12%", false, true}, // within the interval: not shown
		{"p99 > 50%", false, true},
		{"p50 < -5%", false, true},
		{"goodput < -5%", false, true},
		{"errors > +1%", false, true}, // there were none
		{"errors > 0%", false, true},
		{"errors < -1%", false, true},
		{"errors > -1%", false, false}, // asks for fewer than none
		{"cpu > 1%", false, false},     // not known
	} {
		r, err := ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		got := compared(t, a, b, Options{Rules: []Rule{r}}).Rules[0]
		if got.Broken != c.broken || got.Decided != c.decided {
			t.Errorf("%s: %+v", c.rule, got)
		}
	}
	few, other := arms("ABBA", 3, 22)
	r, _ := ParseRule("p99 > +5%")
	if got := compared(t, few, other, Options{Rules: []Rule{r}}).Rules[0]; got.Broken || got.Decided {
		t.Errorf("two pairs: %+v", got)
	}
}

func TestParseRuleRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"p99":           "neither > nor <",
		"p98 > 5%":      `"p98" is no metric: want one of p99`,
		"p99 > five%":   "no number of percent",
		"p99 > 5":       "has no %",
		"p99 > NaN%":    "no number of percent",
		"p99 > -200%":   "no number of percent",
		"goodput => 5%": "no metric",
	} {
		if _, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestBenchfmt(t *testing.T) {
	dir := t.TempDir()
	a := open(t, synthetic{seed: 1, response: always(1500 * time.Microsecond)}.store(t, filepath.Join(dir, "a")))
	b := open(t, synthetic{seed: 1, response: always(3 * time.Millisecond), refused: 0.5}.store(t, filepath.Join(dir, "b")))
	var out bytes.Buffer
	if err := Benchfmt(&out, a, b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"pkg: volley\n", "Unit goodput-entries/s better=higher\n",
		"BenchmarkSmall/arm=A\t2000\t0.0015 p99-sec/op\t0.0015 p50-sec/op\t5000 goodput-entries/s\t0 errors/entry\t",
		"\nBenchmarkSmall/arm=B\t",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Count(out.String(), "Benchmark") != 2 {
		t.Errorf("not one line for each run:\n%s", out.String())
	}
	for name, want := range map[string]string{"near mix": "BenchmarkNearMix", "": "BenchmarkRun", "été, n° 2\n": "BenchmarkÉtéN2"} {
		if got := benchName(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func TestUnknownMetric(t *testing.T) {
	a, b := arms("AB", 1, 1)
	if _, err := Sides(a, b, Options{Metric: "p98"}); err == nil || !strings.Contains(err.Error(), "no metric") {
		t.Errorf("%v", err)
	}
	if c := compared(t, a, b, Options{Metric: "mean"}); c.Metrics[0].Name != "mean" || !c.Metrics[0].Primary || c.Metrics[1].Primary {
		t.Errorf("%+v", c.Metrics)
	}
	if _, err := Sides(a, &Side{}, Options{}); err == nil {
		t.Error("nothing is compared with something")
	}
}

func FuzzFlatten(f *testing.F) {
	f.Add([]byte(plan))
	f.Add([]byte("a: [1, {b: [], c: {}}]\n2: null"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := flatten(text)
		if err == nil && all == nil {
			t.Error("neither values nor an error")
		}
	})
}

func FuzzParseRule(f *testing.F) {
	f.Add("p99 > +5%")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		if math.IsNaN(r.Limit) || math.IsInf(r.Limit, 0) || r.Metric == "" {
			t.Errorf("%q: %+v", text, r)
		}
	})
}

// Runs that stand on both sides are told: nothing differs from itself.
func TestTheSameRunsOnBothSides(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for n := range 3 {
		names = append(names, synthetic{seed: uint64(n), at: time.Duration(n) * time.Minute, response: always(time.Millisecond)}.store(t, filepath.Join(dir, fmt.Sprint(n))))
	}
	for _, c := range []struct {
		a, b []string
		want string
	}{
		{names, names, "3 of the runs of A are runs of B too"},
		{names[:1], names[:1], "1 of the runs of A are runs of B too"},
		{names[:1], names[1:2], ""},
	} {
		all := strings.Join(compared(t, open(t, c.a...), open(t, c.b...), Options{}).Warnings, "\n")
		if said := strings.Contains(all, "runs of B too"); said != (c.want != "") || !strings.Contains(all, c.want) {
			t.Errorf("warnings %q, want %q", all, c.want)
		}
	}
}

// A setting that differs from itself casts doubt on every other comparison.
func TestUnsteady(t *testing.T) {
	a, b := arms(abba, 1.1, 21)
	if w := Unsteady(compared(t, a, b, Options{})); len(w) == 0 || !strings.Contains(w[0], "p99 of the same setting was called slower") {
		t.Errorf("warnings %q", w)
	}
	if w := Unsteady(compared(t, a, a, Options{})); len(w) > 0 {
		t.Errorf("of no difference: %q", w)
	}
}
