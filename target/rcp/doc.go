// Package rcp is the dialect of RCP, the Retrieval Context Protocol: lifecycle,
// capability gating, cancellation, and the embed family and rerank with a plain
// but real computation.
//
// The protocol is RCP/1, specification 1.0; "section N" in this package is a
// section of it. Where it contradicts itself or is silent, this node rules:
//
//   - Before initialize every request but initialize, info, ping and shutdown is
//     refused with -32001, methods that nobody defines too (section 13: the gate
//     comes first). After it -32004 goes to a method that is not defined and
//     -32003 to one that is, but is not advertised.
//   - Over HTTP every request counts as initialised (session "stateless", section
//     5.2), or the process has one state (session "process"). A stream has its
//     own state in both. shutdown ends the session, so that a process can be
//     initialised anew.
//   - What depends on order takes effect in request order, before any member of a
//     batch runs: members before initialize see the state before it, members
//     after it the state after it; a cancel reaches the members before it.
//   - A cancel reaches requests of the same stream, the same HTTP connection (so
//     the same batch) and the same RCP-Session header; a cancelled request is
//     answered once, with its result or -32006.
//   - Limits are enforced, not only advertised: -32602, the id echoed, data
//     {"limit": N, "size": M}.
//
// The embeddings are hashed words and character trigrams, a function of the text
// alone: equal texts give equal vectors on every machine, similar texts near
// ones. They serve to measure batching, not retrieval; Config.Service adds the
// time that a model would take. rerank is late interaction over token vectors.
package rcp
