package near

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"

	"volley/internal/jsonrpc"
)

// query answers a query: it appends the result to dst, or gives the error and
// dst as it came. Members of a result stand in alphabetical order, as nearcore
// sends them.
func (d *Dialect) query(ctx context.Context, r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	b, stands := d.chain.resolve(&r.ref, d.chain.headSoon(ctx))
	if stands != present {
		return dst, d.unreadable(r, b, stands)
	}
	if r.op == opViewGlobalCode {
		return d.globalCode(r, b, dst)
	}
	a, exists := d.ledger.find(r.accountID)
	if !exists && !validAccountID(r.accountID) {
		id := string(r.accountID)
		return dst, handlerFailure("INVALID_ACCOUNT", blockInfo(b, "requested_account_id", id), "Account ID "+id+" is invalid")
	}
	if r.op == opViewGlobalCodeByAccount { // every shard has it
		return d.globalCode(r, b, dst)
	}
	if shard := d.shards.of(r.accountID); !d.shards.tracks(shard) {
		return dst, d.unavailableShard(r, shard)
	}
	switch r.op {
	// nearcore looks these up by account without looking at the account.
	case opViewAccessKey:
		return d.viewAccessKey(r, a, exists, b, dst)
	case opViewAccessKeyList:
		return d.viewAccessKeys(a, exists, b, dst), nil
	case opViewGasKeyNonces:
		return d.viewGasKeyNonces(r, a, exists, b, dst)
	}
	if !exists {
		id := string(r.accountID)
		return dst, handlerFailure("UNKNOWN_ACCOUNT", blockInfo(b, "requested_account_id", id),
			"account "+id+" does not exist while viewing")
	}
	switch r.op {
	case opViewCode:
		return d.viewCode(r, a, b, dst)
	case opViewState, opViewStateWithProof:
		return d.viewState(r, a, b, dst)
	case opCallFunction:
		return d.callFunction(ctx, r, a, b, dst)
	default:
		return d.viewAccount(a, b, dst), nil
	}
}

// unreadable is the error of a query for a block that cannot be read. An
// unknown block's repeats the reference as it was given. The structured
// methods know fewer errors than query, as in nearcore.
func (d *Dialect) unreadable(r *request, b *block, stands standing) *jsonrpc.Error {
	switch stands {
	case unsynced:
		const text = "There are no fully synchronized blocks on the node yet"
		if r.structured {
			return internalFailure(text)
		}
		return handlerFailure("NO_SYNCED_BLOCKS", nil, text)
	case collected:
		text := fmt.Sprintf("The data for block #%d is garbage collected on this node, use an archival node to fetch historical data", b.height)
		if r.structured {
			return internalFailure(text)
		}
		return handlerFailure("GARBAGE_COLLECTED_BLOCK", blockInfo(b, "", ""), text)
	}
	info := []byte(`{"block_reference":{"block_id":`)
	if r.ref.kind == byHeight {
		info = strconv.AppendUint(info, r.ref.height, 10)
	} else {
		info = append(appendBase58(append(info, '"'), r.ref.hash[:]), '"')
	}
	return handlerFailure(unknownBlock, append(info, `}}`...), notFound(&r.ref))
}

func (d *Dialect) unavailableShard(r *request, shard uint64) *jsonrpc.Error {
	text := fmt.Sprintf("The node does not track the shard ID %d", shard)
	if r.structured {
		return internalFailure(text)
	}
	return handlerFailure("UNAVAILABLE_SHARD", fmt.Appendf(nil, `{"requested_shard_id":%d}`, shard), text)
}

// notFound is what nearcore's store says of a block that it does not have.
func notFound(ref *blockRef) string {
	if ref.kind == byHeight {
		return fmt.Sprintf("DB Not Found Error: BLOCK HEIGHT: %d \n Cause: Unknown", ref.height)
	}
	return string(appendBase58([]byte("DB Not Found Error: BLOCK HEADER: "), ref.hash[:]))
}

func (d *Dialect) viewAccount(a account, b *block, dst []byte) []byte {
	dst = a.amount(b.height).appendTo(append(dst, `{"amount":"`...))
	if a.index >= namedAccounts {
		dst = append(dst, b.bare...)
	} else {
		dst = d.appendNamed(a, b, dst)
	}
	dst = strconv.AppendUint(dst, d.ledger.storageUsage(a), 10)
	return append(dst, '}')
}

const storageMember = `,"storage_paid_at":0,"storage_usage":`

// appendNamed appends what view_account tells of a named account between amount
// and storage_usage.
func (d *Dialect) appendNamed(a account, b *block, dst []byte) []byte {
	dst = append(append(dst, `",`...), b.read...)
	contract, deployed := a.contract()
	hash := zeroHash
	if contract != noContract && deployed == local {
		hash = d.ledger.codes[contract].hash
	}
	dst = append(append(dst, `,"code_hash":"`...), hash...)
	dst = append(dst, '"')
	switch {
	case contract == noContract || deployed == local:
	case deployed == byCodeHash:
		dst = append(append(dst, `,"global_contract_hash":"`...), d.ledger.codes[contract].hash...)
		dst = append(dst, '"')
	case deployed == byAccount:
		dst = append(dst, `,"global_contract_account_id":"`+globalAccount+`"`...)
	}
	dst = append(dst, `,"locked":"`...)
	if a.index == validatorIndex {
		dst = a.locked(d.chain.epoch(b.height)).appendTo(dst)
	} else {
		dst = append(dst, '0')
	}
	return append(dst, `"`+storageMember...)
}

func (d *Dialect) viewCode(r *request, a account, b *block, dst []byte) ([]byte, *jsonrpc.Error) {
	contract, _ := a.contract()
	if contract == noContract {
		id := string(r.accountID)
		return dst, handlerFailure("NO_CONTRACT_CODE", blockInfo(b, "contract_account_id", id),
			"Contract code for contract ID #"+id+" has never been observed on the node")
	}
	return appendCode(dst, &d.ledger.codes[contract], b), nil
}

// globalCode answers for the ledger's one global contract, the fungible token:
// by its hash, and by the account that published it.
func (d *Dialect) globalCode(r *request, b *block, dst []byte) ([]byte, *jsonrpc.Error) {
	code := &d.ledger.codes[fungible]
	var identifier, text string
	switch {
	case r.op == opViewGlobalCode && r.codeHash != code.raw:
		hash := string(appendBase58(nil, r.codeHash[:]))
		identifier, text = `{"hash":"`+hash+`"}`, "CodeHash("+hash+")"
	case r.op == opViewGlobalCodeByAccount && string(r.accountID) != globalAccount:
		id := string(r.accountID)
		identifier, text = `{"account_id":"`+id+`"}`, `AccountId(AccountId("`+id+`"))`
	default:
		return appendCode(dst, code, b), nil
	}
	info := append(append(append([]byte{'{'}, b.read...), `,"identifier":`...), identifier...)
	return dst, handlerFailure("NO_GLOBAL_CONTRACT_CODE", append(info, '}'),
		"Global contract code with identifier "+text+" has never been observed on the node")
}

func appendCode(dst []byte, c *code, b *block) []byte {
	dst = append(append(append(dst, '{'), b.read...), `,"code_base64":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, c.wasm)
	return append(append(append(dst, `","hash":"`...), c.hash...), `"}`...)
}

// viewState answers with an account's state. nearcore looks at how much the
// account stores before it looks at the prefix. This ledger has no trie, hence
// nothing to prove with: the proof is left out, as nearcore leaves out an empty
// one.
func (d *Dialect) viewState(r *request, a account, b *block, dst []byte) ([]byte, *jsonrpc.Error) {
	if limit := d.config.TrieViewerStateSizeLimit; limit != nil && d.ledger.storageUsage(a)-d.ledger.codeBytes(a) > *limit {
		id := string(r.accountID)
		return dst, handlerFailure("TOO_LARGE_CONTRACT_STATE", blockInfo(b, "contract_account_id", id),
			"State of contract "+id+" is too large to be viewed")
	}
	dst = append(append(append(dst, '{'), b.read...), `,"values":[`...)
	for i, record := range d.ledger.stateOf(a).records(r.prefix, b.height) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = base64.StdEncoding.AppendEncode(append(dst, `{"key":"`...), record.key)
		dst = base64.StdEncoding.AppendEncode(append(dst, `","value":"`...), record.value)
		dst = append(dst, `"}`...)
	}
	return append(dst, `]}`...), nil
}

func (d *Dialect) viewAccessKey(r *request, a account, exists bool, b *block, dst []byte) ([]byte, *jsonrpc.Error) {
	if exists {
		if key := d.ledger.keyring(a.index).named(r.publicKey); key != nil {
			dst = append(append(append(dst, '{'), b.read...), ',')
			return append(a.appendAccessKey(dst, key, b.height), '}'), nil
		}
	}
	if r.structured {
		return dst, handlerFailure("UNKNOWN_ACCESS_KEY", blockInfo(b, "public_key", r.publicKey),
			"Access key for public key "+r.publicKey+" has never been observed on the node")
	}
	return appendFailedResult(dst, b, "access key "+r.publicKey+" does not exist while viewing"), nil
}

func (d *Dialect) viewAccessKeys(a account, exists bool, b *block, dst []byte) []byte {
	dst = append(append(append(dst, '{'), b.read...), `,"keys":[`...)
	if exists {
		ring := d.ledger.keyring(a.index)
		for i := range ring.keys {
			key := &ring.keys[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = a.appendAccessKey(append(dst, `{"access_key":{`...), key, b.height)
			dst = append(append(append(dst, `},"public_key":"`...), key.public...), `"}`...)
		}
	}
	return append(dst, `]}`...)
}

func (d *Dialect) viewGasKeyNonces(r *request, a account, exists bool, b *block, dst []byte) ([]byte, *jsonrpc.Error) {
	if exists {
		if key := d.ledger.keyring(a.index).named(r.publicKey); key != nil && key.permission.gasKey {
			dst = append(append(append(dst, '{'), b.read...), `,"nonces":`...)
			return append(a.appendGasNonces(dst, b.height), '}'), nil
		}
	}
	return dst, handlerFailure("UNKNOWN_GAS_KEY", blockInfo(b, "public_key", r.publicKey),
		"Gas key for public key "+r.publicKey+" does not exist while viewing")
}

// appendFailedResult appends a failure that a query tells within its result,
// not as an error: an unknown access key, and a contract that failed.
func appendFailedResult(dst []byte, b *block, text string) []byte {
	dst = append(append(append(dst, '{'), b.read...), `,"error":`...)
	dst = jsonrpc.AppendString(dst, text)
	return append(dst, `,"logs":[]}`...)
}

func appendStrings(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(dst, text)
	}
	return append(dst, ']')
}
