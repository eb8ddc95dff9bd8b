package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"volley/scenario"
)

// nodeStart bounds how long the bundled node may take to say where it listens.
const nodeStart = 20 * time.Second

// child is the bundled node as a process of its own, so that its CPU is its
// own. It ends when its standard input closes, which the system sees to even
// when this process is killed.
type child struct {
	url     string
	log     string // the file that has what it says
	command *exec.Cmd
	stdin   io.Closer
	done    chan struct{} // closed once the process has been waited for
	err     error         // of Wait; read after done

	stop sync.Once
}

// nodeArguments gives the command line of the bundled node for a plan, whose seed is
// also that of the times that the node draws: those of repeats with seeds of their own
// are independent. Its config, if the plan has one, is written into the run directory.
func nodeArguments(plan *scenario.Plan, dir string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to start the node: %w", err)
	}
	args := []string{self, "node", "--dialect", plan.Target.Dialect, "--draws", strconv.FormatUint(plan.Seed, 10)}
	if len(plan.Target.Node) > 0 {
		config := filepath.Join(dir, "node.json")
		if err := os.WriteFile(config, append(plan.Target.Node, '\n'), 0o644); err != nil {
			return nil, fmt.Errorf("store the node's config: %w", err)
		}
		args = append(args, "--config", config)
	}
	return args, nil
}

// startNode starts the bundled node on a free loopback port, on the given CPUs (nil: those
// of this process), and waits until it listens. What it says on standard error
// goes to log.
func startNode(ctx context.Context, arguments []string, cpus []int, log *os.File) (*child, error) {
	c := &child{log: log.Name(), done: make(chan struct{})}
	c.command = exec.Command(arguments[0], append(arguments[1:], "--listen", "127.0.0.1:0", "--exit-with-stdin")...)
	c.command.SysProcAttr = ownGroup()
	c.command.Stderr = log
	stdin, err := c.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	stdout, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := onCPUs(cpus, c.command.Start); err != nil {
		return nil, fmt.Errorf("start the node: %w", err)
	}

	line := make(chan string, 1)
	go func() {
		defer close(c.done)
		r := bufio.NewReader(stdout)
		first, _ := r.ReadString('\n')
		line <- first
		_, _ = io.Copy(io.Discard, r)
		c.err = c.command.Wait()
	}()
	timeout := time.NewTimer(nodeStart)
	defer timeout.Stop()
	select {
	case first := <-line:
		url, ok := strings.CutPrefix(strings.TrimSpace(first), "listening ")
		if ok {
			c.url = url
			return c, nil
		}
		c.closeWithin(time.Second)
		var code *exec.ExitError
		if errors.As(c.err, &code) && code.ExitCode() == exitUsage {
			return nil, &exit{exitUsage, fmt.Errorf("the node refused its config: %s", lastLine(log.Name()))}
		}
		return nil, fmt.Errorf("the node ended before it listened (%v): %s", c.err, lastLine(log.Name()))
	case <-timeout.C:
		c.kill()
		return nil, fmt.Errorf("the node did not listen within %v; see %s", nodeStart, log.Name())
	case <-ctx.Done():
		c.kill()
		return nil, ctx.Err()
	}
}

// close ends the node and waits for it: by closing its standard input first,
// by force after a grace period (a stopped process reads nothing).
func (c *child) close() { c.closeWithin(5 * time.Second) }

func (c *child) closeWithin(grace time.Duration) {
	c.stop.Do(func() {
		_ = c.stdin.Close()
		late := time.NewTimer(grace)
		defer late.Stop()
		select {
		case <-c.done:
		case <-late.C:
			c.kill()
		}
	})
}

// ended tells whether the node is gone although nobody closed it.
func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func (c *child) kill() {
	_ = c.command.Process.Kill()
	<-c.done
}

// lastLine gives the last line of a log, for an error message.
func lastLine(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	text := strings.TrimSpace(string(data))
	if text == "" {
		return "it said nothing"
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}
