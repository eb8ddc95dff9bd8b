//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package results_test

const locks = false
