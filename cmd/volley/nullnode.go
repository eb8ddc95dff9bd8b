package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/spf13/cobra"

	"volley/loadgen/nullnode"
)

// nullNodeCommand runs the null server of a calibration as a process of its own. It
// is not for people: it answers what it is given, whatever is asked.
func nullNodeCommand(s streams) *cobra.Command {
	var listen, answers string
	var exitWithStdin bool
	c := &cobra.Command{
		Use:    "null-node",
		Short:  "Answer every entry at once with what a file says",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := os.ReadFile(answers)
			if err != nil {
				return &exit{exitUsage, fmt.Errorf("--answers: %w", err)}
			}
			var a nullnode.Answers
			if err := json.Unmarshal(text, &a); err != nil {
				return &exit{exitUsage, fmt.Errorf("--answers %s: %w", answers, err)}
			}
			listener, err := net.Listen("tcp", listen)
			if err != nil {
				return &exit{exitUsage, fmt.Errorf("--listen %s: %w", listen, err)}
			}
			defer listener.Close()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if exitWithStdin {
				// It ends with the process: a read of standard input cannot be called off.
				go func() {
					_, _ = io.Copy(io.Discard, s.in)
					cancel()
				}()
			}
			if _, err := fmt.Fprintf(s.out, "listening http://%s\n", listener.Addr()); err != nil {
				return ours(fmt.Errorf("say where the null node listens: %w", err))
			}
			return ours(nullnode.Serve(ctx, listener, &a))
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`address` to listen on")
	c.Flags().StringVar(&answers, "answers", "", "`file` with the answers")
	c.Flags().BoolVar(&exitWithStdin, "exit-with-stdin", false, "end when standard input closes")
	return c
}
