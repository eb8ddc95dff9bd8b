package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"volley/target"
	"volley/target/near"
	"volley/target/rcp"
)

func nodeConfigCommand(s streams) *cobra.Command {
	var dialect string
	c := &cobra.Command{
		Use:   "config --dialect near|rcp|jsonrpc",
		Short: "List the settings of the reference node's config file",
		Long: `List what a config file of the reference node can set: each setting's keys,
joined by dots, its default and what it means. A file is one JSON object; for near
it is nearcore's config.json, and what it says beyond these settings is passed over.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return listSettings(dialect, s) },
	}
	c.Flags().StringVar(&dialect, "dialect", "near", "near, rcp or jsonrpc")
	return c
}

func listSettings(dialect string, s streams) error {
	var config any
	switch dialect {
	case "near":
		config = near.DefaultConfig()
	case "rcp":
		config = rcp.DefaultConfig()
	case "jsonrpc":
		generic, err := target.ParseGenericConfig(target.ConfigFile{})
		if err != nil {
			return ours(err)
		}
		config = generic
	default:
		return &exit{exitUsage, unknownDialect(dialect)}
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, setting := range target.Settings(config) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", setting.Path, setting.Default, setting.Doc)
	}
	if dialect == "jsonrpc" {
		fmt.Fprintln(w, "\npolicies")
		for _, name := range target.PresetNames() {
			fmt.Fprintf(w, "%s\t\t%s\n", name, target.PresetAbout(name))
		}
	}
	if err := w.Flush(); err != nil {
		return ours(fmt.Errorf("list the settings: %w", err))
	}
	return nil
}

func unknownDialect(name string) error {
	return fmt.Errorf("--dialect %q: there are near, rcp and jsonrpc", name)
}
