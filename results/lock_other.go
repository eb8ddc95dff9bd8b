//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package results

import "os"

// Without locks, a run that goes on looks like one that was killed.

func lock(*os.File) {}

func locked(string) bool { return false }
