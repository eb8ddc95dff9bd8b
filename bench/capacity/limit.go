package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"time"

	"volley/results"
	"volley/results/capacity/pool"
	"volley/results/study"
)

// The node of the limit's part: a pool of four, entries of 1 ms, batches of 50 that are
// four fifths of the work, and single requests.
const (
	workers   = 4
	entryTime = time.Millisecond
	batchSize = 50
	inBatches = 0.8
	blocks    = 6 // the fewest whose pairs show a difference
)

var limits = []int{1, 2, 4, 8, 16, 32, 64}

func batches(rho float64) string {
	rate := inBatches * rho * workers / entryTime.Seconds()
	return fmt.Sprintf(`name: limit at %g
target:
  dialect: jsonrpc
  node: {slots: %d, service: {sum: {exponential: %q}}}
load:
  - {name: warm up, rate: %g entries/s, arrivals: poisson, for: 500ms, measured: false}
  - {name: steady, rate: %g entries/s, arrivals: poisson, for: 3s}
form: batch
size: %d
mix: [{method: sum, params: [1, 2]}]
`, rho, workers, entryTime.String(), rate, rate, batchSize)
}

// beside is what the node takes beside the injected time, in seconds: for an entry, in
// its slot, and for a call, beside its entries.
type beside struct{ entry, call float64 }

// takes measures both with a fixed time and nothing else under way: an entry's by batches
// whose entries follow one another, a call's by single ones.
func takes(ctx context.Context, b *bench) (beside, error) {
	single, err := overhead(ctx, b, entryTime)
	if err != nil {
		return beside{}, err
	}
	file, err := b.scenario("entries", batches(0.1))
	if err != nil {
		return beside{}, err
	}
	run, err := b.single(ctx, "entries", file, "--set", "target.node.service={sum: "+entryTime.String()+"}", "--set", "target.node.batch_concurrency_limit=1",
		"--set", "load=[{name: alone, callers: 1, for: 3s}]")
	if err != nil {
		return beside{}, err
	}
	s := run.Summary.Measured.Service
	if s.N == 0 {
		return beside{}, fmt.Errorf("no batch was answered")
	}
	return shares(single, float64(s.P50)/1e6), nil
}

// shares takes apart what a single call takes beside its entry's time, by what a batch
// takes in all whose entries follow one another: all but the first add an entry's alone.
func shares(single, batch float64) beside {
	further := (batch - entryTime.Seconds() - single) / (batchSize - 1)
	entry := min(max(0, further-entryTime.Seconds()), single)
	return beside{entry, single - entry}
}

// predicted is the front by simulation.
func predicted(rho float64, more beside) ([]pool.Point, error) {
	per := rho * workers / entryTime.Seconds() // entries and probes a second
	var work []pool.Quantile                   // exponential times, and what an entry takes beside
	for p := 0.0; p < 0.99995; p += 0.0001 {
		work = append(work, pool.Quantile{P: p, Value: more.entry - entryTime.Seconds()*math.Log1p(-p)})
	}
	service, err := pool.FromQuantiles(work)
	if err != nil {
		return nil, err
	}
	m := pool.Model{
		Discipline: pool.FIFO, Workers: workers, Size: pool.FixedSize(batchSize), Work: service, Envelope: more.call,
		BatchRate: inBatches * per / batchSize, ProbeRate: (1 - inBatches) * per,
	}
	return m.Front(limits, pool.Effort{Batches: 20000, Runs: 5, Seed: 1})
}

// limit asks for the best limit at two utilisations, and sets the measured front
// against the simulated one.
func limit(ctx context.Context, b *bench) ([]line, error) {
	more, err := takes(ctx, b)
	if err != nil {
		return nil, err
	}
	lines := []line{told("beside the injected time", milli(more.entry)+" an entry, "+milli(more.call)+" a call")}
	utilisations := []float64{0.3, 0.6}
	// About 190 batches a trial: the p99 of so many, twice by the same arrivals, tells 16%
	// in six pairs, which is what limits 2 and 8 are apart at 0.3.
	lengths := []time.Duration{10 * time.Second, 5 * time.Second}
	seeds := b.seedsOr(5)
	type answer struct {
		value   string
		repeats map[string][]*study.Measured // by limit
	}
	answers := make([]answer, len(utilisations)*seeds)
	err = each(len(answers), func(i int) error {
		rho, seed := utilisations[i/seeds], i%seeds+1
		name := fmt.Sprintf("limit-%g", rho)
		file, err := b.scenario(fmt.Sprintf("%s-%d", name, seed), batches(rho))
		if err != nil {
			return err
		}
		probes := (1 - inBatches) * rho * workers / entryTime.Seconds()
		e, err := b.experiment(ctx, fmt.Sprintf("%s-%d", name, seed), []int{4}, "sweep", file, "--seed", fmt.Sprint(100*seed),
			"--recommend", "batch_concurrency_limit", "--vary", "batch_concurrency_limit=1,2,4,8,16,32,64",
			"--probe-rate", fmt.Sprint(probes), "--repeats", fmt.Sprint(blocks), "--for", b.trialOr(lengths[i/seeds]).String())
		if err != nil {
			return err
		}
		if e.Sweep != nil && e.Sweep.Recommendation != nil {
			answers[i].value = e.Sweep.Recommendation.Value
		}
		answers[i].repeats, err = byLimit(e)
		return err
	})
	if err != nil {
		return nil, err
	}
	near := 0
	for u, rho := range utilisations {
		front, err := predicted(rho, more)
		if err != nil {
			return lines, err
		}
		best, err := pool.Recommend(front, pool.Guard{})
		if err != nil {
			return lines, err
		}
		merged := map[string][]*study.Measured{}
		values := ""
		for _, a := range answers[u*seeds : (u+1)*seeds] {
			if neighbour(a.value, best.Setting) {
				near++
			}
			values += " " + orNone(a.value)
			for c, m := range a.repeats {
				merged[c] = append(merged[c], m...)
			}
		}
		lines = append(lines, line{what: fmt.Sprintf("utilisation %g, recommended", rho), expected: fmt.Sprintf("%d, or next to it", best.Setting), measured: values, ok: true, note: true})
		lines = append(lines, fronts(rho, front, merged)...)
	}
	need := atLeast(9, 10, len(answers))
	return append(lines, line{what: "the best limit, or next to it", expected: "at least " + share(need, len(answers), "sweeps"), measured: share(near, len(answers), "sweeps"), ok: near >= need}), nil
}

// byLimit are an experiment's trials that count, read whole so that they can be merged.
func byLimit(e *study.Experiment) (map[string][]*study.Measured, error) {
	all := map[string][]*study.Measured{}
	for i := range e.Trials {
		t := &e.Trials[i]
		if t.Void {
			continue
		}
		at := slices.IndexFunc(t.Settings, func(s study.Setting) bool { return s.Name == "batch_concurrency_limit" })
		if at < 0 {
			continue
		}
		m, err := study.Measure(t)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all[t.Settings[at].Value] = append(all[t.Settings[at].Value], m)
	}
	return all, nil
}

// fronts sets p99s of merged trials against the simulation's.
func fronts(rho float64, front []pool.Point, merged map[string][]*study.Measured) (lines []line) {
	for _, p := range front {
		metrics := study.Metrics(merged[strconv.Itoa(p.Setting)])
		for _, m := range []struct {
			what, metric string
			expected     pool.Measure
		}{{"batch", study.ResponseP99, p.Batch}, {"probe", study.ProbeP99, p.Probe}} {
			l := line{what: fmt.Sprintf("utilisation %g, limit %d, %s p99", rho, p.Setting, m.what)}
			low, high := m.expected.Low*(1-tolerance), m.expected.High*(1+tolerance)
			l.expected = band(low, high)
			at := slices.IndexFunc(metrics, func(got study.Metric) bool { return got.Name == m.metric })
			if at < 0 {
				l.measured = "not measured"
				lines = append(lines, l)
				continue
			}
			v := metrics[at].Value / 1e6
			l.measured, l.ok = results.Micros(1e6*v), v >= low && v <= high
			if metrics[at].Low != nil && !l.ok {
				from, to := *metrics[at].Low/1e6, *metrics[at].High/1e6
				l.measured += " (95%: " + band(from, to) + ")"
				l.ok = from <= high && to >= low
			}
			lines = append(lines, l)
		}
	}
	return lines
}

// tolerance is beyond the spread of the simulation's runs.
const tolerance = 0.15

// neighbour tells whether a limit is the best one or next to it among limits.
func neighbour(value string, best int) bool {
	c, err := strconv.Atoi(value)
	if err != nil {
		return false
	}
	return math.Abs(float64(slices.Index(limits, c)-slices.Index(limits, best))) <= 1 && slices.Contains(limits, c)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
