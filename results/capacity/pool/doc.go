// Package pool answers which batch_concurrency_limit to choose: how many entries
// of one batch may be in work at once.
//
// The limit does not change a node's capacity; it changes how a batch shares the
// node with others. Too low and a batch cannot use idle workers; too high and its
// entries stand in front of everyone else's calls. So the choice is a trade, shown
// as a front: the p99 of batches against the p99 of a thin stream of singletons,
// the probe, at the operating rate. Recommend picks from a front by a written rule.
//
// A Model is a small discrete-event simulation of a node that predicts the front
// before it is measured. It knows two disciplines, of which the measured points
// choose (see ChooseDiscipline): FIFO, a pool of workers served first come first
// served without preemption, where batches always gain from a higher limit and
// only the probe argues against it; and Sharing, processor sharing on cores (L.
// Kleinrock, "Queueing Systems", vol. 2, 4.4), where batches themselves lose
// beyond about one entry per core.
//
// It does not model locks, caches or disks shared by the workers (see package usl
// for that), nor a pool used by other work too. Times are in seconds. Nothing here
// reads a clock; random numbers come from seeds passed in.
package pool
