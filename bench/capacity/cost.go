package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"volley/results/capacity/cost"
	"volley/results/study"
)

// What is injected: times of a call, an entry and an item, exponential. They are long,
// so that what a call takes beside them is little.
var injected = [3]time.Duration{20 * time.Millisecond, 5 * time.Millisecond, 2 * time.Millisecond}

var (
	batchSizes = []int{1, 2, 5, 10, 20}
	arraySizes = []int{3, 7, 15, 30} // others than the batches', so that entries and items are told apart
	heldOut    = map[string]int{"batch": 35, "array": 22}
)

// oneByOne is a closed loop of one caller, whose calls' entries are executed one after
// another: a call takes what its parts take.
func oneByOne(form string) string {
	return fmt.Sprintf(`name: cost of %s
target:
  dialect: rcp
  node: {batch_concurrency_limit: 1, dimension: 32, hidden: 1, layers: 1, documents: 0, cost: {call: {exponential: %q}, entry: {exponential: %q}, item: {exponential: %q}}}
load:
  - {name: warm up, callers: 1, for: 300ms, measured: false}
  - {name: steady, callers: 1, for: 1s}
form: %s
size: 1
mix: [{method: embed, params: {inputs: {items: {pick: texts}}}}]
feeds: {texts: {range: "text {0..9}"}}
`, form, injected[0], injected[1], injected[2], form)
}

// fitted is one fit, and what was measured of the sizes that it does not know.
type fitted struct {
	model cost.Model
	held  map[string][]float64 // seconds a call, by form and repeat
}

// costs fits the model to trials and sets it against what was injected.
func costs(ctx context.Context, b *bench) ([]line, error) {
	fits := b.seedsOr(20)
	all := make([]fitted, fits)
	err := each(fits, func(i int) (err error) {
		all[i], err = fit(ctx, b, i+1)
		return err
	})
	if err != nil {
		return nil, err
	}
	var lines []line
	inside := 0
	var estimates [3][]float64
	for i := range all {
		m := &all[i].model
		holds := true
		for k, c := range []cost.Coefficient{m.Envelope, m.Entry, m.Item} {
			estimates[k] = append(estimates[k], c.Value)
			truth := injected[k].Seconds()
			holds = holds && c.Known && c.Bounded && c.Low <= truth && truth <= c.High
		}
		if holds {
			inside++
		}
	}
	for k, what := range []string{"a call", "an entry", "an item"} {
		lines = append(lines, line{what: "cost of " + what + ", median of the fits", expected: milli(injected[k].Seconds()), measured: milli(median(estimates[k])), ok: true, note: true})
	}
	need := atLeast(18, 20, fits)
	lines = append(lines, line{what: "all three inside their intervals", expected: "at least " + share(need, fits, "fits"), measured: share(inside, fits, "fits"), ok: inside >= need})
	for _, form := range []string{"batch", "array"} {
		lines = append(lines, unseen(form, all))
	}
	return lines, nil
}

// unseen sets the fits' throughput of a size that they do not know against what was
// measured of it.
func unseen(form string, all []fitted) line {
	n := heldOut[form]
	shape := shapeOf(form, n)
	var measured, errs []float64
	for i := range all {
		measured = append(measured, all[i].held[form]...)
	}
	truth := mean(measured)
	for i := range all {
		if p, ok := all[i].model.Predict(shape); ok && p.Value > 0 {
			errs = append(errs, math.Abs(truth/p.Value-1)) // of items a second: n over the time
		}
	}
	l := line{what: fmt.Sprintf("throughput of a %s of %d", form, n), expected: "within 5% of the prediction"}
	if len(errs) == 0 || !(truth > 0) {
		l.measured = "not measured"
		return l
	}
	l.measured = fmt.Sprintf("%.4g items/s, off by %.1f%% (worst fit %.1f%%)", float64(n)/truth, 100*median(errs), 100*slices.Max(errs))
	l.ok = median(errs) <= 0.05
	return l
}

func fit(ctx context.Context, b *bench, seed int) (f fitted, err error) {
	var points []cost.Point
	f.held = map[string][]float64{}
	for form, sizes := range map[string][]int{"batch": batchSizes, "array": arraySizes} {
		name := fmt.Sprintf("cost-%s-%d", form, seed)
		file, err := b.scenario(name, oneByOne(form))
		if err != nil {
			return f, err
		}
		vary := "size="
		for _, n := range sizes {
			vary += fmt.Sprint(n) + ","
		}
		vary += fmt.Sprint(heldOut[form])
		// The node draws its times from its own seed: another for each fit.
		e, err := b.experiment(ctx, name, []int{4}, "sweep", file, "--seed", fmt.Sprint(1000*seed), "--set", fmt.Sprintf("target.node.seed=%d", seed),
			"--vary", vary, "--repeats", "5", "--for", b.trialOr(time.Second).String())
		if err != nil {
			return f, err
		}
		if e.Sweep == nil {
			return f, fmt.Errorf("%s: the sweep has no answer", name)
		}
		for i := range e.Sweep.Cells {
			n, err := strconv.Atoi(e.Sweep.Cells[i].Setting("size"))
			if err != nil {
				return f, err
			}
			m, _ := e.Sweep.Cells[i].Metric(study.ServiceMean)
			for _, v := range m.Repeats {
				if n == heldOut[form] {
					f.held[form] = append(f.held[form], v/1e6)
				} else {
					points = append(points, cost.Point{Shape: shapeOf(form, n), Cost: v / 1e6})
				}
			}
		}
	}
	f.model, err = cost.Fit(points)
	return f, err
}

func shapeOf(form string, n int) cost.Shape {
	if form == "array" {
		return cost.Array(float64(n))
	}
	return cost.Batch(float64(n))
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	if len(s) == 0 {
		return math.NaN()
	}
	return s[(len(s)-1)/2]/2 + s[len(s)/2]/2
}

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}
