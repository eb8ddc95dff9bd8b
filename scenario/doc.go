// Package scenario turns a scenario file (YAML) into a Plan, validated and with
// every default filled in, or into a list of located problems: all of them at
// once, each with file, line, column, the source line under a caret and, where
// a word is close to a known one, "did you mean".
//
// The way is parse (YAML to a tree of nodes with places), applySet (patches to
// that tree), decode (tree to Plan). Which keys a mapping may hold, what they
// mean and their defaults stand in one place, settings.go; the decoder and the
// published JSON Schema both read it.
//
// It does no network I/O. Feeds are read from files beside the scenario. Values
// of headers and secrets within addresses show neither in problems nor in the
// effective plan (Plan.YAML).
package scenario
