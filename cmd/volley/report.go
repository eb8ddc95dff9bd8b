package main

import (
	"github.com/spf13/cobra"

	"volley/results"
	"volley/results/report"
)

func reportCommand(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "Report a stored run, also one that was cut off",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			run, err := results.Open(args[0])
			if err != nil {
				return &exit{exitUsage, err}
			}
			return printSummary(s, &run.Summary, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print run.json instead of text")
	return c
}

func printSummary(s streams, summary *results.Summary, asJSON bool) error {
	if !asJSON {
		return ours(report.Text(s.out, summary))
	}
	return ours(summary.WriteJSON(s.out))
}
