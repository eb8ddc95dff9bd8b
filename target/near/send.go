package near

import (
	"context"
	"fmt"
	"slices"

	"volley/internal/jsonrpc"
	"volley/target"
)

// send answers send_tx, broadcast_tx_async and broadcast_tx_commit. Nothing is
// ever executed here: what does not wait is answered as nearcore answers it,
// before it has looked at the transaction; what waits is refused with nearcore's
// reason if the transaction is invalid, and else with TIMEOUT_ERROR, once
// polling_timeout has passed.
func (d *Dialect) send(ctx context.Context, r *request, label string, dst []byte) ([]byte, *jsonrpc.Error) {
	switch {
	case r.op == opBroadcastAsync:
		return append(appendBase58(append(dst, '"'), r.tx.hash[:]), '"'), nil
	case r.op == opSendTransaction:
		d.countWait(label, r.waitUntil)
		if r.waitUntil == waitNone {
			return append(dst, `{"final_execution_status":"NONE"}`...), nil
		}
	}
	if reason := d.invalid(r.tx); reason != nil {
		data := append(append([]byte(`{"TxExecutionError":{"InvalidTxError":`), reason...), `}}`...)
		return dst, handlerFailureData("INVALID_TRANSACTION", []byte("{}"), data)
	}
	if shard := d.shards.of(r.tx.signer); !d.shards.tracks(shard) {
		return dst, untrackedTransaction()
	}
	if err := target.Wait(ctx, d.config.RPC.Polling.Timeout.Duration()); err != nil {
		return dst, internalFailure("the caller left while it waited: " + err.Error())
	}
	d.counters.timeouts.Inc()
	return dst, handlerFailure(timeoutError, nil, "Timeout")
}

// transactionStatus answers tx: no transaction is known.
func (d *Dialect) transactionStatus(r *request, label string, dst []byte) ([]byte, *jsonrpc.Error) {
	d.countWait(label, r.waitUntil)
	if !d.shards.tracks(d.shards.of(r.accountID)) {
		return dst, untrackedTransaction()
	}
	hash := string(appendBase58(nil, r.txHash[:]))
	return dst, handlerFailure("UNKNOWN_TRANSACTION", []byte(`{"requested_transaction_hash":"`+hash+`"}`),
		"Transaction "+hash+" doesn't exist")
}

func (d *Dialect) countWait(label string, w waitUntil) {
	d.counters.waitUntil.WithLabelValues(label, waitUntilNames[w]).Inc()
}

func untrackedTransaction() *jsonrpc.Error {
	return handlerFailure("DOES_NOT_TRACK_SHARD", nil,
		"Node doesn't track this shard. Cannot determine whether the transaction is valid")
}

// invalid is why a transaction is invalid at the head, as nearcore's
// InvalidTxError in JSON; nil: it is valid. The checks come in nearcore's order.
// Balances are not looked at.
func (d *Dialect) invalid(t *transaction) []byte {
	head := d.chain.head()
	base, known := d.chain.named(t.blockHash)
	switch {
	case !known || base.height > head || base.height+transactionValidity < head:
		return []byte(`"Expired"`)
	case t.size > maxTransaction:
		return fmt.Appendf(nil, `{"TransactionSizeExceeded":{"limit":%d,"size":%d}}`, maxTransaction, t.size)
	case !t.authentic():
		return []byte(`"InvalidSignature"`)
	}
	a, exists := d.ledger.find(t.signer)
	if !exists {
		return fmt.Appendf(nil, `{"SignerDoesNotExist":{"signer_id":%q}}`, t.signer)
	}
	public := t.publicKey()
	key := d.ledger.keyring(a.index).named(public)
	if key == nil {
		return fmt.Appendf(nil, `{"InvalidAccessKeyError":{"AccessKeyNotFound":{"account_id":%q,"public_key":%q}}}`, t.signer, public)
	}
	nonce, bound := a.nonceOf(key, head), (head+1)*1_000_000
	switch {
	case t.nonce <= nonce:
		return fmt.Appendf(nil, `{"InvalidNonce":{"ak_nonce":%d,"tx_nonce":%d}}`, nonce, t.nonce)
	case t.nonce >= bound:
		return fmt.Appendf(nil, `{"NonceTooLarge":{"tx_nonce":%d,"upper_bound":%d}}`, t.nonce, bound)
	}
	if reason := key.permission.refuses(t); reason != nil {
		return append(append([]byte(`{"InvalidAccessKeyError":`), reason...), '}')
	}
	return nil
}

// refuses is why a key may not sign a transaction, nil where it may.
func (p *permission) refuses(t *transaction) []byte {
	if !p.functionCall {
		return nil
	}
	call := t.first
	if t.actions != 1 || call.kind != functionCall {
		return []byte(`"RequiresFullAccess"`)
	}
	switch {
	case call.deposit:
		return []byte(`"DepositWithFunctionCall"`)
	case string(t.receiver) != keyReceiver:
		return fmt.Appendf(nil, `{"ReceiverMismatch":{"ak_receiver":%q,"tx_receiver":%q}}`, keyReceiver, t.receiver)
	case len(p.methods) > 0 && !slices.Contains(p.methods, call.method):
		return append(jsonrpc.AppendString([]byte(`{"MethodNameMismatch":{"method_name":`), call.method), `}}`...)
	}
	return nil
}
