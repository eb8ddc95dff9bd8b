// Package near is NEAR's dialect of the reference node: a small ledger on a
// chain that grows a block a second, query with its documented errors, and the
// singleton methods. Batches follow NEAR's query batching page.
package near
