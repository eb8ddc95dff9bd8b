//go:build unix

package transport

import "syscall"

// apart puts a command into a process group of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
