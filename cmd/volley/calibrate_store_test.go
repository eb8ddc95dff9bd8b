package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"volley/results"
	"volley/results/selfcheck"
	"volley/scenario"
)

var testMachine = map[string]string{
	"cpu": "a CPU", "cpus": "2", "generator_cpus": "0-1", "kernel": "6.8", "volley": "0.1.0", "load_average": "1 1 1", "memory": "1 kB",
}

func builtin(t *testing.T, sets ...string) *scenario.Plan {
	t.Helper()
	plan, err := scenario.Builtin("near-mix", sets)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func keyFile(t *testing.T, plan *scenario.Plan, env map[string]string) string {
	t.Helper()
	k, err := keyOf(plan, env)
	if err != nil {
		t.Fatal(err)
	}
	path, err := k.file("dir")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCalibrationKey: what changes the calls or the machine asks for a calibration of
// its own, what does not does not.
func TestCalibrationKey(t *testing.T) {
	base := keyFile(t, builtin(t), testMachine)
	for _, set := range []string{
		"seed=7", "name=other", "load[1].for=5s", "load[1].rate=700 entries/s", "timeout=3s", "slo=null",
		"target.url=http://127.0.0.1:3030/", "target.node.rpc.limits_config.batch_concurrency_limit=4", "target.node_cpus=1",
		"malformed=0%",
	} {
		if keyFile(t, builtin(t, set), testMachine) != base {
			t.Errorf("%s asks for another calibration", set)
		}
	}
	for _, set := range []string{
		"size=20", "form=single", "notifications=50%", "in_flight=16",
		`target.connections={max_requests: 1}`, `feeds.accounts={range: "a-very-long-account-name-indeed-{0..9999}.near"}`,
	} {
		sets := []string{set}
		if set == "form=single" {
			sets = append(sets, "size=null")
		}
		if keyFile(t, builtin(t, sets...), testMachine) == base {
			t.Errorf("%s asks for no other calibration", set)
		}
	}
	for key, other := range map[string]bool{"cpu": true, "cpus": true, "generator_cpus": true, "kernel": true, "volley": true, "load_average": false, "memory": false} {
		env := map[string]string{}
		for k, v := range testMachine {
			env[k] = v
		}
		env[key] = "another"
		if got := keyFile(t, builtin(t), env) != base; got != other {
			t.Errorf("another %s asks for another calibration: %t", key, got)
		}
	}
}

func TestPeak(t *testing.T) {
	for _, c := range []struct {
		sets     []string
		want     float64
		arrivals string
	}{
		{[]string{"load=[{rate: 100 calls/s, for: 1s}]"}, 100, "constant"},
		{[]string{"load=[{rate: 100 calls/s, for: 1s}, {rate: 50..300 calls/s, arrivals: poisson, for: 1s}]"}, 300, "poisson"},
		{[]string{"load=[{rate: 100 calls/s, for: 1s}, {rate: 9000 calls/s, for: 1s, measured: false}]"}, 100, "constant"},
		{[]string{"load=[{rate: 100 entries/s, for: 1s}]", "size=20"}, 5, "constant"},
		{[]string{"load=[{callers: 5, for: 1s}]"}, 0, "constant"},
	} {
		plan := builtin(t, c.sets...)
		if _, got := peak(plan); got != c.want || peakArrivals(plan) != c.arrivals {
			t.Errorf("%v: %g calls/s %s, want %g %s", c.sets, got, peakArrivals(plan), c.want, c.arrivals)
		}
	}
	array, err := scenario.Builtin("rcp-forms-array", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, got := peak(array); got != 500.0/32 {
		t.Errorf("500 items/s in arrays of 32: %g calls/s", got)
	}
}

// TestCalibrationIsFoundAgain: by a run of the same calls, and what is wrong with the
// file is said and ignored.
func TestCalibrationIsFoundAgain(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	dir, err := calibrationDir()
	if err != nil {
		t.Fatal(err)
	}
	plan := builtin(t, "load=[{rate: 600 calls/s, for: 1s}]")
	key, err := keyOf(plan, testMachine)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	warn := func(w string) { said = append(said, w) }
	if c := calibrated(plan, testMachine, warn); !strings.HasPrefix(c.Missing, "none for these calls") || c.Asked != 600 || len(said) > 0 {
		t.Errorf("before: %+v, said %q", c, said)
	}

	stored := calibration{Format: calibrationFormat, Made: time.Now().UTC().Round(0), calibrationKey: key}
	stored.Ceiling = ceiling{Held: 1000, NotHeld: 1100}
	stored.Floor.Response = results.Distribution{N: 1000, P50: 80, P99: 300}
	path, err := stored.store(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := calibrated(plan, testMachine, warn)
	if c.Missing != "" || c.Held != 1000 || c.NotHeld != 1100 || c.FloorP50US != 80 || c.FloorP99US != 300 || !c.Made.Equal(stored.Made) {
		t.Errorf("after: %+v", c)
	}
	if check, ok := c.Check(); !ok || check.Verdict != selfcheck.Warn {
		t.Errorf("600 calls/s of 1000: %+v", check)
	}

	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"is no calibration":      string(good[:len(good)/2]),
		"is no calibration: inv": "\x00\x01 nothing of the kind",
		"is no calibration: can": `{"format": 1, "ceiling": {"held_calls_per_s": "many"}}`,
		"has format 2, not 1":    strings.Replace(string(good), `"format": 1`, `"format": 2`, 1),
		"of other calls":         strings.Replace(string(good), `"a CPU"`, `"b CPU"`, 1),
		"has a ceiling of -1000": strings.Replace(string(good), `"held_calls_per_s": 1000`, `"held_calls_per_s": -1000`, 1),
	} {
		if err := os.WriteFile(path, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		said = nil
		c := calibrated(plan, testMachine, warn)
		// What is stored with results does not tell whose home it was.
		if !strings.Contains(c.Missing, name) || !strings.HasPrefix(c.Missing, "~/.cache/volley/calibration-") || c.Held != 0 || len(said) != 1 || !strings.Contains(said[0], path) {
			t.Errorf("want %q: %+v, said %q", name, c, said)
		}
	}
	// Calibrating again puts it right, and one that found no ceiling does not undo that.
	none := stored
	none.Ceiling = ceiling{NotHeld: 100}
	for _, c := range []struct {
		made *calibration
		want string
	}{{&none, path}, {&stored, path}, {&none, "nowhere: the calibration of " + stored.Made.Format(time.DateOnly)}} {
		if where, err := c.made.keep(); err != nil || !strings.HasPrefix(where, c.want) {
			t.Errorf("kept %s, %v; want %s", where, err, c.want)
		}
	}
	if c := calibrated(plan, testMachine, warn); c.Held != 1000 {
		t.Errorf("calibrated again: %+v", c)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%d files, %v", len(left), err)
	}
}

// TestCalibrationOfShortTrials: a ceiling from trials that one pause decides says so.
func TestCalibrationOfShortTrials(t *testing.T) {
	for span, warned := range map[time.Duration]bool{leastCalibration: true, 8 * time.Second: true, 12 * time.Second: false, 30 * time.Second: false} {
		c := &calibration{ForS: span.Seconds(), Environment: map[string]string{}, Ceiling: ceiling{Held: 1000, NotHeld: 1200}}
		var page strings.Builder
		if err := c.print(&page, 0, "here"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(page.String(), "Warning  trials of "); got != warned {
			t.Errorf("in %s: warned %t, want %t\n%s", span, got, warned, page.String())
		}
	}
}

func TestWhatCannotBeCalibrated(t *testing.T) {
	for _, c := range []struct {
		target scenario.Target
		want   string
	}{
		{scenario.Target{Transport: "http"}, ""},
		{scenario.Target{Transport: "http", URL: "http://127.0.0.1:3030/"}, ""},
		{scenario.Target{Transport: "http", URL: "https://127.0.0.1:3030/"}, "with TLS"},
		{scenario.Target{Transport: "http", URL: "http+unix://%2Frun%2Fnode.sock/"}, "with a Unix socket"},
		{scenario.Target{Transport: "http", URL: "unix:/run/node.sock"}, "with a Unix socket"},
		{scenario.Target{Transport: "h2", URL: "http://127.0.0.1:3030/"}, "with transport h2"},
		{scenario.Target{Transport: "stdio"}, "with transport stdio"},
		{scenario.Target{Transport: "websocket", URL: "ws://127.0.0.1:3030/"}, "with transport websocket"},
	} {
		err := calibratable(&c.target)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.target.Transport, c.target.URL, err, c.want)
		}
	}
	plan := builtin(t)
	plan.Target.Transport = "h2"
	if _, err := findCalibration(plan, testMachine); err == nil || errors.Is(err, errNotCalibrated) {
		t.Errorf("looked up over h2: %v", err)
	}
}
