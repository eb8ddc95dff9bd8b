package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"volley/loadgen"
	"volley/results"
)

// short is a scenario with a little of everything, against the bundled node.
const short = `
name: short
target: {dialect: near, metrics: {every: 1s}}
load:
  - {name: warm up, rate: 100 entries/s, for: 1s, measured: false}
  - {name: steady, rate: 1000 entries/s, arrivals: poisson, for: 2s}
  - {name: closed, callers: 2, for: 1s}
form: batch
size: {uniform: [1, 100]}
notifications: 10%
malformed: 3%
mix:
  - {weight: 99, method: query, params: {request_type: view_account, account_id: {pick: known}, finality: final}}
  - {weight: 1, method: query, params: {request_type: view_account, account_id: {pick: unknown}, finality: final}}
feeds:
  known: {range: "user{0..9999}.near"}
  unknown: {range: "nobody{0..99}.near"}
`

const endless = `
name: endless
target: {dialect: near}
load: [{name: steady, rate: 100 entries/s, for: 10m}]
form: batch
size: 5
mix: [{method: query, params: {request_type: view_account, account_id: near, finality: final}}]
`

func writeScenario(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// summary is the part of run.json that these tests read, as a script would.
type summary struct {
	Format int
	Status string
	Totals struct {
		Calls, Entries, Notifications uint64
		ByClass                       map[string]uint64 `json:"by_class"`
		CallsByClass                  map[string]uint64 `json:"calls_by_class"`
	}
	Phases []struct {
		Name     string
		Measured bool
	}
	Reconciliation []struct {
		What   string
		Client uint64
		Node   *float64
		Match  *bool
	}
}

func readSummary(t *testing.T, data []byte) summary {
	t.Helper()
	var s summary
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatalf("run.json: %v\n%s", err, data)
	}
	return s
}

// checkAccount wants every entry and call in exactly one class, and the node to
// have counted what we counted.
func checkAccount(t *testing.T, s summary) {
	t.Helper()
	sum := func(m map[string]uint64) (n uint64) {
		for _, v := range m {
			n += v
		}
		return n
	}
	if got := sum(s.Totals.ByClass); got != s.Totals.Entries || got == 0 {
		t.Errorf("by_class adds up to %d, entries are %d", got, s.Totals.Entries)
	}
	if got := sum(s.Totals.CallsByClass); got != s.Totals.Calls || got == 0 {
		t.Errorf("calls_by_class adds up to %d, calls are %d", got, s.Totals.Calls)
	}
	if len(s.Reconciliation) == 0 {
		t.Error("nothing was reconciled")
	}
	for _, r := range s.Reconciliation {
		if r.Match == nil || !*r.Match {
			t.Errorf("reconciliation: %s: client %d, node %v do not match", r.What, r.Client, r.Node)
		}
	}
}

// TestRunAccountsForEveryEntry runs each dialect and form against the bundled
// node. Whether this machine reaches the rate is not asked.
func TestRunAccountsForEveryEntry(t *testing.T) {
	embed := func(form, extra string) string {
		return `
name: embed
target: {dialect: rcp, metrics: {every: 1s}}
load: [{rate: 200 items/s, arrivals: uniform, for: 2s}]
form: ` + form + "\n" + extra + `
notifications: 5%
mix:
  - {weight: 3, method: embed, params: {inputs: {items: {pick: words}}}}
  - {weight: 1, method: rerank, params: {query: {pick: words}, passages: {items: {pick: words}}}}
feeds: {words: {values: [one sentence, another sentence, "x"]}}
`
	}
	for name, text := range map[string]string{
		"near batches": short,
		"rcp single":   embed("single", ""),
		"rcp batch":    embed("batch", "size: {zipf: {max: 20, s: 1.1}}"),
		"rcp array":    embed("array", "size: 20"),
		"jsonrpc": `
name: plain
target: {dialect: jsonrpc}
load: [{rate: 50..200 calls/s, for: 2s}]
form: batch
size: 7
malformed: 10%
mix:
  - {weight: 3, method: sum, params: [1, 2, 3]}
  - {method: fail, params: {code: -32001, message: on purpose}}
  - {method: no.such.method}
`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			p := program(t, "run", writeScenario(t, text), "--out", dir, "--no-tui", "--json")
			var stderr bytes.Buffer
			p.Stderr = &stderr
			out, err := p.Output()
			if code := exitCode(t, err); code != exitOK && code != exitVoid {
				t.Fatalf("exit code %d\n%s", code, stderr.String())
			}
			s := readSummary(t, out)
			checkAccount(t, s)
			stored, err := os.ReadFile(filepath.Join(dir, "run.json"))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytes.TrimSpace(stored), bytes.TrimSpace(out)) {
				t.Error("--json and run.json differ")
			}
			if out, err := program(t, "report", dir).CombinedOutput(); err != nil || !bytes.Contains(out, []byte("Reconciliation")) {
				t.Errorf("report: %v\n%s", err, out)
			}
		})
	}
}

// TestRunOverStdio drives the bundled node over its standard streams.
func TestRunOverStdio(t *testing.T) {
	text := `
name: stdio
target: {dialect: rcp, transport: stdio}
load: [{rate: 40 calls/s, for: 1s}, {callers: 4, for: 1s}]
form: batch
size: 5
notifications: 20%
malformed: 5%
mix: [{method: embed, params: {inputs: [a, b]}}]
`
	dir := filepath.Join(t.TempDir(), "run")
	out, err := program(t, "run", writeScenario(t, text), "--out", dir, "--no-tui", "--json").Output()
	if code := exitCode(t, err); code != exitOK && code != exitVoid {
		t.Fatalf("exit code %d", code)
	}
	s := readSummary(t, out)
	for class, n := range s.Totals.ByClass {
		if class != "ok" && class != "notified" && class != "rejected as malformed" {
			t.Errorf("%d entries are %s", n, class)
		}
	}
	if s.Totals.Entries == 0 || s.Totals.ByClass["ok"] == 0 {
		t.Errorf("totals: %+v", s.Totals)
	}
}

// endlessRun is a run that does not end by itself.
type endlessRun struct {
	*exec.Cmd
	dir    string
	node   string        // its bundled node's address
	stderr *bufio.Reader // past the first status lines
}

func startEndless(t *testing.T) *endlessRun {
	t.Helper()
	r := &endlessRun{dir: filepath.Join(t.TempDir(), "run")}
	r.Cmd = program(t, "run", writeScenario(t, endless), "--out", r.dir, "--no-tui")
	stderr, err := r.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if r.ProcessState == nil {
			_ = r.Process.Kill()
			_ = r.Wait()
		}
	})
	r.stderr = bufio.NewReader(stderr)
	for lines := 0; lines < 2; {
		line, err := r.stderr.ReadString('\n')
		if err != nil {
			t.Fatalf("the run ended early: %v", err)
		}
		if url, ok := strings.CutPrefix(line, "node: http://"); ok {
			r.node, _, _ = strings.Cut(url, ",")
		}
		if strings.Contains(line, "steady") {
			lines++
		}
	}
	return r
}

// TestKilledRunIsReadable kills a run outright: what it wrote is read, said to
// be cut off, and its node is gone.
func TestKilledRunIsReadable(t *testing.T) {
	r := startEndless(t)
	conn, err := net.Dial("tcp", r.node)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /health HTTP/1.1\r\nHost: node\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait()

	if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the node lives on: %v", err)
	}

	out, err := program(t, "report", r.dir).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("cut off")) {
		t.Errorf("report of a killed run: %v\n%s", err, out)
	}
	run, err := results.Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if s := run.Summary; s.Status != results.Cut || s.Totals.Calls == 0 {
		t.Errorf("status %q with %d calls", s.Status, s.Totals.Calls)
	}
}

// TestInterruptDrains sends one interrupt: the results are written whole and the
// exit code says so.
func TestInterruptDrains(t *testing.T) {
	r := startEndless(t)
	if err := r.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, r.stderr)
	if code := exitCode(t, r.Wait()); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	data, err := os.ReadFile(filepath.Join(r.dir, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	s := readSummary(t, data)
	if s.Status != results.Interrupted {
		t.Errorf("status %q", s.Status)
	}
	checkAccount(t, s)
}

// TestSecretsStayWithTheNode aims at a node that says back what it was sent: no
// secret may reach the screen or the run directory.
func TestSecretsStayWithTheNode(t *testing.T) {
	var sent atomic.Value
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Store(r.Header.Get("X-Api-Key") + " " + r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, "invalid key %s / %s / %s", r.Header.Get("X-Api-Key"), r.Header.Get("Authorization"), r.URL)
	}))
	defer echo.Close()
	text := `
name: secrets
target:
  dialect: jsonrpc
  url: ` + echo.URL + `/?apikey=query-secret
  headers: {X-Api-Key: header-secret, Authorization: {env: TEST_TOKEN}}
load: [{rate: 10 calls/s, for: 1s}]
mix: [{method: sum, params: [1]}]
`
	dir := filepath.Join(t.TempDir(), "run")
	p := program(t, "run", writeScenario(t, text), "--out", dir, "--no-tui")
	p.Env = append(p.Env, "TEST_TOKEN=Bearer token-secret")
	out, err := p.CombinedOutput()
	if code := exitCode(t, err); code != exitUnreachable {
		t.Errorf("exit code %d, want %d\n%s", code, exitUnreachable, out)
	}
	if got := sent.Load(); got != "header-secret Bearer token-secret" {
		t.Errorf("the node was sent %q", got)
	}
	if !bytes.Contains(out, []byte("invalid key [secret] / [secret]")) {
		t.Errorf("the node's own words are not shown:\n%s", out)
	}
	seen := out
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = os.ReadFile(path)
			seen = append(seen, data...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"header-secret", "token-secret", "query-secret"} {
		if bytes.Contains(seen, []byte(secret)) {
			t.Errorf("%s is on the screen or in the run directory", secret)
		}
	}
}

// TestOwnFailureKeepsTheAccount wants what was seen before a failure of our own to
// stay in the stored result.
func TestOwnFailureKeepsTheAccount(t *testing.T) {
	meta := results.Meta{Name: "x", Started: time.Now(), Phases: []results.PhaseMeta{{Name: "p", Unit: "calls/s", Value: 1, To: 1, For: time.Second, Measured: true}}}
	dir := filepath.Join(t.TempDir(), "run")
	writer, err := results.Create(dir, meta)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	run := performed{account: &loadgen.Account{Warnings: []string{"seen"}}}
	slice := results.PhaseSlice{Latency: results.NewLatency()}
	slice.AddOutcome(&results.Outcome{Entries: 3, ByClass: [results.NumClasses]int{results.OK: 3}})
	run.whole.Add(&results.Snapshot{End: time.Second, Phases: []results.PhaseSlice{slice}})

	err = run.giveUp(writer, meta, errors.New("disk on fire"))
	var e *exit
	if !errors.As(err, &e) || e.code != exitOurs {
		t.Errorf("%v, want exit code %d", err, exitOurs)
	}
	stored, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s := stored.Summary; s.Status != results.Void || s.VoidReason != "disk on fire" || s.Totals.Entries != 3 || !slices.Contains(s.Warnings, "seen") {
		t.Errorf("stored: %s %q, %d entries, warnings %q", s.Status, s.VoidReason, s.Totals.Entries, s.Warnings)
	}
}
