package compare

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"volley/results/study"
)

// Differences are what two sides differ in.
type Differences struct {
	// Purpose is what they are compared for: Value is "a -> b".
	Purpose []study.Setting
	// Refused are reasons against comparing them, a sentence each.
	Refused []string
	// Notes are to be known and are no reason against it.
	Notes []string
}

// Check tells what the two sides differ in. What they may differ in:
//
//   - the node: target.node (the bundled node's config), target.apply and ready,
//     target.command, and target.url on the same host
//   - the program's version and that of its compiler
//   - the scenario's name and its objectives, which change nothing that is measured
//   - all that an experiment varied, when both sides are of the same one
//
// All else that differs between their plans is other work, and all else that both
// sides' environments tell, and tell otherwise, another machine; only how busy the
// machine was is passed over. Runs of one side must have the same settings,
// seeds aside. A run that is void, was cut off, interrupted or had its rate changed by
// hand is not worth comparing.
func Check(a, b *Side) *Differences {
	d := &Differences{}
	for _, side := range []*Side{a, b} {
		for _, r := range side.Runs {
			if r.flaw != "" {
				d.refuse("%s %s", r.Dir, r.flaw)
			}
			if r.plan == nil {
				d.refuse("%s has no plan.yaml: what it ran is not known", r.Dir)
			}
		}
		d.within(side)
	}
	if len(a.Runs) == 0 || len(b.Runs) == 0 {
		return d
	}
	first, other := a.Runs[0], b.Runs[0]
	if first.plan != nil && other.plan != nil {
		same := a.Experiment != "" && a.Experiment == b.Experiment
		for _, c := range changes(first.plan, other.plan) {
			switch {
			case c.key == "seed": // told of pairs
			case same || purpose(c):
				d.purpose(c)
			default:
				d.refuse("another scenario: %s", c.of("A", "B"))
			}
		}
	}
	for _, c := range changes(first.Environment, other.Environment) {
		switch {
		case c.key == "load_average":
		case c.a == "" || c.b == "":
			d.Notes = append(d.Notes, "one side does not tell of its machine: "+c.of("A", "B"))
		case slices.Contains([]string{"volley", "go"}, c.key):
			d.purpose(c)
		default:
			d.refuse("another machine: %s", c.of("A", "B"))
		}
	}
	return d
}

func (d *Differences) refuse(format string, a ...any) {
	d.Refused = append(d.Refused, fmt.Sprintf(format, a...))
}

func (d *Differences) purpose(c change) {
	d.Purpose = append(d.Purpose, study.Setting{Name: c.key, Value: orNone(c.a) + " -> " + orNone(c.b)})
}

// within refuses a side whose runs are not of one setting.
func (d *Differences) within(side *Side) {
	for _, r := range side.Runs[min(1, len(side.Runs)):] {
		first := side.Runs[0]
		if first.plan != nil && r.plan != nil {
			for _, c := range changes(first.plan, r.plan) {
				if c.key != "seed" {
					d.refuse("%s and %s are no repeats of each other: %s", first.Dir, r.Dir, c.of(first.Dir, r.Dir))
				}
			}
		}
		for _, c := range changes(first.Environment, r.Environment) {
			if c.key != "load_average" {
				d.refuse("%s and %s are no repeats of each other: %s", first.Dir, r.Dir, c.of(first.Dir, r.Dir))
			}
		}
	}
}

// change is a key with two values; "" for none.
type change struct{ key, a, b string }

// of names the two that differ.
func (c change) of(a, b string) string {
	return fmt.Sprintf("%s is %s in %s, %s in %s", c.key, orNone(c.a), a, orNone(c.b), b)
}

func orNone(s string) string {
	if s == "" {
		return "not given"
	}
	return s
}

// changes are those between two sets of values, by key.
func changes(a, b map[string]string) (all []change) {
	keys := slices.Sorted(maps.Keys(a))
	for key := range b {
		if _, both := a[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		if a[key] != b[key] {
			all = append(all, change{key, a[key], b[key]})
		}
	}
	return all
}

// purpose tells whether two sides may be compared for that difference of their plans.
func purpose(c change) bool {
	if c.key == "target.url" {
		return c.a != "" && c.b != "" && host(c.a) == host(c.b)
	}
	for _, part := range []string{"name", "slo", "target.node", "target.apply", "target.ready", "target.command"} {
		if rest, ok := strings.CutPrefix(c.key, part); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

func host(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	return u.Hostname()
}
