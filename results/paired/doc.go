// Package paired tells whether one setting of a system is faster than another.
//
// The unit of evidence is a run, not a request: requests of one run share its
// state, and runs differ by theirs. Two settings A and B are run next to each
// other in pairs, in an order that cancels drift (Order); each pair gives one ratio
// B/A per metric. Of the logarithms of the ratios the estimate is Hodges and
// Lehmann's (the median of the Walsh averages) with the interval of Wilcoxon's
// signed-rank test, which assume that a pair's difference is as likely to be above
// its centre as below, and nothing else (M. Hollander, D. Wolfe, "Nonparametric
// Statistical Methods", 3.1 to 3.3). Runs not in pairs are compared by Mann and
// Whitney's test and its shift (4.1 to 4.3). Both are exact for small samples, ties
// included.
//
// A difference not shown is not equality: every estimate has the minimal effect
// that its data would have shown, and a verdict of equivalence needs a margin and
// an interval inside it.
//
// Everything is pure; random numbers come from sources passed in. Nothing is safe
// for concurrent use on shared sources, save that functions keep no state.
package paired
