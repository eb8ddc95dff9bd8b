package vm

import _ "embed"

//go:generate make -C contracts

//go:embed contracts/ft.wasm
var fungibleToken []byte

//go:embed contracts/burner.wasm
var burner []byte

// FungibleToken gives the code of a token contract, the view methods of NEP-141
// and NEP-148. Storage holds the total supply under "s" and the balance of an
// account under "b" and its id, both u128 little-endian, 16 bytes; what is
// absent is zero. The metadata is JSON under "m"; where that is absent it is
// built in. Its source is contracts/ft.c.
//
//	ft_balance_of {"account_id": "alice.near"}  -> "123"
//	ft_total_supply                             -> "1000"
//	ft_metadata                                 -> {"spec":"ft-1.0.0","name":...,"symbol":...,"icon":null,"reference":null,"reference_hash":null,"decimals":18}
func FungibleToken() []byte { return fungibleToken }

// Burner gives the code of a contract whose cost is an argument. Its source is
// contracts/burner.c.
//
//	burn {"n": 1000}       n rounds of xorshift64* -> {"n":1000,"checksum":"<16 hex digits>"}
//	log {"n": 3}           n lines                 -> nothing
//	read {"key": "name"}   storage's value of key  -> its bytes, or null
//	fail                   panics
//	write                  tries to write to storage, which views prohibit
func Burner() []byte { return burner }
