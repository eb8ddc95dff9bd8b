// Package transport carries opaque bytes to an endpoint and back: HTTP/1.1 with
// keep-alive by a client of our own, HTTP/2 by net/http, WebSockets, and a command's
// standard streams. All but the last go over TCP or a Unix socket, with TLS or without,
// by one dialer, which puts every address before a guard. It knows nothing of JSON-RPC;
// what went wrong comes back as an Error with a closed list of kinds, the same for
// every transport, so that a remote failure is data.
//
// HTTP/1.1 and HTTP/2 carry one exchange at a time over a Conn of their own or a stream.
// A WebSocket and a command are one stream each that all Conns share: there, answers
// come in any order, and find their calls by the ids in them.
package transport
