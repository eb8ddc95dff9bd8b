package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"volley/results"
	"volley/results/study"
)

// bench makes experiments by running the program as a user does.
type bench struct {
	volley string
	dir    string
	seeds  int           // 0: each part's own
	trial  time.Duration // 0: each part's own
	slots  chan struct{} // as many experiments at a time
}

func (b *bench) seedsOr(n int) int {
	if b.seeds > 0 {
		return b.seeds
	}
	return n
}

func (b *bench) trialOr(d time.Duration) time.Duration {
	if b.trial > 0 {
		return b.trial
	}
	return d
}

// scenario writes a scenario's file.
func (b *bench) scenario(name, text string) (string, error) {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(b.dir, name+".yaml")
	return file, os.WriteFile(file, []byte(text), 0o644)
}

// experiment runs a command into the directory of that name, and reads what it stored.
// Exit codes other than 0 that are an answer are named.
func (b *bench) experiment(ctx context.Context, name string, answers []int, args ...string) (*study.Experiment, error) {
	dir := filepath.Join(b.dir, name)
	if err := b.command(ctx, answers, append(args, "--out", dir)...); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return study.Open(dir)
}

// single makes a run.
func (b *bench) single(ctx context.Context, name string, args ...string) (*results.Run, error) {
	dir := filepath.Join(b.dir, name)
	if run, err := results.Open(dir); err == nil && !run.Summary.Partial() {
		return run, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := b.command(ctx, []int{1, 4}, append(append([]string{"run"}, args...), "--no-tui", "--out", dir)...); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return results.Open(dir)
}

// command runs the program when a slot is free.
func (b *bench) command(ctx context.Context, answers []int, args ...string) error {
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	c := exec.CommandContext(ctx, b.volley, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	c.Stdout, c.Stderr = nil, &out
	err := c.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && slices.Contains(answers, exit.ExitCode()) {
		return nil
	}
	if err != nil {
		said := strings.Split(strings.TrimSpace(out.String()), "\n")
		return fmt.Errorf("%v: %s", err, strings.Join(said[max(0, len(said)-3):], "; "))
	}
	return nil
}

// each does n things at the same time, as far as slots go, and gives the first error.
func each(n int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func milli(seconds float64) string { return fmt.Sprintf("%.4g ms", 1e3*seconds) }

// band is milliseconds from and to.
func band(low, high float64) string { return fmt.Sprintf("%.4g to %.4g ms", 1e3*low, 1e3*high) }

func share(n, of int, what string) string { return fmt.Sprintf("%d of %d %s", n, of, what) }
