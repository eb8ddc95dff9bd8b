package results_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"volley/results"
)

// A run is running while its Writer is open, and cut off when that went away
// without an end.
func TestRunGoingOnAndRunThatWasKilled(t *testing.T) {
	dir, m := t.TempDir(), sampleMeta()
	snaps, _ := sampleSnapshots(m, 2, 60)
	w := store(t, dir, m, snaps[:3])
	check := func(status string, warning string) *results.Run {
		t.Helper()
		run, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		s := run.Summary
		if s.Status != status || run.Cut != (status == results.Cut) || !s.Partial() {
			t.Errorf("cut %v, status %q", run.Cut, s.Status)
		}
		if s.Totals.Calls != 180 || s.Phases[0].Calls+s.Phases[1].Calls != 180 || s.Phases[1].ElapsedS < 1 || s.Phases[1].ElapsedS > 1.01 {
			t.Errorf("totals %+v, phases %+v", s.Totals, s.Phases)
		}
		if !slices.Contains(s.Warnings, warning) {
			t.Errorf("warnings %q, want %q", s.Warnings, warning)
		}
		return run
	}
	if locks {
		run := check(results.Running, "the run is still going on; figures up to now, 3 s after its start")
		if run.Summary.Finished != nil {
			t.Errorf("finished at %v", run.Summary.Finished)
		}
		// It can be read as often as one likes, and goes on unharmed.
		check(results.Running, "the run is still going on; figures up to now, 3 s after its start")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run := check(results.Cut, "the run was cut off 3 s after its start, at 2026-07-01 12:00:03 UTC: the figures are up to then, and calls then under way are not in them")
	if !run.Summary.Finished.Equal(begin.Add(3 * time.Second)) {
		t.Errorf("finished at %v", run.Summary.Finished)
	}
}

// What a run is writing at the moment is no torn end.
func TestRunGoingOnMayBeInTheMiddleOfALine(t *testing.T) {
	if !locks {
		t.Skip("no locks here: a run that goes on looks like one that was killed")
	}
	dir, m := t.TempDir(), sampleMeta()
	snaps, _ := sampleSnapshots(m, 2, 60)
	store(t, dir, m, snaps[:2])
	f, err := os.OpenFile(filepath.Join(dir, "intervals.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"start_ns":`); err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s := run.Summary; s.Status != results.Running || s.Totals.Calls != 120 || strings.Contains(strings.Join(s.Warnings, "\n"), "middle") {
		t.Errorf("%s, %d calls, %q", s.Status, s.Totals.Calls, s.Warnings)
	}
}

// A kill can end a file at any byte. Whatever it is, the rows before are read.
func TestKilledAtEveryByte(t *testing.T) {
	dir, m := t.TempDir(), sampleMeta()
	snaps, _ := sampleSnapshots(m, 3, 2)
	m.Phases, snaps = m.Phases[:1], snaps[:2]
	store(t, dir, m, snaps[:1])
	before := map[string]int64{}
	for _, name := range []string{"intervals.jsonl", "latency.hlog"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		before[name] = info.Size()
	}
	full := t.TempDir()
	store(t, full, m, snaps)
	files := map[string][]byte{}
	for _, name := range []string{"run.json", "intervals.jsonl", "latency.hlog"} {
		data, err := os.ReadFile(filepath.Join(full, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	cut := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(cut, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	one, two := aggregate(snaps[:1]).Total(nil), aggregate(snaps).Total(nil)
	for _, name := range []string{"intervals.jsonl", "latency.hlog"} {
		for n, data := range files {
			write(n, data)
		}
		for size := int64(len(files[name])); size >= before[name]; size -= stride {
			if err := os.Truncate(filepath.Join(cut, name), size); err != nil {
				t.Fatal(err)
			}
			run, err := results.Open(cut)
			if err != nil {
				t.Fatalf("%s cut at %d: %v", name, size, err)
			}
			whole := size == int64(len(files[name]))
			// Without its end the row is lost with its distributions; without some of
			// its distributions it still counts.
			rows, least := two, two
			if !whole {
				least = one
				if name == "intervals.jsonl" {
					rows = one
				}
			}
			got, most, had := run.Summary, &rows, &least
			if want := most.Totals(); !reflect.DeepEqual(got.Totals, want) {
				t.Fatalf("%s cut at %d: counts %+v, want %+v", name, size, got.Totals, want)
			}
			n := int64(0)
			for _, p := range got.Phases {
				n += p.Response.N
			}
			if n < had.Response.TotalCount() || n > most.Response.TotalCount() {
				t.Fatalf("%s cut at %d: %d response times", name, size, n)
			}
			told := strings.Contains(strings.Join(run.Summary.Warnings, "\n"), name+" ends in the middle")
			if torn := !whole && (name == "latency.hlog" || size > before[name]); told != torn {
				t.Fatalf("%s cut at %d: torn end told: %v: %q", name, size, told, run.Summary.Warnings)
			}
		}
	}
}

func TestKilledBeforeTheFirstInterval(t *testing.T) {
	for _, missing := range [][]string{nil, {"latency.hlog"}, {"intervals.jsonl"}, {"intervals.jsonl", "latency.hlog", "node.jsonl", "plan.yaml"}} {
		dir := t.TempDir()
		if err := store(t, dir, sampleMeta(), nil).Close(); err != nil {
			t.Fatal(err)
		}
		for _, name := range missing {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		run, err := results.Open(dir)
		if err != nil {
			t.Fatalf("without %v: %v", missing, err)
		}
		if run.Summary.Status != results.Cut || run.Summary.Totals.Calls != 0 {
			t.Errorf("without %v: %+v", missing, run.Summary)
		}
		if want := "the run was cut off before it wrote any figures"; run.Summary.Warnings[0] != want {
			t.Errorf("without %v: %q", missing, run.Summary.Warnings)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	edit := func(name string, f func(string) string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			name := filepath.Join(dir, name)
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(f(string(data))), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	replace := func(name, old, new string) func(t *testing.T, dir string) {
		return edit(name, func(s string) string {
			if !strings.Contains(s, old) {
				t.Fatalf("%s holds no %q", name, old)
			}
			return strings.Replace(s, old, new, 1)
		})
	}
	line := func(name string, n int, text string) func(t *testing.T, dir string) {
		return edit(name, func(s string) string {
			lines := strings.Split(s, "\n")
			lines[n-1] = text
			return strings.Join(lines, "\n")
		})
	}
	for _, tt := range []struct {
		why    string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"no run", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "run.json")) }, " is not a run directory: it has no run.json"},
		{"run.json torn", edit("run.json", func(s string) string { return s[:100] }), "run.json: unexpected end of JSON input"},
		{"a newer run", replace("run.json", `"format": 1`, `"format": 2`), "run.json: format 2 is newer than this volley reads (1): use a newer volley"},
		{"no format", replace("run.json", `"format": 1`, `"format": 0`), "run.json: format 0 is none"},
		{"a damaged row", line("intervals.jsonl", 3, `{"start_ns":`), "intervals.jsonl:3: "},
		{"a row of no phase", replace("intervals.jsonl", `"index":0`, `"index":7`), "intervals.jsonl:2: phase 7: the plan has 3"},
		{"an unknown class", replace("intervals.jsonl", `"ok"`, `"okay"`), `intervals.jsonl:2: unknown outcome class "okay"`},
		{"another file's header", line("intervals.jsonl", 1, `{"format":1,"what":"volley node series"}`), `intervals.jsonl:1: the first line does not say "volley intervals"`},
		{"newer rows", line("intervals.jsonl", 1, `{"format":9,"what":"volley intervals"}`), "intervals.jsonl:1: format 9 is newer"},
		{"a damaged distribution", line("latency.hlog", 7, "Tag=response/warm%20up,0,1,1,AAAA"), "latency.hlog:7: "},
		{"a distribution of nothing", replace("latency.hlog", "Tag=service/warm", "Tag=service/hot"), "latency.hlog:7: tag \"service/hot%20up\" belongs to nothing"},
		{"a cell of nothing", replace("latency.hlog", "Tag=entries/warm%20up/0/1,", "Tag=entries/warm%20up/5/1,"), "tag \"entries/warm%20up/5/1\" belongs to nothing"},
		{"a cell of no row", replace("intervals.jsonl", `"row":0`, `"row":-2`), "intervals.jsonl:2: breakdown: no cell of phase 0, row -2"},
	} {
		dir, m := t.TempDir(), sampleMeta()
		snaps, _ := sampleSnapshots(m, 4, 20)
		store(t, dir, m, snaps[:3])
		tt.damage(t, dir)
		if _, err := results.Open(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.why, err, tt.want)
		}
	}
}

func TestOpenOfWhatIsNoDirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "scenario.yaml")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	store(t, run, sampleMeta(), nil)
	for name, want := range map[string]string{
		file:                           file + " is not a run directory: it has no run.json",
		filepath.Join(run, "run.json"): filepath.Join(run, "run.json") + " is not a run directory: name the one that it is in, " + run,
		filepath.Join(dir, "nothing"):  filepath.Join(dir, "nothing") + " does not exist: name the directory that a run was written to",
		filepath.Join(file, "nothing"): filepath.Join(file, "nothing") + " does not exist: name the directory that a run was written to",
	} {
		if _, err := results.Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}

// A finished run whose intervals were emptied by somebody says so where it is to be
// measured.
func TestWholeMissesIntervals(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/run-v1")); err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := run.Whole(); err != nil || a == nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "intervals.jsonl"), 0); err != nil {
		t.Fatal(err)
	}
	if run, err = results.Open(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Whole(); err == nil || !strings.Contains(err.Error(), "damaged: intervals.jsonl and latency.hlog tell of 0 calls") {
		t.Errorf("without intervals: %v", err)
	}
}
