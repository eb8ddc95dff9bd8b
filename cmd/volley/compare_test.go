package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"volley/results"
)

// storeRun stores a run of simulated calls: storerun DIR SEED MEAN [KEY=VALUE...]. A
// key is void, kernel, or a line of the plan.
func storeRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: storerun DIR SEED MEAN [KEY=VALUE...]")
	}
	seed, err := strconv.ParseUint(args[1], 10, 64)
	ts.Check(err)
	mean, err := time.ParseDuration(args[2])
	ts.Check(err)
	const length, calls = 12 * time.Second, 100
	meta := results.Meta{
		Volley: "0.1.0", Name: "simulated", Seed: seed, Started: time.Unix(1e9+int64(seed)*60, 0), Dialect: "near", Bundled: true,
		Environment: map[string]string{"kernel": "6.1", "os": "linux"},
		Phases:      []results.PhaseMeta{{Name: "steady", Measured: true, Value: calls, To: calls, Unit: "calls/s", Arrivals: "constant", For: length}},
	}
	plan := fmt.Sprintf("name: simulated\nseed: %d\n", seed)
	end := results.End{Stopped: length, Finished: meta.Started.Add(length)}
	for _, word := range args[3:] {
		switch key, value, _ := strings.Cut(word, "="); key {
		case "void":
			end.Generator = results.Generator{CPUs: 2, CPUFraction: 0.99}
		case "kernel":
			meta.Environment[key] = value
		default:
			plan += key + ": " + value + "\n"
		}
	}
	meta.Plan = []byte(plan)
	w, err := results.Create(ts.MkAbs(args[0]), meta)
	ts.Check(err)
	defer w.Close()
	rng := rand.New(rand.NewPCG(seed, uint64(mean)))
	all := results.Aggregate{Plan: meta.Phases}
	for at := time.Duration(0); at < length; at += time.Second {
		slice := results.PhaseSlice{Latency: results.NewLatency(), FirstSent: at, LastSent: at + time.Second - time.Millisecond}
		for range calls {
			o := results.Outcome{Due: at, Sent: at, Done: at + time.Duration((4+rng.ExpFloat64())/5*float64(mean)), Entries: 1, Items: 1, Class: results.OK}
			o.ByClass[results.OK] = 1
			slice.AddOutcome(&o)
			slice.Record(&o)
		}
		snap := &results.Snapshot{Start: at, End: at + time.Second, Wall: meta.Started.Add(at + time.Second), Planned: calls, Phases: []results.PhaseSlice{slice}}
		all.Add(snap)
		ts.Check(w.Interval(snap))
	}
	ts.Check(w.Finish(results.Summarise(meta, &all, end)))
}
