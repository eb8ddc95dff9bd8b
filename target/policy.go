package target

import "volley/internal/jsonrpc"

// Policy is the batch engine's rules as data: what the documentation of a
// protocol, or of a node, says about batches. The engine reads nothing else.
type Policy struct {
	Base        string // path of the endpoint: "/" or "/rcp"
	PathMethods bool   // a singleton may be posted to Base/<method>; path and body must agree

	// BodyLimit bounds the bytes of an HTTP body, over which the answer is 413
	// before anything is parsed, and of a line; 0: no limit. An HTTP body that is
	// not declared as JSON is refused with 415 before its size is looked at.
	BodyLimit int64

	Enabled  bool    // false: Disabled answers every valid, nonempty array
	Disabled Refusal // checked after Empty and before TooMany

	ParseFailed Refusal // malformed JSON or trailing data
	Empty       Refusal // []

	EntryLimit int // members of a batch, of whatever kind; 0: no limit
	TooMany    Refusal

	ResponseLimit int // bytes of the serialized array; 0: no limit
	TooLarge      Refusal

	Concurrency         int           // members of one batch outstanding at once; at least 1
	OnlyNotifications   int           // HTTP status, without a body, when there is nothing to answer
	Invalid             jsonrpc.Error // the entry for a malformed member, with id null
	NullIDInvalid       bool          // "id": null is malformed (else: echoed)
	VersionOptional     bool          // "jsonrpc" may be missing (when present it must be "2.0")
	UnknownMembersValid bool          // a request may carry members that the protocol does not know

	// PrimitiveParams is the answer to params that are neither object nor array
	// nor null: an entry with the id echoed; nil makes the member malformed
	// (Invalid, id null, also for a notification).
	PrimitiveParams *jsonrpc.Error
	// ArrayParams, when set, refuses positional params the same way.
	ArrayParams *jsonrpc.Error

	// ReservedPrefix, when not "", names methods that are notifications by
	// nature ("notifications/"): one with an id is malformed (Invalid, id null).
	ReservedPrefix string

	// SingleNotification takes a bare request without an id as a notification:
	// it runs and is answered with OnlyNotifications and no body. False: it is
	// no valid singleton and Dialect.Malformed answers it.
	SingleNotification bool

	// UnknownMethod is the code by which a dialect's own errors say that there
	// is no such method, for the entry outcome method_not_found; 0 means -32601.
	UnknownMethod jsonrpc.Code

	// CancelOnDisconnect ends the context of Dialect.Run when the client is
	// gone. False: what is queued runs to its end, whoever still listens.
	CancelOnDisconnect bool

	// BatchMethods, when not nil, are the only methods that run inside a batch;
	// any other with an id is answered with NotInBatch, without one ignored.
	BatchMethods map[string]bool
	NotInBatch   jsonrpc.Error

	MetricsPrefix string // "near_rpc_" or "volley_rpc_"
}

// Refusal is a batch answered as a whole by one object with id null.
type Refusal struct {
	Status int
	Error  jsonrpc.Error
	Data   DataForm
}

// DataForm says how a refusal's data member tells the limit.
type DataForm uint8

// Forms of a refusal's data member.
const (
	NoData    DataForm = iota
	LimitText          // "Exceeded max limit of N", as jsonrpsee words it
	LimitSize          // {"limit": N, "size": M}
)
