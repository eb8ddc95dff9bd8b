//go:build unix

package main

import "syscall"

// openFiles gives the soft and the hard limit on open files; 0: not known.
func openFiles() (soft, hard uint64) {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0, 0
	}
	return uint64(l.Cur), uint64(l.Max) // signed on some systems
}

// raiseOpenFiles sets the soft limit.
func raiseOpenFiles(to uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	// A limit is uint64 here and int64 there; one that a plan needs fits both.
	set(&l.Cur, to)
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l)
}

func set[T int64 | uint64](limit *T, to uint64) { *limit = T(to) }
