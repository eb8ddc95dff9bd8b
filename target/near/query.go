package near

import (
	"fmt"
	"strconv"

	"volley/internal/jsonrpc"
)

// query answers a query: it appends the result to dst, or gives the error and
// dst as it came. Members of a result stand in alphabetical order, as nearcore
// sends them.
func (d *Dialect) query(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	b, stands := d.chain.resolve(&r.ref, d.chain.head())
	switch stands {
	case unknown:
		return dst, unknownQueryBlock(&r.ref)
	case collected:
		return dst, handlerFailure("GARBAGE_COLLECTED_BLOCK", blockInfo(b, "", ""), fmt.Sprintf(
			"The data for block #%d is garbage collected on this node, use an archival node to fetch historical data", b.height))
	}
	if !validAccountID(r.accountID) {
		id := string(r.accountID)
		return dst, handlerFailure("INVALID_ACCOUNT", blockInfo(b, "requested_account_id", id), "Account ID "+id+" is invalid")
	}
	a, exists := d.ledger.find(r.accountID)
	switch r.op {
	// nearcore looks keys up by account without looking at the account.
	case opViewAccessKey:
		if !exists || d.ledger.key(a.index) != r.publicKey {
			return appendFailedResult(dst, b, "access key "+r.publicKey+" does not exist while viewing"), nil
		}
		return appendAccessKey(dst, a, b), nil
	case opViewAccessKeyList:
		return d.appendAccessKeys(dst, a, exists, b), nil
	}
	if !exists {
		id := string(r.accountID)
		return dst, handlerFailure("UNKNOWN_ACCOUNT", blockInfo(b, "requested_account_id", id),
			"account "+id+" does not exist while viewing")
	}
	switch r.op {
	case opViewCode:
		id := string(r.accountID)
		return dst, handlerFailure("NO_CONTRACT_CODE", blockInfo(b, "contract_account_id", id),
			"Contract code for contract ID #"+id+" has never been observed on the node")
	case opViewState, opViewStateWithProof:
		return appendState(dst, b), nil
	case opCallFunction:
		return appendFailedResult(dst, b, fmt.Sprintf(
			`wasm execution failed with error: CompilationError(CodeDoesNotExist { account_id: AccountId("%s") })`, r.accountID)), nil
	default:
		return d.appendAccount(dst, a, b), nil
	}
}

// unknownQueryBlock is the error of a query for a block that never was; it
// repeats the reference as it was given.
func unknownQueryBlock(ref *blockRef) *jsonrpc.Error {
	info := []byte(`{"block_reference":{"block_id":`)
	if ref.kind == byHeight {
		info = strconv.AppendUint(info, ref.height, 10)
	} else {
		info = append(appendBase58(append(info, '"'), ref.hash[:]), '"')
	}
	return handlerFailure(unknownBlock, append(info, `}}`...), notFound(ref))
}

// notFound is what nearcore's store says of a block that it does not have.
func notFound(ref *blockRef) string {
	if ref.kind == byHeight {
		return fmt.Sprintf("DB Not Found Error: BLOCK HEIGHT: %d \n Cause: Unknown", ref.height)
	}
	return string(appendBase58([]byte("DB Not Found Error: BLOCK HEADER: "), ref.hash[:]))
}

func (d *Dialect) appendAccount(dst []byte, a account, b *block) []byte {
	dst = append(dst, `{"amount":"`...)
	dst = a.amount(b.height).appendTo(dst)
	dst = append(dst, `",`...)
	dst = appendBlock(dst, b)
	dst = append(dst, `,"code_hash":"`+zeroHash+`","locked":"`...)
	dst = a.locked(d.chain.epoch(b.height)).appendTo(dst)
	dst = append(dst, `","storage_paid_at":0,"storage_usage":`...)
	dst = strconv.AppendUint(dst, storageUsage, 10)
	return append(dst, '}')
}

// appendState appends an account's state: none, since none has a contract. An
// empty proof is left out, as nearcore does; that of an absence is not made.
func appendState(dst []byte, b *block) []byte {
	dst = appendBlock(append(dst, '{'), b)
	return append(dst, `,"values":[]}`...)
}

func appendAccessKey(dst []byte, a account, b *block) []byte {
	dst = appendBlock(append(dst, '{'), b)
	dst = append(dst, `,"nonce":`...)
	dst = strconv.AppendUint(dst, a.nonce(b.height), 10)
	return append(dst, `,"permission":"FullAccess"}`...)
}

func (d *Dialect) appendAccessKeys(dst []byte, a account, exists bool, b *block) []byte {
	dst = appendBlock(append(dst, '{'), b)
	dst = append(dst, `,"keys":[`...)
	if exists {
		dst = append(dst, `{"access_key":{"nonce":`...)
		dst = strconv.AppendUint(dst, a.nonce(b.height), 10)
		dst = append(dst, `,"permission":"FullAccess"},"public_key":"`...)
		dst = append(dst, d.ledger.key(a.index)...)
		dst = append(dst, `"}`...)
	}
	return append(dst, `]}`...)
}

// appendFailedResult appends a failure that a query tells within its result,
// not as an error: an unknown access key, and a contract that failed.
func appendFailedResult(dst []byte, b *block, text string) []byte {
	dst = appendBlock(append(dst, '{'), b)
	dst = append(dst, `,"error":`...)
	dst = jsonrpc.AppendString(dst, text)
	return append(dst, `,"logs":[]}`...)
}
