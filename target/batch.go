package target

import (
	"context"
	"sync/atomic"
	"time"

	"volley/internal/jsonrpc"
)

// takeBatch applies the checks that come before any member is looked at, in
// the order of the batching documentation: empty, disabled, too many. Then it
// admits every member.
func (n *Node) takeBatch(ctx context.Context, x *exchange) {
	p, size := &n.policy, x.members
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
		var ids map[string]bool
		var last *entry
		for i := range x.entries {
			e := &x.entries[i]
			n.read(x, e)
			if ids = n.once(ids, e); e.verdict == valid {
				n.enter(ctx, e, last)
			}
			last = e
		}
	}
}

// finishBatch executes an admitted batch, whole, unless Policy.ResponseCut has
// it end when its response is over the limit. Its counters are final when it
// returns.
func (n *Node) finishBatch(ctx context.Context, x *exchange) {
	ctx, end := n.timed(ctx, x)
	defer end()
	r := n.newRun(ctx, x)
	r.answer()

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
	case r.kept.over() && n.policy.ResponseCut != KeepPartial:
		n.refuse(x, &n.policy.TooLarge, n.policy.ResponseLimit, int(r.kept.serialized()))
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

// retention bounds what is held of a batch's responses: once the answer is sure
// to be replaced they are only measured. Safe for concurrent use.
type retention struct {
	policy *Policy
	bytes  atomic.Int64 // as Policy.counted counts them
}

// add tells of an entry's response; false says that it need not be kept.
func (r *retention) add(e *entry) bool {
	return r.policy.keeps(r.bytes.Add(r.policy.counted(e)))
}

// keeps tells whether a response is kept with which those so far count so much.
func (p *Policy) keeps(counted int64) bool {
	return p.ResponseCut == KeepPartial || !p.over(counted)
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
