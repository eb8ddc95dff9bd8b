package near

import "strconv"

// The least and the greatest length of an account id, in bytes.
const (
	minAccountID = 2
	maxAccountID = 64
)

// validAccountID tells whether id follows NEAR's account id rules: 2 to 64
// bytes of lower-case letters, digits and the separators ".", "-" and "_", with
// no separator first, last or beside another.
func validAccountID(id []byte) bool {
	if len(id) < minAccountID || len(id) > maxAccountID {
		return false
	}
	separated := true
	for _, c := range id {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			separated = false
		case (c == '.' || c == '-' || c == '_') && !separated:
			separated = true
		default:
			return false
		}
	}
	return !separated
}

// Accounts that every ledger has, before its users, by index.
const (
	rootIndex = iota
	validatorIndex
	tokenIndex
	wrapIndex
	burnerIndex
	globalIndex
	sharedIndex
	linkedIndex
	namedAccounts
)

const (
	validatorAccount = "test.near"
	globalAccount    = "global.near"
)

// identities are the named accounts' ids and what is deployed to them.
var identities = [namedAccounts]struct {
	id      string
	code    contract
	deploys deployment
	holders bool // of a token: all accounts, not only the first fewHolders
}{
	rootIndex:      {id: "near"},
	validatorIndex: {id: validatorAccount},
	tokenIndex:     {id: "token.near", code: fungible, holders: true},
	wrapIndex:      {id: "wrap.near", code: fungible},
	burnerIndex:    {id: "burner.near", code: burner},
	globalIndex:    {id: globalAccount},
	sharedIndex:    {id: "shared.near", code: fungible, deploys: byCodeHash},
	linkedIndex:    {id: "linked.near", code: fungible, deploys: byAccount},
}

// Users are user0.near and on.
const userPrefix, userSuffix = "user", ".near"

// indexOf is the index of an id that a ledger of enough users knows. Only the
// canonical spelling of a user's number names it: user07.near is nobody.
func indexOf(id []byte) (int, bool) {
	const maxDigits = 9
	digits := len(id) - len(userPrefix) - len(userSuffix)
	if digits < 1 || string(id[:len(userPrefix)]) != userPrefix {
		return namedIndex(id)
	}
	number := id[len(userPrefix) : len(userPrefix)+digits]
	if digits > maxDigits || string(id[len(userPrefix)+digits:]) != userSuffix || number[0] == '0' && digits > 1 {
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

func namedIndex(id []byte) (int, bool) {
	for i := range identities {
		if identities[i].id == string(id) {
			return i, true
		}
	}
	return 0, false
}

func appendID(dst []byte, index int) []byte {
	if index < namedAccounts {
		return append(dst, identities[index].id...)
	}
	dst = strconv.AppendInt(append(dst, userPrefix...), int64(index-namedAccounts), 10)
	return append(dst, userSuffix...)
}

func idOf(index int) string { return string(appendID(nil, index)) }
