package transport

import (
	"context"
	"fmt"
	"time"
)

// Endpoint opens connections to one node. It is safe for concurrent use.
type Endpoint interface {
	// Open gives a connection. It may connect lazily, in the first Do.
	Open() (Conn, error)
	// Close ends what the endpoint holds (a command that it started).
	Close() error
}

// Conn carries one exchange at a time; it is not safe for concurrent use.
type Conn interface {
	// Do sends one body and waits for its answer until the deadline or the end
	// of ctx. It reconnects when the connection is gone. An error is always an
	// *Error. Reply.Body is valid until the next Do.
	Do(ctx context.Context, req Request, deadline time.Time) (Reply, error)
	Close() error
}

// Starter is a Conn that can carry an exchange without a goroutine of its own. Its
// methods are for one goroutine at a time, Do included, and Close is not for use
// within done.
type Starter interface {
	Conn
	// Ready tells whether there is a connection with nothing under way on it.
	Ready() bool
	// Connect connects, where there is no connection. An error is always an *Error.
	Connect(ctx context.Context, deadline time.Time) error
	// Start sends req, as far as the connection takes it at once, and returns true;
	// the rest follows, and done gets the answer, or the *Error that Do would have
	// returned, exactly once. done runs on a goroutine of the transport's that serves
	// other connections too: it must not block, and may start the next exchange.
	// Start returns false, and nothing was sent, where there is no connection, or
	// no longer. req.Body must stay as it is until done; Reply.Body is valid until
	// the next exchange.
	Start(ctx context.Context, req Request, deadline time.Time, done func(Reply, error)) bool
}

// Request is one body to send.
type Request struct {
	Path string // HTTP: path below the endpoint's URL, "" for the URL itself
	Body []byte
	// Field is a header field of this request's own, as FieldOf gives it; "" for none.
	// Only HTTP has any.
	Field string
	// FirstID and LastID bound the ids within the body; a transport that
	// shares one stream routes answers by them. NoReply says that no answer
	// is due on such a stream (only notifications).
	FirstID, LastID uint64
	NoReply         bool
	// Idless says that no id of the body can come back in its answer, so that
	// nothing but its being the only one tells that answer: a shared stream
	// carries one such body at a time, and the next one waits.
	Idless bool
}

// Reply is one answer.
type Reply struct {
	Status      int    // HTTP status; 200 over a stream, 204 where nothing was due
	ContentType string // "" where the transport has none
	Encoding    string // the content encoding, which nobody asked for and nobody undoes; "" for none
	Location    string // HTTP: where a redirect (3xx) points, which nobody follows
	Body        []byte
	Chunked     bool          // HTTP/1.1: the body came in chunks
	UntilClosed bool          // HTTP/1.1: the body had no length, and ended with the connection
	Uninvited   bool          // HTTP/1.1: the body followed without the 100 that was asked for, when the wait for it was over
	Connected   bool          // a connection was opened for this exchange
	Connecting  time.Duration // how long that took, from the look-up of the host to the end of the TLS handshake
}

// Failure is why an exchange has no answer.
type Failure uint8

// The kinds of failure, a closed list.
const (
	Timeout   Failure = iota // the deadline passed
	Refused                  // no connection: refused, unreachable, name not found
	Reset                    // the connection broke before the answer was whole
	Malformed                // an answer that is no HTTP, or is too large
	Forbidden                // the address may not be aimed at (see Guard)
	Cancelled                // ctx ended
	Exhausted                // this machine has no socket, port or buffer left: not the node's fault
)

// Error is an exchange without an answer.
type Error struct {
	Failure Failure
	// Sent tells whether any byte of the request may have reached the node,
	// so that it may have run.
	Sent bool
	Err  error
}

func (e *Error) Error() string { return fmt.Sprint(e.Err) }
func (e *Error) Unwrap() error { return e.Err }
