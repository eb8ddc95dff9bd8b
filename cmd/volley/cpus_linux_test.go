package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"volley/scenario"
)

// allowed gives the CPUs of a thread, as the kernel tells them.
func allowed(t *testing.T, status string) string {
	t.Helper()
	list := field(os.DirFS("/"), strings.TrimPrefix(status, "/"), "Cpus_allowed_list")
	if list == "" {
		t.Fatalf("%s tells no CPUs", status)
	}
	return list
}

// TestProcessesStartOnTheirCPUs: a process is bound before its first instruction, and
// the one that started it stays where it was.
func TestProcessesStartOnTheirCPUs(t *testing.T) {
	before, err := threadCPUs()
	if err != nil {
		t.Fatal(err)
	}
	one := before[len(before)-1:]
	var out strings.Builder
	c := exec.Command("cat", "/proc/self/status")
	c.Stdout = &out
	if err := onCPUs(one, c.Start); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	if want := "Cpus_allowed_list:\t" + scenario.FormatCPUs(one) + "\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
	for _, thread := range threads(t, os.Getpid()) {
		if got := allowed(t, thread); got != scenario.FormatCPUs(before) {
			t.Errorf("%s is on %s after the start, was on %s", thread, got, scenario.FormatCPUs(before))
		}
	}
	usable, err := usableCPUs()
	if err != nil || len(usable) < len(before) {
		t.Errorf("usable are %v, %v: fewer than %v, which are used", usable, err, before)
	}
}

// TestEveryThreadIsBound: those of the start, and those that serving has made since.
func TestEveryThreadIsBound(t *testing.T) {
	cpus, err := threadCPUs()
	if err != nil {
		t.Fatal(err)
	}
	last := strconv.Itoa(cpus[len(cpus)-1])
	c := program(t, "node", "--dialect", "jsonrpc", "--cpus", last, "--exit-with-stdin")
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stdin.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}()
	first, err := bufio.NewReader(stdout).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(first), "listening ")
	if err != nil || !ok {
		t.Fatalf("%q, %v", first, err)
	}
	for range 20 {
		posted(t, url, `{"jsonrpc":"2.0","id":1,"method":"sleep","params":{"ms":1}}`, new(any))
	}
	all := threads(t, c.Process.Pid)
	for _, thread := range all {
		if got := allowed(t, thread); got != last {
			t.Errorf("%s of %d is on %s, not on %s", thread, len(all), got, last)
		}
	}
}

func threads(t *testing.T, pid int) []string {
	t.Helper()
	found, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/status")
	if err != nil || len(found) == 0 {
		t.Fatalf("process %d has no threads (%v)", pid, err)
	}
	return found
}
