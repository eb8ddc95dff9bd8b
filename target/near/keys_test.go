package near

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

func TestKeyringsAreInOrder(t *testing.T) {
	l := newLedger(3, 100)
	for index := range l.accounts {
		keys := l.keyring(index).keys
		if !slices.IsSortedFunc(keys, func(a, b accessKey) int { return bytes.Compare(a.raw[:], b.raw[:]) }) {
			t.Errorf("%s's keys are not in order", idOf(index))
		}
		want := 1
		if keyPlanOf(index) != onlyFullAccess {
			want = 2
		}
		if len(keys) != want {
			t.Errorf("%s has %d keys, want %d", idOf(index), len(keys), want)
		}
		for _, k := range keys {
			if text := string(appendBase58([]byte("ed25519:"), k.raw[:])); text != k.public {
				t.Errorf("%s is written %s", text, k.public)
			}
			if found := l.keyring(index).named(k.public); found == nil || found.raw != k.raw {
				t.Errorf("%s has %s and does not find it", idOf(index), k.public)
			}
		}
	}
}

func TestAKeyringIsDerivedAgainWhenAnotherTookItsPlace(t *testing.T) {
	l := newLedger(3, keptKeys+1)
	first, again := l.key(namedAccounts), func() string { return l.key(namedAccounts) }
	if other := l.key(namedAccounts + keptKeys); other == first {
		t.Error("two accounts share a key")
	}
	if again() != first {
		t.Error("the key changed")
	}
}

func TestPermissions(t *testing.T) {
	l := newLedger(3, 10)
	for index, want := range map[int]string{
		0: `"FullAccess"`,
		1: `{"FunctionCall":{"allowance":"%s","method_names":["ft_transfer","ft_transfer_call"],"receiver_id":"token.near"}}`,
		2: `{"FunctionCall":{"allowance":null,"method_names":[],"receiver_id":"token.near"}}`,
		6: `{"GasKeyFullAccess":{"balance":"%s","num_nonces":3}}`,
		7: `{"GasKeyFunctionCall":{"allowance":null,"balance":"%s","method_names":["ft_transfer"],"num_nonces":3,"receiver_id":"token.near"}}`,
	} {
		a := l.at(namedAccounts + index)
		ring := l.keyring(a.index)
		key := ring.keys[0]
		if len(ring.keys) > 1 && key.permission.bytes() == fullAccess.bytes() {
			key = ring.keys[1]
		}
		amount := a.gasBalance(startHead)
		if key.permission.limited {
			amount = a.allowance(startHead)
		}
		if got := string(a.appendPermission(nil, &key.permission, startHead)); got != fmt.Sprintf(want, args(want, amount)...) {
			t.Errorf("user%d.near: %s, want %s", index, got, want)
		}
		later := a.appendPermission(nil, &key.permission, startHead+1)
		if changes := bytes.Contains([]byte(want), []byte("%s")); changes == (string(later) == string(a.appendPermission(nil, &key.permission, startHead))) {
			t.Errorf("user%d.near: a block later %s", index, later)
		}
		if !json.Valid(later) {
			t.Errorf("user%d.near: %s is no JSON", index, later)
		}
	}
}

func args(format string, y yocto) []any {
	if !bytes.Contains([]byte(format), []byte("%s")) {
		return nil
	}
	return []any{string(y.appendTo(nil))}
}

// The keys in Borsh are published with the test vectors of a wallet library.
func TestAccessKeysInBorsh(t *testing.T) {
	for name, text := range map[string]string{
		"GasKeyFullAccess":   "0000000000000000" + "03" + "00000000000000000000000000000000" + "0300",
		"GasKeyFunctionCall": "0000000000000000" + "02" + "00000000000000000000000000000000" + "0300" + "00" + "08000000" + "6170702e6e656172" + "01000000" + "03000000" + "666f6f",
		"FullAccess":         "0000000000000000" + "01",
	} {
		raw, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		b := &borsh{rest: raw}
		if b.accessKey(); b.err != nil || len(b.rest) > 0 {
			t.Errorf("%s: %v, %d bytes are left", name, b.err, len(b.rest))
		}
		for end := range raw {
			short := &borsh{rest: raw[:end]}
			if short.accessKey(); short.err != errShort {
				t.Errorf("%s cut at %d: %v", name, end, short.err)
			}
		}
	}
}
