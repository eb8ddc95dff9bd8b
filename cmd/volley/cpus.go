package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"

	"volley/scenario"
)

// cpusUsage is what --cpus says of itself, wherever it stands.
const cpusUsage = "`list` of CPUs that the generator is bound to, such as 0,2-3; a node that it starts is not, see target.node_cpus"

// pin binds this process to the CPUs of a list, "" for none, and sees to it that
// the node that the plan has started is not bound with it: what the plan says of its
// CPUs goes, else it keeps those that this process was started with. It also says
// whether the machine has the CPUs that the plan names. It is called before anything
// is started.
func pin(list string, plan *scenario.Plan) error {
	if cpus := plan.Target.NodeCPUs; len(cpus) > 0 && plan.Target.URL == "" {
		if err := checkCPUs(cpus); err != nil {
			return &exit{exitUsage, fmt.Errorf("target.node_cpus: %w", err)}
		}
	}
	if list == "" {
		return nil
	}
	before, err := bindTo("--cpus", list)
	if err != nil {
		return err
	}
	if plan.Target.URL == "" && len(plan.Target.NodeCPUs) == 0 {
		plan.Target.NodeCPUs = before
	}
	return nil
}

// bindTo binds this process to the CPUs of a flag's list and gives those that it was
// on before.
func bindTo(flag, list string) (before []int, err error) {
	cpus, err := scenario.ParseCPUs(list)
	if err == nil {
		err = checkCPUs(cpus)
	}
	if err == nil {
		before, err = threadCPUs()
	}
	if err == nil {
		err = bindProcess(cpus)
	}
	if err != nil {
		return nil, &exit{exitUsage, fmt.Errorf("%s %s: %w", flag, list, err)}
	}
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.SetDefaultGOMAXPROCS() // it looks at where the threads may run
	} else {
		runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), len(cpus)))
	}
	return before, nil
}

// checkCPUs says which of the CPUs this process cannot be given.
func checkCPUs(cpus []int) error {
	usable, err := usableCPUs()
	if err != nil {
		return err
	}
	var missing []int
	for _, cpu := range cpus {
		if !slices.Contains(usable, cpu) {
			missing = append(missing, cpu)
		}
	}
	if len(missing) > 0 {
		noun := "CPU"
		if len(missing) > 1 {
			noun = "CPUs"
		}
		return fmt.Errorf("no %s %s here: the machine, or the cgroup, has %s to give", noun, scenario.FormatCPUs(missing), scenario.FormatCPUs(usable))
	}
	return nil
}
