package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"volley/results"
)

// terminal is a pseudo-terminal with a program on it.
type terminal struct {
	t       *testing.T
	control *os.File // our end
	tty     *os.File // the program's, held open so that its settings can be read
	before  unix.Termios

	read sync.WaitGroup // the goroutine that collects what is shown
	mu   sync.Mutex
	seen bytes.Buffer
	more chan struct{} // holds one when something was shown since it was last empty
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	// Not by Fd, which would have reads wait where a Close does not end them.
	raw, err := control.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var tty *os.File
	if e := raw.Control(func(fd uintptr) { tty, err = slaveOf(int(fd)) }); e != nil || err != nil {
		t.Fatal(e, err)
	}
	before, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, control: control, tty: tty, before: *before, more: make(chan struct{}, 1)}
	term.read.Go(func() {
		b := make([]byte, 4096)
		for {
			n, err := control.Read(b)
			term.mu.Lock()
			term.seen.Write(b[:n])
			term.mu.Unlock()
			select {
			case term.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		tty.Close()
		control.Close()
		term.read.Wait()
	})
	return term
}

// slaveOf opens the other end of a pseudo-terminal of 80 by 24.
func slaveOf(fd int) (*os.File, error) {
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, err
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		return nil, err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, err
	}
	return os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
}

// run starts the program with the terminal as its own.
func (term *terminal) run(args ...string) *exec.Cmd {
	term.t.Helper()
	c := program(term.t, args...)
	// A kind of terminal that is asked nothing at the start: nobody would answer.
	c.Env = append(c.Env, "TERM=screen-256color", "NO_COLOR=1")
	c.Stdin, c.Stdout, c.Stderr = term.tty, term.tty, term.tty
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		term.t.Fatal(err)
	}
	return c
}

func (term *terminal) shown() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.seen.String()
}

// until waits until the terminal has shown text.
func (term *terminal) until(text string) {
	term.t.Helper()
	if !term.shows(func(shown string) bool { return strings.Contains(shown, text) }) {
		term.t.Fatalf("the terminal does not show %q:\n%q", text, term.shown())
	}
}

// shows waits until what was shown is as wanted; false: it does not come to that.
func (term *terminal) shows(wanted func(shown string) bool) bool {
	deadline := time.After(30 * time.Second)
	for !wanted(term.shown()) {
		select {
		case <-term.more:
		case <-deadline:
			return false
		}
	}
	return true
}

// restored tells what is left of the screen on the terminal.
func (term *terminal) restored() {
	term.t.Helper()
	after, err := unix.IoctlGetTermios(int(term.tty.Fd()), unix.TCGETS)
	if err != nil {
		term.t.Fatal(err)
	}
	if *after != term.before {
		term.t.Errorf("the terminal is set differently:\nbefore %+v\nafter  %+v", term.before, *after)
	}
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?1002h": "\x1b[?1002l"} {
		// The program has ended, but what it wrote may not all be read yet.
		if !term.shows(func(shown string) bool {
			return strings.Contains(shown, on) && strings.LastIndex(shown, off) > strings.LastIndex(shown, on)
		}) {
			term.t.Errorf("%q was not undone by %q", on, off)
		}
	}
}

const (
	alternate = "\x1b[?1049h"
	back      = "\x1b[?1049l"
)

// screenScenario is a run of so many seconds against the bundled node.
func screenScenario(t *testing.T, seconds int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "screen.yaml")
	text := fmt.Sprintf(`name: screen
target: {dialect: jsonrpc}
load: [{name: steady, rate: 20 calls/s, for: %ds}]
form: batch
size: 3
mix: [{weight: 1, method: sum, params: [1, 2]}]
`, seconds)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func statusOf(t *testing.T, dir string) string {
	t.Helper()
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run.Summary.Status
}

// On a terminal the screen comes, and leaves the report where it was.
func TestScreenLeavesTheReport(t *testing.T) {
	term := newTerminal(t)
	dir := filepath.Join(t.TempDir(), "run")
	c := term.run("run", screenScenario(t, 2), "--out", dir, "--exit")
	_ = c.Wait() // a busy machine may void so short a run
	term.restored()
	term.until("Everything sent") // the report
	shown := term.shown()
	if at := strings.LastIndex(shown, back); at < 0 || !strings.Contains(shown[at:], "Everything sent") || !strings.Contains(shown[:at], "Rates a second") {
		t.Errorf("no report after the screen:\n%q", shown)
	}
	if statusOf(t, dir) == results.Interrupted {
		t.Error("the run was interrupted")
	}
}

// q drains, and leaves when the run is over.
func TestScreenQ(t *testing.T) {
	term := newTerminal(t)
	dir := filepath.Join(t.TempDir(), "run")
	c := term.run("run", screenScenario(t, 60), "--out", dir)
	term.until("achieved")
	if _, err := io.WriteString(term.control, "2q"); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, c.Wait()); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	term.restored()
	if status := statusOf(t, dir); status != results.Interrupted {
		t.Errorf("status %q", status)
	}
}

// A signal ends the screen as well as the run.
func TestScreenGivesTheTerminalBackAfterASignal(t *testing.T) {
	term := newTerminal(t)
	dir := filepath.Join(t.TempDir(), "run")
	c := term.run("run", screenScenario(t, 60), "--out", dir)
	term.until("achieved")
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, c.Wait()); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	term.restored()
	if status := statusOf(t, dir); status != results.Interrupted {
		t.Errorf("status %q", status)
	}
}

// When the terminal goes away the results are written.
func TestScreenWhoseTerminalIsClosed(t *testing.T) {
	term := newTerminal(t)
	dir := filepath.Join(t.TempDir(), "run")
	c := term.run("run", screenScenario(t, 60), "--out", dir)
	term.until("achieved")
	term.tty.Close()
	term.control.Close()
	if code := exitCode(t, c.Wait()); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if status := statusOf(t, dir); status != results.Interrupted {
		t.Errorf("status %q", status)
	}
}

// What cannot be drawn on gets status lines.
func TestNoScreenOnADumbTerminal(t *testing.T) {
	for _, c := range []struct {
		name string
		env  string
		args []string
	}{{"TERM=dumb", "TERM=dumb", nil}, {"--no-tui", "TERM=screen", []string{"--no-tui"}}, {"--json", "TERM=screen", []string{"--json"}}} {
		term := newTerminal(t)
		cmd := program(t, append([]string{"run", screenScenario(t, 1), "--out", filepath.Join(t.TempDir(), "run")}, c.args...)...)
		cmd.Env = append(cmd.Env, c.env)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = term.tty, term.tty, term.tty
		_ = cmd.Run()
		term.until("steady (asked 20 calls/s)")
		if strings.Contains(term.shown(), alternate) {
			t.Errorf("%s: a screen all the same", c.name)
		}
	}
}

// A replay needs no more than q.
func TestReplayOnATerminal(t *testing.T) {
	term := newTerminal(t)
	c := term.run("replay", filepath.Join("..", "..", "results", "testdata", "run-v1"), "--speed", "1000")
	term.until("Rates a second")
	if _, err := io.WriteString(term.control, "q"); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, c.Wait()); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, term.shown())
	}
	term.restored()
}
