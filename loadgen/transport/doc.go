// Package transport carries opaque bytes to an endpoint and back: HTTP/1.1 with
// keep-alive by a client of our own, and a command's standard streams. It knows
// nothing of JSON-RPC; what went wrong comes back as an Error with a closed list
// of kinds, so that a remote failure is data.
package transport
