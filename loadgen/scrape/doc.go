// Package scrape reads a node's Prometheus metrics: one exposition into a
// results.NodeSample. A scrape that fails is a sample with an error, never a
// zero.
package scrape
