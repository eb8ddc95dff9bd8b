package search

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

// node answers a step with the verdict of each goal.
type node func(step Step, trial int) Trial

// sharp is a node that meets goal i up to the limit i, without noise.
func sharp(limits ...float64) node {
	return func(step Step, _ int) Trial {
		t := Trial{Load: step.Load, Duration: step.Duration}
		for _, limit := range limits {
			v := Good
			if step.Load > limit {
				v = Bad
			}
			t.Verdicts = append(t.Verdicts, v)
		}
		return t
	}
}

func run(t *testing.T, o Options, n node) ([]Trial, *Search) {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var trials []Trial
	for len(trials) < 1000 {
		step := s.Next(trials)
		if step.Done {
			return trials, s
		}
		if !(step.Load >= o.Min*(1-1e-9) && step.Load <= o.Max*(1+1e-9)) || step.Duration <= 0 || step.Why == "" || step.Left < step.Duration {
			t.Fatalf("step %d: %+v", len(trials), step)
		}
		trials = append(trials, n(step, len(trials)))
	}
	t.Fatal("the search does not end")
	return nil, nil
}

func goals(names ...string) []Goal {
	var out []Goal
	for _, n := range names {
		out = append(out, DefaultGoal(n))
	}
	return out
}

// Loads are rounded to four digits, a hint and the ends of the range are not: two that are
// all but equal are one load.
func TestNoTwoLoadsAllButEqual(t *testing.T) {
	for _, c := range []struct{ low, high, hint, limit float64 }{
		{172, 43968, 10992.3, 12_000},
		{115.53, 29575.7, 7393.9, 1}, // not even the lowest
		{115.53, 29575.7, 7393.9, 1e9},
	} {
		trials, _ := run(t, Options{Goals: goals("p99"), Min: c.low, Max: c.high, Hint: c.hint, Unit: "entries/s"}, sharp(c.limit))
		loads := map[float64]bool{}
		for _, trial := range trials {
			loads[trial.Load] = true
		}
		for a := range loads {
			for b := range loads {
				if a < b && b < a*1.005 {
					t.Errorf("limit %g: %g and %g were tried as two loads", c.limit, a, b)
				}
			}
		}
	}
}

func TestFindsTheLimitOfASharpNode(t *testing.T) {
	for _, limit := range []float64{11, 99.9, 640, 1000.5, 5000, 9990} {
		for _, hint := range []float64{0, 100, 8000} {
			trials, s := run(t, Options{Goals: goals("p99"), Min: 10, Max: 10000, Hint: hint, Unit: "calls/s"}, sharp(limit))
			r := s.Results(trials)[0]
			if r.Status != Found || !(r.Lower <= limit && limit < r.Upper) || width(r.Lower, r.Upper) > 0.05+1e-9 || !r.Confirmed || r.Irregular {
				t.Errorf("limit %g, hint %g: %+v", limit, hint, r)
			}
			if r.ConditionalThroughput != r.Lower {
				t.Errorf("conditional throughput %g of a lossless load %g", r.ConditionalThroughput, r.Lower)
			}
			if len(trials) > 40 {
				t.Errorf("limit %g, hint %g: %d trials", limit, hint, len(trials))
			}
		}
	}
}

func TestGoalsShareTrials(t *testing.T) {
	o := Options{Goals: goals("p99 <= 10ms", "p99 <= 25ms"), Min: 10, Max: 10000, Hint: 2000}
	trials, s := run(t, o, sharp(700, 1100))
	both := len(trials)
	for i, limit := range []float64{700, 1100} {
		if r := s.Results(trials)[i]; r.Status != Found || !(r.Lower <= limit && limit < r.Upper) || !r.Confirmed {
			t.Errorf("goal %d: %+v", i, r)
		}
	}
	alone := 0
	for _, limit := range []float64{700, 1100} {
		o.Goals = goals("p99")
		trials, _ := run(t, o, sharp(limit))
		alone += len(trials)
	}
	if both >= alone {
		t.Errorf("%d trials for both, %d one by one: nothing is shared", both, alone)
	}
}

func TestEnds(t *testing.T) {
	void := func(step Step, _ int) Trial {
		return Trial{Load: step.Load, Duration: step.Duration, Verdicts: []Verdict{Void}}
	}
	voidAbove := func(limit float64) node {
		return func(step Step, i int) Trial {
			if step.Load > limit {
				return void(step, i)
			}
			return sharp(1e9)(step, i)
		}
	}
	unproven := func(step Step, _ int) Trial {
		return Trial{Load: step.Load, Duration: step.Duration, Verdicts: []Verdict{Unproven}}
	}
	for _, c := range []struct {
		name string
		node node
		want Status
		say  string
	}{
		{"no load meets it", sharp(5), NoLoad, "No load meets p99: even 10 calls/s, the lowest allowed, does not."},
		{"every load meets it", sharp(1e9), AtLeast, "p99 is met at 10,000 calls/s at least, limited by the highest load allowed."},
		{"the generator gives out first", voidAbove(900), AtLeast, "limited by the generator: trials at"},
		{"all void", void, AllVoid, "All 4 trials were void"},
		{"trials that show nothing", unproven, Unclear, "run longer ones"},
	} {
		trials, s := run(t, Options{Goals: goals("p99"), Min: 10, Max: 10000, Unit: "calls/s"}, c.node)
		r := s.Results(trials)[0]
		if r.Status != c.want || !strings.Contains(r.Sentence, c.say) {
			t.Errorf("%s: %s: %s", c.name, r.Status, r.Sentence)
		}
		if c.name == "the generator gives out first" && !(r.Lower <= 900 && r.Lower > 800) {
			t.Errorf("%s: at least %g", c.name, r.Lower)
		}
	}
}

func TestVoidTrialsAreRepeated(t *testing.T) {
	voids := 0
	trials, s := run(t, Options{Goals: goals("p99"), Min: 10, Max: 10000}, func(step Step, i int) Trial {
		tr := sharp(640)(step, i)
		if i%3 == 1 {
			voids++
			tr.Verdicts[0] = Void
		}
		return tr
	})
	r := s.Results(trials)[0]
	if r.Status != Found || r.Lower > 640 || r.Upper <= 640 || r.Voids != voids || voids == 0 {
		t.Errorf("%d voids: %+v", voids, r)
	}
	for i, tr := range trials[:len(trials)-1] {
		if tr.Verdicts[0] == Void && trials[i+1].Load != tr.Load {
			t.Errorf("the void trial %d at %g is followed by one at %g", i, tr.Load, trials[i+1].Load)
		}
	}
}

// A confirmation that fails takes the lower bound away, and the search goes on.
func TestConfirmationOverturns(t *testing.T) {
	trials, s := run(t, Options{Goals: goals("p99"), Min: 10, Max: 10000, Revisit: -1}, func(step Step, i int) Trial {
		limit := 1000.0
		if step.Purpose == Confirm {
			limit = 800
		}
		return sharp(limit)(step, i)
	})
	r := s.Results(trials)[0]
	if !r.Confirmed || r.Lower > 800 || r.Lower < 700 {
		t.Errorf("%+v", r)
	}
}

// A node that breaks in the middle is found out by the re-visits: the bound that
// held before does not stand.
func TestDriftIsNoticed(t *testing.T) {
	for seed := range uint64(10) {
		trials, s := run(t, Options{Goals: goals("p99"), Min: 10, Max: 10000, Seed: seed, Revisit: 0.5}, func(step Step, i int) Trial {
			limit := 1000.0
			if i > 12 {
				limit = 300
			}
			return sharp(limit)(step, i)
		})
		if r := s.Results(trials)[0]; r.Lower > 300 {
			t.Errorf("seed %d: a node that broke is still said to hold %g: %+v", seed, r.Lower, r)
		}
	}
}

func TestIrregular(t *testing.T) {
	s, err := New(Options{Goals: goals("p99"), Min: 10, Max: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var trials []Trial
	for _, l := range []struct {
		load float64
		v    Verdict
	}{{100, Good}, {200, Bad}, {300, Good}} {
		trials = append(trials, Trial{Load: l.load, Duration: 90 * time.Second, Verdicts: []Verdict{l.v}})
	}
	r := s.Results(trials)[0]
	if !r.Irregular || r.Lower != 100 || r.Upper != 200 || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "irregular: 300") {
		t.Errorf("%+v", r)
	}
}

// An interrupted search goes on from its stored trials as if nothing had happened.
func TestResumes(t *testing.T) {
	o := Options{Goals: goals("a", "b"), Min: 10, Max: 10000, Seed: 3}
	whole, s := run(t, o, sharp(433, 777))
	for cut := range whole {
		stored, err := json.Marshal(whole[:cut])
		if err != nil {
			t.Fatal(err)
		}
		var trials []Trial
		if err := json.Unmarshal(stored, &trials); err != nil {
			t.Fatal(err)
		}
		if next := s.Next(trials); next.Load != whole[cut].Load || next.Duration != whole[cut].Duration {
			t.Fatalf("after %d trials: %+v, before it was %+v", cut, next, whole[cut])
		}
	}
}

func TestNewRefuses(t *testing.T) {
	good := DefaultGoal("p99")
	for name, o := range map[string]Options{
		"no goal":        {Min: 1, Max: 2},
		"no loads":       {Goals: []Goal{good}},
		"max below min":  {Goals: []Goal{good}, Min: 2, Max: 1},
		"NaN":            {Goals: []Goal{good}, Min: math.NaN(), Max: 1},
		"infinite":       {Goals: []Goal{good}, Min: 1, Max: math.Inf(1)},
		"NaN hint":       {Goals: []Goal{good}, Min: 1, Max: 2, Hint: math.NaN()},
		"shrinking":      {Goals: []Goal{good}, Min: 1, Max: 2, Expansion: 0.5},
		"always exceeds": {Goals: []Goal{{Final: 1, Sum: 1, Exceed: 1, Width: 0.1}}, Min: 1, Max: 2},
		"no width":       {Goals: []Goal{{Final: 1, Sum: 1}}, Min: 1, Max: 2},
		"no length":      {Goals: []Goal{{Width: 0.1}}, Min: 1, Max: 2},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// Whatever the node answers, the search ends, stays within its loads and gives
// bounds that belong together.
func FuzzSearch(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3}, uint64(1), 50.0)
	f.Add([]byte{1}, uint64(2), 0.0)
	f.Add([]byte{0, 0, 1}, uint64(3), math.NaN())
	f.Fuzz(func(t *testing.T, verdicts []byte, seed uint64, hint float64) {
		s, err := New(Options{Goals: goals("a", "b"), Min: 1, Max: 1000, Hint: hint, Seed: seed, MaxTrials: 60})
		if err != nil || len(verdicts) == 0 {
			return
		}
		kinds := []Verdict{Good, Bad, Unproven, Void, "nonsense"}
		var trials []Trial
		for {
			step := s.Next(trials)
			if step.Done {
				break
			}
			if !(step.Load >= 1 && step.Load <= 1000) || step.Duration <= 0 || len(trials) > 60 {
				t.Fatalf("%+v after %d trials", step, len(trials))
			}
			i := len(trials)
			trials = append(trials, Trial{Load: step.Load, Duration: step.Duration, Loss: float64(verdicts[i%len(verdicts)]) / 255, Verdicts: []Verdict{
				kinds[int(verdicts[i%len(verdicts)])%len(kinds)], kinds[int(verdicts[(i/2)%len(verdicts)])%len(kinds)]}})
		}
		for _, r := range s.Results(trials) {
			if r.Upper > 0 && r.Lower >= r.Upper || r.Sentence == "" || math.IsNaN(r.ConditionalThroughput) || r.ConditionalThroughput > r.Lower {
				t.Fatalf("%+v", r)
			}
		}
	})
}

func FuzzTrials(f *testing.F) {
	f.Add(100.0, int64(time.Minute), 0.5, "good")
	f.Add(math.Inf(1), int64(-1), math.NaN(), "")
	f.Fuzz(func(t *testing.T, load float64, length int64, loss float64, verdict string) {
		s, err := New(Options{Goals: goals("a", "b"), Min: 1, Max: 1000})
		if err != nil {
			t.Fatal(err)
		}
		one := Trial{Load: load, Duration: time.Duration(length), Loss: loss, Verdicts: []Verdict{Verdict(verdict)}}
		trials := []Trial{one, one, {Load: 10, Duration: time.Minute}, one}
		if step := s.Next(trials); !step.Done && !(step.Load > 0) {
			t.Fatalf("%+v", step)
		}
		s.Results(trials)
	})
}

// A budget is kept, with the confirmation in it, and what is known by then is told as wide
// as it is.
func TestBudget(t *testing.T) {
	o := Options{Goals: goals("p99"), Min: 10, Max: 10000, Hint: 1000, Confirm: 2 * time.Minute, Budget: 9 * time.Minute, Revisit: -1}
	slow := func(step Step, n int) Trial {
		trial := sharp(640)(step, n)
		trial.Took = trial.Duration * 3 / 2
		return trial
	}
	trials, s := run(t, o, slow)
	took := time.Duration(0)
	for _, trial := range trials {
		took += trial.Took
	}
	r := s.Results(trials)[0]
	if took > o.Budget {
		t.Errorf("%s of %s", took, o.Budget)
	}
	if r.Status != Found || !r.Confirmed || !(r.Lower <= 640 && 640 < r.Upper) || width(r.Lower, r.Upper) <= 0.05 {
		t.Errorf("%s, %g to %g, confirmed %v", r.Status, r.Lower, r.Upper, r.Confirmed)
	}
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "the time allowed was over") {
		t.Errorf("warnings %q", r.Warnings)
	}
}
