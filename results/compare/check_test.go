package compare

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"volley/results/study"
)

func TestCheck(t *testing.T) {
	same := fmt.Sprintf(plan, 1)
	with := func(old, new string) string {
		if !strings.Contains(same, old) {
			t.Fatalf("no %q in the plan", old)
		}
		return strings.Replace(same, old, new, 1)
	}
	own := func(url string) string { return with("dialect: near", "dialect: near, url: "+url) }
	for _, c := range []struct {
		name    string
		a, b    synthetic
		refused []string // each in one sentence
		purpose string
		notes   int
	}{
		{name: "the same", a: synthetic{seed: 1}, b: synthetic{seed: 1}},
		{name: "other seeds", a: synthetic{seed: 1}, b: synthetic{seed: 2}},
		{name: "the node's settings", a: synthetic{plan: same}, b: synthetic{plan: with("view_client_threads: 4", "view_client_threads: 8")}, purpose: "target.node.view_client_threads=4 -> 8"},
		{name: "versions and load", a: synthetic{env: map[string]string{"volley": "0.1.0", "go": "1"}}, b: synthetic{env: map[string]string{"volley": "0.2.0", "go": "2"}}, purpose: "go=1 -> 2 volley=0.1.0 -> 0.2.0"},
		{name: "another port", a: synthetic{plan: own(`"http://127.0.0.1:3030/"`)}, b: synthetic{plan: own(`"http://127.0.0.1:3031/"`)}, purpose: "target.url=http://127.0.0.1:3030/ -> http://127.0.0.1:3031/"},
		{name: "another host", a: synthetic{plan: own(`"http://127.0.0.1:3030/"`)}, b: synthetic{plan: own(`"http://10.0.0.1:3030/"`)}, refused: []string{"another scenario: target.url is http://127.0.0.1:3030/ in A, http://10.0.0.1:3030/ in B"}},
		{name: "name and objectives", a: synthetic{plan: same}, b: synthetic{plan: with("name: small", "name: other\nslo: [response p99 <= 1s]")}, purpose: "name=small -> other slo[0]=not given -> response p99 <= 1s"},
		{name: "other CPUs for the node", a: synthetic{plan: same}, b: synthetic{plan: with("dialect: near", "dialect: near, node_cpus: [1]")}, refused: []string{"target.node_cpus[0] is not given in A, 1 in B"}},
		{name: "another rate and size", a: synthetic{plan: same}, b: synthetic{plan: strings.Replace(with("100 calls/s", "200 calls/s"), "1: 0.5", "2: 0.5", 1)},
			refused: []string{"load[0].rate is 100 calls/s in A, 200 calls/s in B", "size.1 is 0.5 in A, not given in B", "size.2 is not given in A, 0.5 in B"}},
		{name: "another machine", a: synthetic{}, b: synthetic{env: map[string]string{"kernel": "6.2"}}, refused: []string{"another machine: kernel is 6.1 in A, 6.2 in B"}},
		{name: "untold of the machine", a: synthetic{}, b: synthetic{env: map[string]string{"smt": "on"}}, notes: 1},
		{name: "void", a: synthetic{}, b: synthetic{void: true}, refused: []string{"b is void: the generator was the limit"}},
		{name: "interrupted", a: synthetic{}, b: synthetic{stopped: true}, refused: []string{"b was interrupted"}},
		{name: "cut off", a: synthetic{cut: true}, b: synthetic{}, refused: []string{"a was cut off"}},
		{name: "changed by hand", a: synthetic{byHand: true}, b: synthetic{}, refused: []string{"a had its rate changed by hand"}},
		{name: "no plan", a: synthetic{}, b: synthetic{plan: "-"}, refused: []string{"b has no plan.yaml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			c.a.response, c.b.response = always(time.Millisecond), always(time.Millisecond)
			d := Check(open(t, c.a.store(t, filepath.Join(dir, "a"))), open(t, c.b.store(t, filepath.Join(dir, "b"))))
			if len(d.Refused) != len(c.refused) {
				t.Errorf("refused for %q, want %q", d.Refused, c.refused)
			}
			for i, want := range c.refused {
				if i < len(d.Refused) && !strings.Contains(d.Refused[i], want) {
					t.Errorf("refused for %q, want %q", d.Refused[i], want)
				}
			}
			if got := study.Text(d.Purpose); got != c.purpose {
				t.Errorf("purpose %q, want %q", got, c.purpose)
			}
			if len(d.Notes) != c.notes {
				t.Errorf("notes %q", d.Notes)
			}
		})
	}
}

// Runs of one side that are no repeats of each other are none to compare.
func TestCheckWithinASide(t *testing.T) {
	dir := t.TempDir()
	first := synthetic{seed: 1, response: always(time.Millisecond)}.store(t, filepath.Join(dir, "1"))
	second := synthetic{seed: 2, response: always(time.Millisecond), env: map[string]string{"cpus": "4"}, plan: strings.Replace(fmt.Sprintf(plan, 2), "threads: 4", "threads: 5", 1)}.store(t, filepath.Join(dir, "2"))
	other := synthetic{seed: 3, response: always(time.Millisecond)}.store(t, filepath.Join(dir, "3"))
	d := Check(open(t, first, second), open(t, other))
	if len(d.Refused) != 2 || !strings.Contains(d.Refused[0], "no repeats of each other: target.node.view_client_threads is 4 in "+first) || !strings.Contains(d.Refused[1], "cpus is 2 in") {
		t.Errorf("%q", d.Refused)
	}
}

// sweep stores an experiment with trials of the cells in turn, some of them void.
func sweep(t *testing.T, kind study.Kind, void map[int]bool, cells ...[]study.Setting) string {
	t.Helper()
	dir := t.TempDir()
	if err := study.WriteRecord(dir, &study.Record{Format: study.Format, Kind: kind, Name: "small"}); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3*len(cells); n++ {
		s := synthetic{seed: uint64(n), at: time.Duration(n) * time.Minute, response: always(time.Duration(n) * time.Millisecond)}
		s.plan = strings.Replace(fmt.Sprintf(plan, n), "form: batch", fmt.Sprintf("form: batch\nvaried: %q", study.Text(cells[(n-1)%len(cells)])), 1)
		trial := study.Trial{Format: study.Format, N: n, Settings: cells[(n-1)%len(cells)], Block: 1 + (n-1)/len(cells), Void: void[n], Dir: study.TrialDir(dir, n)}
		if err := os.MkdirAll(filepath.Dir(trial.Dir), 0o755); err != nil {
			t.Fatal(err)
		}
		s.store(t, trial.Dir)
		if err := study.WriteTrial(&trial); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func settings(pairs ...string) (all []study.Setting) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, study.Setting{Name: pairs[i], Value: pairs[i+1]})
	}
	return all
}

func TestPartsOfExperiments(t *testing.T) {
	dir := sweep(t, study.SweepKind, map[int]bool{5: true}, settings("size", "{1: 50%, 2: 50%}", "form", "batch"), settings("size", "10", "form", "batch"), settings("size", "10", "form", "single"))
	for _, c := range []struct {
		name string
		want []string // trials, or
		err  string
	}{
		{":size=10,form=single", []string{"003", "006", "009"}, ""},
		{":form=single", []string{"003", "006", "009"}, ""},
		{":size={1: 50%, 2: 50%}", []string{"001", "004", "007"}, ""},
		{":form=batch,size=10", []string{"002", "008"}, ""}, // one is void
		{":size=10", nil, "several combinations: say which of size=10 form=batch; size=10 form=single"},
		{":size=11", nil, "no trial with size=11"},
		{":sizes=10", nil, "no trial with sizes=10"},
		{"", nil, "is a sweep: name one of its combinations, as in"},
	} {
		s, err := Open([]string{dir + c.name})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, want %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.name, err)
			continue
		}
		var got []string
		for _, r := range s.Runs {
			got = append(got, filepath.Base(r.Dir))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q: trials %v, want %v", c.name, got, c.want)
		}
	}
	// What the sweep varied is the purpose, and blocks are pairs.
	a, b := open(t, dir+":form=single"), open(t, dir+":size=10,form=batch")
	if d := Check(a, b); len(d.Refused) > 0 || len(d.Purpose) != 1 {
		t.Errorf("%+v", d)
	}
	c := compared(t, a, b, Options{})
	if m := of(t, c, "p99"); c.Pairs != 2 || m.A[1] < 9000 || m.B[1] < 8000 {
		t.Errorf("%d pairs of blocks: %v and %v", c.Pairs, m.A, m.B)
	}
	if text := strings.Join(c.Warnings, "\n"); !strings.Contains(text, "1 runs have no counterpart") {
		t.Errorf("warnings %q", text)
	}
}

func TestArmsOfAComparison(t *testing.T) {
	dir := sweep(t, study.CompareKind, nil, settings(study.ArmSetting, "A", "size", "1"), settings(study.ArmSetting, "B", "size", "2"))
	a, b := open(t, dir+":a"), open(t, dir+":B")
	if len(a.Runs) != 3 || len(b.Runs) != 3 || filepath.Base(b.Runs[0].Dir) != "002" {
		t.Errorf("%d and %d runs", len(a.Runs), len(b.Runs))
	}
	if _, err := Open([]string{dir}); err == nil || !strings.Contains(err.Error(), ":a or ") {
		t.Errorf("%v", err)
	}
	if _, err := Open([]string{sweep(t, study.SearchKind, nil, settings("rate", "1"))}); err == nil || !strings.Contains(err.Error(), "no repeats of each other") {
		t.Errorf("%v", err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	damaged := synthetic{response: always(time.Millisecond)}.store(t, filepath.Join(dir, "runs", "1"))
	newer := synthetic{response: always(time.Millisecond)}.store(t, filepath.Join(dir, "newer"))
	nan := synthetic{response: always(time.Millisecond)}.store(t, filepath.Join(dir, "nan"))
	write := func(name, old, new string) {
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("no %q in %s (%v)", old, name, err)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(damaged, "intervals.jsonl"), `{"start_ns":1000000000`, `{"start_ns":"x"`)
	write(filepath.Join(newer, "run.json"), `"format": 1`, `"format": 2`)
	write(filepath.Join(nan, "run.json"), `"goodput_entries_per_s": 5000`, `"goodput_entries_per_s": NaN`)
	for name, want := range map[string]string{
		filepath.Join(dir, "nothing"): "does not exist",
		t.TempDir():                   "holds no run directories",
		filepath.Join(dir, "runs"):    "intervals.jsonl:3",
		damaged:                       "intervals.jsonl:3",
		newer:                         "format 2 is newer",
		nan:                           "run.json: invalid character 'N'",
		dir + ":size=1":               "does not exist",
	} {
		if _, err := Open([]string{name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestFlatten(t *testing.T) {
	got, err := flatten([]byte("a: {b: 1, c: [x, {d: null}], e: {}}\n1: 0.5\nf: \"1\"\ng: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"1":"0.5","a.b":"1","a.c[0]":"x","a.c[1].d":"null","a.e":"{}","f":"1","g":"[]"}`
	if text, _ := json.Marshal(got); string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}
