package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"volley/loadgen/experiment"
	"volley/results/study"
	"volley/scenario"
)

// varied is one --vary: a setting and the values that it takes.
type varied struct {
	name   string
	values []string
}

// parseVary reads NAME=A,B,C. Commas within brackets, braces and quotes part nothing.
func parseVary(text string) (varied, error) {
	at := equalsSign(text)
	if at <= 0 {
		return varied{}, fmt.Errorf("--vary %q: write it like --vary size=1,10,100", text)
	}
	v := varied{name: strings.TrimSpace(text[:at])}
	for _, value := range splitValues(text[at+1:]) {
		value = strings.TrimSpace(value)
		switch {
		case value == "":
			return v, fmt.Errorf("--vary %q: a value is missing", text)
		case slices.Contains(v.values, value):
			return v, fmt.Errorf("--vary %q: %s stands twice", text, value)
		}
		v.values = append(v.values, value)
	}
	return v, nil
}

// equalsSign is where the first = outside of quotes is; -1 for nowhere.
func equalsSign(s string) int {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '=' && !quoted:
			return i
		}
	}
	return -1
}

func splitValues(s string) (values []string) {
	depth, start := 0, 0
	var quote byte
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			values = append(values, s[start:i])
			start = i + 1
		}
	}
	return append(values, s[start:])
}

// The settings that have a short name. Those of a node are of its config; see sets.
const (
	varyLimit = "batch_concurrency_limit"
	varyPool  = "pool"
	varyRate  = "rate"
	varyForm  = "form"
	varySize  = "size"
)

// nodeSetting gives the place in the bundled node's config of a short name; "" when
// it is none.
func nodeSetting(dialect, name string) string {
	near := map[string]string{varyLimit: "rpc.limits_config.batch_concurrency_limit", varyPool: "view_client_threads"}
	others := map[string]string{varyLimit: "batch_concurrency_limit", varyPool: "slots"}
	place := others[name]
	if dialect == "near" {
		place = near[name]
	}
	if place == "" {
		return ""
	}
	return "target.node." + place
}

// grid makes the cells of a sweep: every combination of the varied values.
type grid struct {
	scenario string
	patches  []string
	base     *scenario.Plan
	vary     []varied
	length   string // of the measured phases; "" for the scenario's own
	give     string // how a command is told a setting's values, %s being its name; "": by --vary
	steady   bool   // one phase alone is measured, at one rate
}

func (g *grid) cells() ([]experiment.Cell, error) {
	for i, v := range g.vary {
		if slices.ContainsFunc(g.vary[:i], func(o varied) bool { return o.name == v.name }) {
			return nil, &exit{exitUsage, fmt.Errorf("--vary %s stands twice", v.name)}
		}
	}
	if err := g.placeholders(); err != nil {
		return nil, &exit{exitUsage, err}
	}
	var cells []experiment.Cell
	err := g.each(nil, func(settings []study.Setting) error {
		c, err := g.cell(settings)
		cells = append(cells, c)
		return err
	})
	return cells, err
}

// each gives every combination, the last setting varying fastest.
func (g *grid) each(before []study.Setting, do func([]study.Setting) error) error {
	if len(before) == len(g.vary) {
		return do(slices.Clone(before))
	}
	v := g.vary[len(before)]
	for _, value := range v.values {
		if err := g.each(append(slices.Clone(before), study.Setting{Name: v.name, Value: value}), do); err != nil {
			return err
		}
	}
	return nil
}

func (g *grid) cell(settings []study.Setting) (c experiment.Cell, err error) {
	c.Settings = settings
	sets := slices.Clone(g.patches)
	for i, p := range g.base.Phases {
		if p.Measured && g.length != "" {
			sets = append(sets, fmt.Sprintf("load[%d].for=%s", i, g.length))
		}
	}
	for _, s := range settings {
		more, err := g.sets(s)
		if err != nil {
			return c, &exit{exitUsage, err}
		}
		sets = append(sets, more...)
		if g.told(s.Name) {
			if c.Placeholders == nil {
				c.Placeholders = map[string]string{}
			}
			c.Placeholders[s.Name] = s.Value
		}
	}
	c.Plan, err = loadScenario(g.scenario, sets)
	if err != nil || !g.steady {
		return c, err
	}
	i, err := g.operating()
	if err != nil {
		return c, &exit{exitUsage, err}
	}
	c.Plan = experiment.Steady(c.Plan, i)
	return c, nil
}

// told tells whether the target's own command is told the value.
func (g *grid) told(name string) bool {
	return slices.Contains(g.base.Target.Placeholders(), name)
}

// placeholders refuses commands that would be told less than they ask for.
func (g *grid) placeholders() error {
	for _, name := range g.base.Target.Placeholders() {
		if !slices.ContainsFunc(g.vary, func(v varied) bool { return v.name == name }) {
			return fmt.Errorf("target.apply: nothing is varied under the name {%s}; %s gives it", name, fmt.Sprintf(cmp.Or(g.give, "--vary %s=A,B"), name))
		}
	}
	return nil
}

// sets gives what patches the scenario for a setting.
func (g *grid) sets(s study.Setting) ([]string, error) {
	bundled := g.base.Target.URL == "" && len(g.base.Target.Command) == 0
	place := nodeSetting(g.base.Target.Dialect, s.Name)
	if place == "" && strings.HasPrefix(s.Name, "target.node.") {
		place = s.Name
	}
	switch {
	case place != "" && bundled:
		return []string{place + "=" + s.Value}, nil
	case place != "" && !g.told(s.Name):
		return nil, fmt.Errorf("%s: the target is a node of your own: say how it is brought to a setting, as in target: {apply: [./set.sh, \"{%s}\"]}", s.Name, s.Name)
	case place != "":
		return nil, nil
	}
	switch s.Name {
	case varyRate:
		return g.rate(s.Value)
	case "callers":
		i, err := g.operating()
		at := fmt.Sprintf("load[%d].", i)
		return []string{at + "rate=", at + "arrivals=", at + "replay=", at + "callers=" + s.Value}, err
	case varyForm:
		sets := []string{"form=" + s.Value}
		if s.Value == string(scenario.Single) && !g.varies(varySize) {
			sets = append(sets, "size=")
		}
		if s.Value != string(scenario.Batch) {
			sets = append(sets, "items=")
		}
		return sets, nil
	case varySize:
		return []string{"size=" + s.Value}, nil
	}
	if g.told(s.Name) && !strings.ContainsAny(s.Name, ".[") {
		return nil, nil // a name of the command's own
	}
	return []string{s.Name + "=" + s.Value}, nil
}

func (g *grid) varies(name string) bool {
	return slices.ContainsFunc(g.vary, func(v varied) bool { return v.name == name })
}

// rate patches the operating phase's rate; its unit may be left out.
func (g *grid) rate(value string) ([]string, error) {
	i, err := g.operating()
	if err != nil {
		return nil, err
	}
	if _, e := strconv.ParseFloat(value, 64); e == nil && g.base.Phases[i].Rate.Unit != "" {
		value += " " + string(g.base.Phases[i].Rate.Unit)
	}
	at := fmt.Sprintf("load[%d].", i)
	return []string{at + "callers=", at + "rate=" + value}, nil
}

// operating is the first measured phase, with a rate if there is one.
func (g *grid) operating() (int, error) {
	if i, err := experiment.Operating(g.base); err == nil {
		return i, nil
	}
	i := slices.IndexFunc(g.base.Phases, func(p scenario.Phase) bool { return p.Measured })
	if i < 0 {
		return 0, fmt.Errorf("the scenario has no measured phase")
	}
	return i, nil
}
