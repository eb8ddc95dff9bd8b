package target

import (
	"context"

	"volley/internal/jsonrpc"
)

// takeSingle admits a body that is no array, or answers it when it is no valid
// singleton.
func (n *Node) takeSingle(ctx context.Context, x *exchange) {
	e := &x.entries[0]
	n.read(x, e)
	c := &e.call
	switch {
	case e.verdict == malformed, c.Notification && !n.policy.SingleNotification:
		n.malformed(x, &c.Request)
	case x.method != "" && x.method != string(c.Method) && c.Notification: // never answered
		x.answered, x.status = true, n.policy.OnlyNotifications
		n.metrics.singles[outcomeNotification].Inc()
		return
	case x.method != "" && x.method != string(c.Method):
		invalid := &n.policy.Invalid
		x.reply(n.dialect.Status(c, invalid), invalid, c.ID)
	case e.verdict == valid:
		n.enter(ctx, e, nil)
		return
	default:
		return
	}
	n.metrics.singles[outcomeInvalid].Inc()
}

// finishSingle executes an admitted singleton. Its counters are final when it
// returns.
func (n *Node) finishSingle(ctx context.Context, x *exchange) {
	e := &x.entries[0]
	m := newMeter()
	x.out = n.respond(ctx, e, x.out[:0], &m)
	m.flush()
	x.close = e.call.Close
	if e.outcome == outcomeMethodNotFound {
		e.outcome = outcomeError
	}
	n.metrics.singles[e.outcome].Inc()
	if e.outcome == outcomeNotification {
		x.status = n.policy.OnlyNotifications
		return
	}
	x.status = n.dialect.Status(&e.call, e.answer)
}

// malformed answers what is no valid singleton as the dialect says.
func (n *Node) malformed(x *exchange, r *jsonrpc.Request) {
	err, status, echo := n.dialect.Malformed(r)
	var id []byte
	if echo && n.policy.echoable(r) {
		id = r.ID
	}
	x.reply(status, err, id)
}
