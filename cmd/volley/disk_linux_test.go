package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFullDisk wants a disk without room to be told before any load is sent.
// It needs the right to mount a small file system.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mount: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	p := program(t, "run", writeScenario(t, endless), "--out", filepath.Join(dir, "run"), "--no-tui")
	var stderr bytes.Buffer
	p.Stderr = &stderr
	_, err := p.Output()
	if code := exitCode(t, err); code != exitOurs {
		t.Errorf("exit code %d, want %d", code, exitOurs)
	}
	if !bytes.Contains(stderr.Bytes(), []byte("no space left")) || bytes.Contains(stderr.Bytes(), []byte("node: ")) {
		t.Errorf("standard error: %s", stderr.String())
	}
	if left, err := os.ReadDir(filepath.Join(dir, "run")); err == nil && len(left) > 3 {
		t.Errorf("left behind: %v", left)
	}
}
