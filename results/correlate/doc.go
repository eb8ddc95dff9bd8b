// Package correlate sets a client's results against what the node under load says
// of itself in its Prometheus metrics: which series say what (Names), where the
// time goes, whether Little's law holds between the two, whether a batch's
// concurrency limit binds, what the node's histogram says of quantiles, which of
// its series moves with the client's tail, and what an entry costs in CPU.
//
// It is pure: values in, values out. Times are offsets from the run's start. Two
// rules hold throughout. What a node does not expose, or too little of it, makes a
// figure absent with a reason in words, never a zero. And nothing is interpolated:
// counters are differenced between scrapes that were made, a quantile from buckets
// is a pair of bounds, and client intervals are set against whole scrape intervals
// only.
package correlate
