package main

import (
	"maps"
	"testing"
	"testing/fstest"
)

func tree(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for path, text := range files {
		root[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// TestMachine: what a virtual server says of itself, and that a system without any of
// these files is described by nothing.
func TestMachine(t *testing.T) {
	got := machine(tree(map[string]string{
		"proc/cpuinfo":              "processor\t: 0\nmodel name\t: AMD EPYC 7B13\nflags\t\t: fpu vme hypervisor lahf_lm\n\nprocessor\t: 1\nmodel name\t: another\n",
		"proc/meminfo":              "MemTotal:        8123456 kB\nMemFree:  1 kB\n",
		"proc/sys/kernel/osrelease": "6.8.0-45-generic\n",
		"proc/loadavg":              "0.52 0.58 0.59 1/467 3110\n",
		"proc/self/cgroup":          "0::/kube/pod\n",
		"sys/fs/cgroup/cpu.max":     "max 100000\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "kvm-clock\n",
		"sys/devices/system/cpu/smt/active":                               "1\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            "schedutil\n",
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":            "performance\n",
		"sys/devices/system/cpu/cpu10/cpufreq/scaling_governor":           "schedutil\n",
		"sys/class/dmi/id/sys_vendor":                                     "Google\n",
		"sys/class/dmi/id/product_name":                                   "Google Compute Engine\n",
	}))
	want := map[string]string{
		"cpu": "AMD EPYC 7B13", "memory": "8123456 kB", "kernel": "6.8.0-45-generic", "load_average": "0.52 0.58 0.59",
		"clock_source": "kvm-clock", "smt": "on", "governor": "performance, schedutil",
		"virtualised": "yes (Google Compute Engine)",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := machine(tree(nil)); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestVirtualised(t *testing.T) {
	for cpuinfo, want := range map[string]string{
		"flags : fpu hypervisor\n":    "yes",
		"flags : fpu vme\n":           "no",
		"Features : fp asimd evtstrm": "", // an ARM's do not tell
	} {
		if got := virtualised(tree(map[string]string{"proc/cpuinfo": cpuinfo})); got != want {
			t.Errorf("%q: %q, want %q", cpuinfo, got, want)
		}
	}
}

func TestQuota(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"version 2", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "150000 100000\n",
		}, "1.5"},
		{"the one above is tighter", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "400000 100000\n", "sys/fs/cgroup/a/cpu.max": "200000 100000\n",
		}, "2"},
		{"a container sees its own as the root", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n",
		}, "0.5"},
		{"version 1", map[string]string{
			"proc/self/cgroup": "4:cpu,cpuacct:/a\n1:name=systemd:/a\n0::/a\n",
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us":       "300000\n",
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us":      "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":         "-1\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us":        "100000\n",
			"sys/fs/cgroup/unrelated/cpu.cfs_quota_us":           "1\n",
			"sys/fs/cgroup/unrelated/cpu.cfs_period_us":          "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/a/below/cpu.cfs_quota_us": "1\n",
		}, "3"},
		{"no limit", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"}, ""},
		{"nonsense", map[string]string{"proc/self/cgroup": "what\n0::/a\n", "sys/fs/cgroup/a/cpu.max": "many 0\n"}, ""},
		{"nothing", nil, ""},
	} {
		if got := quota(tree(c.files)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
