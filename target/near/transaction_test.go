package near

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// draft is a transaction to be signed. Its Borsh is written here by hand, so
// that the decoder has a second opinion to agree with.
type draft struct {
	signer, receiver string
	key              int // the signer's: 0 is its full-access key
	nonce            uint64
	block            [hashSize]byte
	actions          [][]byte
	padding          int // bytes of a contract that is deployed besides
	forged           bool
}

func text(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

func aTransfer() []byte { return append([]byte{transfer, 1}, make([]byte, 15)...) }

func aCall(method string, deposit uint64) []byte {
	b := text([]byte{functionCall}, method)
	b = text(b, "{}")
	b = binary.LittleEndian.AppendUint64(b, 30_000_000_000_000)
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, deposit), 0)
}

func (x draft) borsh(l *ledger) (raw []byte, hash [hashSize]byte) {
	index, ok := indexOf([]byte(x.signer))
	if !ok {
		index = l.accounts // nobody's key
	}
	private := l.private(index, x.key)
	b := text(nil, x.signer)
	b = append(append(b, ed25519Curve), private.Public().(ed25519.PublicKey)...)
	b = binary.LittleEndian.AppendUint64(b, x.nonce)
	b = append(text(b, x.receiver), x.block[:]...)
	actions := x.actions
	if x.padding > 0 {
		actions = append(actions, text([]byte{deployContract}, strings.Repeat("x", x.padding)))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(actions)))
	for _, a := range actions {
		b = append(b, a...)
	}
	hash = sha256.Sum256(b)
	signature := ed25519.Sign(private, hash[:])
	if x.forged {
		signature[0] ^= 1
	}
	return append(append(b, ed25519Curve), signature...), hash
}

func (x draft) encoded(l *ledger) string {
	raw, _ := x.borsh(l)
	return base64.StdEncoding.EncodeToString(raw)
}

// valid is a transaction that the head would take.
func valid(d *Dialect) draft {
	a, _ := d.ledger.find([]byte("user0.near"))
	return draft{signer: "user0.near", receiver: "near", nonce: a.nonce(startHead) + 1, block: d.chain.at(startHead - 2).raw, actions: [][]byte{aTransfer()}}
}

func TestInvalidTransactions(t *testing.T) {
	d, _ := standing3(t)
	user := func(n, key int, change func(*draft)) draft {
		x := valid(d)
		x.signer, x.key = fmt.Sprintf("user%d.near", n), key
		a, _ := d.ledger.find([]byte(x.signer))
		x.nonce = a.nonce(startHead) + 1
		change(&x)
		return x
	}
	own, _ := d.ledger.find([]byte("user0.near"))
	limited := string(appendBase58([]byte("ed25519:"), d.ledger.private(namedAccounts+0, 1).Public().(ed25519.PublicKey)))
	for _, c := range []struct {
		name string
		tx   draft
		want string
	}{
		{"of another chain", user(0, 0, func(x *draft) { x.block[0] ^= 1 }), `"Expired"`},
		{"of a block to come", user(0, 0, func(x *draft) { x.block = d.chain.at(startHead + 1).raw }), `"Expired"`},
		{"of an old block", user(0, 0, func(x *draft) { x.block = d.chain.at(startHead - 86_401).raw }), `"Expired"`},
		{"expired before it is forged", user(0, 0, func(x *draft) { x.block[0] ^= 1; x.forged = true }), `"Expired"`},
		{"too large", user(0, 0, func(x *draft) { x.padding = maxTransaction }), `{"TransactionSizeExceeded":{"limit":1572864,"size":1573050}}`},
		{"forged", user(0, 0, func(x *draft) { x.forged = true }), `"InvalidSignature"`},
		{"of nobody", user(0, 0, func(x *draft) { x.signer = "user10.near" }), `{"SignerDoesNotExist":{"signer_id":"user10.near"}}`},
		{"by a key of nobody's", user(0, 1, func(*draft) {}),
			`{"InvalidAccessKeyError":{"AccessKeyNotFound":{"account_id":"user0.near","public_key":"` + limited + `"}}}`},
		{"nonce already used", user(0, 0, func(x *draft) { x.nonce-- }),
			fmt.Sprintf(`{"InvalidNonce":{"ak_nonce":%d,"tx_nonce":%d}}`, own.nonce(startHead), own.nonce(startHead))},
		{"nonce too large", user(0, 0, func(x *draft) { x.nonce = 1_300_001_000_000 }), `{"NonceTooLarge":{"tx_nonce":1300001000000,"upper_bound":1300001000000}}`},
		{"transfer by a function-call key", user(1, 1, func(*draft) {}), `{"InvalidAccessKeyError":"RequiresFullAccess"}`},
		{"two actions by a function-call key", user(1, 1, func(x *draft) { x.actions = [][]byte{aCall("ft_transfer", 0), aCall("ft_transfer", 0)} }),
			`{"InvalidAccessKeyError":"RequiresFullAccess"}`},
		{"deposit by a function-call key", user(1, 1, func(x *draft) { x.receiver, x.actions = "token.near", [][]byte{aCall("ft_transfer", 1)} }),
			`{"InvalidAccessKeyError":"DepositWithFunctionCall"}`},
		{"another receiver", user(1, 1, func(x *draft) { x.actions = [][]byte{aCall("ft_transfer", 0)} }),
			`{"InvalidAccessKeyError":{"ReceiverMismatch":{"ak_receiver":"token.near","tx_receiver":"near"}}}`},
		{"another method", user(1, 1, func(x *draft) { x.receiver, x.actions = "token.near", [][]byte{aCall("mint\"", 0)} }),
			`{"InvalidAccessKeyError":{"MethodNameMismatch":{"method_name":"mint\""}}}`},
	} {
		for _, method := range []string{"send_tx", "broadcast_tx_commit"} {
			want := `{"name":"HANDLER_ERROR","cause":{"info":{},"name":"INVALID_TRANSACTION"},"code":-32000,"message":"Server error",` +
				`"data":{"TxExecutionError":{"InvalidTxError":` + c.want + `}}}`
			if got := ask(t, d, method, `["`+c.tx.encoded(d.ledger)+`"]`); got != (exchange{method, 200, want}) {
				t.Errorf("%s, %s:\n got %+v\nwant %s", method, c.name, got, want)
			}
		}
	}
}

func TestAValidTransactionIsWaitedForUntilTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := parse(t, `{"rpc": {"polling_config": {"polling_timeout": {"secs": 3, "nanos": 500000000}}}, "volley": {"block_time": "1h"}}`)
		d := New(c)
		anyMethod := valid(d)
		anyMethod.signer, anyMethod.key, anyMethod.receiver, anyMethod.actions = "user2.near", 1, "token.near", [][]byte{aCall("anything", 0)}
		a, _ := d.ledger.find([]byte("user2.near"))
		anyMethod.nonce = a.nonce(startHead) + 1
		const want = `{"name":"HANDLER_ERROR","cause":{"name":"TIMEOUT_ERROR"},"code":-32000,"message":"Server error","data":"Timeout"}`
		for _, tx := range []draft{valid(d), anyMethod} {
			for method, params := range map[string]string{
				"send_tx":             `{"signed_tx_base64":"TX","wait_until":"FINAL"}`,
				"broadcast_tx_commit": `["TX"]`,
			} {
				begun := time.Now()
				got := ask(t, d, method, strings.ReplaceAll(params, "TX", tx.encoded(d.ledger)))
				if got != (exchange{method, 408, want}) {
					t.Errorf("%s: %+v", method, got)
				}
				if took := time.Since(begun); took != 3500*time.Millisecond {
					t.Errorf("%s waited %s", method, took)
				}
			}
		}
	})
}

// nearcore answers these before it has looked at the transaction.
func TestWhatDoesNotWaitIsNotChecked(t *testing.T) {
	d, _ := standing3(t)
	x := valid(d)
	x.forged = true
	raw, hash := x.borsh(d.ledger)
	encoded := base64.StdEncoding.EncodeToString(raw)
	if got, want := ask(t, d, "broadcast_tx_async", `["`+encoded+`"]`), `"`+string(appendBase58(nil, hash[:]))+`"`; got.body != want || got.status != 200 {
		t.Errorf("broadcast_tx_async: %+v, want %s", got, want)
	}
	if got := ask(t, d, "send_tx", `{"wait_until":"NONE","signed_tx_base64":"`+encoded+`"}`); got.body != `{"final_execution_status":"NONE"}` {
		t.Errorf("send_tx: %+v", got)
	}
}

func TestNoTransactionIsKnown(t *testing.T) {
	d, _ := standing3(t)
	x := valid(d)
	raw, sum := x.borsh(d.ledger)
	hash, encoded := string(appendBase58(nil, sum[:])), base64.StdEncoding.EncodeToString(raw)
	want := handler("UNKNOWN_TRANSACTION", `{"requested_transaction_hash":"`+hash+`"}`, `"Transaction `+hash+` doesn't exist"`)
	for _, method := range []string{"tx", "EXPERIMENTAL_tx_status"} {
		for _, params := range []string{
			`{"tx_hash":"` + hash + `","sender_account_id":"user0.near"}`,
			`{"tx_hash":"` + hash + `","sender_account_id":"nobody.near","wait_until":"NONE"}`,
			`{"signed_tx_base64":"` + encoded + `","wait_until":"INCLUDED_FINAL"}`,
			`["` + hash + `","user0.near"]`,
			`["` + encoded + `"]`,
		} {
			if got := ask(t, d, method, params); got != (exchange{method, 200, want}) {
				t.Errorf("%s %s: %+v, want %s", method, params, got, want)
			}
		}
	}
}

func TestTransactionParamsThatDoNotDecode(t *testing.T) {
	d, _ := standing3(t)
	x := valid(d)
	raw, sum := x.borsh(d.ledger)
	b64 := base64.StdEncoding.EncodeToString
	hash := string(appendBase58(nil, sum[:]))
	unnamed := x
	unnamed.signer = "NEAR"
	for _, c := range []struct{ method, params, want string }{
		{"send_tx", ``, failedArgs("invalid type: null, expected struct RpcSendTransactionRequest")},
		{"send_tx", `[]`, failedArgs("invalid type: sequence, expected struct RpcSendTransactionRequest")},
		{"send_tx", `{}`, failedArgs("missing field `signed_tx_base64`")},
		{"send_tx", `["` + b64(raw) + `","FINAL"]`, validation("Unable to parse send request: too many params passed")},
		{"broadcast_tx_async", `[5]`, failedArgs("invalid type: integer `5`, expected a string")},
		{"broadcast_tx_commit", `["%"]`, validation("Failed to decode transaction: illegal base64 data at input byte 0")},
		{"broadcast_tx_commit", `["AA=="]`, validation("Failed to decode transaction: Unexpected length of input")},
		{"broadcast_tx_async", `[""]`, validation("Failed to decode transaction: Unexpected length of input")},
		{"send_tx", `{"signed_tx_base64":"AA=="}`, failedArgs("Unexpected length of input")},
		{"send_tx", `["` + b64(raw[:len(raw)-1]) + `"]`, validation("Failed to decode transaction: Unexpected length of input")},
		{"send_tx", `["` + b64(append(raw, 0)) + `"]`, validation("Failed to decode transaction: Not all bytes read")},
		{"send_tx", `["` + unnamed.encoded(d.ledger) + `"]`, validation(`Failed to decode transaction: "NEAR" is no account id`)},
		{"send_tx", `{"signed_tx_base64":"` + b64(raw) + `","wait_until":"SOON"}`,
			failedArgs("unknown variant `SOON`, expected one of `NONE`, `INCLUDED`, `EXECUTED_OPTIMISTIC`, `INCLUDED_FINAL`, `EXECUTED`, `FINAL`")},
		{"tx", ``, failedArgs("data did not match any variant of untagged enum TransactionInfo")},
		{"tx", `["AA=="]`, validation("Failed to decode transaction: Unexpected length of input")},
		{"tx", `{"tx_hash":"` + hash + `"}`, failedArgs("data did not match any variant of untagged enum TransactionInfo")},
		{"tx", `{"tx_hash":"22","sender_account_id":"near"}`, failedArgs("tx_hash: invalid value: a hash of 32 bytes in base58 was expected")},
		{"tx", `["` + hash + `","N"]`, failedArgs(`sender_account_id: "N" is no account id`)},
		{"tx", `{"tx_hash":"` + hash + `","sender_account_id":"near","wait_until":1}`, failedArgs("invalid type: integer `1`, expected string")},
	} {
		if got := ask(t, d, c.method, c.params); got != (exchange{c.method, 400, c.want}) {
			t.Errorf("%s %s:\n got %+v\nwant %s", c.method, c.params, got, c.want)
		}
	}
}

func TestEveryKnownActionIsDecoded(t *testing.T) {
	l := newLedger(1, 1)
	key := append([]byte{ed25519Curve}, make([]byte, 32)...)
	pad := func(n int) []byte { return make([]byte, n) }
	join := func(parts ...[]byte) (b []byte) {
		for _, p := range parts {
			b = append(b, p...)
		}
		return b
	}
	secp := append([]byte{secp256k1Curve}, pad(64)...)
	delegated := join([]byte{delegate}, text(nil, "near"), text(nil, "near"), []byte{1, 0, 0, 0}, aTransfer(), pad(16), key, []byte{ed25519Curve}, pad(64))
	for name, action := range map[string][]byte{
		"create account":            {createAccount},
		"deploy contract":           text([]byte{deployContract}, "wasm"),
		"function call":             aCall("m", 7),
		"transfer":                  aTransfer(),
		"stake":                     join([]byte{stake}, pad(16), secp),
		"add a full-access key":     join([]byte{addKey}, key, pad(8), []byte{1}),
		"add a function-call key":   join([]byte{addKey}, key, pad(8), []byte{0, 1}, pad(16), text(nil, "near"), []byte{1, 0, 0, 0}, text(nil, "m")),
		"add a gas key":             join([]byte{addKey}, key, pad(8), []byte{3}, pad(18)),
		"delete key":                join([]byte{deleteKey}, key),
		"delete account":            text([]byte{deleteAccount}, "near"),
		"delegate":                  delegated,
		"deploy global contract":    append(text([]byte{deployGlobalContract}, "wasm"), 1),
		"use global contract":       join([]byte{useGlobalContract, 0}, pad(hashSize)),
		"use an account's contract": text([]byte{useGlobalContract, 1}, "near"),
	} {
		x := draft{signer: "user0.near", receiver: "near", actions: [][]byte{action, {createAccount}}}
		got, err := decodeTransaction([]byte(x.encoded(l)))
		if err != nil || got.actions != 2 || got.first.kind != action[0] {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, action := range map[string][]byte{
		"unknown kind":            {useGlobalContract + 1},
		"unknown curve":           {deleteKey, 2},
		"unknown permission":      join([]byte{addKey}, key, pad(8), []byte{4}),
		"unknown way to deploy":   append(text([]byte{deployGlobalContract}, "wasm"), 2),
		"unknown way to use":      {useGlobalContract, 2},
		"delegate in a delegate":  join([]byte{delegate}, text(nil, "near"), text(nil, "near"), []byte{1, 0, 0, 0}, delegated, pad(16), key, []byte{ed25519Curve}, pad(64)),
		"more bytes than there":   {deployContract, 255, 255, 255, 255},
		"more actions than there": join([]byte{delegate}, text(nil, "near"), text(nil, "near"), []byte{255, 255, 255, 255}),
	} {
		x := draft{signer: "user0.near", receiver: "near", actions: [][]byte{action}}
		if got, err := decodeTransaction([]byte(x.encoded(l))); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzTransaction(f *testing.F) {
	d, _ := standing3(f)
	for _, x := range []draft{valid(d), {signer: "a.near", receiver: "b.near", actions: [][]byte{aCall("m", 1), {createAccount}}}} {
		raw, _ := x.borsh(d.ledger)
		f.Add(raw)
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		encoded := base64.StdEncoding.EncodeToString(raw)
		x, err := decodeTransaction([]byte(encoded))
		if err == nil {
			end := len(raw) - len(x.signature) - 1
			if x.hash != sha256.Sum256(raw[:end]) || x.signed != raw[end] || x.size != len(raw) || !validAccountID(x.signer) || !validAccountID(x.receiver) {
				t.Fatalf("%x becomes %+v", raw, x)
			}
			if reason := d.invalid(x); reason != nil {
				if _, _, err := jsonrpc.Split(reason, nil); err != nil {
					t.Fatalf("%s is no JSON", reason)
				}
			}
		}
		got := ask(t, d, "broadcast_tx_async", `["`+encoded+`"]`)
		if (err == nil) != (got.status == 200) {
			t.Fatalf("%x: %v, %+v", raw, err, got)
		}
	})
}

func TestACallerWhoLeavesIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(parse(t, `{"volley": {"block_time": "1h"}}`))
		params := `["` + valid(d).encoded(d.ledger) + `"]`
		c := &target.Call{Request: jsonrpc.Request{Method: []byte("broadcast_tx_commit"), MethodKind: jsonrpc.String, Params: []byte(params), ParamsKind: jsonrpc.Array}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := d.Admit(ctx, c); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Run(ctx, c, nil); err == nil || d.Status(c, err) != 500 || !strings.Contains(string(err.Data), "the caller left while it waited") {
			t.Errorf("%+v", err)
		}
	})
}
