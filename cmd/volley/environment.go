package main

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// environment describes the machine and the program, so that two runs can be
// told comparable or not. What the system does not tell is left out.
func environment() map[string]string {
	env := map[string]string{
		"volley":     fullVersion(),
		"go":         runtime.Version(),
		"os":         runtime.GOOS,
		"arch":       runtime.GOARCH,
		"cpus":       strconv.Itoa(runtime.NumCPU()),
		"gomaxprocs": strconv.Itoa(runtime.GOMAXPROCS(0)),
	}
	put := func(key, value string) {
		if value != "" {
			env[key] = value
		}
	}
	put("cpu", field("/proc/cpuinfo", "model name"))
	put("memory", field("/proc/meminfo", "MemTotal"))
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		put("kernel", strings.TrimSpace(string(release)))
	}
	return env
}

// field gives the value of the first "name: value" line of a file under /proc.
func field(path, name string) string {
	f, err := os.Open(path)
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
