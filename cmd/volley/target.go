package main

import (
	"bytes"
	"context"
	"net/netip"
	"os"

	"volley/internal/jsonrpc"
	"volley/loadgen/transport"
	"volley/scenario"
)

// reached is the node that the load goes to.
type reached struct {
	endpoint   transport.Endpoint
	url        string        // that the calls go to; "" over stdio
	metrics    metricsSource // nil: nowhere
	addresses  string        // of the URL's host, where it is a name
	bundledURL string        // "" when the node is not ours, or speaks on its standard streams
	node       *child
	log        *os.File // of a command's standard error, which we read; nil: of none
}

func (r *reached) close() {
	if r.endpoint != nil {
		_ = r.endpoint.Close()
	}
	if r.metrics != nil {
		r.metrics.Close()
	}
	if r.node != nil {
		r.node.close()
	}
	if r.log != nil {
		_ = r.log.Close() // the command has ended: nothing more comes
	}
}

// openTarget starts the bundled node if the plan names no other, and opens an
// endpoint to whichever it is. The node's config goes into dir, what it says into log,
// on which it has a handle of its own.
func openTarget(ctx context.Context, plan *scenario.Plan, dir string, log *os.File) (_ *reached, err error) {
	if plan.Target.Transport == "stdio" {
		return openStdio(plan, dir, log)
	}

	r := &reached{}
	url := plan.Target.URL
	if url == "" {
		arguments, err := nodeArguments(plan, dir)
		if err != nil {
			return nil, err
		}
		if r.node, err = startNode(ctx, arguments, plan.Target.NodeCPUs, log); err != nil {
			return nil, err
		}
		r.bundledURL = r.node.url
		url = r.node.url
		if plan.Target.Dialect == "rcp" {
			url += "/rcp"
		}
	}
	if r.metrics, err = openMetrics(plan, url); err != nil {
		r.close()
		return nil, &exit{exitUsage, err}
	}
	r.url = url
	if r.endpoint, err = openEndpoint(plan, url); err != nil {
		r.close()
		return nil, &exit{exitUsage, err}
	}
	if r.addresses, err = addresses(ctx, r.endpoint, &plan.Target); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func openStdio(plan *scenario.Plan, dir string, log *os.File) (*reached, error) {
	command := plan.Target.Command
	if len(command) == 0 {
		arguments, err := nodeArguments(plan, dir)
		if err != nil {
			return nil, err
		}
		command = append(arguments, "--stdio")
	}
	// We write it, as long as the command runs: the caller's is closed before that.
	own, err := os.OpenFile(log.Name(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	r := &reached{log: own}
	err = onCPUs(plan.Target.NodeCPUs, func() error {
		endpoint, err := transport.NewStdio(transport.StdioConfig{Command: command, Stderr: own, Route: firstID})
		if err == nil {
			r.endpoint = endpoint
		}
		return err
	})
	if err != nil {
		r.close()
		return nil, &exit{exitUnreachable, err}
	}
	if r.metrics, err = openMetrics(plan, ""); err != nil {
		r.close()
		return nil, &exit{exitUsage, err}
	}
	return r, nil
}

// firstID gives the first of our ids that a line answers. A line that is a request
// or a notification of the node's own answers nobody: no call has the id 0.
func firstID(line []byte) (id uint64, ok bool) {
	if r := jsonrpc.ParseRequest(bytes.TrimSpace(line)); r.MethodKind == jsonrpc.String && !r.HasResult {
		return 0, true
	}
	_, _, _ = jsonrpc.ScanReply(line, func(a *jsonrpc.Answer) {
		if !ok && a.IsInt {
			id, ok = a.Int, true
		}
	})
	return id, ok
}

// guard refuses addresses that are neither loopback nor private unless the
// scenario names who authorised the test.
func guard(a *scenario.Authorised) func(netip.Addr) error {
	return func(addr netip.Addr) error {
		if a != nil {
			return nil
		}
		return transport.LocalOnly(addr)
	}
}
