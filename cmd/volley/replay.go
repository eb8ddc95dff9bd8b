package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"volley/results"
	"volley/tui"
)

func replayCommand(s streams) *cobra.Command {
	speed := 1.0
	c := &cobra.Command{
		Use:   "replay RUN",
		Short: "Show a stored run in the screens of a live one",
		Long: `Show a stored run, also one that was cut off, in the screens of a live one.

Space pauses, left and right seek, home and end go to the start and the end,
plus and minus change the speed, q leaves; ? lists all keys. It needs a
terminal; volley report RUN prints the same run as text.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if !(speed >= 0.01 && speed <= 10_000) { // NaN is neither
				return &exit{exitUsage, fmt.Errorf("--speed %v: give a number from 0.01 to 10000", speed)}
			}
			run, err := results.Open(args[0])
			if err != nil {
				return &exit{exitUsage, err}
			}
			if !onTerminal(s) {
				return &exit{exitUsage, errors.New("replay needs a terminal; volley report " + results.Escape(args[0]) + " prints the run as text")}
			}
			if err := tui.Replay(context.Background(), run, speed); err != nil {
				return ours(err)
			}
			return nil
		},
	}
	c.Flags().Float64Var(&speed, "speed", 1, "how many times as `fast` as the run was")
	return c
}
