// Package rcp is the dialect of RCP, the Retrieval Context Protocol: lifecycle,
// capability gating, cancellation, the embed family, rerank, retrieve and a
// writable index, with a plain but real computation.
//
// The protocol is RCP/1, specification 1.0; "section N" in this package is a
// section of it. Where it contradicts itself or is silent, this node rules:
//
//   - Before initialize every request but initialize, info, ping and shutdown is
//     refused with -32001, methods that nobody defines too (section 13: the gate
//     comes first). After it -32004 goes to a method that is not defined and
//     -32003 to one that is, but is not advertised. What passes is looked at for
//     its params: -32602 if they are no object.
//   - initialize as a notification takes no effect: nobody would learn of it.
//   - Over HTTP every request counts as initialised (session "stateless", section
//     5.2), or the process has one state (session "process"), or initialize gives
//     a token in _meta.session, and what is gated needs it in the RCP-Session
//     header (session "token"); later members of the batch of an initialize are
//     in its session without one. A stream has its own state in all three.
//     shutdown ends the session, so that a process can be initialised anew; of a
//     stream it is the last line that is taken, as a notification too.
//   - What depends on order takes effect in request order, before any member of a
//     batch runs: members before initialize see the state before it, members
//     after it the state after it; a cancel reaches the members before it.
//   - A cancel reaches requests of the same stream, the same HTTP connection (so
//     the same batch) and the same RCP-Session header; a cancelled request is
//     answered once, with its result or -32006. Over HTTP/1.1 that is a cancel in
//     the same batch, or one on another connection with the same RCP-Session: a
//     connection's next request is read when the last is answered, since answers
//     go out in the order of requests, so a cancel that is sent behind its request
//     on one connection comes too late and is passed over.
//   - A client that has gone gives up its requests: they are cancelled. One that
//     half closes its connection looks the same and is taken to have gone.
//   - Limits are enforced, not only advertised: -32602, the id echoed, data
//     {"limit": N, "size": M}. k, candidateK and rerank.topN over maxK are clamped
//     before the funnel is checked. An index that would grow over its limits is
//     -32013, and nothing is added.
//   - null is an absent parameter in retrieve and the index methods (section 4.6);
//     elsewhere it is of the wrong type.
//   - strict: false lets retrieve's options that this node does not have pass,
//     each with a note in usage.notes; a filter passed over is one of them.
//   - A cursor into an index that has changed is -32015, one of another request
//     -32602; an indexVersion that is not the current one is -32010, for no other
//     is kept.
//   - _meta.deadlineMs (section 16.2) is kept: -32014.
//
// The index is one for the process, and starts with documents of a built-in
// corpus. A filter's fields are those of Config.FilterFields, of the types
// keyword, text, int, float and bool; a field's array is compared element by
// element.
//
// Texts become vectors by hashed words and character trigrams and dense layers
// over them (see model): a function of the text alone, so equal texts give equal
// vectors on every machine, similar texts near ones. They serve to measure
// batching, not retrieval; Config.Service adds the time that a model would take.
// A call of many inputs is one matrix product, many calls of one input are as
// many products. Token vectors are the features alone; rerank is late
// interaction over them. Sparse vectors are hashed words with saturated counts,
// weighed by rarity in the built-in corpus.
package rcp
