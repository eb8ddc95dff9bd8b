package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"volley/results"
	"volley/scenario"
)

// asProgram makes the test binary behave as the program itself, so that tests
// run real processes, and so that the node a run starts is one too.
const asProgram = "VOLLEY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"volley": main})
}

// program gives a command that runs the program with args.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// exitCode gives a finished command's exit code.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	var e *exec.ExitError
	if !errors.As(err, &e) {
		t.Fatalf("the program did not run: %v", err)
	}
	return e.ExitCode()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			if cpus, err := threadCPUs(); err == nil { // there may be no CPU 0
				e.Setenv("CPU", strconv.Itoa(cpus[0]))
				e.Setenv("CPUS", scenario.FormatCPUs(cpus))
			}
			runV1, err := filepath.Abs("../../results/testdata/run-v1")
			e.Setenv("RUN_V1", runV1)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"hold":     hold,
			"storerun": storeRun,
		},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// hold takes a directory as a process that is at work there does, to the script's end.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold DIRECTORY")
	}
	unlock, ok, err := results.Lock(ts.MkAbs(args[0]))
	ts.Check(err)
	if !ok {
		ts.Fatalf("%s is held by another process", args[0])
	}
	ts.Defer(func() { ts.Check(unlock()) })
}

// exits runs a command and wants its exit code: exits CODE COMMAND [ARG...].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("%v: exit code %d, want %d", args[1:], got, want)
	}
}
