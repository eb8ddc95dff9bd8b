// Package loadgen executes a plan: a dispatcher walks the schedule and gives
// each arrival to a caller, which carries the call over a transport, matches every
// entry of the answer by id and classifies it; a recorder merges the callers'
// histograms into snapshots.
//
// A call goes two ways. Where the transport's connections are Starters, the
// dispatcher, which waits for the time that a call is due and has encoded it by then,
// writes it itself, to a connection that was made ahead; the transport's
// goroutine that reads the answer also judges and records it and, in a closed loop,
// sends the next call. No goroutine is woken in between. Where they are not, or
// where a connection has still to be made, the caller's own goroutine makes the call.
//
// A remote failure is data (results.Class); an error from Run means that the
// generator could not do its own job. Run blocks, and waits for every goroutine
// that it starts.
package loadgen
