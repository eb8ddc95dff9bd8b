package jsonrpc

// Kind is the kind of a JSON value, told by its first byte.
type Kind uint8

// The kinds of a JSON value. Absent is no value at all, as of a member that an
// object does not have; it is the zero Kind.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Code is a JSON-RPC error code (JSON-RPC 2.0 section 5.1 and the
// implementation-defined range below it).
type Code int64

// Codes of JSON-RPC 2.0 section 5.1.
const (
	ParseError     Code = -32700
	InvalidRequest Code = -32600
	MethodNotFound Code = -32601
	InvalidParams  Code = -32602
	InternalError  Code = -32603
)

// Error is an error object as it stands on the wire. Name and Cause are
// NEAR's additions (members of the error object before code); Cause and Data
// are raw JSON, nil when absent.
type Error struct {
	Name    string
	Cause   []byte
	Code    Code
	Message string
	Data    []byte
}

// Request is one member of a batch, or a singleton, taken apart but not
// decoded. Every slice aliases the text it was read from, but for Method when it
// held escapes; Version and Method may be those of another member of the batch
// that was written alike.
type Request struct {
	Version     []byte // raw token of "jsonrpc"; nil when absent
	ID          []byte // raw token of "id"; nil when absent
	IDKind      Kind
	Method      []byte // decoded text of "method"
	MethodKind  Kind   // anything but String is no request
	Params      []byte // raw value of "params"; nil when absent
	ParamsKind  Kind
	HasResult   bool // carries "result" or "error": a response, not a request
	Unknown     bool // carries a member beyond jsonrpc, id, method and params (and result, error)
	Duplicate   bool // carries one of those names twice
	NotAnObject bool // nothing else is set
}
