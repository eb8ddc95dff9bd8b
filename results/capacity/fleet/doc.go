// Package fleet answers how many nodes a rate needs, and what the balancer in front
// of them changes.
//
// The number of nodes follows from the lower bound of what one node was shown to
// sustain, never from the point in the middle of its interval; what a balancer adds
// to the response times of a fleet is simulated, since a random one can cost more
// than all tuning of the nodes gains (M. Mitzenmacher, "The Power of Two Choices in
// Randomized Load Balancing", 1996).
//
// Everything is pure; seeds are passed in.
package fleet
