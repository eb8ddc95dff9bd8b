package compare

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"volley/results"
)

// synthetic is a run made of simulated outcomes.
type synthetic struct {
	seed     uint64
	at       time.Duration // its start, after the first run's
	seconds  int           // measured; 4 unless given
	perS     int           // calls in each of them; 500 unless given
	response func(r *rand.Rand) time.Duration
	refused  float64 // share of calls
	plan     string  // in place of the plan, "-" for none
	env      map[string]string
	void     bool
	stopped  bool // interrupted
	cut      bool // it has no end
	byHand   bool
}

const plan = `name: small
seed: %d
target: {dialect: near, node: {view_client_threads: 4}}
load:
  - {name: steady, rate: 100 calls/s, for: 12s, measured: true}
form: batch
size: {1: 0.5, 10: 0.5}
`

var begin = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// store writes the run and gives its directory.
func (s synthetic) store(t *testing.T, dir string) string {
	t.Helper()
	seconds, perS, text := s.seconds, s.perS, s.plan
	if seconds == 0 {
		seconds = 4
	}
	if perS == 0 {
		perS = 500
	}
	switch text {
	case "":
		text = fmt.Sprintf(plan, s.seed)
	case "-":
		text = ""
	}
	env := map[string]string{"cpus": "2", "kernel": "6.1", "volley": "0.1.0", "load_average": fmt.Sprint(s.seed)}
	maps.Copy(env, s.env)
	length := time.Duration(seconds) * time.Second
	meta := results.Meta{
		Volley: "0.1.0", Name: "small", Seed: s.seed, Started: begin.Add(s.at), Dialect: "near", Bundled: true, Environment: env,
		Phases: []results.PhaseMeta{{Name: "steady", Measured: true, Value: 100, To: 100, Unit: "calls/s", Arrivals: "constant", For: length}},
		Plan:   []byte(text),
	}
	if text == "" {
		meta.Plan = nil
	}
	w, err := results.Create(dir, meta)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	rng := rand.New(rand.NewPCG(s.seed, uint64(s.at)))
	all := results.Aggregate{Plan: meta.Phases}
	for at := time.Duration(0); at < length; at += time.Second {
		snap := s.second(rng, at, perS)
		all.Add(snap)
		if err := w.Interval(snap); err != nil {
			t.Fatal(err)
		}
	}
	if s.cut {
		return dir
	}
	end := results.End{Finished: meta.Started.Add(length), Stopped: length, Interrupted: s.stopped}
	if s.void {
		end.Generator = results.Generator{CPUs: 2, CPUFraction: 0.99}
	}
	if err := w.Finish(results.Summarise(meta, &all, end)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (s *synthetic) second(rng *rand.Rand, at time.Duration, calls int) *results.Snapshot {
	slice := results.PhaseSlice{Latency: results.NewLatency(), FirstSent: at, LastSent: at + time.Second - time.Millisecond}
	for range calls {
		out := results.Outcome{Due: at, Sent: at, Done: at + s.response(rng), Batch: true, Entries: 10, Items: 10}
		if rng.Float64() < s.refused {
			out.Class = results.Refused
		}
		out.ByClass[out.Class] = 10
		slice.AddOutcome(&out)
		slice.Clipped += uint64(slice.Record(&out))
	}
	snap := &results.Snapshot{Start: at, End: at + time.Second, Wall: begin.Add(s.at + at + time.Second), Planned: uint64(calls), Phases: []results.PhaseSlice{slice}}
	if s.byHand && at == 0 {
		snap.RateSteps = []results.RateStep{{At: time.Millisecond, Factor: 2}}
	}
	return snap
}

// exponential draws response times of that mean, all of the run scaled by the noise
// that tells it from other runs.
func exponential(mean time.Duration, noise float64) func(*rand.Rand) time.Duration {
	return func(r *rand.Rand) time.Duration {
		return time.Duration((4 + r.ExpFloat64()) / 5 * float64(mean) * noise)
	}
}

func always(d time.Duration) func(*rand.Rand) time.Duration {
	return func(*rand.Rand) time.Duration { return d }
}

// drift is what the machine does by itself over time: a fifth slower in 16 runs.
func drift(n int) float64 { return 1 + 0.2*float64(n)/16 }

// arms makes two sides of runs in that order, letter by letter, each with noise of a
// hundredth or two and a drift; B's are slower by the factor.
func arms(order string, slower float64, seed uint64) (a, b *Side) {
	rng := rand.New(rand.NewPCG(seed, 99))
	sides := map[rune]*Side{'A': {Label: "A"}, 'B': {Label: "B"}}
	for n, arm := range order {
		noise := drift(n) * math.Exp(0.015*rng.NormFloat64())
		if arm == 'B' {
			noise *= slower
		}
		side := sides[arm]
		s := synthetic{seed: seed*1000 + uint64(len(side.Runs)), at: time.Duration(n) * time.Minute, response: exponential(2*time.Millisecond, noise)}
		side.Runs = append(side.Runs, s.run())
	}
	return sides['A'], sides['B']
}

// run makes the run without storing it, all of it in one interval.
func (s synthetic) run() *Run {
	meta := results.Meta{Seed: s.seed, Started: begin.Add(s.at), Phases: []results.PhaseMeta{{Measured: true, For: time.Second}}}
	all := results.Aggregate{Plan: meta.Phases}
	all.Add(s.second(rand.New(rand.NewPCG(s.seed, uint64(s.at))), 0, 2000))
	summary := results.Summarise(meta, &all, results.End{Stopped: time.Second, Finished: meta.Started.Add(time.Second)})
	r := &Run{Seed: s.seed, Started: meta.Started, summary: &summary, values: map[string]float64{}}
	whole := all.Total(nil)
	r.take(&whole)
	return r
}

func open(t *testing.T, names ...string) *Side {
	t.Helper()
	s, err := Open(names)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const abba = "ABBABAABABBAABBA"
