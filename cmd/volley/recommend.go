package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"volley/loadgen/experiment"
	"volley/results"
	"volley/results/capacity/pool"
	"volley/results/paired"
	"volley/results/study"
	"volley/scenario"
)

// recommending is how a sweep comes to a recommendation: what it varies, and what it
// makes of the cells.
type recommending struct {
	repeats int // when none are asked for
	probe   bool
	// vary gives what is varied, possibly by a trial; extra patches the scenario.
	vary   func(e *experimenting) ([]varied, error)
	extra  []string
	more   func(a *study.Sweep) ([]experiment.Cell, error) // may be nil
	answer func(a *study.Sweep)
}

// recommendations are what can be recommended.
var recommendations = []string{varyLimit, varySize, varyForm}

// recommending gives the way to the recommendation that is asked for.
func (f *sweepFlags) recommending(g *grid) (*recommending, error) {
	plan := g.base
	for _, v := range g.vary {
		if v.name != f.recommend {
			return nil, fmt.Errorf("--recommend %s varies that alone: leave out --vary %s", f.recommend, v.name)
		}
		if len(v.values) < 2 {
			return nil, fmt.Errorf("--recommend %s: --vary %s leaves nothing to choose: give two values or more", f.recommend, v.name)
		}
	}
	given := func(values []varied) func(*experimenting) ([]varied, error) {
		if len(g.vary) > 0 {
			values = g.vary
		}
		return func(*experimenting) ([]varied, error) { return values, nil }
	}
	switch f.recommend {
	case varyLimit:
		return f.limit(g)
	case varyForm:
		forms, err := formsOf(g)
		if err != nil {
			return nil, err
		}
		way := &recommending{repeats: 6, vary: given([]varied{{varyForm, forms}})}
		several := plan.Items.Largest() > 1
		if several {
			// A batch and an array of one size are to carry as many items.
			way.extra = []string{"items="}
		}
		way.answer = func(a *study.Sweep) {
			a.Recommendation = study.RecommendForm(a.Cells, varyForm)
			if several {
				a.Recommendation.Warnings = append(a.Recommendation.Warnings, "an entry of a batch carries one item here, not the scenario's own number: so a batch and an array of one size are the same work in two forms")
			}
		}
		return way, nil
	case varySize:
		if plan.Form == scenario.Single {
			return nil, errors.New("--recommend size: form single has no sizes; give --set form=batch or --set form=array")
		}
		i, err := g.operating()
		if err != nil {
			return nil, err
		}
		o := study.SizeOptions{Setting: varySize, Array: plan.Form == scenario.Array}
		o.Metric, o.Limit = latencyObjective(plan)
		at := fmt.Sprintf("load[%d].", i)
		return &recommending{
			repeats: 5, vary: given([]varied{{varySize, sizesOf(plan)}}),
			// One call at a time: what a call itself costs, not what it waits for.
			extra:  []string{at + "rate=", at + "arrivals=", at + "callers=1"},
			answer: func(a *study.Sweep) { a.Recommendation, a.Models = study.RecommendSize(a.Cells, o) },
		}, nil
	}
	return nil, fmt.Errorf("--recommend %q: want one of %s", f.recommend, strings.Join(recommendations, ", "))
}

// limit is the way to a batch_concurrency_limit.
func (f *sweepFlags) limit(g *grid) (*recommending, error) {
	plan := g.base
	if plan.Form != scenario.Batch {
		return nil, errors.New("--recommend batch_concurrency_limit: the scenario sends no batches; give --set form=batch and a size")
	}
	guard, err := parseGuard(f.guard)
	if err != nil {
		return nil, err
	}
	if _, err := experiment.Operating(plan); err != nil {
		return nil, err
	}
	var looked *experiment.Looked
	most := min(plan.Size.Largest(), 256)
	r := &recommending{repeats: paired.FewestPairs, probe: true}
	r.vary = func(e *experimenting) ([]varied, error) {
		if len(g.vary) > 0 {
			return g.vary, nil
		}
		one, err := g.cell([]study.Setting{{Name: varyLimit, Value: "1"}})
		if err != nil {
			return nil, err
		}
		looked, err = experiment.Look(e.ctx, e.journal, experiment.LookOptions{
			Cell: one, Workers: workers(f.pool, plan), Most: most, Probe: f.probeRate, Guard: guard,
		})
		if err != nil {
			return nil, err
		}
		for _, w := range looked.Why {
			fmt.Fprintf(e.s.err, "%s\n", results.Escape(w))
		}
		v := varied{name: varyLimit}
		for _, c := range looked.Values {
			v.values = append(v.values, strconv.Itoa(c))
		}
		return []varied{v}, nil
	}
	// The chosen one's neighbours are measured too, wherever the candidates ended.
	r.more = func(a *study.Sweep) (cells []experiment.Cell, err error) {
		v := &g.vary[0]
		for _, c := range experiment.MoreLimits(a, varyLimit, guard, most) {
			value := strconv.Itoa(c)
			cell, err := g.cell([]study.Setting{{Name: varyLimit, Value: value}})
			if err != nil {
				return nil, err
			}
			v.values, cells = append(v.values, value), append(cells, cell)
		}
		return cells, nil
	}
	r.answer = func(a *study.Sweep) {
		sortByLimit(a)
		a.Recommendation = study.RecommendLimit(a.Cells, varyLimit, guard)
		if looked != nil {
			looked.Explain(a)
		}
	}
	return r, nil
}

// sortByLimit puts what was measured later where it belongs.
func sortByLimit(a *study.Sweep) {
	limit := func(text string) int {
		n, _ := strconv.Atoi(text) // of what is no number the order stays
		return n
	}
	slices.SortStableFunc(a.Cells, func(x, y study.Cell) int {
		return cmp.Compare(limit(x.Setting(varyLimit)), limit(y.Setting(varyLimit)))
	})
	for _, v := range a.Varied {
		slices.SortStableFunc(v.Values, func(x, y string) int { return cmp.Compare(limit(x), limit(y)) })
	}
}

// parseGuard reads how high the probe's p99 may be: 2x, of its value at 1, or a time.
func parseGuard(text string) (pool.Guard, error) {
	if number, ok := strings.CutSuffix(text, "x"); ok {
		if v, err := strconv.ParseFloat(number, 64); err == nil && v >= 1 && v <= 1e6 {
			return pool.Guard{Factor: v}, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return pool.Guard{Limit: d.Seconds()}, nil
	}
	return pool.Guard{}, fmt.Errorf("--guard %q: want a factor such as 2x, or a time such as 50ms", text)
}

// workers is the size of the node's pool: what the flag says, or, of the bundled node,
// what its config does; 0 where it is not known.
func workers(flag int, plan *scenario.Plan) int {
	if flag > 0 || plan.Target.URL != "" || len(plan.Target.Command) > 0 {
		return flag
	}
	var config struct {
		Near  *int `json:"view_client_threads"`
		Other *int `json:"slots"`
	}
	if len(plan.Target.Node) > 0 && json.Unmarshal(plan.Target.Node, &config) != nil {
		return 0
	}
	size := config.Other
	if plan.Target.Dialect == "near" {
		size = config.Near
	}
	if size == nil {
		return 4 // the node's default
	}
	return *size
}

// formsOf are the forms that the scenario's work can take at the same rate of work.
func formsOf(g *grid) ([]string, error) {
	i, err := experiment.Operating(g.base)
	if err != nil {
		return nil, err
	}
	unit := g.base.Phases[i].Rate.Unit
	takesItems := g.base.Target.Dialect != "near"
	if unit == scenario.Calls || takesItems && unit != scenario.Items {
		want := scenario.Items
		if !takesItems {
			want = scenario.Entries
		}
		return nil, fmt.Errorf("--recommend form holds forms against each other at the same work: the rate has to be in %s, not %s; give --set load[%d].rate='... %s'", want, unit, i, want)
	}
	if g.base.Size.Largest() < 2 {
		return nil, errors.New("--recommend form: batches and arrays of size 1 gain nothing; give --set form=batch --set size=32")
	}
	forms := []string{string(scenario.Single), string(scenario.Batch)}
	if _, err := g.cell([]study.Setting{{Name: varyForm, Value: string(scenario.Array)}}); err == nil {
		forms = append(forms, string(scenario.Array))
	}
	return forms, nil
}

// sizesOf are the sizes that a size is chosen from: up to the scenario's own largest,
// or to 100.
func sizesOf(plan *scenario.Plan) []string {
	most := plan.Size.Largest()
	if most < 5 {
		most = 100
	}
	var sizes []string
	for _, n := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if n < most {
			sizes = append(sizes, strconv.Itoa(n))
		}
	}
	return append(sizes, strconv.Itoa(most))
}

// latencyObjective is the scenario's first objective for a percentile of the response
// time that cells have, in microseconds; 0 for none.
func latencyObjective(plan *scenario.Plan) (metric string, limit float64) {
	of := map[string]string{"p50": study.ResponseP50, "p99": study.ResponseP99}
	i := slices.IndexFunc(plan.Objectives, func(o scenario.Objective) bool {
		return o.Metric == "response" && of[o.Stat] != "" && strings.HasPrefix(o.Op, "<")
	})
	if i < 0 {
		return study.ResponseP99, 0
	}
	return of[plan.Objectives[i].Stat], plan.Objectives[i].Limit
}
