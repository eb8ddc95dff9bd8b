package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme runs every command that the README shows, one after another, in a
// fresh copy of the tree. A load run may miss an objective on a busy machine
// (1, 4); it may not fail.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real load for about a minute")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	commands := consoleCommands(t, filepath.Join(root, "README.md"))
	if len(commands) == 0 {
		t.Fatal("README.md shows no command")
	}
	tree := t.TempDir()
	if err := copyTree(tree, root); err != nil {
		t.Fatal(err)
	}
	for _, line := range commands {
		if line == "make test" {
			continue // this test is part of it
		}
		c := exec.Command("bash", "-c", line)
		c.Dir = tree
		if !strings.HasPrefix(line, "make") { // which has the compiler's cache there
			c.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(tree, "cache"))
		}
		out, err := c.CombinedOutput()
		code := exitCode(t, err)
		load := strings.Contains(line, "run")
		if code != exitOK && !(load && (code == exitMissed || code == exitVoid)) {
			t.Fatalf("$ %s\nexit code %d\n%s", line, code, out)
		}
	}
	runs, err := filepath.Glob(filepath.Join(tree, "runs", "*", "run.json"))
	if err != nil || len(runs) < 2 {
		t.Fatalf("the README's commands left %d runs (%v)", len(runs), err)
	}
	for _, run := range runs {
		data, err := os.ReadFile(run)
		if err != nil {
			t.Fatal(err)
		}
		checkAccount(t, readSummary(t, data))
	}
}

// consoleCommands gives the lines behind "$ " in the README's console blocks,
// with lines that end in a backslash joined.
func consoleCommands(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var commands []string
	var inside, joined bool
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && joined:
			commands[len(commands)-1] += "\n" + line
			joined = strings.HasSuffix(line, `\`)
		case inside && strings.HasPrefix(line, "$ "):
			commands = append(commands, line[2:])
			joined = strings.HasSuffix(line, `\`)
		}
	}
	return commands
}

// copyTree copies what a clone would hold, as far as it matters here.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (name == ".git" || name == "bin" || name == "runs" || name == "cache"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a test's passing file
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	})
}
