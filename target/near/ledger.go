package near

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"strconv"
	"sync/atomic"
)

// Accounts that every ledger has, before its users.
const (
	rootAccount      = "near"
	validatorAccount = "test.near"
	validatorIndex   = 1
	namedAccounts    = 2
)

// storageUsage is what an account with one full-access key and no contract
// takes, in bytes.
const storageUsage = 182

// ledger is the state of all accounts at all heights: near, test.near and
// user0.near to userN.near, each with one full-access key and no contract. It
// holds nothing but keys that were asked for: an account's state is worked out
// from the seed, its id and the height, so equal seeds give equal ledgers. From
// one block to the next every balance and nonce changes, so that reads of
// different blocks tell themselves apart.
type ledger struct {
	seed uint64
	keys []atomic.Pointer[string] // by account index; nil until first asked for
}

func newLedger(seed uint64, users int) *ledger {
	return &ledger{seed: seed, keys: make([]atomic.Pointer[string], namedAccounts+users)}
}

// account is one account of a ledger.
type account struct {
	index int
	salt  uint64 // from the seed and the id
}

// find is the account of an id. Only the canonical spelling of a user's number
// names it: user07.near is nobody.
func (l *ledger) find(id []byte) (account, bool) {
	index, ok := indexOf(id)
	if !ok || index >= len(l.keys) {
		return account{}, false
	}
	return account{index: index, salt: mix(hash64(id) ^ mix(l.seed))}, true
}

func indexOf(id []byte) (int, bool) {
	const prefix, suffix, maxDigits = "user", ".near", 9
	switch string(id) {
	case rootAccount:
		return 0, true
	case validatorAccount:
		return validatorIndex, true
	}
	digits := len(id) - len(prefix) - len(suffix)
	if digits < 1 || digits > maxDigits || string(id[:len(prefix)]) != prefix || string(id[len(id)-len(suffix):]) != suffix {
		return 0, false
	}
	number := id[len(prefix) : len(prefix)+digits]
	if number[0] == '0' && digits > 1 {
		return 0, false
	}
	n := 0
	for _, c := range number {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return namedAccounts + n, true
}

func idOf(index int) string {
	switch index {
	case 0:
		return rootAccount
	case validatorIndex:
		return validatorAccount
	}
	return "user" + strconv.Itoa(index-namedAccounts) + ".near"
}

// yocto is an amount: whole NEAR and two groups of twelve decimals. One NEAR is
// 10^24 yoctoNEAR, so the three groups are the amount's decimal digits.
type yocto struct{ whole, high, low uint64 }

const group = 1_000_000_000_000 // of twelve digits

// appendTo appends the amount in yoctoNEAR, in decimal.
func (y yocto) appendTo(dst []byte) []byte {
	if y.whole > 0 {
		dst = strconv.AppendUint(dst, y.whole, 10)
		return appendGroup(appendGroup(dst, y.high), y.low)
	}
	if y.high > 0 {
		return appendGroup(strconv.AppendUint(dst, y.high, 10), y.low)
	}
	return strconv.AppendUint(dst, y.low, 10)
}

func appendGroup(dst []byte, v uint64) []byte {
	at := len(dst) + 12
	dst = append(dst, "000000000000"...)
	for i := at - 1; v > 0; i-- {
		dst[i] = byte('0' + v%10)
		v /= 10
	}
	return dst
}

// amount is the account's balance at a height. Its low digits advance by a
// step that shares no factor with 10, hence no two heights of the chain have
// the same balance.
func (a account) amount(height uint64) yocto {
	y := yocto{whole: 10 + a.salt%9_990}
	if a.index < namedAccounts {
		y.whole = 1_000_000_000
	}
	step := mix(a.salt+1)%(group/10)*10 + [4]uint64{1, 3, 7, 9}[a.salt>>62]
	high, low := bits.Mul64(height%group, step)
	y.high = mix(a.salt^height) % group
	y.low = bits.Rem64(high, low, group)
	return y
}

// locked is the account's stake in an epoch: the validator's grows by its
// reward, others have none.
func (a account) locked(epoch uint64) yocto {
	if a.index != validatorIndex {
		return yocto{}
	}
	return yocto{whole: 50_000_000 + 4_000*epoch}
}

// nonce is the nonce of the account's key at a height. As on NEAR a key starts
// at a million times the height at which it was made; one transaction is spent
// per block.
func (a account) nonce(height uint64) uint64 {
	return genesisHeight*1_000_000 + a.salt%1_000 + (height - genesisHeight)
}

// key is the account's public key as "ed25519:" and base58. The first call for
// an account derives it (some tens of microseconds), later ones load it.
func (l *ledger) key(index int) string {
	if key := l.keys[index].Load(); key != nil {
		return *key
	}
	public := l.private(index).Public().(ed25519.PublicKey)
	key := string(appendBase58([]byte("ed25519:"), public))
	l.keys[index].Store(&key)
	return key
}

func (l *ledger) private(index int) ed25519.PrivateKey {
	seed := sha256.Sum256(append(binary.BigEndian.AppendUint64([]byte("near key "), l.seed), idOf(index)...))
	return ed25519.NewKeyFromSeed(seed[:])
}

// hash64 is FNV-1a.
func hash64(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// mix is the finaliser of SplitMix64: every bit of x decides every bit of what
// it gives.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
