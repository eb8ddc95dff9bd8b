// Package scenario turns a scenario file (YAML) into a Plan, validated and with
// every default filled in, or into a list of located problems: all of them at
// once, each with file, line, column, the source line under a caret and, where
// a word is close to a known one, "did you mean".
//
// It does no network I/O. Feeds are read from files beside the scenario.
package scenario
