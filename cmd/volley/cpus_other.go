//go:build !linux

package main

import (
	"errors"
	"runtime"
)

var errNotBound = errors.New("binding a process to CPUs takes Linux's sched_setaffinity, which " + runtime.GOOS + " does not have")

func usableCPUs() ([]int, error) { return nil, errNotBound }

func threadCPUs() ([]int, error) { return nil, errNotBound }

func bindProcess([]int) error { return errNotBound }

func onCPUs(cpus []int, start func() error) error {
	if cpus != nil {
		return errNotBound
	}
	return start()
}
