package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"volley/results"
	"volley/scenario"
)

const defaultScenario = "near-mix"

func scenarioCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "scenario",
		Short: "Check, list and show scenarios",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var sets []string
	check := &cobra.Command{
		Use:   "check SCENARIO",
		Short: "Check a scenario and print the effective plan",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			plan, err := loadScenario(args[0], sets)
			if err != nil {
				return err
			}
			text, err := plan.YAML()
			if err != nil {
				return &exit{exitOurs, err}
			}
			for _, w := range plan.Warnings {
				fmt.Fprintf(s.err, "warning: %s\n", results.Escape(w))
			}
			var length time.Duration
			for _, p := range plan.Phases {
				length += p.For
			}
			fmt.Fprintf(s.err, "%s is valid: %d phases, %v of load, and up to %v to drain\n", args[0], len(plan.Phases), length, plan.Drain)
			return write(s, text)
		},
	}
	check.Flags().StringArrayVar(&sets, "set", nil, "`path=value` that patches the scenario first (repeatable)")
	c.AddCommand(check,
		&cobra.Command{
			Use:   "schema",
			Short: "Print the JSON Schema of scenario files",
			Args:  cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				text, err := scenario.Schema()
				if err != nil {
					return &exit{exitOurs, err}
				}
				return write(s, append(text, '\n'))
			},
		},
		&cobra.Command{
			Use:   "list",
			Short: "List the built-in scenarios",
			Args:  cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
				for _, b := range scenario.Builtins() {
					fmt.Fprintf(w, "%s\t%s\n", b.Name, b.Summary)
				}
				return ours(w.Flush())
			},
		},
		&cobra.Command{
			Use:   "show NAME",
			Short: "Print a built-in scenario, to copy and change",
			Args:  cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				text, ok := scenario.BuiltinSource(args[0])
				if !ok {
					return &exit{exitUsage, unknownBuiltin(args[0])}
				}
				return write(s, text)
			},
		})
	return c
}

// loadScenario reads a scenario file, or a built-in one when no such file
// exists. Its error carries the exit code.
func loadScenario(name string, sets []string) (*scenario.Plan, error) {
	plan, err := func() (*scenario.Plan, error) {
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, "/.") {
			if _, ok := scenario.BuiltinSource(name); !ok {
				return nil, unknownBuiltin(name)
			}
			return scenario.Builtin(name, sets)
		}
		return scenario.Load(name, sets)
	}()
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	return plan, nil
}

func unknownBuiltin(name string) error {
	var names []string
	for _, b := range scenario.Builtins() {
		names = append(names, b.Name)
	}
	return fmt.Errorf("no file and no built-in scenario is named %q; built in are %s", name, strings.Join(names, ", "))
}

func write(s streams, text []byte) error {
	_, err := s.out.Write(text)
	return ours(err)
}

// ours wraps a failure of our own; nil stays nil.
func ours(err error) error {
	if err == nil {
		return nil
	}
	return &exit{exitOurs, err}
}
