// Package near is NEAR's dialect of the reference node: a small ledger on a
// chain that grows by one block per block time, query with its documented
// errors, and the singleton methods block, status and health. Batches follow
// NEAR's query batching page: only query runs in one, and what is wrong with an
// entry is told in its place.
//
// The ledger holds near, test.near and user0.near, user1.near, ... without
// contracts. Its state is a function of a seed, the account and the height of a
// block, so two nodes with one seed answer alike at one height, and reads of
// different heights differ.
//
// The config file is nearcore's own config.json with its own names; what
// nearcore has no word for stands in a "volley" object (see [Config]).
package near
