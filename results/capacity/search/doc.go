// Package search finds the highest load that meets an objective, under noise.
//
// Loads are classified by the rule of MLRsearch (RFC 9971, "Multiple Loss Ratio
// Search"): by how many seconds of trials at a load were good and bad, against
// the share of bad seconds that a goal allows. The answer is an interval between
// the relevant lower and upper bound, and the conditional throughput at the lower
// one: never one lucky trial.
//
// A Search is a pure controller: Next(trials so far) is the next load and
// duration, or that it is done; nothing is remembered between calls, so that a
// search resumes from its stored trials. It starts low, steps geometrically, tries
// short trials before long ones, lets all goals share all trials, re-visits lower
// bounds now and then to notice drift, and ends by confirming each goal's lower
// bound in one long trial, which may overturn it.
//
// To the RFC's good and bad trials two verdicts are added. A void trial (the
// generator's own fault) counts nowhere and is repeated. An unproven one (its
// samples show neither that the objective was met nor that it was missed) counts
// as bad against a lower bound and as good against an upper one: loads that trials
// of the asked length cannot tell stay inside the interval, which is then wider
// than asked and says so. Of a noisy node this is what keeps the true rate inside.
package search
