package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"volley/target/wirecase"
)

const vectors = "../../target/testdata/vectors/"

// TestWireCases sends every case to a node process started with the case's own
// settings, by a config file, over a real socket.
func TestWireCases(t *testing.T) {
	for _, name := range []string{"near-batch", "rcp-batch", "jsonrpc-batch"} {
		suite, err := wirecase.Load(vectors + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			for _, c := range suite.Cases {
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					url := startTestNode(t, suite.Dialect, c.Node)
					if err := c.Do(context.Background(), url); err != nil {
						t.Errorf("%s: %v", c.Why, err)
					}
				})
			}
		})
	}
}

// TestWireCasesStdio speaks each conversation with a node process over its
// standard streams.
func TestWireCasesStdio(t *testing.T) {
	suite, err := wirecase.Load(vectors + "rcp-stdio.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range suite.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			p := program(t, "node", "--dialect", suite.Dialect, "--stdio")
			p.Stdin = strings.NewReader(strings.Join(c.In, "\n") + "\n")
			var stderr bytes.Buffer
			p.Stderr = &stderr
			out, err := p.Output()
			if err := c.CheckLines(out); err != nil {
				t.Errorf("%v\nstandard error: %s", err, stderr.String())
			}
			if got := exitCode(t, err); c.Exits != nil && got != *c.Exits {
				t.Errorf("exit code %d, want %d", got, *c.Exits)
			}
		})
	}
}

// startTestNode runs a node process on a free loopback port until the test ends.
func startTestNode(t *testing.T, dialect string, config json.RawMessage) (url string) {
	t.Helper()
	url, _ = startTestNodeProcess(t, dialect, config)
	return url
}

func startTestNodeProcess(t *testing.T, dialect string, config json.RawMessage) (string, *exec.Cmd) {
	t.Helper()
	args := []string{"node", "--dialect", dialect, "--exit-with-stdin"}
	if config != nil {
		path := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(path, config, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", path)
	}
	p := program(t, args...)
	var stderr bytes.Buffer
	p.Stderr = &stderr
	stdin, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		if err := p.Wait(); err != nil && !errors.Is(err, os.ErrProcessDone) && !t.Failed() {
			t.Errorf("the node ended badly: %v\n%s", err, stderr.String())
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening ")
	if !ok {
		t.Fatalf("the node said %q (%v), not where it listens\n%s", line, err, stderr.String())
	}
	return url, p
}
