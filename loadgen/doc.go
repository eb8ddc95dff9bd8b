// Package loadgen executes a plan: a dispatcher walks the schedule and hands
// each arrival to a caller, which encodes the call, carries it over a
// transport, matches every entry of the answer by id and classifies it; a
// recorder merges the callers' histograms into snapshots.
//
// A remote failure is data (results.Class); an error from Run means that the
// generator could not do its own job. Run blocks, and waits for every goroutine
// that it starts.
package loadgen
