package scenario

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// command reads a program and its arguments; nil for none.
func (d *decoder) command(n *node) (words []string) {
	if n == nil {
		return nil
	}
	for _, arg := range d.list(n, "words") {
		if arg.kind != scalar {
			d.report(arg, "", "want one word of the command, not %s", describe(arg))
			continue
		}
		words = append(words, arg.text)
	}
	return words
}

// apply reads how a node of the user's own is brought to a setting.
func (d *decoder) apply(f fields, t *Target) {
	apply, ready := f.given("apply"), f.given("ready")
	if t.bundled() {
		for _, n := range []*node{apply, ready} {
			if n != nil {
				d.report(n, "vary its config: target.node", "the bundled node is started anew where an experiment changes a setting: %s is for a node of your own", strings.TrimPrefix(n.path, "target."))
			}
		}
		return
	}
	if ready != nil && apply == nil {
		d.report(ready, "add apply: the command that changes a setting of the node", "ready is where it is seen that apply took effect")
	}
	t.Apply = d.command(apply)
	if len(t.Apply) > 0 && strings.ContainsRune(t.Apply[0], filepath.Separator) && !filepath.IsAbs(t.Apply[0]) {
		name := filepath.Join(d.dir, t.Apply[0])
		if abs, err := filepath.Abs(name); err == nil {
			name = abs
		}
		t.Apply[0] = name
	}
	if ready != nil {
		t.Ready = d.url(ready, t.Authorised, false, schemes("http"))
	}
}

// placeholder is a name in braces.
var placeholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_.\[\]]*)\}`)

// Placeholders are the names that the arguments of Apply hold in braces, each once.
func (t *Target) Placeholders() (names []string) {
	for i, arg := range t.Apply {
		if i == 0 {
			continue // the program is what it is
		}
		for _, m := range placeholder.FindAllStringSubmatch(arg, -1) {
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// ApplyFor gives the command that brings the node to the values by name. The error
// names a placeholder that has none.
func (t *Target) ApplyFor(values map[string]string) ([]string, error) {
	for _, name := range t.Placeholders() {
		if _, ok := values[name]; !ok {
			return nil, fmt.Errorf("target.apply: nothing is varied under the name {%s}", name)
		}
	}
	command := slices.Clone(t.Apply)
	for i := range command {
		if i == 0 {
			continue
		}
		command[i] = placeholder.ReplaceAllStringFunc(command[i], func(m string) string { return values[m[1:len(m)-1]] })
	}
	return command, nil
}
