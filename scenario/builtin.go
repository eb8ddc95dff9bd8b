package scenario

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// Info is one line of the list of built-in scenarios.
type Info struct{ Name, Summary string }

// Builtins lists the built-in scenarios, the default first. Their first
// comment line is the summary.
func Builtins() []Info {
	names := []string{"near-mix", "rcp-embed", "rcp-forms-single", "rcp-forms-batch", "rcp-forms-array"}
	list := make([]Info, len(names))
	for i, name := range names {
		source, _ := BuiltinSource(name)
		first, _, _ := strings.Cut(string(source), "\n")
		list[i] = Info{Name: name, Summary: strings.TrimPrefix(first, "# ")}
	}
	return list
}

// BuiltinSource gives the file of a built-in scenario, to read or to copy.
func BuiltinSource(name string) ([]byte, bool) {
	data, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
	return data, err == nil
}

// Builtin loads a built-in scenario, patched by sets as in Load.
func Builtin(name string, sets []string) (*Plan, error) {
	data, ok := BuiltinSource(name)
	if !ok {
		var names []string
		for _, b := range Builtins() {
			names = append(names, b.Name)
		}
		return nil, fmt.Errorf("there is no built-in scenario %s; %s", clip(name), suggest(name, names))
	}
	return load(source{file: name + ".yaml", dir: ".", data: data}, sets)
}
