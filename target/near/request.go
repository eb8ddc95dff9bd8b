package near

import (
	"volley/internal/jsonrpc"
)

// operation is what a request asks for: a query by its request type, or
// another method.
type operation uint8

const (
	opViewAccount operation = iota
	opViewCode
	opViewState
	opViewStateWithProof
	opViewAccessKey
	opViewAccessKeyList
	opViewGasKeyNonces
	opCallFunction
	opViewGlobalCode
	opViewGlobalCodeByAccount

	opBlock
	opChunk
	opGasPrice
	opValidators
	opProtocolConfig
	opTransaction

	opSendTransaction
	opBroadcastAsync
	opBroadcastCommit
	opStatus
	opHealth
	opNetworkInfo
	opGenesisConfig
	opClientConfig
	operations

	queries = opViewGlobalCodeByAccount + 1 // the operations before are queries
	slotted = opTransaction + 1             // the operations before hold an execution slot
)

// queryLabels are the per-method metrics labels of queries, as nearcore's: a
// query counts under its request type, and under labelQuery where its params
// do not decode. Every other method counts under its own name.
var queryLabels = [queries]string{
	opViewAccount:             "query_view_account",
	opViewCode:                "query_view_code",
	opViewState:               "query_view_state",
	opViewStateWithProof:      "query_view_state_with_proof",
	opViewAccessKey:           "query_view_access_key",
	opViewAccessKeyList:       "query_view_access_key_list",
	opViewGasKeyNonces:        "query_view_gas_key_nonces",
	opCallFunction:            "query_call_function",
	opViewGlobalCode:          "query_view_global_contract_code",
	opViewGlobalCodeByAccount: "query_view_global_contract_code_by_account_id",
}

const (
	labelQuery       = "query"
	labelUnsupported = "UNSUPPORTED_METHOD"
)

// request is a call's params, decoded. Slices alias the params, save where
// those hold escapes or codings.
type request struct {
	op  operation
	ref blockRef // of a query, block, chunk, gas_price, validators, EXPERIMENTAL_protocol_config

	// Of queries.
	structured bool   // one of the EXPERIMENTAL_ methods: failures are errors, never results
	accountID  []byte // not yet checked against the account id rules
	publicKey  string // with its curve
	prefix     []byte
	methodName []byte
	args       []byte
	codeHash   [hashSize]byte

	shard   uint64         // of a chunk
	chunk   [hashSize]byte // of a chunk that is asked for by its hash
	byChunk bool           // which is so
	epoch   [hashSize]byte // of validators
	byEpoch bool           // which are asked for by epoch

	tx        *transaction   // of send_tx and its kind, and of tx where it was given whole
	txHash    [hashSize]byte // of tx
	waitUntil waitUntil      // of send_tx and tx
}

// parse decodes a method's params and gives the method's label, which is
// labelUnsupported for a method that is not served. Methods without params
// ignore whatever there is.
func (r *request) parse(method, params []byte, kind jsonrpc.Kind) (label string, err *jsonrpc.Error) {
	switch string(method) {
	case "query":
		if err = r.parseQuery(params, kind); err != nil {
			return labelQuery, err
		}
		return queryLabels[r.op], nil
	case "block":
		return "block", r.parseBlock(params, kind)
	case "chunk":
		return "chunk", r.parseChunk(params, kind)
	case "gas_price":
		return "gas_price", r.parseGasPrice(params, kind)
	case "validators":
		return "validators", r.parseValidators(params, kind)
	case "EXPERIMENTAL_protocol_config":
		return "EXPERIMENTAL_protocol_config", r.parseProtocolConfig(params, kind)
	case "status":
		r.op = opStatus
		return "status", nil
	case "health":
		r.op = opHealth
		return "health", nil
	case "network_info":
		r.op = opNetworkInfo
		return "network_info", nil
	case "genesis_config":
		r.op = opGenesisConfig
		return "genesis_config", nil
	case "EXPERIMENTAL_genesis_config":
		r.op = opGenesisConfig
		return "EXPERIMENTAL_genesis_config", nil
	case "client_config":
		r.op = opClientConfig
		return "client_config", nil
	}
	if label, err, ok := r.parseTransactionMethod(method, params, kind); ok {
		return label, err
	}
	if label, err, ok := r.parseStructured(method, params, kind); ok {
		return label, err
	}
	return labelUnsupported, methodNotFound(method)
}

// parseTransactionMethod is parse for the methods of transactions.
func (r *request) parseTransactionMethod(method, params []byte, kind jsonrpc.Kind) (label string, err *jsonrpc.Error, ok bool) {
	switch string(method) {
	case "tx":
		return "tx", r.parseTx(params, kind), true
	case "EXPERIMENTAL_tx_status":
		return "EXPERIMENTAL_tx_status", r.parseTx(params, kind), true
	case "send_tx":
		return "send_tx", r.parseSend(opSendTransaction, params, kind), true
	case "broadcast_tx_async":
		return "broadcast_tx_async", r.parseSend(opBroadcastAsync, params, kind), true
	case "broadcast_tx_commit":
		return "broadcast_tx_commit", r.parseSend(opBroadcastCommit, params, kind), true
	}
	return "", nil, false
}
