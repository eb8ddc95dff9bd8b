//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package results

import "os"

// Without locks, a run that goes on looks like one that was killed.

func lock(*os.File) {}

// Lock takes nothing: there is nothing to take.
func Lock(string) (unlock func() error, ok bool, err error) {
	return func() error { return nil }, true, nil
}

func locked(string) bool { return false }
