// Package experiment makes trials in order and draws the answer from them: the
// highest rate that meets the objectives (Search), what each combination of settings
// comes to (Sweep), or two settings in turn (Compare).
//
// It decides what is run and what a run counts as; how a node is started, brought to
// a setting and loaded is a [Lab]'s, which the program brings. Everything it knows of
// a finished trial it reads from the trial's directory, so that a trial made a moment
// ago and one that was found there count alike: an experiment that was interrupted or
// killed goes on where it was when the same one is begun on its directory again.
package experiment
