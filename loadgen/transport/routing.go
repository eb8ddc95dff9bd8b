package transport

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// routing hands the answers on one stream, which come in any order, to the calls
// that wait for them. It is safe for concurrent use.
type routing struct {
	// route tells which call a message answers: any id between FirstID and LastID of
	// its Request. A message with an id that no call waits for is thrown away, so
	// that an answer after its deadline is not taken for another's. Where ok is
	// false it goes to the call that can have no other, else to the one that has
	// waited longest: the error that answers a whole batch has no id.
	route func(message []byte) (id uint64, ok bool)
	// idless is held by the one call under way whose answer carries no id.
	idless chan struct{}

	mu      sync.Mutex
	waiting []*waiter // in the order of their messages; protected by mu
	ended   error     // why no answer will come any more; protected by mu
}

// waiter is one call's side of a routing, used again for its next call.
type waiter struct {
	timer *time.Timer

	first, last uint64 // read by the routing while this waits; idless too
	idless      bool

	// Written by the routing once it has taken this out of the waiting ones,
	// before it sends to answered.
	answer   []byte
	err      error
	answered chan struct{}
}

func newRouting(route func([]byte) (uint64, bool)) *routing {
	return &routing{route: route, idless: make(chan struct{}, 1)}
}

func newWaiter() waiter { return waiter{answered: make(chan struct{}, 1)} }

func (w *waiter) settle(message []byte, err error) {
	if cap(w.answer) > largeReply {
		w.answer = nil
	}
	w.answer = append(w.answer[:0], message...)
	w.err = err
	w.answered <- struct{}{}
}

// deliver gives message, or an error in place of one, to the call that waits for it.
func (r *routing) deliver(message []byte, err error) {
	id, ok := uint64(0), false
	if err == nil {
		id, ok = r.route(message)
	}
	r.mu.Lock()
	var to *waiter
	if i := r.addressee(id, ok); i >= 0 {
		to = r.waiting[i]
		r.waiting = append(r.waiting[:i], r.waiting[i+1:]...)
	}
	r.mu.Unlock()
	if to != nil {
		to.settle(message, err)
	}
}

// addressee gives the index of the call that is waiting for an answer with this
// id; -1 for none. The caller holds mu.
func (r *routing) addressee(id uint64, ok bool) int {
	if ok {
		return slices.IndexFunc(r.waiting, func(w *waiter) bool { return w.first <= id && id <= w.last })
	}
	if i := slices.IndexFunc(r.waiting, func(w *waiter) bool { return w.idless }); i >= 0 {
		return i
	}
	return min(len(r.waiting), 1) - 1
}

// begin says that answers may come from now on.
func (r *routing) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = nil
}

// end says why no answer will come any more, to the calls that wait and to those
// that will want to.
func (r *routing) end(why error) {
	r.mu.Lock()
	r.ended = why
	waiting := r.waiting
	r.waiting = nil
	r.mu.Unlock()
	for _, w := range waiting {
		w.settle(nil, why)
	}
}

// over tells why no answer will come any more; nil while one may.
func (r *routing) over() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// await puts w among those that wait for an answer to req. That is done before req
// is sent: the answer may come before the write returns.
func (r *routing) await(w *waiter, req *Request) error {
	w.first, w.last, w.idless = req.FirstID, req.LastID, req.Idless
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended == nil {
		r.waiting = append(r.waiting, w)
	}
	return r.ended
}

// giveUp takes w out again; false: an answer is on its way to it.
func (r *routing) giveUp(w *waiter) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.waiting {
		if r.waiting[i] == w {
			r.waiting = append(r.waiting[:i], r.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// wait waits for the answer to a message that was sent. An *Error says that none
// came in time; what else went wrong is in w.err.
func (r *routing) wait(ctx context.Context, w *waiter, expired <-chan time.Time) error {
	var gone error
	select {
	case <-w.answered:
	case <-expired:
		gone = &Error{Failure: Timeout, Sent: true, Err: errors.New("no answer in time")}
	case <-ctx.Done():
		gone = &Error{Failure: Cancelled, Sent: true, Err: ctx.Err()}
	}
	if gone != nil {
		if r.giveUp(w) {
			return gone
		}
		<-w.answered
	}
	return nil
}

// arm gives a channel that tells of the deadline; nil for no deadline.
func (w *waiter) arm(deadline time.Time) <-chan time.Time {
	if deadline.IsZero() {
		return nil
	}
	if w.timer == nil {
		w.timer = time.NewTimer(time.Until(deadline))
	} else {
		w.timer.Reset(time.Until(deadline))
	}
	return w.timer.C
}

func (w *waiter) disarm() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// take takes what a channel of one stands for, or says why it could not in time.
func take(ctx context.Context, one chan struct{}, expired <-chan time.Time, late string) error {
	select {
	case one <- struct{}{}:
		return nil
	case <-expired:
		return &Error{Failure: Timeout, Err: errors.New(late)}
	case <-ctx.Done():
		return &Error{Failure: Cancelled, Err: ctx.Err()}
	}
}

// untold says that the body before this one, whose answer carries no id either, is
// still without it.
const untold = "another body whose answer has no id was not answered in time"
