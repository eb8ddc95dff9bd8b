package scenario

import (
	"slices"
	"strings"
	"testing"
)

func TestParseCPUs(t *testing.T) {
	for _, c := range []struct {
		list string
		want []int
		back string
	}{
		{"0", []int{0}, "0"},
		{"0,2-3", []int{0, 2, 3}, "0,2-3"},
		{"3,2,0", []int{0, 2, 3}, "0,2-3"},
		{" 1 , 4 - 6 ", []int{1, 4, 5, 6}, "1,4-6"},
		{"0-2,1-3,3", []int{0, 1, 2, 3}, "0-3"},
		{"5-5", []int{5}, "5"},
		{"1023", []int{1023}, "1023"},
		{"007", []int{7}, "7"},
	} {
		got, err := ParseCPUs(c.list)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("ParseCPUs(%q) = %v, %v; want %v", c.list, got, err, c.want)
		}
		if back := FormatCPUs(got); back != c.back {
			t.Errorf("FormatCPUs(%v) = %q, want %q", got, back, c.back)
		}
	}
}

func TestBadCPULists(t *testing.T) {
	for list, want := range map[string]string{
		"":                     "no CPUs",
		"  ":                   "no CPUs",
		"a":                    `"a" is no number`,
		"0,":                   "a number is missing",
		"-1":                   "a number is missing",
		"1-":                   "a number is missing",
		"0,,2":                 "a number is missing",
		"3-2":                  "the range 3-2 runs backwards",
		"0-1-2":                `"1-2" is no number`,
		"1.5":                  `"1.5" is no number`,
		"+1":                   `"+1" is no number`,
		"0x1":                  `"0x1" is no number`,
		"1024":                 "1024 is over 1023",
		"0-1024":               "1024 is over 1023",
		"99999999999999999999": "is over 1023",
		"all":                  `"all" is no number`,
	} {
		if cpus, err := ParseCPUs(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseCPUs(%q) = %v, %v; want an error with %q", list, cpus, err, want)
		}
	}
}

// TestNodeCPUs: as a number, a text and a list, all the same to the plan.
func TestNodeCPUs(t *testing.T) {
	for set, want := range map[string][]int{
		"target.node_cpus=1":             {1},
		"target.node_cpus=0,2-3":         {0, 2, 3},
		`target.node_cpus="0-1"`:         {0, 1},
		"target.node_cpus=[3, 0-1]":      {0, 1, 3},
		`target.node_cpus=["0,1", "2"]`:  {0, 1, 2},
		"target.node_cpus=null":          nil,
		"target.metrics={every: 500ms} ": nil,
	} {
		if p := mustLoad(t, "testdata/near.yaml", set); !slices.Equal(p.Target.NodeCPUs, want) {
			t.Errorf("%s: %v, want %v", set, p.Target.NodeCPUs, want)
		}
	}
	for _, set := range []string{"target.node_cpus=[]", "target.node_cpus={a: 1}", "target.node_cpus=[[0]]", "target.node_cpus=-1"} {
		if _, err := Load("testdata/near.yaml", []string{set}); err == nil || !strings.Contains(err.Error(), "target.node_cpus") {
			t.Errorf("%s: %v, want an error at target.node_cpus", set, err)
		}
	}
}

func FuzzParseCPUs(f *testing.F) {
	for _, list := range []string{"0", "0,2-3", "1-", "3-2", "1023", " 4 - 6 ", "٣"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		cpus, err := ParseCPUs(list)
		if err != nil {
			return
		}
		back, err := ParseCPUs(FormatCPUs(cpus))
		if err != nil || !slices.Equal(back, cpus) || len(cpus) == 0 || cpus[0] < 0 || cpus[len(cpus)-1] > MaxCPU {
			t.Fatalf("%q is %v, and written again %v, %v", list, cpus, back, err)
		}
	})
}
