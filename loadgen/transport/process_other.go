//go:build !unix

package transport

import "syscall"

func apart() *syscall.SysProcAttr { return nil }
