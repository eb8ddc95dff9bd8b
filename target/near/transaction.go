package near

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	"volley/internal/jsonrpc"
)

// maxTransaction is the most bytes that a transaction may have.
const maxTransaction = 1_572_864

// transaction is a signed transaction as far as it is checked.
type transaction struct {
	signer, receiver []byte
	curve            byte
	key              []byte // of that curve
	nonce            uint64
	blockHash        [hashSize]byte
	actions          int
	first            action // of them

	size      int
	hash      [hashSize]byte // of all but the signature: what is signed, and the transaction's name
	signed    byte           // the signature's curve
	signature []byte
}

// decodeTransaction reads a signed transaction of version 0 in base64 and
// Borsh, to its last byte.
func decodeTransaction(text []byte) (*transaction, error) {
	raw := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Strict().Decode(raw, text)
	if err != nil {
		return nil, err
	}
	raw = raw[:n]
	b := &borsh{rest: raw}
	t := &transaction{size: n}
	t.signer = b.accountID()
	t.curve, t.key = b.publicKey()
	t.nonce = b.u64()
	t.receiver = b.accountID()
	copy(t.blockHash[:], b.bytes(hashSize))
	b.each(func() {
		a := b.action()
		if t.actions == 0 {
			t.first = a
		}
		t.actions++
	})
	t.hash = sha256.Sum256(raw[:len(raw)-len(b.rest)])
	t.signed, t.signature = b.signature()
	if b.err == nil && len(b.rest) > 0 {
		b.fail(errTrailing)
	}
	return t, b.err
}

// publicKey is the signer's key with its curve.
func (t *transaction) publicKey() string {
	curve := "ed25519:"
	if t.curve == secp256k1Curve {
		curve = "secp256k1:"
	}
	return string(appendBase58([]byte(curve), t.key))
}

// waitUntil is what a call of send_tx or tx waits for.
type waitUntil uint8

const (
	waitNone waitUntil = iota
	waitIncluded
	waitExecutedOptimistic
	waitIncludedFinal
	waitExecuted
	waitFinal
)

var waitUntilNames = [...]string{
	waitNone:               "NONE",
	waitIncluded:           "INCLUDED",
	waitExecutedOptimistic: "EXECUTED_OPTIMISTIC",
	waitIncludedFinal:      "INCLUDED_FINAL",
	waitExecuted:           "EXECUTED",
	waitFinal:              "FINAL",
}

func parseWaitUntil(token []byte) (waitUntil, error) {
	if token == nil {
		return waitExecutedOptimistic, nil
	}
	ref, err := parseVariant(token, 0, waitUntilNames[:]...)
	return waitUntil(ref.kind), err
}

// parseSend decodes the params of send_tx and its kind: a signed transaction,
// by name with what to wait for, or in the old form of an array of one.
func (r *request) parseSend(op operation, params []byte, kind jsonrpc.Kind) *jsonrpc.Error {
	r.op, r.waitUntil = op, waitExecutedOptimistic
	switch kind {
	case jsonrpc.Object:
		var signed []byte
		var wait []byte
		for name, value := range jsonrpc.Members(params) {
			switch string(name) {
			case "signed_tx_base64":
				signed = value
			case "wait_until":
				wait = value
			}
		}
		text, err := stringField("signed_tx_base64", signed)
		if err == nil {
			r.tx, err = decodeTransaction(text)
		}
		if err == nil {
			r.waitUntil, err = parseWaitUntil(wait)
		}
		if err != nil {
			return argsFailure(err.Error())
		}
		return nil
	case jsonrpc.Array:
		var room [2][]byte
		parts, _, err := jsonrpc.Split(params, room[:0])
		if err == nil && len(parts) == 2 {
			return parseFailure("Unable to parse send request: too many params passed")
		}
		if err == nil && len(parts) == 1 {
			return r.parseSigned(parts[0])
		}
	}
	return wrongParams(params, "struct RpcSendTransactionRequest")
}

// parseSigned decodes the one transaction of the old form.
func (r *request) parseSigned(token []byte) *jsonrpc.Error {
	text, err := stringField("signed_tx_base64", token)
	if err != nil {
		return argsFailure(err.Error())
	}
	if r.tx, err = decodeTransaction(text); err != nil {
		return parseFailure("Failed to decode transaction: " + err.Error())
	}
	return nil
}

// parseTx decodes the params of tx: a transaction's hash and its sender, or the
// whole signed transaction; by name, or in an array without wait_until.
func (r *request) parseTx(params []byte, kind jsonrpc.Kind) *jsonrpc.Error {
	r.op, r.waitUntil = opTransaction, waitExecutedOptimistic
	var hash, sender, signed, wait []byte
	switch kind {
	case jsonrpc.Object:
		for name, value := range jsonrpc.Members(params) {
			switch string(name) {
			case "tx_hash":
				hash = value
			case "sender_account_id":
				sender = value
			case "signed_tx_base64":
				signed = value
			case "wait_until":
				wait = value
			}
		}
	case jsonrpc.Array:
		var room [2][]byte
		parts, _, err := jsonrpc.Split(params, room[:0])
		switch {
		case err == nil && len(parts) == 1:
			if err := r.parseSigned(parts[0]); err != nil {
				return err
			}
			r.txHash, r.accountID = r.tx.hash, r.tx.signer
			return nil
		case err == nil && len(parts) == 2:
			hash, sender = parts[0], parts[1]
		}
	}
	if err := r.transactionID(hash, sender, signed, wait); err != nil {
		return argsFailure(err.Error())
	}
	return nil
}

func (r *request) transactionID(hash, sender, signed, wait []byte) (err error) {
	if r.waitUntil, err = parseWaitUntil(wait); err != nil {
		return err
	}
	if signed != nil {
		text, err := stringField("signed_tx_base64", signed)
		if err != nil {
			return err
		}
		if r.tx, err = decodeTransaction(text); err == nil {
			r.txHash, r.accountID = r.tx.hash, r.tx.signer
		}
		return err
	}
	if hash == nil || sender == nil {
		return errors.New("data did not match any variant of untagged enum TransactionInfo")
	}
	if r.txHash, err = hashField("tx_hash", hash); err != nil {
		return err
	}
	if r.accountID, err = stringField("sender_account_id", sender); err != nil {
		return err
	}
	if !validAccountID(r.accountID) {
		return fmt.Errorf("sender_account_id: %q is no account id", r.accountID)
	}
	return nil
}

// authentic verifies an ed25519 signature. The other curve's are not verified:
// no account of this ledger has such a key.
func (t *transaction) authentic() bool {
	if t.signed != t.curve {
		return false
	}
	return t.curve != ed25519Curve || ed25519.Verify(t.key, t.hash[:], t.signature)
}
