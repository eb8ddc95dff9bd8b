// Package study is what an experiment stores: a directory with
//
//	experiment.json        what was asked, written first: kind, scenario, options, seed, order
//	trials/NNN/            one run directory each, in the order they were made
//	trials/NNN/trial.json  written last: the trial is finished
//	trials/NNN/probe/      the run of the thin stream beside it, if one was asked for
//	search.json, sweep.json or compare.json: the answer
//
// A trial directory without trial.json is one that was cut off; it counts nowhere
// and is made again when the experiment goes on.
//
// The package reads and writes those files and makes figures of stored runs. It has
// no clock and makes no load. Formats carry a version; rates are per second in the
// unit that is named beside them, latencies in microseconds, other times in seconds.
package study
