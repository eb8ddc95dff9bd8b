package transport

// largeReply is above which size the memory of a reply is not kept for the next
// one: hundreds of connections may each have had a large one.
const largeReply = 1 << 20

// Releaser is a Conn that can give back the memory of its last reply before its
// next exchange, which may be long in coming.
type Releaser interface {
	Conn
	// Release ends the validity of the last Reply.Body, and gives its memory back
	// if it is over a mebibyte. It is for whom Do is for, between exchanges.
	Release()
}

// Release ends the validity of reply's body, the last that c gave, if that is large.
// Call it when the body was looked at and c is not used at once again.
func Release(c Conn, reply *Reply) {
	if len(reply.Body) <= largeReply {
		return
	}
	if r, ok := c.(Releaser); ok {
		r.Release()
	}
	reply.Body = nil
}

// Release gives back the memory of a large answer.
func (w *waiter) Release() {
	if cap(w.answer) > largeReply {
		w.answer = nil
	}
}
