package target

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"volley/internal/jsonrpc"
)

// connection is what calls of one HTTP connection, or of one stream, share.
type connection struct {
	state  any             // Dialect.Connect's
	life   context.Context // ends only when the node stops waiting for calls
	client string          // the remote address without its port; "" of a stream
}

// exchange is one body, or one line, on its way through the engine: the scratch
// space of its parsing, execution and answer. It is taken from a pool, filled
// by take, brought to its answer by finish, and given back.
type exchange struct {
	conn    *connection
	session string
	method  string // that the URL names; "" at the endpoint itself

	body    []byte
	tooLong bool     // a line over the limit, which was not kept
	members int      // of body
	entries []entry  // one a member; of a batch over the limit, the first
	buffers [][]byte // one a worker

	shape    shape
	started  time.Time // of an admitted batch
	answered bool      // by take: nothing to run

	status     int
	out        []byte // the answer; empty: no body
	close      bool   // a call ended the stream
	retryAfter int    // seconds, for the header; 0: none
	media      string // of the answer; "": JSON
	fault      Fault  // that is left to the front to do
}

// entry is one member of a batch, or a singleton.
type entry struct {
	call    Call
	verdict verdict
	answer  *jsonrpc.Error // known before it runs, or without running
	id      []byte         // as answered; nil is null
	method  *method        // nil when it did not reach the dialect
	outcome outcome

	done   bool // a worker has run it
	buffer int  // the worker's
	start  int  // of the response in that buffer
	size   int  // of the response, kept or not
	kept   bool // false: the response was over the limit with it
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// What an exchange may keep of its space when it goes back to the pool.
const (
	keptBytes   = 256 << 10
	keptEntries = 1024
)

func newExchange(conn *connection) *exchange {
	x := exchanges.Get().(*exchange)
	x.conn = conn
	return x
}

// free gives the exchange back; nothing of it may be used after.
func (x *exchange) free() {
	x.dropEntries()
	for i, b := range x.buffers {
		x.buffers[i] = reusable(b)
	}
	y := exchange{body: reusable(x.body), out: reusable(x.out), buffers: x.buffers}
	if y.body != nil && cap(x.entries) <= keptEntries {
		y.entries = x.entries
	}
	*x = y
	exchanges.Put(x)
}

func reusable(b []byte) []byte {
	if cap(b) > keptBytes {
		return nil
	}
	return b[:0]
}

// take parses the body and admits its members, in order. Calls that depend on
// the order of bodies are safe when one is taken after another; finish may then
// run for several at once.
func (n *Node) take(ctx context.Context, x *exchange) {
	most := n.policy.EntryLimit
	if most <= 0 {
		most = -1
	}
	members, batch, err := jsonrpc.SplitRequests(x.body, most, x.room)
	x.members, x.shape = members, shapeOf(batch, err)
	if err != nil {
		x.dropEntries()
	}
	if !n.admit(x) {
		return
	}
	n.execution.envelope(ctx)
	switch {
	case err != nil:
		n.refuse(x, &n.policy.ParseFailed, 0, 0)
	case batch:
		n.takeBatch(ctx, x)
	default:
		n.takeSingle(ctx, x)
	}
}

func shapeOf(batch bool, err error) shape {
	switch {
	case err != nil:
		return unparsed
	case batch:
		return batched
	}
	return single
}

// finish executes what take admitted and leaves the answer in x.
func (n *Node) finish(ctx context.Context, x *exchange) {
	switch {
	case x.answered:
	case x.shape == batched:
		n.finishBatch(ctx, x)
	default:
		n.finishSingle(ctx, x)
	}
	if n.misbehave != nil {
		n.misbehave.spoil(ctx, x)
	}
}

// mediaType is the answer's content type.
func (x *exchange) mediaType() string {
	if x.media != "" {
		return x.media
	}
	return "application/json"
}

// refuse answers the body as a whole.
func (n *Node) refuse(x *exchange, r *Refusal, limit, size int) {
	x.answered, x.status = true, r.Status
	x.out, x.media = r.append(x.out[:0], limit, size, n.firstCall(r, x.entries)), r.media()
}

func (x *exchange) reply(status int, e *jsonrpc.Error, id []byte) {
	x.answered = true
	x.status = status
	x.out = jsonrpc.AppendError(x.out[:0], e, id)
}

// read judges one member's envelope.
func (n *Node) read(x *exchange, e *entry) {
	c := &e.call
	c.Batch = x.shape == batched
	c.Conn, c.Session = x.conn.state, x.session
	e.verdict, e.answer = n.policy.judge(&c.Request, c.Batch)
	if e.verdict == malformed {
		n.spoilt(e)
		return
	}
	e.id = c.ID
	c.Notification = n.policy.notifies(&c.Request)
	switch {
	case c.Notification:
		e.outcome = outcomeNotification
	case e.answer != nil:
		e.outcome = n.failure(e.answer, e.answer == &n.policy.NotInBatch)
	}
}

// enter lets the dialect look at an entry whose envelope is valid. last is the
// one before it, or nil: mostly they are of one method.
func (n *Node) enter(ctx context.Context, e, last *entry) {
	e.call.Turn = n.execution.turn()
	e.answer = n.admitted(ctx, &e.call)
	if last != nil && last.method != nil && last.method.label == e.call.Label {
		e.method = last.method
	} else {
		e.method = n.metrics.methods.of(e.call.Label)
	}
	if e.answer == nil {
		return
	}
	e.method.refused(e.answer)
	e.verdict = refusedUnless(e.call.Notification)
	if !e.call.Notification {
		e.outcome = n.failure(e.answer, false)
	}
}

func (n *Node) failure(err *jsonrpc.Error, notInBatch bool) outcome {
	if notInBatch || err.Code == n.policy.UnknownMethod {
		return outcomeMethodNotFound
	}
	return outcomeError
}

// admitted is Dialect.Admit. A panic in it is that call's error and no more.
func (n *Node) admitted(ctx context.Context, c *Call) (err *jsonrpc.Error) {
	defer func() {
		if v := recover(); v != nil {
			err = n.panicked(c, v)
		}
	}()
	return n.dialect.Admit(ctx, c)
}

// call is Dialect.Run. A panic in it is that call's error and no more; what it
// had appended is dropped.
func (n *Node) call(ctx context.Context, c *Call, dst []byte) (out []byte, err *jsonrpc.Error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = dst, n.panicked(c, v)
		}
	}()
	out, err = n.dialect.Run(ctx, c, dst)
	if err != nil {
		return dst, err
	}
	return out, nil
}

func (n *Node) panicked(c *Call, v any) *jsonrpc.Error {
	n.log.Error("a method panicked", "method", c.Label, "panic", v, "stack", string(debug.Stack()))
	return &jsonrpc.Error{Code: jsonrpc.InternalError, Message: "Internal error"}
}

// room adds an entry and gives the space of its request. The space doubles: of
// what append would leave behind as it grows there may be several times as much.
func (x *exchange) room() *jsonrpc.Request {
	at := len(x.entries)
	if at == cap(x.entries) {
		x.entries = slices.Grow(x.entries, max(at, 1))
	}
	x.entries = x.entries[:at+1]
	return &x.entries[at].call.Request
}

// dropEntries leaves none, and of their space nothing but the scratch: dialects'
// state must not be held.
func (x *exchange) dropEntries() {
	for i := range x.entries {
		e := &x.entries[i]
		scratch := e.call.Scratch
		*e = entry{}
		e.call.Scratch = scratch
	}
	x.entries = x.entries[:0]
}
