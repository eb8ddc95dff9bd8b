package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// levels are the packages' import levels: a package imports only from lower
// ones. A new package needs a line here.
var levels = map[string]int{
	"volley/internal/jsonrpc":     0,
	"volley/scenario":             0,
	"volley/loadgen/arrival":      0,
	"volley/loadgen/transport":    0,
	"volley/loadgen/nullnode":     0,
	"volley/results/selfcheck":    0,
	"volley/results/correlate":    0,
	"volley/results":              1,
	"volley/target/wirecase":      1,
	"volley/target/near/vm":       1,
	"volley/target":               2,
	"volley/loadgen/scrape":       2,
	"volley/results/study":        2,
	"volley/results/report/chart": 0,
	"volley/results/report":       3,
	"volley/results/compare":      3,
	"volley/tui":                  2,
	"volley/target/near":          3,
	"volley/target/rcp":           3,
	"volley/loadgen":              3,
	"volley/loadgen/experiment":   4,
	"volley/bench/node/soak":      5,
	"volley/cmd/volley":           programs,

	// The models: pure, and independent of each other.
	"volley/results/capacity/search":   0,
	"volley/results/capacity/queueing": 0,
	"volley/results/capacity/usl":      0,
	"volley/results/capacity/cost":     0,
	"volley/results/capacity/pool":     0,
	"volley/results/capacity/fleet":    0,
	"volley/results/paired":            0,
}

// programs are on top: nothing imports them.
const programs = 5

// refused are edges that the levels alone would not forbid, or that deserve
// their reason said. A prefix stands for all packages below it.
var refused = []struct{ from, to, why string }{
	{"volley/loadgen", "volley/target", "the tool must not be tuned to its own node"},
	{"volley/target", "volley/loadgen", "the node must not know who measures it"},
	{"volley/target", "volley/scenario", "the node is configured by its own file, as a real one is"},
	{"volley/target", "volley/results", "the node must not know who measures it"},
	{"volley/tui", "volley/loadgen", "a view of snapshots can replay stored runs"},
	{"volley/tui", "volley/scenario", "a stored run carries what a view needs"},
	{"volley/results", "volley/loadgen", "comparing two directories must pull in no sockets"},
	{"volley/results", "volley/scenario", "a stored run must be readable without its scenario's grammar"},
	{"volley/scenario", "volley/internal/jsonrpc", "a plan is not yet bytes on a wire"},
	{"volley/loadgen/transport", "volley/internal/jsonrpc", "a transport carries opaque bytes"},
	{"volley", "volley/cmd", "commands wire packages together; nothing hangs on a command"},
}

func within(pkg, prefix string) bool {
	return pkg == prefix || strings.HasPrefix(pkg, prefix+"/")
}

func TestImportDirections(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,Doc", "volley/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct {
			ImportPath, Doc                    string
			Imports, TestImports, XTestImports []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		seen[p.ImportPath] = true
		level, known := levels[p.ImportPath]
		if within(p.ImportPath, "volley/bench") {
			level, known = programs, true // what benchmarks run beside the program
		}
		if !known {
			t.Errorf("%s has no import level: give it one", p.ImportPath)
			continue
		}
		if p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
		for _, to := range p.Imports {
			if l, ours := levels[to]; ours && l >= level {
				t.Errorf("%s (level %d) imports %s (level %d): only lower levels may be imported", p.ImportPath, level, to, l)
			}
		}
		for _, to := range append(append(p.Imports, p.TestImports...), p.XTestImports...) {
			for _, r := range refused {
				if within(p.ImportPath, r.from) && within(to, r.to) && !within(p.ImportPath, r.to) {
					t.Errorf("%s imports %s: refused, for %s", p.ImportPath, to, r.why)
				}
			}
		}
	}
	for pkg := range levels {
		if !seen[pkg] {
			t.Errorf("%s has a level but does not exist", pkg)
		}
	}
}
