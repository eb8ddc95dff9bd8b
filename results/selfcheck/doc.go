// Package selfcheck says whether a load generator's own numbers can be trusted:
// whether calls left when the plan said, by the asked process; whether the run
// was warm and stationary; how much independent evidence its samples hold; and
// what may be claimed of a percentile from them.
//
// Everything is pure and of fixed memory: it is fed counters, percentiles, one
// value per window, or one send at a time, and keeps no sample of its own that
// grows with the run. Two rules hold throughout. What is not a number, infinite,
// negative where that means nothing, or too little, yields the verdict NotEnough
// or a result that says so: never a made-up judgement. And Void is kept for the
// generator's own faults: what the node did (a drift, a growing backlog) is at
// most a Warn, since a void trial is repeated while a bad one counts.
//
// Nothing here is safe for concurrent use, save that functions share no state.
package selfcheck
