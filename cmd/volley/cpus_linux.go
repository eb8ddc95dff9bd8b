package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"

	"volley/scenario"
)

// usableCPUs are all that this process may be bound to: those that the machine has
// up and the process's cpuset allows, whatever it is bound to now.
func usableCPUs() ([]int, error) {
	var all unix.CPUSet
	for cpu := range scenario.MaxCPU + 1 {
		all.Set(cpu)
	}
	var usable []int
	// The kernel takes of a set what it can.
	err := boundTo(&all, func() (err error) {
		usable, err = threadCPUs()
		return err
	})
	return usable, err
}

// threadCPUs are those that the calling thread may run on, which are the process's
// own while no thread has been treated differently.
func threadCPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	var cpus []int
	for cpu := range scenario.MaxCPU + 1 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// bindProcess binds every thread of this process. A thread inherits from the one that
// makes it, so that when all that are listed are bound, later ones will be.
func bindProcess(cpus []int) error {
	want := setOf(cpus)
	// Threads may come while the list is read, but not without end.
	for range 100 {
		changed, err := bindThreads(want)
		if err != nil || !changed {
			return err
		}
	}
	return errors.New("new threads came faster than they could be bound")
}

// bindThreads binds those that are there now, and tells whether one was not yet.
func bindThreads(want *unix.CPUSet) (changed bool, err error) {
	const tasks = "/proc/self/task"
	entries, err := os.ReadDir(tasks)
	if err != nil {
		return false, fmt.Errorf("list this process's threads: %w", err)
	}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			return false, fmt.Errorf("%s holds %q, which is no thread", tasks, e.Name())
		}
		var has unix.CPUSet
		err = unix.SchedGetaffinity(id, &has)
		if err == nil && has != *want {
			changed = true
			err = unix.SchedSetaffinity(id, want)
		}
		if err != nil && err != unix.ESRCH { // it has ended meanwhile
			return false, fmt.Errorf("bind thread %d: %w", id, err)
		}
	}
	return changed, nil
}

func setOf(cpus []int) *unix.CPUSet {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	return &set
}

// onCPUs calls start, which starts a process, so that the process runs on the given
// CPUs and on nothing else from its first instruction; nil: on those of this one.
func onCPUs(cpus []int, start func() error) error {
	if cpus == nil {
		return start()
	}
	return boundTo(setOf(cpus), start)
}

// boundTo calls f on a thread of its own that is bound to the given CPUs. The thread
// is thrown away after it: nothing else runs there, and the runtime makes no thread
// from it.
func boundTo(cpus *unix.CPUSet, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked, which ends the thread
		done <- bound(cpus, f)
	}()
	return <-done
}

func bound(cpus *unix.CPUSet, f func() error) error {
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	if err := unix.SchedSetaffinity(0, cpus); err != nil {
		return fmt.Errorf("sched_setaffinity: %w", err)
	}
	// The first thread of a process does not end before it: it is left as it was.
	defer func() { _ = unix.SchedSetaffinity(0, &before) }()
	return f()
}
