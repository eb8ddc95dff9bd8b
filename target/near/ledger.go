package near

import (
	"math/bits"
	"sync/atomic"

	"volley/target/near/vm"
)

// ledger is the state of all accounts at all heights: the named accounts and
// user0.near to userN.near. It holds nothing but a few of the keys that were
// asked for last: an account's state is worked out from the seed, its id and
// the height, so equal seeds give equal ledgers and the number of accounts
// costs no memory. From one block to the next every balance and nonce changes,
// so that reads of different blocks tell themselves apart.
type ledger struct {
	seed     uint64
	salt     uint64 // of the seed
	accounts int
	codes    [contracts]code
	keys     [keptKeys]atomic.Pointer[keyring] // by account index modulo its length
}

func newLedger(seed uint64, users int) *ledger {
	l := &ledger{seed: seed, salt: mix(seed), accounts: namedAccounts + users}
	l.codes[fungible] = newCode(vm.FungibleToken())
	l.codes[burner] = newCode(vm.Burner())
	return l
}

// contract is a program that accounts may have.
type contract uint8

const (
	noContract contract = iota
	fungible            // the fungible token
	burner              // its cost is an argument
	contracts
)

// deployment is how an account came by its contract.
type deployment uint8

const (
	local      deployment = iota // code of its own
	byCodeHash                   // the global contract of a code hash
	byAccount                    // the global contract of globalAccount
)

// code is a contract's WebAssembly.
type code struct {
	vm   *vm.Code
	wasm []byte
	raw  [hashSize]byte // of wasm
	hash string         // raw in base58
}

func newCode(wasm []byte) code {
	c := code{vm: vm.NewCode(wasm), wasm: wasm}
	c.raw = c.vm.Hash()
	c.hash = string(appendBase58(nil, c.raw[:]))
	return c
}

// account is one account of a ledger.
type account struct {
	index int
	salt  uint64 // from the seed and the index
}

// find is the account of an id.
func (l *ledger) find(id []byte) (account, bool) {
	index, ok := indexOf(id)
	if !ok || index >= l.accounts {
		return account{}, false
	}
	return l.at(index), true
}

func (l *ledger) at(index int) account {
	return account{index: index, salt: mix(uint64(index) ^ l.salt)}
}

// amount is the account's balance at a height. Its low digits advance by a
// step that shares no factor with 10, hence no two heights of the chain have
// the same balance.
func (a account) amount(height uint64) yocto {
	y := yocto{whole: 10 + a.salt%9_990}
	if a.index < namedAccounts {
		y.whole = 1_000_000_000
	}
	step := mix(a.salt+1)%(group/10)*10 + uint64("\x01\x03\x07\x09"[a.salt>>62])
	high, low := bits.Mul64(height%group, step)
	y.high = mix(a.salt^height) % group
	if y.low = low % group; high > 0 {
		y.low = bits.Rem64(high, low, group)
	}
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

// contract is what is deployed to the account, and how.
func (a account) contract() (contract, deployment) {
	if a.index >= namedAccounts {
		return noContract, local
	}
	identity := &identities[a.index]
	return identity.code, identity.deploys
}

// What nearcore charges for, in bytes.
const (
	accountBytes = 100 // of an account
	recordBytes  = 40  // of a record, beside its key and value
)

// storageUsage is what the account takes, in bytes, as nearcore counts them: the
// account, its keys, its own code (a global contract's is another's) and its
// contract's state. It does not change from block to block.
func (l *ledger) storageUsage(a account) uint64 {
	bytes := uint64(accountBytes)
	if a.index >= namedAccounts {
		return bytes + userKeyBytes[keyPlanOf(a.index)]
	}
	bytes += userKeyBytes[onlyFullAccess] + l.codeBytes(a) + l.stateOf(a).bytes()
	return bytes
}

// codeBytes is the length of the account's own code.
func (l *ledger) codeBytes(a account) uint64 {
	contract, deployed := a.contract()
	if deployed != local {
		return 0
	}
	return uint64(len(l.codes[contract].wasm))
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
