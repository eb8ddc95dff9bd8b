// Package queueing has the closed forms of capacity: the operational laws, which
// hold of any system in a steady state, and the queues that a node is compared
// with, whose assumptions it may not meet (each model's Limits says them).
//
// Times and rates share one unit of time, whichever it is. Where a system has no
// steady state (utilisation of 1 and above) or an argument is no number, functions
// return an error, or NaN where their comment says so: never a made-up figure.
//
// Sources: L. Kleinrock, "Queueing Systems", vol. 1 and 2 (1975, 1976); D. Gross et
// al., "Fundamentals of Queueing Theory", 4th ed.; E. Lazowska et al.,
// "Quantitative System Performance" (1984), chapters 3 and 5.
package queueing
