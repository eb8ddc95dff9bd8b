// Package cost answers how much a batch gains over single calls, and an array
// parameter over a batch.
//
// The model is linear:
//
//	T = A * calls + e * entries + b * items
//
// with A the cost of a call's envelope (request, headers, the outer JSON), e of an
// entry (its JSON-RPC object, dispatch) and b of the item worked on. Fitted to the
// mean time of a call near zero load it tells latency; fitted to the node's CPU
// seconds it tells capacity. The two are different questions, and a speedup in
// latency over calls sent one after another also holds the network's round trips:
// always say which, and over which baseline.
//
// A and e are only told apart by batches of several sizes, e and b only by arrays
// of several sizes that are not the batches' sizes too: a Model says what its
// points cannot identify and which shapes are missing. Ratios have Fieller's
// intervals (E. Fieller, J. Royal Statistical Society B 16, 1954), which have no
// end when the divisor may be zero. A lack-of-fit test compares the line with the
// spread of repeats: a curve is to be expected beyond the node's
// batch_concurrency_limit, and where there is one, only sizes on the straight part
// should be fitted.
package cost
