// Package rcp is the dialect of RCP, the Retrieval Context Protocol: lifecycle,
// capability gating, cancellation, and the embed family and rerank with a plain
// but real computation.
package rcp
