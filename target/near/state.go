package near

import (
	"bytes"
	"slices"
)

// fewHolders is how many accounts hold a token that not all accounts hold: the
// named ones and the first users.
const fewHolders = namedAccounts + 16

// tokenState is the state of a fungible token contract, worked out like the
// rest of the ledger; the zero value is that of an account without state. Its
// keys are those that [vm.FungibleToken] documents.
//
// The holders are the ledger's first accounts. A balance is [tokenBase] and a
// draw of the holder's own, less the next holder's draw, both drawn anew at
// every height: so the balances of one height sum up to the total supply, and
// those of two heights differ.
type tokenState struct {
	salt    uint64
	holders int
}

// Amounts of a token, in units of 10^24.
const (
	tokenBase = 5_000
	tokenDraw = 4_000 // a draw is below
)

func (l *ledger) stateOf(a account) tokenState {
	if contract, _ := a.contract(); contract != fungible {
		return tokenState{}
	}
	holders := l.accounts
	if !identities[a.index].holders {
		holders = min(holders, fewHolders)
	}
	return tokenState{salt: a.salt, holders: holders}
}

func (s tokenState) draw(holder int, height uint64) yocto {
	x := mix(s.salt ^ mix(uint64(holder%s.holders)) ^ mix(height))
	return yocto{whole: x % tokenDraw, high: mix(x+1) % group, low: mix(x+2) % group}
}

// balance is what a holder has at a height.
func (s tokenState) balance(holder int, height uint64) yocto {
	y, less := s.draw(holder, height), s.draw(holder+1, height)
	y.whole += tokenBase
	if y.low < less.low {
		y.low, less.high = y.low+group, less.high+1
	}
	if y.high < less.high {
		y.high, less.whole = y.high+group, less.whole+1
	}
	return yocto{whole: y.whole - less.whole, high: y.high - less.high, low: y.low - less.low}
}

func (s tokenState) supply() yocto { return yocto{whole: tokenBase * uint64(s.holders)} }

// The records of a token: the total supply, the metadata, and a balance for
// each holder under its prefix and the holder's id.
const (
	supplyKey     = "s"
	metadataKey   = "m"
	balancePrefix = 'b'

	amountBytes = 16 // of a value that is an amount: little-endian
)

// tokenMetadata is what ft_metadata answers: a token divides as NEAR does.
const tokenMetadata = `{"spec":"ft-1.0.0","name":"Volley Token","symbol":"VLY","icon":null,"reference":null,"reference_hash":null,"decimals":24}`

// read is the value of a key at a height.
func (s tokenState) read(key []byte, height uint64) ([]byte, bool) {
	if s.holders == 0 || len(key) == 0 {
		return nil, false
	}
	var amount yocto
	switch {
	case string(key) == metadataKey:
		return []byte(tokenMetadata), true
	case string(key) == supplyKey:
		amount = s.supply()
	case key[0] == balancePrefix:
		holder, ok := indexOf(key[1:])
		if !ok || holder >= s.holders {
			return nil, false
		}
		amount = s.balance(holder, height)
	default:
		return nil, false
	}
	value := amount.little()
	return value[:], true
}

// record is one key of a state and its value.
type record struct{ key, value []byte }

// records are the state's records whose keys start with prefix, in the order of
// their keys.
func (s tokenState) records(prefix []byte, height uint64) (found []record) {
	if s.holders == 0 {
		return nil
	}
	add := func(key []byte) {
		if bytes.HasPrefix(key, prefix) {
			value, _ := s.read(key, height)
			found = append(found, record{key, value})
		}
	}
	for holder := range s.holders {
		add(appendID([]byte{balancePrefix}, holder))
	}
	add([]byte(supplyKey))
	add([]byte(metadataKey))
	slices.SortFunc(found, func(a, b record) int { return bytes.Compare(a.key, b.key) })
	return found
}

// bytes is what the state takes of its account's storage. It is the same at all
// heights and found without a walk over the holders.
func (s tokenState) bytes() uint64 {
	if s.holders == 0 {
		return 0
	}
	const supply = len(supplyKey) + amountBytes + recordBytes
	const metadata = len(metadataKey) + len(tokenMetadata) + recordBytes
	const balance = 1 + amountBytes + recordBytes // beside the holder's id
	return uint64(supply+metadata+s.holders*balance) + idBytes(s.holders)
}

// idBytes is the length of the ids of so many accounts, the first ones, together.
func idBytes(accounts int) (sum uint64) {
	for i := range min(accounts, namedAccounts) {
		sum += uint64(len(identities[i].id))
	}
	users := uint64(max(accounts-namedAccounts, 0))
	sum += users * uint64(len(userPrefix)+len(userSuffix)+1)
	for power := uint64(10); power < users; power *= 10 {
		sum += users - power // which have a digit more
	}
	return sum
}
