//go:build unix

package main

import "syscall"

// ownGroup keeps a terminal's interrupt from the node: it must answer while
// the run drains.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
