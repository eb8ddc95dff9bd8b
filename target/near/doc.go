// Package near is NEAR's dialect of the reference node: a ledger on a chain
// that grows by one block per block time, every request type of query, contracts
// that really run, and the methods that tell of the chain, with nearcore's
// results, errors and HTTP statuses. Batches follow NEAR's query batching page:
// only query runs in one, and what is wrong with an entry is told in its place.
//
// # The ledger
//
//	near, test.near             the root and the one validator
//	token.near                  a fungible token that every account holds
//	wrap.near                   one that few hold: its state is small enough for view_state
//	burner.near                 a contract whose cost is an argument
//	global.near                 has published the fungible token's code as a global contract
//	shared.near, linked.near    tokens by that code, by its hash and by the account
//	user0.near, user1.near, ... as many as the config says
//
// Each has a full-access key. Of ten users (by the last digit of their number)
// 1 and 2 have a function-call key as well, with and without an allowance, 6 and
// 7 a gas key, for all and for function calls.
//
// All state is a function of a seed, the account and the height of a block, so
// two nodes with one seed answer alike at one height, reads of different heights
// differ, and ten million accounts take no memory. What a contract's methods
// read is what view_state shows. There is no trie: roots are made up, and
// include_proof gets no proof, as nearcore leaves out one that is empty.
//
// # Methods
//
// query; EXPERIMENTAL_view_account, view_code, view_state, view_access_key,
// view_access_key_list, view_gas_key_nonces and call_function, which tell by
// errors what query tells within its result; block, chunk, gas_price,
// validators, EXPERIMENTAL_protocol_config; status, health, network_info,
// genesis_config and client_config, of which the configs tell what this node
// goes by and no more; tx, EXPERIMENTAL_tx_status, send_tx, broadcast_tx_async
// and broadcast_tx_commit. Other methods of nearcore are answered as unknown
// ones.
//
// No transaction is ever executed. Signed transactions are decoded and checked
// against the ledger as nearcore checks them, but for balances: an invalid one is
// told so, a valid one is waited for until the polling timeout, then it is
// TIMEOUT_ERROR. What nearcore answers before it has looked at a transaction
// (broadcast_tx_async, send_tx that waits for NONE) is answered so here, and tx
// never knows it.
//
// The config file is nearcore's own config.json with its own names; what
// nearcore has no word for stands in a "volley" object (see [Config]).
package near
