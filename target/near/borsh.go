package near

import (
	"encoding/binary"
	"fmt"
)

// borshError is in Borsh's own words, which nearcore passes on.
type borshError string

func (e borshError) Error() string { return string(e) }

const (
	errShort    borshError = "Unexpected length of input"
	errTrailing borshError = "Not all bytes read"
)

// borsh reads Borsh. After an error it reads nothing but zeros.
type borsh struct {
	rest []byte
	err  error
}

func (b *borsh) fail(err error) {
	if b.err == nil {
		b.err = err
	}
	b.rest = nil
}

func (b *borsh) bytes(count uint64) []byte {
	if count > uint64(len(b.rest)) {
		b.fail(errShort)
		return nil
	}
	taken := b.rest[:count]
	b.rest = b.rest[count:]
	return taken
}

func (b *borsh) u8() byte {
	if taken := b.bytes(1); b.err == nil {
		return taken[0]
	}
	return 0
}

func (b *borsh) u32() uint32 {
	if taken := b.bytes(4); b.err == nil {
		return binary.LittleEndian.Uint32(taken)
	}
	return 0
}

func (b *borsh) u64() uint64 {
	if taken := b.bytes(8); b.err == nil {
		return binary.LittleEndian.Uint64(taken)
	}
	return 0
}

func (b *borsh) u128() { b.bytes(16) }

func (b *borsh) vec() []byte { return b.bytes(uint64(b.u32())) }

func (b *borsh) accountID() []byte {
	id := b.vec()
	if b.err == nil && !validAccountID(id) {
		b.fail(fmt.Errorf("%q is no account id", id))
	}
	return id
}

// each reads a length and calls item so many times, or until it fails.
func (b *borsh) each(item func()) {
	for n := b.u32(); n > 0 && b.err == nil; n-- {
		item()
	}
}

func (b *borsh) unexpected(tag byte) {
	b.fail(borshError(fmt.Sprintf("Unexpected variant tag: %d", tag)))
}

// Curves, as Borsh numbers them: of keys, and of signatures.
const (
	ed25519Curve   = 0
	secp256k1Curve = 1
)

// onCurve reads a curve's number and the bytes that follow it: a public key or
// a signature.
func (b *borsh) onCurve(ed25519, secp256k1 uint64) (curve byte, raw []byte) {
	switch curve = b.u8(); {
	case b.err != nil:
	case curve == ed25519Curve:
		raw = b.bytes(ed25519)
	case curve == secp256k1Curve:
		raw = b.bytes(secp256k1)
	default:
		b.unexpected(curve)
	}
	return curve, raw
}

func (b *borsh) publicKey() (curve byte, raw []byte) { return b.onCurve(32, 64) }

func (b *borsh) signature() (curve byte, raw []byte) { return b.onCurve(64, 65) }

// The kinds of action, as Borsh numbers them.
const (
	createAccount = iota
	deployContract
	functionCall
	transfer
	stake
	addKey
	deleteKey
	deleteAccount
	delegate
	deployGlobalContract
	useGlobalContract
)

// action is what of an action the checks look at.
type action struct {
	kind    byte
	method  string // of functionCall
	deposit bool   // of functionCall: more than none
}

// action reads one action. Those that came to the protocol after
// useGlobalContract are not known.
func (b *borsh) action() (a action) {
	a.kind = b.u8()
	switch a.kind {
	case createAccount:
	case deployContract:
		b.vec()
	case functionCall:
		a.method = string(b.vec())
		b.vec() // args
		b.u64() // gas
		low, high := b.u64(), b.u64()
		a.deposit = low|high != 0
	case transfer:
		b.u128()
	case stake:
		b.u128()
		b.publicKey()
	case addKey:
		b.publicKey()
		b.accessKey()
	case deleteKey:
		b.publicKey()
	case deleteAccount:
		b.accountID()
	case delegate:
		b.delegate()
	case deployGlobalContract:
		b.vec()
		b.oneOf(func() {}, func() {})
	case useGlobalContract:
		b.oneOf(func() { b.bytes(hashSize) }, func() { b.accountID() })
	default:
		b.unexpected(a.kind)
	}
	return a
}

func (b *borsh) oneOf(variants ...func()) {
	tag := b.u8()
	switch {
	case b.err != nil:
	case int(tag) < len(variants):
		variants[tag]()
	default:
		b.unexpected(tag)
	}
}

func (b *borsh) accessKey() {
	b.u64() // nonce
	call := func() {
		b.oneOf(func() {}, b.u128) // allowance
		b.vec()                    // receiver
		b.each(func() { b.vec() }) // methods
	}
	gas := func() {
		b.u128()   // balance
		b.bytes(2) // nonces
	}
	b.oneOf(call, func() {}, func() { gas(); call() }, gas)
}

// delegate reads the rest of a signed delegate action.
func (b *borsh) delegate() {
	b.accountID()
	b.accountID()
	b.each(func() {
		if len(b.rest) > 0 && b.rest[0] == delegate {
			b.fail(borshError("DelegateAction mustn't contain a nested one"))
			return
		}
		b.action()
	})
	b.u64() // nonce
	b.u64() // greatest height
	b.publicKey()
	b.signature()
}
