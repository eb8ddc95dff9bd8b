package transport

import (
	"context"
	"net"
	"sync"
	"time"
)

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// cutoff ends the reads and writes of a connection when a context ends. The
// watch on one context is kept from exchange to exchange: the calls of a run
// share theirs, and so pay for it once.
type cutoff struct {
	done   <-chan struct{} // of the context that is watched
	unhook func() bool

	mu    sync.Mutex // protects the fields below
	conn  net.Conn
	watch int // counts the watches, so that a late one does not cut off its successor's exchange
}

// of makes the watch act on conn; nil for none.
func (w *cutoff) of(conn net.Conn) {
	w.mu.Lock()
	w.conn = conn
	w.mu.Unlock()
}

// follow watches ctx from now on. Set the exchange's own deadline after it, and
// look at ctx.Err after that.
func (w *cutoff) follow(ctx context.Context) {
	if ctx.Done() == w.done {
		return
	}
	mine := w.leave()
	if w.done = ctx.Done(); w.done == nil {
		return
	}
	w.unhook = context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.conn != nil && w.watch == mine {
			w.conn.SetDeadline(longAgo)
		}
	})
}

// leave ends the watch and gives the number of the next.
func (w *cutoff) leave() int {
	if w.unhook != nil {
		w.unhook()
		w.unhook = nil
	}
	w.done = nil
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch++
	return w.watch
}
