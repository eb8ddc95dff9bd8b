//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package results

import (
	"errors"
	"os"
	"syscall"
)

// lock marks f as in use for as long as it is open here. Where the file system
// knows no locks the mark is missing, which is no error: a run that goes on then
// looks like one that was killed.
func lock(f *os.File) { _ = flock(f, syscall.LOCK_EX) }

// Lock takes a file or directory for this process alone, until unlock; ok is false when
// another has it. Where the file system knows no locks everybody has it.
func Lock(name string) (unlock func() error, ok bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, false, err
	}
	if errors.Is(flock(f, syscall.LOCK_EX), syscall.EWOULDBLOCK) {
		return nil, false, f.Close()
	}
	return f.Close, true, nil
}

// locked tells whether somebody holds a lock on that file.
func locked(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close() // and with it, our lock
	return errors.Is(flock(f, syscall.LOCK_SH), syscall.EWOULDBLOCK)
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
