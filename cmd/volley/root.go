package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"volley/results"
	"volley/scenario"
)

// Exit codes, as documented in the README.
const (
	exitOK          = 0
	exitMissed      = 1 // finished, an objective missed
	exitUsage       = 2 // usage or scenario invalid
	exitUnreachable = 3 // node unreachable, or the canary call failed
	exitVoid        = 4 // rate not reached or generator-limited
	exitOurs        = 5 // our own failure
	exitRule        = 6 // compare: a rule of --fail-if is broken
	exitInterrupted = 130
)

// streams are the process's own, handed down so that a test can bring others.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exit is an error that names its exit code. A nil cause says that everything
// was already told.
type exit struct {
	code  int
	cause error
}

func (e *exit) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.cause.Error()
}

func (e *exit) Unwrap() error { return e.cause }

// execute runs one command line and returns its exit code.
func execute(args []string, s streams) int {
	root := &cobra.Command{
		Use:           "volley",
		Short:         "Load-test JSON-RPC batch endpoints, entry by entry",
		Version:       fullVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(runCommand(s), searchCommand(s), sweepCommand(s), compareCommand(s), fleetCommand(s), calibrateCommand(s), nodeCommand(s), nullNodeCommand(s), reportCommand(s), replayCommand(s), scenarioCommand(s), versionCommand(s))
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)

	err := root.Execute()
	if err == nil {
		return exitOK
	}
	var e *exit
	if !errors.As(err, &e) {
		// What cobra itself says is about the command line.
		fmt.Fprintf(s.err, "volley: %s\nhint: volley --help lists the commands, volley COMMAND --help their flags\n", results.Escape(err.Error()))
		return exitUsage
	}
	var located scenario.Problems
	switch {
	case e.cause == nil:
	case errors.As(e.cause, &located):
		fmt.Fprintln(s.err, located)
	default:
		fmt.Fprintf(s.err, "volley: %s\n", escapedLines(e.cause.Error()))
	}
	return e.code
}

// escapedLines is text that may hold what somebody else wrote, such as a stored
// experiment's, safe for a terminal, with its line breaks.
func escapedLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = results.Escape(l)
	}
	return strings.Join(lines, "\n")
}
