// Package target is the bundled reference node: an HTTP and a standard-stream
// front, one batch engine whose rules are data (Policy), execution slots,
// limits and Prometheus metrics.
//
// A Dialect gives the engine its methods: packages target/near and target/rcp
// each bring one, and this package holds the generic one (sum, subtract, echo,
// sleep, burn, fail). The node knows nothing of the generator, so that the tool
// cannot be tuned to its own node.
//
// A body, or a line, goes through the engine in two steps. It is taken: checked
// in the order in which the batching documentation refuses, taken apart, and its
// members admitted by the dialect one after another. Then it is finished: the
// members run, as many at once as the policy lets, each holding one of the
// node's slots while it is served, and the answers are put together in request
// order. Between the two steps another line of the same stream may be taken, so
// that a cancellation reaches what is under way.
//
// What calls cost beside their own work is configured: service times by method
// (Service), costs of a call, an entry and an item apart (Costs), and how much
// dearer they are for running side by side (Contention). It is spent in an
// Execution, to within some ten microseconds where the node waits by a
// KernelWaiter, and /metrics shows what it came to beside what was asked for.
//
// In front of the engine an admission (AdmissionConfig) may hold bodies up, as a
// gateway does; behind it a node may misbehave on purpose (MisbehaveConfig). The
// generic dialect follows the rules of other nodes (PresetNames) by name.
//
// Every counter that an exchange moves has moved before its answer is written:
// who scrapes /metrics after an answer sees it counted.
package target
