package target

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"volley/internal/jsonrpc"
)

// takeBatch applies the checks that come before any member is looked at, in
// the order of the batching documentation: empty, disabled, too many. Then it
// admits every member.
func (n *Node) takeBatch(ctx context.Context, x *exchange) {
	p, size := &n.policy, len(x.members)
	refuse := func(o batchOutcome, r *Refusal, limit int) {
		n.metrics.batches[o].Inc()
		n.refuse(x, r, limit, size)
	}
	switch {
	case x.method != "": // an array has no one method: a URL that names one is wrong
		_, status, _ := n.dialect.Malformed(&jsonrpc.Request{NotAnObject: true})
		x.reply(status, &p.Invalid, nil)
	case size == 0:
		refuse(batchEmpty, &p.Empty, 0)
	case !p.Enabled:
		refuse(batchDisabled, &p.Disabled, 0)
	case n.tooMany(x, size):
		refuse(batchTooMany, &p.TooMany, p.EntryLimit)
	default:
		n.metrics.batchesInFlight.Inc()
		n.metrics.batchEntries.Observe(float64(size))
		x.started = time.Now()
		entries := x.entriesFor(size)
		var ids map[string]bool
		for i := range entries {
			e := &entries[i]
			n.read(x, e, x.members[i])
			if ids = n.once(ids, e); e.verdict == valid {
				n.enter(ctx, e)
			}
		}
	}
}

// finishBatch executes an admitted batch, whole, unless Policy.ResponseCut has
// it end when its response is over the limit. Its counters are final when it
// returns.
func (n *Node) finishBatch(ctx context.Context, x *exchange) {
	ctx, end := n.timed(ctx, x)
	defer end()
	kept := retention{policy: &n.policy}
	n.runConcurrently(ctx, x, &kept)
	n.assemble(ctx, x, &kept)

	m := n.metrics
	var counts [outcomes]int
	for i := range x.entries {
		counts[x.entries[i].outcome]++
		x.close = x.close || x.entries[i].call.Close
	}
	for o, count := range counts {
		if count > 0 {
			m.entries[o].Add(float64(count))
		}
	}
	n.leave(x)
	switch {
	case kept.over() && n.policy.ResponseCut != KeepPartial:
		n.refuse(x, &n.policy.TooLarge, n.policy.ResponseLimit, int(kept.serialized()))
		m.batches[batchTooLarge].Inc()
	case len(x.out) == 0:
		x.status = n.policy.OnlyNotifications
		m.batches[batchOK].Inc()
	default:
		x.status = 200
		m.batches[batchOK].Inc()
		m.batchBytes.Observe(float64(len(x.out)))
	}
	m.batchTime.Observe(time.Since(x.started).Seconds())
	m.batchesInFlight.Dec()
}

// runConcurrently runs the runnable entries, at most Policy.Concurrency of them
// at once, each into its worker's buffer. It does nothing when one worker would
// do it all: assemble then runs each entry in its place, without a copy. It
// starts workers and waits for them; the calling goroutine is one of them.
func (n *Node) runConcurrently(ctx context.Context, x *exchange, kept *retention) {
	x.toRun = x.toRun[:0]
	for i := range x.entries {
		if x.entries[i].verdict == valid {
			x.toRun = append(x.toRun, &x.entries[i])
		}
	}
	workers := min(n.policy.Concurrency, len(x.toRun))
	if workers <= 1 {
		return
	}
	for len(x.buffers) < workers {
		x.buffers = append(x.buffers, nil)
	}
	var next atomic.Int64
	work := func(w int) {
		buf := x.buffers[w][:0]
		for {
			i := next.Add(1) - 1
			if i >= int64(len(x.toRun)) || kept.stops() {
				break
			}
			e := x.toRun[i]
			e.buffer, e.start = w, len(buf)
			buf = n.respondCounted(ctx, e, buf)
			e.done, e.size = true, len(buf)-e.start
			if e.kept = kept.add(e); !e.kept {
				buf = buf[:e.start]
			}
		}
		x.buffers[w] = buf
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	work(0)
	wg.Wait()
}

func (n *Node) respondCounted(ctx context.Context, e *entry, dst []byte) []byte {
	n.metrics.entriesInFlight.Inc()
	dst = n.respond(ctx, e, dst)
	n.metrics.entriesInFlight.Dec()
	return dst
}

// assemble puts the responses together in request order, and makes those that
// no worker has made. With nothing to answer x.out is empty.
func (n *Node) assemble(ctx context.Context, x *exchange, kept *retention) {
	out := append(x.out[:0], '[')
	counted := int64(0) // of the answers so far
	for i := range x.entries {
		e := &x.entries[i]
		before := len(out)
		if before > 1 {
			out = append(out, ',')
		}
		start := len(out)
		switch {
		case kept.cut(counted):
			out = n.cutOff(e, out)
			e.done, e.kept, e.size = true, true, len(out)-start
		case e.done && e.kept:
			out = append(out, x.buffers[e.buffer][e.start:e.start+e.size]...)
		case e.done:
		case e.verdict == valid:
			out = n.respondCounted(ctx, e, out)
		default:
			out = n.respond(ctx, e, out)
		}
		if !e.done {
			e.size = len(out) - start
			e.kept = kept.add(e)
		}
		counted += n.policy.counted(e)
		if e.size == 0 || !e.kept {
			out = out[:before]
		}
	}
	if len(out) == 1 {
		x.out = out[:0]
		return
	}
	x.out = append(out, ']')
}

// retention bounds what is held of a batch's responses: once the answer is sure
// to be replaced they are only measured. Safe for concurrent use.
type retention struct {
	policy *Policy
	bytes  atomic.Int64 // as Policy.counted counts them
}

// add tells of an entry's response; false says that it need not be kept.
func (r *retention) add(e *entry) bool {
	r.bytes.Add(r.policy.counted(e))
	return r.policy.ResponseCut == KeepPartial || !r.over()
}

// serialized is the length of the array with all that was added.
func (r *retention) serialized() int64 { return r.bytes.Load() + 1 }

func (r *retention) over() bool { return r.policy.over(r.bytes.Load()) }

// stops tells that no further entry is to run.
func (r *retention) stops() bool { return r.policy.ResponseCut != ReplaceDrained && r.over() }

// cut tells that an entry is to be cut off; counted is what those before it
// came to.
func (r *retention) cut(counted int64) bool {
	return r.stops() && (r.policy.ResponseCut == ReplaceAtOnce || r.policy.over(counted))
}
