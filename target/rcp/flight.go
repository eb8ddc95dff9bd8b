package rcp

import (
	"context"
	"errors"
	"sync"

	"volley/internal/jsonrpc"
)

// errCancelled is the cause of a context that a notifications/cancel ended.
var errCancelled = errors.New("cancelled by the client")

// flight is one request that can be cancelled: in flight from its admission to
// the end of its run.
type flight struct {
	key     string // see idKey
	session string // the RCP-Session header, or ""

	mu        sync.Mutex
	cancelled bool
	stop      context.CancelCauseFunc // nil until it runs
}

// start gives the context that the request runs under; stop must be called at
// its end.
func (f *flight) start(ctx context.Context) (_ context.Context, stop context.CancelCauseFunc) {
	ctx, stop = context.WithCancelCause(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop = stop
	if f.cancelled {
		stop(errCancelled)
	}
	return ctx, stop
}

func (f *flight) cancel() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = true
	if f.stop != nil {
		f.stop(errCancelled)
	}
}

// flights are requests in flight within one scope, by key. Duplicate ids share
// a key: a cancel reaches all of them, and each is answered once.
type flights struct {
	mu    sync.Mutex
	byKey map[string][]*flight
}

func (t *flights) add(key string, f *flight) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byKey == nil {
		t.byKey = make(map[string][]*flight)
	}
	t.byKey[key] = append(t.byKey[key], f)
}

func (t *flights) remove(key string, f *flight) {
	t.mu.Lock()
	defer t.mu.Unlock()
	same := t.byKey[key]
	for i := range same {
		if same[i] == f {
			same[i] = same[len(same)-1]
			same = same[:len(same)-1]
			break
		}
	}
	if len(same) == 0 {
		delete(t.byKey, key)
		return
	}
	t.byKey[key] = same
}

func (t *flights) cancel(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.byKey[key] {
		f.cancel()
	}
}

// board registers the request of c wherever a cancel may look for it.
func (d *Dialect) board(k *conn, id []byte, session string) *flight {
	f := &flight{key: idKey(id), session: session}
	k.flights.add(f.key, f)
	if session != "" {
		d.bySession.add(sessionKey(session, f.key), f)
	}
	return f
}

// land takes a request that has run off the tables.
func (d *Dialect) land(k *conn, f *flight) {
	k.flights.remove(f.key, f)
	if f.session != "" {
		d.bySession.remove(sessionKey(f.session, f.key), f)
	}
}

// cancelRequest is notifications/cancel (section 7.14): an id that is not in
// flight, and params that name none, are passed over.
func (d *Dialect) cancelRequest(k *conn, params []byte, session string) {
	id := jsonrpc.Member(params, "id")
	if !isString(id) && !isNumber(id) {
		return
	}
	key := idKey(id)
	k.flights.cancel(key)
	if session != "" {
		d.bySession.cancel(sessionKey(session, key))
	}
}

// sessionKey is unambiguous: a header's value holds no NUL.
func sessionKey(session, key string) string { return session + "\x00" + key }

// stopped says why a request's context ended.
func stopped(ctx context.Context) *jsonrpc.Error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return &jsonrpc.Error{Code: timeout, Message: "the deadline has passed"}
	}
	return &jsonrpc.Error{Code: cancelled, Message: "cancelled"}
}
