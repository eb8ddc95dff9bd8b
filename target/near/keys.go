package near

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
)

// keptKeys bounds how many accounts' keys are kept of those that were asked for.
const keptKeys = 1 << 14

// keyPlan says which keys a user has beside its full-access key.
type keyPlan uint8

const (
	onlyFullAccess      keyPlan = iota
	withAllowance               // a key for two methods of the token, of limited allowance
	withoutAllowance            // a key for all methods of the token
	gasFullAccessPlan           // a gas key
	gasFunctionCallPlan         // a gas key for one method of the token
	keyPlans
)

// keyPlanOf is the plan of an account: of ten users one has each of the second
// keys, the others have none.
func keyPlanOf(index int) keyPlan {
	if index < namedAccounts {
		return onlyFullAccess
	}
	switch (index - namedAccounts) % 10 {
	case 1:
		return withAllowance
	case 2:
		return withoutAllowance
	case 6:
		return gasFullAccessPlan
	case 7:
		return gasFunctionCallPlan
	}
	return onlyFullAccess
}

// permission is what a key may do.
type permission struct {
	gasKey       bool
	functionCall bool
	limited      bool // in its allowance
	methods      []string
}

var (
	fullAccess = permission{}
	second     = [keyPlans]permission{
		withAllowance:       {functionCall: true, limited: true, methods: []string{"ft_transfer", "ft_transfer_call"}},
		withoutAllowance:    {functionCall: true},
		gasFullAccessPlan:   {gasKey: true},
		gasFunctionCallPlan: {gasKey: true, functionCall: true, methods: []string{"ft_transfer"}},
	}
)

const (
	keyReceiver  = "token.near" // of every function-call key
	gasKeyNonces = 3            // of every gas key
)

// userKeyBytes is what the keys of a plan take of an account's storage.
var userKeyBytes = func() (bytes [keyPlans]uint64) {
	for plan := range bytes {
		bytes[plan] = fullAccess.bytes()
		if plan != int(onlyFullAccess) {
			bytes[plan] += second[plan].bytes()
		}
	}
	return bytes
}()

// bytes is what a key takes of its account's storage: the public key with its
// curve, the key in Borsh and a record; a record more for each nonce of a gas
// key.
func (p permission) bytes() uint64 {
	const curveAndKey, nonce, tag, u128, u16, length, option = 33, 8, 1, 16, 2, 4, 1
	bytes := uint64(curveAndKey + recordBytes + nonce + tag)
	if p.gasKey {
		bytes += u128 + u16 + gasKeyNonces*(curveAndKey+u16+nonce+recordBytes)
	}
	if p.functionCall {
		bytes += option + length + uint64(len(keyReceiver)) + length
		if p.limited {
			bytes += u128
		}
		for _, name := range p.methods {
			bytes += length + uint64(len(name))
		}
	}
	return bytes
}

// accessKey is one key of an account.
type accessKey struct {
	public     string // "ed25519:" and base58
	raw        [ed25519.PublicKeySize]byte
	permission permission
}

// keyring is an account's keys in the order of a trie, by their bytes.
type keyring struct {
	index int
	keys  []accessKey
}

// keyring is the account's keys. What was not asked for lately is derived, in
// some tens of microseconds a key.
func (l *ledger) keyring(index int) *keyring {
	slot := &l.keys[index%keptKeys]
	if ring := slot.Load(); ring != nil && ring.index == index {
		return ring
	}
	ring := &keyring{index: index, keys: []accessKey{l.derive(index, 0, fullAccess)}}
	if plan := keyPlanOf(index); plan != onlyFullAccess {
		ring.keys = append(ring.keys, l.derive(index, 1, second[plan]))
		slices.SortFunc(ring.keys, func(a, b accessKey) int { return bytes.Compare(a.raw[:], b.raw[:]) })
	}
	slot.Store(ring)
	return ring
}

func (l *ledger) derive(index, number int, p permission) accessKey {
	public := l.private(index, number).Public().(ed25519.PublicKey)
	return accessKey{
		public:     string(appendBase58([]byte("ed25519:"), public)),
		raw:        [ed25519.PublicKeySize]byte(public),
		permission: p,
	}
}

// private is the private key of an account's key: 0 is the full-access one.
func (l *ledger) private(index, number int) ed25519.PrivateKey {
	text := appendID(binary.BigEndian.AppendUint64([]byte("near key "), l.seed), index)
	if number > 0 {
		text = strconv.AppendInt(append(text, ' '), int64(number), 10)
	}
	seed := sha256.Sum256(text)
	return ed25519.NewKeyFromSeed(seed[:])
}

// key is the account's full-access key as "ed25519:" and base58.
func (l *ledger) key(index int) string {
	for _, k := range l.keyring(index).keys {
		if !k.permission.functionCall && !k.permission.gasKey {
			return k.public
		}
	}
	panic("near: an account without a full-access key")
}

// named is the key of a text, "ed25519:" and base58; nil where the account has
// no such key.
func (r *keyring) named(public string) *accessKey {
	for i := range r.keys {
		if r.keys[i].public == public {
			return &r.keys[i]
		}
	}
	return nil
}

// nonceOf is a key's own nonce. A gas key has a list of them instead.
func (a account) nonceOf(k *accessKey, height uint64) uint64 {
	if k.permission.gasKey {
		return 0
	}
	return a.nonce(height)
}

// allowance is what a limited key may still spend on gas at a height.
func (a account) allowance(height uint64) yocto {
	const full, least = group / 4, group / 8 // a quarter of a NEAR
	return yocto{high: full - (height+a.salt%least)%least}
}

// gasBalance is what a gas key holds at a height.
func (a account) gasBalance(height uint64) yocto {
	return yocto{whole: 1 + a.salt%5, high: mix(a.salt^height) % group}
}

// appendAccessKey appends the members of an access key view.
func (a account) appendAccessKey(dst []byte, k *accessKey, height uint64) []byte {
	dst = append(dst, `"nonce":`...)
	dst = strconv.AppendUint(dst, a.nonceOf(k, height), 10)
	return a.appendPermission(append(dst, `,"permission":`...), &k.permission, height)
}

// appendPermission appends a permission as nearcore shows it, the members in
// alphabetical order.
func (a account) appendPermission(dst []byte, p *permission, height uint64) []byte {
	switch {
	case !p.gasKey && !p.functionCall:
		return append(dst, `"FullAccess"`...)
	case !p.functionCall:
		dst = a.gasBalance(height).appendTo(append(dst, `{"GasKeyFullAccess":{"balance":"`...))
		dst = strconv.AppendInt(append(dst, `","num_nonces":`...), gasKeyNonces, 10)
		return append(dst, `}}`...)
	case p.gasKey:
		dst = append(dst, `{"GasKeyFunctionCall":{"allowance":`...)
	default:
		dst = append(dst, `{"FunctionCall":{"allowance":`...)
	}
	if p.limited {
		dst = append(a.allowance(height).appendTo(append(dst, '"')), '"')
	} else {
		dst = append(dst, "null"...)
	}
	if p.gasKey {
		dst = append(a.gasBalance(height).appendTo(append(dst, `,"balance":"`...)), '"')
	}
	dst = append(dst, `,"method_names":[`...)
	for i, name := range p.methods {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"')
	}
	dst = append(dst, ']')
	if p.gasKey {
		dst = strconv.AppendInt(append(dst, `,"num_nonces":`...), gasKeyNonces, 10)
	}
	return append(dst, `,"receiver_id":"`+keyReceiver+`"}}`...)
}

// appendGasNonces appends the nonces of a gas key.
func (a account) appendGasNonces(dst []byte, height uint64) []byte {
	dst = append(dst, '[')
	for i := range uint64(gasKeyNonces) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, a.nonce(height)+i, 10)
	}
	return append(dst, ']')
}
