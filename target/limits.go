package target

import (
	"context"
	"errors"
	"sync"

	"volley/internal/jsonrpc"
)

// bounds are what a node's batches share: the slots of Policy.ConcurrencyShared
// and the running entries of Policy.LimitPerClient.
type bounds struct {
	shared *Pool // nil: each batch has its own concurrency alone

	mu      sync.Mutex // guards running
	running map[string]int
}

func newBounds(p *Policy) *bounds {
	b := &bounds{running: map[string]int{}}
	if p.ConcurrencyShared && p.Concurrency != AllAtOnce {
		b.shared = NewPool(p.Concurrency)
	}
	return b
}

// tooMany tells whether a batch of so many members is over the limit. When it
// is not, and the limit is one of a client's running batches together, it
// counts among them until leave.
func (n *Node) tooMany(x *exchange, size int) bool {
	p, b := &n.policy, n.bounds
	switch {
	case p.EntryLimit <= 0:
		return false
	case !p.LimitPerClient || size > p.EntryLimit:
		return size > p.EntryLimit
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running[x.conn.client]+size > p.EntryLimit {
		return true
	}
	b.running[x.conn.client] += size
	return false
}

// leave takes a batch that tooMany let in off its client's count.
func (n *Node) leave(x *exchange) {
	if n.policy.EntryLimit <= 0 || !n.policy.LimitPerClient {
		return
	}
	b := n.bounds
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running[x.conn.client] -= len(x.entries); b.running[x.conn.client] <= 0 {
		delete(b.running, x.conn.client)
	}
}

// execute is run within what a batch's policy bounds beside the number of its
// own entries outstanding: the slots that all batches share, and its time.
func (n *Node) execute(ctx context.Context, e *entry, dst []byte) ([]byte, *jsonrpc.Error) {
	if !e.call.Batch {
		return n.call(ctx, &e.call, dst)
	}
	if shared := n.bounds.shared; shared != nil && shared.Acquire(ctx) == nil {
		defer shared.Release()
	} // without a slot the context has ended, and the dialect finds that too
	if n.late(ctx) {
		return dst, &n.policy.TimedOut
	}
	out, err := n.call(ctx, &e.call, dst)
	if err != nil && n.late(ctx) {
		return dst, &n.policy.TimedOut
	}
	return out, err
}

// late tells that a batch's time is over.
func (n *Node) late(ctx context.Context) bool {
	return n.policy.BatchTimeout > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded)
}

// timed gives the context of a batch's entries.
func (n *Node) timed(ctx context.Context, x *exchange) (context.Context, context.CancelFunc) {
	if n.policy.BatchTimeout <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, x.started.Add(n.policy.BatchTimeout))
}

// once makes an entry malformed whose id has come before in its batch, where
// the policy has it so. Ids are compared as they are written. seen is nil at
// first.
func (n *Node) once(seen map[string]bool, e *entry) map[string]bool {
	if !n.policy.DuplicateIDsInvalid || e.verdict == malformed || e.call.Notification {
		return seen
	}
	if seen == nil {
		seen = map[string]bool{}
	}
	if seen[string(e.call.ID)] {
		n.spoilt(e)
	}
	seen[string(e.call.ID)] = true
	return seen
}

// spoilt makes an entry a malformed one.
func (n *Node) spoilt(e *entry) {
	e.verdict, e.outcome, e.answer, e.id = malformed, outcomeInvalid, &n.policy.Invalid, nil
	if n.policy.InvalidEchoesID && n.policy.echoable(&e.call.Request) {
		e.id = e.call.ID
	}
}

// cutOff answers an entry of a batch whose answer went over the limit before
// it, without running it; nothing for a notification, or when the whole answer
// is to be replaced.
func (n *Node) cutOff(e *entry, dst []byte) []byte {
	if e.call.Notification {
		return dst
	}
	if e.verdict != malformed {
		e.outcome = outcomeError
	}
	if n.policy.ResponseCut != KeepPartial {
		return dst
	}
	e.answer = &n.policy.CutOff
	return jsonrpc.AppendError(dst, e.answer, e.id)
}

// firstCall is the id of the first member that is a call, for a refusal that
// asks for it.
func (n *Node) firstCall(r *Refusal, entries []entry) []byte {
	if !r.FirstID {
		return nil
	}
	for i := range entries {
		q := &entries[i].call.Request
		if n.policy.wellFormed(q, true) && !n.policy.notifies(q) {
			return q.ID
		}
	}
	return nil
}

// around is what stands around a result or an error object in a response, but
// for the id.
const around = len(`{"jsonrpc":"2.0","result":,"id":}`)

// counted is what an entry's response, of e.size bytes, counts towards
// Policy.ResponseLimit.
func (p *Policy) counted(e *entry) int64 {
	switch {
	case e.size == 0: // a notification's is no response
		return 0
	case p.ResponseSize == WholeArray:
		return int64(e.size) + 1 // the comma before it, or the bracket
	}
	id := e.id
	if id == nil {
		id = []byte("null")
	}
	word := 0
	if e.answer != nil {
		word = len("result") - len("error")
	}
	return int64(e.size - around + word - len(id))
}

// over tells whether so much, as counted counts it, is over the limit.
func (p *Policy) over(bytes int64) bool {
	if p.ResponseSize == WholeArray && bytes > 0 {
		bytes++ // the last bracket
	}
	return p.ResponseLimit > 0 && bytes > int64(p.ResponseLimit)
}
