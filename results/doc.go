// Package results holds what a run yields and what is said of it: outcomes and
// their classes, snapshots of an interval, the run directory, the summary that
// scripts read (run.json), objectives and the reconciliation of the client's
// account with the node's counters.
//
// Everything but Writer and Open is pure. Latencies live in mergeable
// HdrHistograms and percentiles are read from merged histograms, never averaged.
package results
