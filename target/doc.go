// Package target is the bundled reference node: an HTTP and a standard-stream
// front, one batch engine whose rules are data (Policy), execution slots,
// limits and Prometheus metrics.
//
// A Dialect gives the engine its methods: packages target/near and target/rcp
// each bring one, and this package holds the generic one (sum, subtract, echo,
// sleep, burn, fail). The node knows nothing of the generator, so that the tool
// cannot be tuned to its own node.
package target
