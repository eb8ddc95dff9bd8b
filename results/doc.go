// Package results holds what a run yields and what is said of it: outcomes and
// their classes, snapshots of an interval, the run directory, the summary that
// scripts read (run.json), objectives and the reconciliation of the client's
// account with the node's counters.
//
// Everything but Writer and Open is pure. Latencies live in mergeable
// HdrHistograms and percentiles are read from merged histograms, never averaged.
//
// # Calls without an answer
//
// A node that refuses is fast, and a distribution that took refusals for answers
// would praise it for dying. So the response and service times are of calls that
// were answered, an error being an answer, and of calls that waited in vain until
// their timeout or the run's end: what they waited is less than what an answer would
// have taken. A call that failed without an answer (refused, reset, an HTTP error, a
// body that is no JSON-RPC answer) has no response time. It is counted by its class
// and as unanswered, and its lateness is kept.
//
// An objective such as "response p99 <= 250ms" promises that 99 of 100 calls are
// answered within 250 ms. A call without an answer was not, so there it counts as
// slower than any limit: the percentile is taken over all calls, and where its rank
// falls among the unanswered there is no value and the objective is missed. A mean or
// a maximum has no value with even one of them. Whether p% of calls were answered in
// time is then a count of trials, which binomial bounds take for independent ones:
// ObjectiveResult.Proof counts their dependence in.
//
// # Self-checks
//
// Whether the numbers can be trusted is judged once, by Summarise, in Summary.Checks;
// all else that is said of it (the status, the generator's verdict, warnings, the
// report's marks) follows from those. An Aggregate that knows the plan keeps what they
// take of each second.
//
// # Text
//
// Text that others wrote (names, a node's words) stands as it came in a Summary and
// in run.json. Whoever shows it escapes it, once, with Escape, which changes nothing
// that it has escaped before.
package results
