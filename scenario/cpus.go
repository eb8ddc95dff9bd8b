package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxCPU is the highest CPU number that a list may name: the one before the 1024
// that the kernel's sets of CPUs have by default (CPU_SETSIZE).
const MaxCPU = 1023

// ParseCPUs reads a list of CPUs as the kernel's own files and taskset write it:
// numbers and ranges, such as 0,2-3. It gives them in ascending order, each once.
// What the machine has of them is not asked here.
func ParseCPUs(list string) ([]int, error) {
	if strings.TrimSpace(list) == "" {
		return nil, errors.New("no CPUs: write them like 0,2-3")
	}
	var cpus []int
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		first, last, ranged := strings.Cut(part, "-")
		from, err := cpuNumber(first, list)
		if err != nil {
			return nil, err
		}
		to := from
		if ranged {
			if to, err = cpuNumber(last, list); err != nil {
				return nil, err
			}
		}
		if to < from {
			return nil, fmt.Errorf("%q is no list of CPUs: the range %s runs backwards", list, part)
		}
		for cpu := from; cpu <= to; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

func cpuNumber(text, list string) (int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, fmt.Errorf("%q is no list of CPUs: a number is missing; write it like 0,2-3", list)
	}
	for _, r := range text {
		if r < '0' || r > '9' {
			return 0, fmt.Errorf("%q is no list of CPUs: %q is no number; write it like 0,2-3", list, text)
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > MaxCPU {
		return 0, fmt.Errorf("%q is no list of CPUs: %s is over %d", list, text, MaxCPU)
	}
	return n, nil
}

// FormatCPUs writes a list as ParseCPUs reads it, ranges drawn together. cpus are in
// ascending order.
func FormatCPUs(cpus []int) string {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		last := i
		for last+1 < len(cpus) && cpus[last+1] == cpus[last]+1 {
			last++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if last > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(cpus[last]))
		}
		i = last + 1
	}
	return b.String()
}

// cpus reads a list of CPUs: as one text, or as a list of numbers and ranges, which
// needs no quotes where a comma has a meaning of its own.
func (d *decoder) cpus(n *node) []int {
	parts := []*node{n}
	if n.kind == sequence {
		parts = n.items
	}
	texts := make([]string, 0, len(parts))
	for _, part := range parts {
		if part.kind != scalar {
			d.report(part, "write it like [0, 2-3]", "want CPUs, not %s", describe(part))
			return nil
		}
		texts = append(texts, part.text)
	}
	cpus, err := ParseCPUs(strings.Join(texts, ","))
	if err != nil {
		d.report(n, "", "%v", err)
	}
	return cpus
}
