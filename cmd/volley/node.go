package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"volley/target"
	"volley/target/near"
	"volley/target/rcp"
)

type nodeFlags struct {
	dialect, listen, config string
	cpus                    string
	draws                   uint64
	stdio, exitWithStdin    bool
}

func nodeCommand(s streams) *cobra.Command {
	var f nodeFlags
	c := &cobra.Command{
		Use:   "node --dialect near|rcp|jsonrpc",
		Short: "Run the reference node",
		Long: `Run the reference node: a complete batching implementation of NEAR's query
batching (near), of the Retrieval Context Protocol (rcp), or of plain JSON-RPC
2.0 with a few toy methods (jsonrpc).

When it is ready it prints one line, "listening http://ADDRESS". With --stdio it
prints nothing and speaks the protocol, a line a message, on its standard streams.

"volley node config --dialect D" lists what a config file can set: limits and
policies, service times, costs and contention, sessions, admission, faults.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runNode(f, s) },
	}
	c.AddCommand(nodeConfigCommand(s))
	c.Flags().StringVar(&f.dialect, "dialect", "near", "near, rcp or jsonrpc")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 takes a free one")
	c.Flags().StringVar(&f.config, "config", "", "config `file`: nearcore's config.json for near, a flat JSON object for the others")
	c.Flags().StringVar(&f.cpus, "cpus", "", "`list` of CPUs that the node is bound to, such as 0,2-3")
	c.Flags().Uint64Var(&f.draws, "draws", 0, "`number` of the sequence in which times are drawn from the config's seed; volley gives the scenario's seed to a node that it starts")
	c.Flags().BoolVar(&f.stdio, "stdio", false, "speak on standard input and output instead of HTTP")
	c.Flags().BoolVar(&f.exitWithStdin, "exit-with-stdin", false, "end when standard input closes")
	if err := c.Flags().MarkHidden("exit-with-stdin"); err != nil {
		panic(err)
	}
	return c
}

func runNode(f nodeFlags, s streams) error {
	if f.cpus != "" {
		if _, err := bindTo("--cpus", f.cpus); err != nil {
			return err
		}
	}
	log := slog.New(slog.NewTextHandler(s.err, nil))
	var listener net.Listener
	var address string
	if !f.stdio {
		var err error
		if listener, err = net.Listen("tcp", f.listen); err != nil {
			return &exit{exitUsage, fmt.Errorf("--listen %s: %w", f.listen, err)}
		}
		defer listener.Close()
		address = listener.Addr().String()
	}
	dialect, err := openDialect(f, address, log)
	if err != nil {
		return err
	}
	if d, ok := dialect.(target.Executing); ok {
		d.Execution().Vary(f.draws)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var waiter target.KernelWaiter
	defer waiter.Close()
	node := target.New(dialect, target.Options{Logger: log, Wait: waiter.Wait})

	if f.stdio {
		if err := node.ServeStream(ctx, s.in, s.out); err != nil && !errors.Is(err, context.Canceled) {
			return ours(err)
		}
		return nil
	}
	if f.exitWithStdin {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		// It ends with the process: a read of standard input cannot be called off.
		go func() {
			_, _ = io.Copy(io.Discard, s.in)
			cancel()
		}()
	}
	if _, err := fmt.Fprintf(s.out, "listening http://%s\n", address); err != nil {
		return ours(fmt.Errorf("say where the node listens: %w", err))
	}
	return ours(node.Serve(ctx, listener))
}

// openDialect reads the node's config file, if one is named, and builds its
// dialect. address is where the node listens, "" on standard streams.
func openDialect(f nodeFlags, address string, log *slog.Logger) (target.Dialect, error) {
	file := target.ConfigFile{Name: f.config}
	if f.config != "" {
		data, err := os.ReadFile(f.config)
		if err != nil {
			return nil, &exit{exitUsage, fmt.Errorf("--config: %w", err)}
		}
		file.Data = data
	}
	var dialect target.Dialect
	var err error
	switch f.dialect {
	case "near":
		config := near.DefaultConfig()
		if f.config != "" {
			config, err = near.ParseConfig(file)
		}
		if err == nil {
			if len(config.Ignored) > 0 {
				log.Info("settings that this node does not model", "config", f.config, "settings", strings.Join(config.Ignored, " "))
			}
			config.Version = version
			if address != "" {
				config.RPC.Addr = address
			}
			dialect = near.New(config)
		}
	case "rcp":
		config := rcp.DefaultConfig()
		if f.config != "" {
			config, err = rcp.ParseConfig(file)
		}
		if err == nil {
			config.Version = version
			dialect = rcp.New(config)
		}
	case "jsonrpc":
		if f.config == "" {
			file.Data = []byte("{}")
		}
		var config target.GenericConfig
		if config, err = target.ParseGenericConfig(file); err == nil {
			dialect = target.Generic(config)
		}
	default:
		err = unknownDialect(f.dialect)
	}
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	return dialect, nil
}
