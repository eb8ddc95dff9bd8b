package target

import (
	"context"
	"slices"
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
type run struct {
	node  *Node
	x     *exchange
	kept  retention
	first worker

	// Of the first worker, while it is alone: the entry that it runs, and what the
	// answers before that count.
	at      int
	counted int64

	limit   int64        // of workers
	workers atomic.Int64 // that were started
	next    atomic.Int64 // the first entry that no worker has taken
	others  sync.WaitGroup
}

// newRun readies a batch for answers; ctx is that of its calls.
func (n *Node) newRun(ctx context.Context, x *exchange) *run {
	r := &run{
		node: n, x: x, kept: retention{policy: &n.policy},
		limit: int64(min(n.policy.Concurrency, len(x.entries))),
	}
	r.first = worker{Context: ctx, run: r, meter: newMeter()}
	r.workers.Store(1)
	return r
}

// overlap starts another worker if there is an entry for it and the limit lets.
func (r *run) overlap() {
	if r.workers.Load() == 1 { // what all will share is the first worker's yet
		r.next.Store(int64(r.at + 1))
		r.kept.bytes.Store(r.counted)
		r.x.buffersFor(int(r.limit))
	}
	for {
		n := r.workers.Load()
		if n >= r.limit || r.next.Load() >= int64(len(r.x.entries)) || r.kept.stops() {
			return
		}
		if r.workers.CompareAndSwap(n, n+1) {
			w := &worker{Context: r.first.Context, run: r, number: int(n), meter: newMeter()}
			r.others.Go(w.work)
			return
		}
	}
}

// answer runs the entries and puts their answers together in request order.
// With nothing to answer x.out is empty.
func (r *run) answer() {
	x, p := r.x, &r.node.policy
	out := append(x.out[:0], '[')
	alone := true
	for i := range x.entries {
		if alone && r.workers.Load() > 1 {
			alone = false
			r.first.work()
			r.others.Wait()
			r.first.meter = newMeter() // what was waited for is no call's time
		}
		e := &x.entries[i]
		out = spacious(out)
		before := len(out)
		if before > 1 {
			out = append(out, ',')
		}
		start := len(out)
		switch {
		case r.cut():
			out = r.node.cutOff(e, out)
			e.done, e.kept, e.size = true, true, len(out)-start
		case e.done && e.kept:
			out = append(out, x.buffers[e.buffer][e.start:e.start+e.size]...)
		case e.done:
		default:
			r.at = i
			out = r.first.respond(e, out)
			e.size = len(out) - start
			if e.kept = p.keeps(r.counted + p.counted(e)); r.workers.Load() > 1 {
				e.kept = r.kept.add(e)
			}
		}
		r.counted += p.counted(e)
		if e.size == 0 || !e.kept {
			out = out[:before]
		}
	}
	r.first.executing(false)
	r.first.meter.flush()
	if alone {
		r.kept.bytes.Store(r.counted)
	}
	if len(out) == 1 {
		x.out = out[:0]
		return
	}
	x.out = append(out, ']')
}

// cut tells that the next answer is to be cut off.
func (r *run) cut() bool {
	if r.node.policy.ResponseCut == ReplaceDrained {
		return false
	}
	if r.workers.Load() == 1 {
		return r.node.policy.over(r.counted)
	}
	return r.kept.cut(r.counted)
}

// worker runs entries of a batch one after another. It is the context of their
// calls, so that what they wait for can find it.
type worker struct {
	context.Context
	run    *run
	number int
	meter  meter
	busy   bool // it is counted as executing an entry
}

type workerKey struct{}

// Value finds the worker itself, or what the batch's context holds.
func (w *worker) Value(key any) any {
	if key == (workerKey{}) {
		return w
	}
	return w.Context.Value(key)
}

// heldUp tells the worker whose context it is, if it is one's, that its call is
// about to wait. It is called where the call runs.
func heldUp(ctx context.Context) {
	if w, ok := ctx.Value(workerKey{}).(*worker); ok {
		w.meter.wait()
		w.run.overlap()
	}
}

// Soon tells, where a call runs, that it follows so closely on another one of its
// batch that the node does not read the clock between them: that one was instant,
// and neither has waited. What the other has found by the clock is good enough for
// it.
func Soon(ctx context.Context) bool {
	w, ok := ctx.Value(workerKey{}).(*worker)
	return ok && w.meter.untimed > 0 && !w.meter.waits
}

// work runs entries until none is left, each into the worker's buffer. What is
// not run is left to answer.
func (w *worker) work() {
	r := w.run
	buf := r.x.buffers[w.number][:0]
	for {
		i := int(r.next.Add(1) - 1)
		if i >= len(r.x.entries) || r.kept.stops() {
			break
		}
		e := &r.x.entries[i]
		if e.verdict != valid {
			continue
		}
		e.buffer, e.start = w.number, len(buf)
		buf = w.respond(e, buf)
		e.done, e.size = true, len(buf)-e.start
		if e.kept = r.kept.add(e); !e.kept {
			buf = buf[:e.start]
		}
	}
	r.x.buffers[w.number] = buf
	w.executing(false)
	w.meter.flush()
}

// executing counts the worker among the entries in flight, or no longer: each
// that executes a valid entry stands for that one.
func (w *worker) executing(yes bool) {
	if yes == w.busy {
		return
	}
	w.busy = yes
	if yes {
		w.run.node.metrics.entriesInFlight.Inc()
	} else {
		w.run.node.metrics.entriesInFlight.Dec()
	}
}

func (w *worker) respond(e *entry, dst []byte) []byte {
	w.executing(e.verdict == valid)
	if e.verdict == valid && !e.call.Instant {
		w.run.overlap()
	}
	return w.run.node.respond(w, e, dst, &w.meter)
}

// respond appends the answer that is due to an entry, running it if it is to
// run; nothing for a notification. It sets the entry's outcome.
func (n *Node) respond(ctx context.Context, e *entry, dst []byte, m *meter) []byte {
	if e.verdict == ignored {
		return dst
	}
	start := len(dst)
	if e.verdict == valid {
		m.begin(e.method, e.call.Instant)
		result := jsonrpc.AppendResultStart(dst)
		empty := len(result)
		out, err := n.execute(ctx, e, result)
		m.end(e.call.Instant, err)
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

// spacious doubles the space of answers that is almost full: append alone would
// grow it, and leave behind what it was, four times as often.
func spacious(out []byte) []byte {
	const almost, first = 512, 4 << 10
	if cap(out)-len(out) >= almost {
		return out
	}
	return slices.Grow(out, max(len(out), first))
}

// buffersFor makes room for so many workers' answers.
func (x *exchange) buffersFor(workers int) {
	for len(x.buffers) < workers {
		x.buffers = append(x.buffers, nil)
	}
}
