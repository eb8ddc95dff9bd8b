package main

import (
	"volley/results"
	"volley/scenario"
	"volley/target"
	"volley/target/near"
	"volley/target/rcp"
)

// describeNode adds what setting the run against the node's metrics needs to know.
func describeNode(meta *results.Meta, plan *scenario.Plan) error {
	names, err := seriesNames(plan)
	if err != nil {
		return &exit{exitUsage, err}
	}
	meta.Names = names
	if plan.Form == scenario.Batch {
		meta.LargestBatch = plan.Size.Largest()
	}
	meta.BatchLimit = plan.Target.Metrics.BatchLimit
	if meta.Bundled {
		meta.BatchLimit = batchLimit(plan)
	}
	return nil
}

// batchLimit is how many entries of one batch the bundled node runs at once, by its
// config; 0 where that says otherwise, or cannot be read, which the node itself will
// say better.
func batchLimit(plan *scenario.Plan) int {
	file := target.ConfigFile{Name: "target.node", Data: plan.Target.Node}
	if len(file.Data) == 0 {
		file.Data = []byte("{}")
	}
	switch plan.Target.Dialect {
	case "near":
		if c, err := near.ParseConfig(file); err == nil {
			return c.RPC.Limits.BatchConcurrencyLimit
		}
	case "rcp":
		if c, err := rcp.ParseConfig(file); err == nil {
			return c.BatchConcurrencyLimit
		}
	default:
		if c, err := target.ParseGenericConfig(file); err == nil && !c.BatchConcurrencyShared {
			return int(c.BatchConcurrencyLimit)
		}
	}
	return 0
}
