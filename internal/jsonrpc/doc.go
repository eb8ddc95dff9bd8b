// Package jsonrpc is the wire that both sides of volley speak: JSON-RPC 2.0
// requests, responses, errors and batches as bytes, without I/O.
//
// It splits a body into entries without decoding what need not be decoded,
// keeps ids as the exact bytes that were sent (2^53+1, 1.50 and escapes come
// back unchanged), and scans a reply for each entry's id and outcome without
// building a tree. It accepts no text that encoding/json refuses; it refuses
// some that encoding/json takes: invalid UTF-8 (RFC 8259 section 8.1).
//
// All functions are pure and safe for concurrent use on distinct arguments;
// returned slices alias the input.
package jsonrpc
