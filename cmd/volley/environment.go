package main

import (
	"bufio"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"volley/scenario"
)

// environment describes the machine and the program, and where generator and node
// run, so that two runs can be told comparable or not. What the system does not tell
// is left out.
func environment(t *scenario.Target) map[string]string {
	env := machine(os.DirFS("/"))
	env["volley"] = fullVersion()
	env["go"] = runtime.Version()
	env["os"] = runtime.GOOS
	env["arch"] = runtime.GOARCH
	env["cpus"] = strconv.Itoa(runtime.NumCPU())
	env["gomaxprocs"] = strconv.Itoa(runtime.GOMAXPROCS(0))
	node := t.NodeCPUs
	if cpus, err := threadCPUs(); err == nil {
		env["generator_cpus"] = scenario.FormatCPUs(cpus)
		if node == nil {
			node = cpus
		}
	}
	if t.URL == "" && node != nil {
		env["node_cpus"] = scenario.FormatCPUs(node)
	}
	return env
}

// machine reads what Linux says of itself, in a tree that begins at its root. It is
// safe on a tree that has none of it.
func machine(root fs.FS) map[string]string {
	env := map[string]string{}
	put := func(key, value string) {
		if value != "" {
			env[key] = value
		}
	}
	put("cpu", field(root, "proc/cpuinfo", "model name"))
	put("memory", field(root, "proc/meminfo", "MemTotal"))
	put("kernel", line(root, "proc/sys/kernel/osrelease"))
	put("clock_source", line(root, "sys/devices/system/clocksource/clocksource0/current_clocksource"))
	put("governor", governors(root))
	put("smt", map[string]string{"0": "off", "1": "on"}[line(root, "sys/devices/system/cpu/smt/active")])
	put("virtualised", virtualised(root))
	put("cpu_quota", quota(root))
	if words := strings.Fields(line(root, "proc/loadavg")); len(words) > 2 {
		put("load_average", strings.Join(words[:3], " ")) // over 1, 5 and 15 minutes
	}
	return env
}

// governors gives how the kernel chooses the CPUs' frequencies, each way once.
func governors(root fs.FS) string {
	files, _ := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	var found []string
	for _, file := range files {
		if g := line(root, file); g != "" {
			found = append(found, g)
		}
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), ", ")
}

// virtualised tells whether the machine is a virtual one, and of what make where it
// says so. An x86 CPU shows it by a flag; "" where nothing does.
func virtualised(root fs.FS) string {
	vendor, product := line(root, "sys/class/dmi/id/sys_vendor"), line(root, "sys/class/dmi/id/product_name")
	maker := strings.TrimSpace(vendor + " " + strings.TrimSpace(strings.TrimPrefix(product, vendor)))
	flags := strings.Fields(field(root, "proc/cpuinfo", "flags"))
	switch {
	case slices.Contains(flags, "hypervisor") && maker != "":
		return "yes (" + maker + ")"
	case slices.Contains(flags, "hypervisor"):
		return "yes"
	case len(flags) > 0:
		return "no"
	}
	return ""
}

// quota gives how much CPU time the cgroups of this process allow it, in CPUs: the
// least of their limits; "" where none is set.
func quota(root fs.FS) string {
	least := 0.0
	for _, limit := range limits(root) {
		if limit > 0 && (least == 0 || limit < least) {
			least = limit
		}
	}
	if least == 0 {
		return ""
	}
	return strconv.FormatFloat(least, 'g', 4, 64)
}

// limits gives those of this process's cgroup and of all above it: a lower one holds
// whatever those below say. 0 stands for none.
func limits(root fs.FS) []float64 {
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	var found []float64
	for entry := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(entry), ":", 3) // cgroups(7): hierarchy, controllers, path
		if len(parts) < 3 {
			continue
		}
		controllers := strings.Split(parts[1], ",")
		switch path := strings.Trim(parts[2], "/"); {
		case parts[1] == "":
			for _, dir := range upwards("sys/fs/cgroup", path) {
				found = append(found, share(strings.Fields(line(root, dir+"/cpu.max"))))
			}
		case slices.Contains(controllers, "cpu"):
			for _, dir := range upwards("sys/fs/cgroup/"+parts[1], path) {
				found = append(found, share([]string{line(root, dir+"/cpu.cfs_quota_us"), line(root, dir+"/cpu.cfs_period_us")}))
			}
		}
	}
	return found
}

// upwards gives a directory below top and all between, the lowest first.
func upwards(top, path string) []string {
	var dirs []string
	for ; path != ""; path, _ = cutLast(path) {
		dirs = append(dirs, top+"/"+path)
	}
	return append(dirs, top)
}

func cutLast(path string) (before, last string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// share gives how many CPUs a quota of a period is; 0 for no limit ("max", or -1).
func share(words []string) float64 {
	if len(words) < 2 {
		return 0
	}
	quota, err := strconv.ParseFloat(words[0], 64)
	period, err2 := strconv.ParseFloat(words[1], 64)
	if err != nil || err2 != nil || quota <= 0 || period <= 0 {
		return 0
	}
	return quota / period
}

// line gives a file's first line; "" for none.
func line(root fs.FS, path string) string {
	text, err := fs.ReadFile(root, path)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}

// field gives the value of the first "name: value" line of a file.
func field(root fs.FS, path, name string) string {
	f, err := root.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
