package target

import (
	"context"
	"net/http"

	"volley/internal/jsonrpc"
)

// Transport says how a connection reached the node.
type Transport uint8

// The node's two fronts.
const (
	HTTP Transport = iota
	Stdio
)

// Dialect is one protocol's methods behind the batch engine. The engine owns
// the envelope (Policy), the dialect what a valid request does. All methods
// are safe for concurrent use, except that Admit is called for the members of
// one batch one after another, in request order, before any of them runs.
type Dialect interface {
	// Policy is read once, when the node is built.
	Policy() Policy

	// Connect gives the state that lives as long as one connection (one HTTP
	// connection, one stdio stream); it comes back in Call.Conn. nil is fine.
	Connect(t Transport) any

	// Admit looks at a request whose envelope is valid and decides, in request
	// order, what depends on order: gating, sessions, registration for
	// cancellation. It sets Call.Label. A returned error answers the call
	// without running it. For a notification the error is dropped.
	Admit(ctx context.Context, c *Call) *jsonrpc.Error

	// Run executes an admitted call and appends its result, as JSON, to dst.
	// It is called for notifications too (Call.Notification); their result is
	// dropped. It takes execution slots itself (see Pool). Run must return
	// dst unchanged in content when it returns an error.
	Run(ctx context.Context, c *Call, dst []byte) ([]byte, *jsonrpc.Error)

	// Status gives the HTTP status of a singleton's answer; err is nil for
	// a result. Entries of a batch never ask: a batch is always 200.
	Status(c *Call, err *jsonrpc.Error) int

	// Malformed answers a singleton that is no valid request: the error and
	// the HTTP status; the engine sends it with id null unless echo is true
	// and the request carried a usable id.
	Malformed(r *jsonrpc.Request) (e *jsonrpc.Error, status int, echo bool)

	// Pages are the dialect's GET pages by path (/status, /health, ...), besides
	// /metrics, which the node serves itself.
	Pages() map[string]http.HandlerFunc
}

// Call is one request on its way through a dialect. It and all that it points to
// are the dialect's until Run returns, or Admit with an error, and not after:
// the node uses their space again. An admitted call is always run.
//
// Scratch lets a dialect use its space again as the node does. What it holds of a
// call's bytes is never older than the space of those bytes.
type Call struct {
	jsonrpc.Request
	Batch        bool   // a member of an array, be it of one
	Notification bool   // no id: executed or ignored, never answered
	Conn         any    // what Dialect.Connect gave for this connection
	Instant      bool   // set by Admit: Run does nothing but its work, of some microseconds, and waits for a slot of a Pool at most
	Label        string // per-method metrics label, a closed set; set by Admit
	State        any    // the dialect's own, carried from Admit to Run
	Scratch      any    // the dialect's own, which stays with the call's space: what another call left there, or nil
	Turn         uint64 // of valid entries, in the order in which they came: the one that it is; for Execution.Enter
	Session      string // the RCP-Session header, or ""
	Close        bool   // set by Admit: the stream takes no line after this one, and ends when all are answered; set by Run: it ends once this answer is out
}
