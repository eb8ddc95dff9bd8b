package target

import (
	"context"
	"sync"
	"sync/atomic"

	"volley/internal/jsonrpc"
)

// run is the execution of one batch's entries. It begins on one worker, the
// goroutine of the request, which writes each answer in its place. Before a call
// that takes time, and when one that was said to be instant finds no free slot,
// that worker starts another, which goes on with the entries behind, into space
// of its own, and does the same; so as many are outstanding as Policy.Concurrency
// lets, but only while one of them is held up.
//
// It is the context of the calls, so that Pool.Acquire can find it.
type run struct {
	context.Context
	node *Node
	x    *exchange
	kept retention

	limit   int64        // of workers
	workers atomic.Int64 // that were started
	next    atomic.Int64 // the first entry that no worker has taken
	others  sync.WaitGroup
}

// newRun readies a batch for answers; ctx is that of its calls.
func (n *Node) newRun(ctx context.Context, x *exchange) *run {
	r := &run{
		Context: ctx, node: n, x: x, kept: retention{policy: &n.policy},
		limit: int64(min(n.policy.Concurrency, len(x.entries))),
	}
	r.workers.Store(1)
	return r
}

type runKey struct{}

// Value finds the run itself, or what its context holds.
func (r *run) Value(key any) any {
	if key == (runKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// heldUp tells the batch whose context it is, if it is one's, that a call of its
// is about to wait.
func heldUp(ctx context.Context) {
	if r, ok := ctx.Value(runKey{}).(*run); ok {
		r.overlap()
	}
}

// overlap starts another worker if there is an entry for it and the limit lets.
func (r *run) overlap() {
	for {
		w := r.workers.Load()
		if w >= r.limit || r.next.Load() >= int64(len(r.x.entries)) || r.kept.stops() {
			return
		}
		if r.workers.CompareAndSwap(w, w+1) {
			if w == 1 { // only the first worker is there yet
				r.x.buffersFor(int(r.limit))
			}
			r.others.Go(func() { r.work(int(w)) })
			return
		}
	}
}

// work runs entries until none is left, each into the worker's buffer. What is
// not run is left to answer.
func (r *run) work(worker int) {
	inFlight := r.node.metrics.entriesInFlight
	inFlight.Inc()
	defer inFlight.Dec()
	m := r.node.newMeter()
	defer m.flush()
	buf := r.x.buffers[worker][:0]
	for {
		i := int(r.next.Add(1) - 1)
		if i >= len(r.x.entries) || r.kept.stops() {
			break
		}
		e := &r.x.entries[i]
		if e.verdict != valid {
			continue
		}
		e.buffer, e.start = worker, len(buf)
		buf = r.respond(e, buf, &m)
		e.done, e.size = true, len(buf)-e.start
		if e.kept = r.kept.add(e); !e.kept {
			buf = buf[:e.start]
		}
	}
	r.x.buffers[worker] = buf
}

func (r *run) respond(e *entry, dst []byte, m *meter) []byte {
	if e.verdict == valid && !e.call.Instant {
		r.overlap()
	}
	return r.node.respond(r, e, dst, m)
}

// answer runs the entries and puts their answers together in request order.
// With nothing to answer x.out is empty.
func (r *run) answer() {
	x, p := r.x, &r.node.policy
	inFlight := r.node.metrics.entriesInFlight
	inFlight.Inc()
	m := r.node.newMeter()
	out := append(x.out[:0], '[')
	counted := int64(0) // of the answers so far
	alone := true
	for i := range x.entries {
		if alone && r.workers.Load() > 1 {
			alone = false
			m.flush()
			inFlight.Dec()
			r.work(0)
			r.others.Wait()
		}
		e := &x.entries[i]
		before := len(out)
		if before > 1 {
			out = append(out, ',')
		}
		start := len(out)
		switch {
		case r.kept.cut(counted):
			out = r.node.cutOff(e, out)
			e.done, e.kept, e.size = true, true, len(out)-start
		case e.done && e.kept:
			out = append(out, x.buffers[e.buffer][e.start:e.start+e.size]...)
		case e.done:
		default:
			if alone {
				r.next.Store(int64(i + 1))
			}
			out = r.respond(e, out, &m)
			e.size = len(out) - start
			e.kept = r.kept.add(e)
		}
		counted += p.counted(e)
		if e.size == 0 || !e.kept {
			out = out[:before]
		}
	}
	if alone {
		inFlight.Dec()
	}
	m.flush()
	if len(out) == 1 {
		x.out = out[:0]
		return
	}
	x.out = append(out, ']')
}

// respond appends the answer that is due to an entry, running it if it is to
// run; nothing for a notification. It sets the entry's outcome.
func (n *Node) respond(ctx context.Context, e *entry, dst []byte, m *meter) []byte {
	if e.verdict == ignored {
		return dst
	}
	start := len(dst)
	if e.verdict == valid {
		result := jsonrpc.AppendResultStart(dst)
		empty := len(result)
		out, err := n.execute(ctx, e, result)
		m.done(e.method, err)
		switch {
		case e.call.Notification:
			return out[:start]
		case err == nil:
			if len(out) == empty {
				out = append(out, "null"...)
			}
			e.outcome = outcomeOK
			return jsonrpc.AppendResultEnd(out, e.id)
		}
		e.outcome, e.answer = n.failure(err, false), err
		dst = out[:start]
	}
	return jsonrpc.AppendError(dst, e.answer, e.id)
}

// buffersFor makes room for so many workers' answers.
func (x *exchange) buffersFor(workers int) {
	for len(x.buffers) < workers {
		x.buffers = append(x.buffers, nil)
	}
}
